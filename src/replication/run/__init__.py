"""From codes to records: similarities, clusterings, experiments, costs, tests."""
