"""Compiled loops. Arrays in, arrays out; the modules above check their input."""
