"""Clusterings that fit a table directly, without a measure of objects; one file per method."""
