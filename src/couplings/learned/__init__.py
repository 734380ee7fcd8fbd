"""Clusterings of a table itself, which have no measure of objects, one file a method."""
