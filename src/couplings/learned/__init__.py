"""Clusterings whose distances are learnt together with the clusters, one file a method."""
