"""Tables of the independent runs, one function per kind of artefact."""
