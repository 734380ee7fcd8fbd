"""What is to be done, where every file is, and why a job runs again."""
