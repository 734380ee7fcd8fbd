"""Your own data: measures and clusterings of `config/papers/own.yaml` on files in `data/user`."""
