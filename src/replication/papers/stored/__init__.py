"""Partitions that another group stored: their mean scores, and ours."""
