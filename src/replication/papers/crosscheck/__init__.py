"""Runs of others beside print and ours, and whether columns of papers lean."""
