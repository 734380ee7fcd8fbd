"""Planted tables: clusters that are known, and when coupled measures find them better."""
