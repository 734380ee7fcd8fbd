"""Tables larger than memory, on one machine or on a cluster."""
