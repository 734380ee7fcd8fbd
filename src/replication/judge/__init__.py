"""Our numbers beside the printed ones: verdicts, claims, the ledger."""
