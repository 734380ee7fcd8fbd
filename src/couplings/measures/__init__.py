"""Measures of (dis)similarity between the values of categorical attributes."""
