"""Step `download`: fetch a data set by the first route that works; write table and origin.

The routes, in this order: the file of an earlier run, the official address, the archive of the same
site, the mirrors (that of the environment last), the bundled copy. Every file is checked against
the SHA-256 of ``config/datasets.yaml``. A route that cannot be reached or lacks the file is
skipped. A route that delivers another file is an error. A data set without a route is unavailable.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pandas as pd

from replication.data import hosts
from replication.data.parse import parse_dataset, table_bytes, table_columns, table_fingerprint
from replication.data.transfer import (
    NoConnectionError,
    UnexpectedError,
    UnreachableError,
    host_of,
    of_address,
    of_archive,
    of_folder,
    store,
)
from replication.errors import UserError
from replication.files import check_digest, read_json, read_raw, read_rows, write_bytes, write_json
from replication.steps import COMPLETE_ROWS, UNAVAILABLE

OWN_MIRROR = "REPLICATION_MIRROR"
"""Variable of the environment that names a mirror of this machine, tried after the others."""
MOST_ARCHIVE = 200_000_000
"""Largest size of an archive in bytes; entries do not declare it."""


def fetch_dataset(
    dataset: str,
    spec: Mapping[str, Any],
    *,
    raw: Path | str,
    bundled: Path | str,
    mirrors: Sequence[str] = (),
    official: bool = True,
    timeout: float = 5.0,
) -> tuple[pd.DataFrame | None, dict[str, Any]]:
    """Fetch one data set by the first route that has it.

    Parameters
    ----------
    dataset : str
        Identifier of the data set.
    spec : mapping
        Its entry in ``config/datasets.yaml``.
    raw : path
        Folder of downloads; files go to ``<raw>/<dataset>/files/``. A file that is already there
        is checked, used, and never overwritten.
    bundled : path
        Folder of the bundled copies, with ``ORIGINS.csv``.
    mirrors : sequence of str, optional
        Folders or addresses (``http:``, ``https:``) with the files at ``<mirror>/<folder>/<name>``.
    official : bool, default True
        Whether the official addresses are tried.
    timeout : float, default 5
        Seconds to wait for a connection.

    Returns
    -------
    tuple
        The table, None if unavailable; and the facts for ``source.json``: ``status``
        (``available``, ``complete rows`` if the copy lacks the others, ``unavailable``), ``route``
        (several joined by ``+``), ``relation`` to the original files, ``files``, ``fingerprint``,
        ``rows``, ``columns``, ``attempts``, and ``reason`` and ``remedy`` unless available.

    Raises
    ------
    UserError
        If a route delivers another file than expected.
    """
    raw = Path(raw)
    with tempfile.TemporaryDirectory() as scratch:
        fetcher = Fetcher(spec, raw / dataset, Path(scratch), mirrors, official, timeout)
        found = fetcher.files()
    if found is not None:
        payloads, files = found
        table: pd.DataFrame | None = parse_dataset(spec, payloads)
        place, relation = "the files " + ", ".join(payloads), "original"
    else:
        place = f"{dataset}.csv.xz"
        table, files, relation = _bundled_copy(Path(bundled) / place)
        outcome = "no bundled copy" if table is None else "taken"
        fetcher.note(place, "bundled", "data/bundled", outcome)
    attempts = fetcher.attempts
    tried = "; ".join(f"{a['file']} from {a['place']}: {a['outcome']}" for a in attempts)
    status, expected = "available", spec
    if table is None:
        status = UNAVAILABLE
    elif relation == COMPLETE_ROWS:
        status, expected = COMPLETE_ROWS, {**spec, **spec["complete_rows"]}
    whole = status == "available"
    return table, {
        "dataset": dataset,
        "status": status,
        "route": "+".join(dict.fromkeys(file["route"] for file in files)),
        "relation": relation,
        "files": files,
        "fingerprint": "" if table is None else _check_table(dataset, expected, table, place),
        "rows": 0 if table is None else len(table),
        "columns": 0 if table is None else table.shape[1],
        "reason": "" if whole else tried,
        "remedy": "" if whole else how_to_get(spec),
        "attempts": attempts,
    }


@dataclass
class Fetcher:
    """The routes to the files of one data set, and the record of the attempts."""

    spec: Mapping[str, Any]
    home: Path
    scratch: Path
    mirrors: Sequence[str]
    official: bool
    timeout: float
    attempts: list[dict[str, str]] = field(default_factory=list)

    def note(self, file: str, route: str, place: str, outcome: str) -> None:
        """Record the outcome of one attempt."""
        self.attempts.append({"file": file, "route": route, "place": place, "outcome": outcome})

    def files(self) -> tuple[dict[str, bytes], list[dict[str, str]]] | None:
        """Return contents and records of all files, or None as soon as one has no route."""
        record = self.home / "origins.json"
        origins = _read_record(record) if record.exists() else {}
        payloads, new = {}, {}
        for file in self.spec["files"]:
            name, path = file["name"], self.home / "files" / file["name"]
            origin: dict[str, str] | None
            if path.exists():
                if not path.is_file():
                    raise UserError(f"{path}: not a file; remove it and run again")
                origin = origins.get(name, {"from": "put there by hand", "route": "raw"})
                self.note(name, "raw", str(path), "already there, checksum right")
            elif (origin := self._first_route(file, path)) is None:
                return None
            check_digest(path, file["sha256"])
            new[name], payloads[name] = origin, path.read_bytes()
        if new != origins:
            write_json(record, new)
        return payloads, [
            {"name": file["name"], "sha256": file["sha256"], **new[file["name"]]}
            for file in self.spec["files"]
        ]

    def _first_route(self, file: Mapping[str, Any], path: Path) -> dict[str, str] | None:
        for route, place, remedy in self._routes(file, path):
            shown = _without_password(place)
            try:
                chunks = self._chunks(route, place, path.name)
                store(chunks, path, file["bytes"], file["sha256"])
            except UnreachableError as reason:
                self._remember(place, reason)
                self.note(path.name, route, shown, str(reason))
            except UnexpectedError as error:
                raise UserError(
                    f"{shown}: not the expected {path.name}. {error} {remedy}"
                ) from error
            else:
                self.note(path.name, route, shown, "taken")
                return {"from": shown, "route": route}
        return None

    def _routes(self, file: Mapping[str, Any], path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield name, address and remedy of each route."""
        remedy = (
            "The address serves another version now, or your network redirects it. Set "
            "`data.official: false` in config/config.yaml to use the mirrors and bundled "
            f"copies, or put the right file at {path}."
        )
        for route, key in (("official", "url"), ("archive", "archive")):
            if self.official and key in file:
                yield route, file[key], remedy
        folder = self.spec["folder"]
        for mirror in self.mirrors:
            shown = _without_password(mirror)
            remedy = (
                f"Put the right file there, or take {shown} out of `data.mirrors` in "
                "config/config.yaml."
            )
            if "://" not in mirror:
                yield "mirror", str(Path(mirror).expanduser() / folder / path.name), remedy
            else:
                place = f"{mirror.rstrip('/')}/{quote(folder)}/{quote(path.name)}"
                yield "mirror", place, remedy

    def _chunks(self, route: str, place: str, name: str) -> Iterable[bytes]:
        """Return the stream of a file from a route."""
        if "://" not in place:
            return of_folder(Path(place))
        if route != "archive":
            return self._web(place)
        packed = self.scratch / quote(place, safe="")[-200:]
        if not packed.exists():
            store(self._web(place), packed, MOST_ARCHIVE)
        return of_archive(packed, name)

    def _web(self, url: str) -> Iterable[bytes]:
        """Return the stream of an address, unless its host does not answer."""
        try:
            _ = urlsplit(url).port
        except ValueError as error:  # the environment names any mirror
            raise UnreachableError(f"is no address ({error})") from error
        if not hosts.answers(url, self._hosts, self.timeout):
            raise UnreachableError(f"no connection to {host_of(url)}")
        return of_address(url, self.timeout)

    def _remember(self, url: str, reason: UnreachableError) -> None:
        """Leave a host that did not answer alone for a while."""
        if isinstance(reason, NoConnectionError):
            hosts.remember_silence(url, self._hosts)

    @property
    def _hosts(self) -> Path:
        """What is known about hosts."""
        return self.home.parent / ".hosts"


