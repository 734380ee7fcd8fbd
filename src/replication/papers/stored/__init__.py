"""Partitions that another group stored: their mean scores, beside ours."""
