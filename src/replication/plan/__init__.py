"""The plan of a run: its jobs, the places of its files, and what makes a job run again."""