def _read_record(path: Path) -> dict[str, dict[str, str]]:
    """Return the places and routes of kept files, by file."""
    origins = read_json(path)
    for name, origin in origins.items():
        known = isinstance(origin, dict) and sorted(origin) == ["from", "route"]
        if not known or not all(isinstance(one, str) for one in origin.values()):
            raise UserError(
                f"{path}: {name!r} must have a text `from` and a text `route`; delete the file, "
                "and run again"
            )
    return origins


def _without_password(address: str) -> str:
    """Return the address with user name and password masked."""
    return re.sub(r"://[^/]*@", "://***@", address)


def _check_table(dataset: str, spec: Mapping[str, Any], table: pd.DataFrame, place: str) -> str:
    """Return the fingerprint of a table that has the expected columns and fingerprint."""
    fingerprint = table_fingerprint(table, spec.get("numeric") or ())
    if list(table.columns) != table_columns(spec) or fingerprint != spec["fingerprint"]:
        raise UserError(
            f"{dataset}: the table from {place} has {len(table)} rows, the columns "
            f"{list(table.columns)} and the fingerprint {fingerprint}; expected are "
            f"{_rows(spec)} rows, {table_columns(spec)} and "
            f"{spec['fingerprint']}. "
            "Correct `parse` or `columns` of this data set in config/datasets.yaml, or restore the "
            "file."
        )
    return fingerprint


