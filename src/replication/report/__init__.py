"""The page and the record of a whole run."""
