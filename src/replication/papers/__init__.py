"""What is special to each paper: one package per paper."""
