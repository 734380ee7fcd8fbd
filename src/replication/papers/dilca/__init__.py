"""DILCA: Ienco, Pensa and Meo, ACM TKDD 2012."""
