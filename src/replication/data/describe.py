"""Step `describe`: the entry of `config/datasets.yaml` for the files of a public data set."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from replication.data.parse import parse_dataset, records, table_bytes, table_fingerprint
from replication.errors import UserError

TODO = "TODO"
"""Stands for what no file can say."""


_OPTIONS: dict[str, dict[str, Any]] = {
    "id": {"default": "", "help": "id of the data set; the name of the first file"},
    "separator": {
        "default": "comma",
        "choices": ["comma", "semicolon", "tab", "whitespace"],
        "help": "what stands between two fields",
    },
    "quote": {"help": "quotation mark around fields"},
    "header": {"action": "store_true", "help": "the first line names the columns"},
    "missing": {"nargs": "*", "default": ["?"], "help": "fields that mean missing"},
    "columns": {"nargs": "*", "default": [], "help": "names of the columns, in order"},
    "numeric": {"nargs": "*", "default": [], "help": "columns of quantities"},
    "class": {"dest": "label", "help": "column of the class; the last one"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="files, as published")
    for name, settings in _OPTIONS.items():
        parser.add_argument(f"--{name}", **settings)


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    import yaml

    payloads = {path.name: path.read_bytes() for path in args.files}
    if len(payloads) < len(args.files):
        raise UserError("two of the files have the same name; rename one")
    given = {"quote": args.quote, "header": args.header}
    parse = {"separator": args.separator, "missing": args.missing}
    parse |= {key: value for key, value in given.items() if value}
    name = args.id or args.files[0].stem.lower().replace("-", "_").replace(".", "_")
    entry = describe(name, payloads, parse, args.columns, args.numeric, args.label)
    print(yaml.safe_dump({name: entry}, sort_keys=False, allow_unicode=True, width=100), end="")
    return 0


def describe(
    name: str,
    payloads: Mapping[str, bytes],
    parse: Mapping[str, Any],
    columns: Sequence[str] = (),
    numeric: Sequence[str] = (),
    label: str | None = None,
) -> dict[str, Any]:
    """Entry of a data set: sizes, checksums, shape and fingerprint of its files.

    Parameters
    ----------
    name : str
        Id of the data set.
    payloads : mapping of str to bytes
        Contents of the files, by file name.
    parse : mapping
        ``separator``, ``missing``, ``quote``, ``header``, as in the registry.
    columns, numeric : sequence of str
        All columns, by default the header, or ``a1``, ``a2``, ...; those that hold quantities.
    label : str, optional
        Column of the class, by default the last one.

    Returns
    -------
    dict
        With `TODO` for what no file can say.

    Raises
    ------
    UserError
        If a file cannot be read as stated, or a column is named that there is not.
    """
    if not columns:
        first = next(iter(payloads))
        line = next((fields for _, fields in records(first, payloads[first], parse)), None)
        if line is None:
            raise UserError(f"{first}: no line has content")
        named = parse.get("header", False)
        columns = [f.strip() if named else f"a{j}" for j, f in enumerate(line, start=1)]
    columns = list(columns)
    label = columns[-1] if label is None else label
    unknown = [column for column in [*numeric, label] if column not in columns]
    if unknown:
        raise UserError(f"{name}: no column is called {unknown[0]!r}; the columns: {columns}")
    spec = {
        "files": [{"name": file} for file in payloads],
        "parse": dict(parse),
        "columns": columns,
        "numeric": list(numeric),
    }
    table = parse_dataset(spec, payloads)
    return {
        **dict.fromkeys(("title", "description", "licence", "citation", "homepage"), TODO),
        "folder": name,
        **spec,
        "files": [
            {
                "name": file,
                "url": TODO,
                "sha256": hashlib.sha256(payload).hexdigest(),
                "bytes": len(payload),
                "rows": len(parse_dataset(spec | {"files": [{"name": file}]}, {file: payload})),
            }
            for file, payload in payloads.items()
        ],
        "class": label,
        "shape": {"rows": len(table), "columns": table.shape[1]},
        "fingerprint": table_fingerprint(table, numeric),
        "table_sha256": hashlib.sha256(table_bytes(table)).hexdigest(),
    }
