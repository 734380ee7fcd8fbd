"""Clustering algorithms for categorical and mixed data."""
