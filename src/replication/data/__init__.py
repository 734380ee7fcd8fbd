"""From an official file to integer codes."""
