"""The paper in one line: authors, journal, year."""