def _rows(spec: Mapping[str, Any]) -> int:
    return spec.get("rows") or sum(file["rows"] for file in spec["files"])


def read_origins(bundled: Path) -> dict[str, dict[str, str]]:
    """Return the rows of ``ORIGINS.csv`` in the folder of bundled copies, by data set."""
    return {row["dataset"]: row for row in read_rows(Path(bundled) / "ORIGINS.csv")}


def _bundled_copy(path: Path) -> tuple[pd.DataFrame | None, list[dict[str, str]], str]:
    """Return table, file record and relation of a bundled copy; empty ones if there is none."""
    if not path.exists():
        return None, [], ""
    origin = read_origins(path.parent).get(path.name.removesuffix(".csv.xz"))
    if origin is None:
        raise UserError(f"{path}: not listed in ORIGINS.csv beside it; restore both from git.")
    mend = "restore it from git, or make it anew with data/bundled/build.py"
    check_digest(path, origin["sha256"], mend)
    place = f"{origin['package']} {origin['version']}: {origin['member']}"
    if not origin["package"]:
        place = "no package"
    file = {"name": path.name, "sha256": origin["sha256"], "from": place, "route": "bundled"}
    return read_raw(path), [file], origin["relation"]


def how_to_get(spec: Mapping[str, Any]) -> str:
    """Return how the files of a data set or source can be provided, for messages."""
    files = ", ".join(
        f"<mirror>/{spec['folder']}/{file['name']} (sha256 {file['sha256']})"
        for file in spec["files"]
    )
    urls = [file.get("url", file.get("archive")) for file in spec["files"]]
    places = sorted({host_of(url) for url in urls if url})
    network = f"connect to the network ({', '.join(places)}), or " if places else ""
    return (
        f"{network}put the files into a folder as {files} and name <mirror> in the environment as "
        f"{OWN_MIRROR}, or in `data.mirrors` of config/config.yaml; then run `make retry`"
    )


def with_own_mirror(policy: dict[str, Any]) -> dict[str, Any]:
    """Return a policy whose last mirror is that of the environment, if it names one."""
    own = os.environ.get(OWN_MIRROR)
    return {**policy, "mirrors": [*policy.get("mirrors", []), *([own] if own else [])]}


def run(
    dataset: str,
    spec: dict[str, Any],
    policy: dict[str, Any],
    raw: Path,
    bundled: Path,
    table: Path,
    source: Path,
) -> None:
    """Fetch one data set, or record that it is unavailable.

    `spec` is its entry in `config/datasets.yaml`; `policy` is `data` of the configuration.
    """
    frame, facts = fetch_dataset(dataset, spec, raw=raw, bundled=bundled, **with_own_mirror(policy))
    content = (",".join(table_columns(spec)) + "\n").encode()
    missing, needed = f"DATA SET {dataset} IS NOT AVAILABLE", "it"
    if frame is not None:
        content, said = table_bytes(frame), f"{dataset}: {len(frame)} rows, {facts['route']}"
        missing, needed = f"{said}; OF {dataset} ONLY THE COMPLETE ROWS ARE AVAILABLE", "all rows"
    if facts["status"] != "available":
        said = (
            f"{missing} ({facts['reason']}). Results that need {needed} are marked as not run. "
            f"To fix: {facts['remedy']}."
        )
    print(said, file=sys.stderr)
    write_bytes(table, content)
    write_json(source, facts)
