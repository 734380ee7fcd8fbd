"""Words for what became of a file between the steps."""

OK = "ok"
UNAVAILABLE = "unavailable"
"""The data set could not be had; every file that needs it says so, down to the ledger."""
