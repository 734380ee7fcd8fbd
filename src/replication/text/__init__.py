"""Texts about a run: every figure and every verdict in them is read from its tables."""
