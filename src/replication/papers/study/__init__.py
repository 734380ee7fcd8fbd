"""The project's own study: which measure and which algorithm are worth using on which data."""
