"""Clusterings of categorical objects."""
