"""Small data sets for the tests of parsing and fetching."""

import hashlib


def entry(files, columns, *, parse=None, numeric=(), folder="toy", **more):
    """An entry as in config/datasets.yaml for files given as {name: (payload, extra keys)}."""
    listed = [
        {"name": name, "sha256": hashlib.sha256(payload).hexdigest(), "bytes": len(payload)} | extra
        for name, (payload, extra) in files.items()
    ]
    found = {"folder": folder, "files": listed, "parse": {"separator": "comma", **(parse or {})}}
    found |= {"columns": list(columns), "numeric": list(numeric), "class": columns[-1]}
    return found | more
