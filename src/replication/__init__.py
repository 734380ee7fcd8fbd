"""The protocols of the papers: preparation, trials, verdicts, tables and figures."""
