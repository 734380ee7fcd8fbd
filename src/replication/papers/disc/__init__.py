"""DISC: M. Zhao and others, AAAI 2026."""
