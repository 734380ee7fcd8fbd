"""Get the files of a data set: official address, archive, mirrors, bundled copy, in this order.

Every byte is checked against the SHA-256 of ``config/datasets.yaml`` before it is used. A route
that does not answer is passed over; a route that delivers something else is an error, never a
reason to go on quietly. Only if no route has the data set it counts as unavailable, and the
message says what to do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import lzma
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

from replication.data.archive import read_member
from replication.data.transfer import (
    OversizeError,
    TransferError,
    UnreachableError,
    download,
    host_is_down,
    remember_host,
    without_password,
)
from replication.errors import UserError
from replication.files import read_json, read_rows, write_bytes
from replication.steps import specification

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)

AVAILABLE = "available"
UNAVAILABLE = "unavailable"
MOST_SECONDS = 3600.0
"""Longest time to wait for a connection."""
MOST_ARCHIVE = 200_000_000
"""Bytes of an archive, of which nobody knows the size beforehand."""

_DATASET = re.compile(r"[a-z][a-z0-9_]*")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_WEB = ("http", "https")


@dataclass(frozen=True)
class Source:
    """Where a data set came from, or why it did not come.

    Attributes
    ----------
    dataset : str
        Identifier of the data set.
    status : str
        ``available`` or ``unavailable``.
    table : pandas.DataFrame or None
        The canonical table, or None.
    route : str
        ``official``, ``archive``, ``mirror``, ``bundled``; joined by ``+`` if files came by
        different ones; empty if unavailable.
    relation : str
        ``original`` for the original files; for a bundled copy what ``ORIGINS.csv`` says.
    files : tuple of dict
        Per file: ``name``, ``sha256``, ``from``, ``route``.
    fingerprint : str
        Of the table; empty if unavailable.
    reason, remedy : str
        Why it is unavailable, and what to do; empty if available.
    attempts : tuple of dict
        Per attempt: ``file``, ``route``, ``place``, ``outcome``, in order.
    """

    dataset: str
    status: str
    table: pd.DataFrame | None = None
    route: str = ""
    relation: str = ""
    files: tuple[dict[str, str], ...] = ()
    fingerprint: str = ""
    reason: str = ""
    remedy: str = ""
    attempts: tuple[dict[str, str], ...] = field(default=())

    def facts(self) -> dict[str, Any]:
        """Everything but the table itself, ready for JSON; the same for the same events."""
        rows, columns = self.table.shape if self.table is not None else (0, 0)
        return {
            "dataset": self.dataset,
            "status": self.status,
            "route": self.route,
            "relation": self.relation,
            "files": list(self.files),
            "fingerprint": self.fingerprint,
            "rows": rows,
            "columns": columns,
            "reason": self.reason,
            "remedy": self.remedy,
            "attempts": list(self.attempts),
        }


def fetch_dataset(
    dataset: str,
    spec: Mapping[str, Any],
    *,
    raw: Path | str,
    bundled: Path | str,
    mirrors: Sequence[str] = (),
    official: bool = True,
    timeout: float = 5.0,
) -> Source:
    """Get one data set by the first route that has it.

    Parameters
    ----------
    dataset : str
        Identifier of the data set.
    spec : mapping
        Its entry in ``config/datasets.yaml``.
    raw : path
        Folder of downloads; files go to ``<raw>/<dataset>/files/``. Files that are already there
        are checked and used.
    bundled : path
        Folder of the bundled copies, with ``ORIGINS.csv``.
    mirrors : sequence of str, optional
        Folders or addresses (``https:``, ``http:``, ``file:``) with the files at
        ``<mirror>/<folder>/<name>``.
    official : bool, default True
        Whether the official addresses are tried.
    timeout : float, default 5
        Seconds to wait for a connection. A host that cannot be reached is not tried again for
        ten minutes, by this or any other process with the same `raw`.

    Returns
    -------
    Source
        With the table, or with reason and remedy.

    Raises
    ------
    UserError
        If a route delivers something else than expected, or settings make no sense.
    """
    _check_names(dataset, spec)
    fetcher = _Fetcher(dataset, spec, Path(raw), tuple(mirrors), official, float(timeout))
    found = fetcher.files()
    if found is not None:
        from replication.data.parse import parse_dataset

        table = parse_dataset(spec, {name: payload for name, (payload, _) in found.items()})
        files = tuple(
            {"name": name, "sha256": _sha256(payload), **origin}
            for name, (payload, origin) in found.items()
        )
        return Source(
            dataset,
            AVAILABLE,
            table=table,
            route="+".join(dict.fromkeys(origin["route"] for _, origin in found.values())),
            relation="original",
            files=files,
            fingerprint=_check_table(dataset, spec, table, "the files " + _names(spec)),
            attempts=tuple(fetcher.attempts),
        )
    copy = _bundled_copy(dataset, spec, Path(bundled))
    if copy is not None:
        table, file, relation = copy
        fetcher.note(file["name"], "bundled", "data/bundled", "taken")
        return Source(
            dataset,
            AVAILABLE,
            table=table,
            route="bundled",
            relation=relation,
            files=(file,),
            fingerprint=_check_table(dataset, spec, table, file["name"]),
            attempts=tuple(fetcher.attempts),
        )
    fetcher.note(f"{dataset}.csv.xz", "bundled", "data/bundled", "no bundled copy")
    return Source(
        dataset,
        UNAVAILABLE,
        reason=_reason(fetcher.attempts),
        remedy=_remedy(spec),
        attempts=tuple(fetcher.attempts),
    )


class _Fetcher:
    """The routes to the files of one data set, and the record of what was tried."""

    def __init__(
        self,
        dataset: str,
        spec: Mapping[str, Any],
        raw: Path,
        mirrors: tuple[str, ...],
        official: bool,
        timeout: float,
    ) -> None:
        self.spec = spec
        self.home = raw / dataset
        self.hosts = raw / ".unreachable"
        self.mirrors = mirrors
        self.official = official
        self.timeout = timeout
        self.attempts: list[dict[str, str]] = []
        self._archives: dict[str, bytes] = {}

    def note(self, file: str, route: str, place: str, outcome: str) -> None:
        place = without_password(place)
        log.info("%s, %s (%s): %s", file, route, place, outcome)
        self.attempts.append({"file": file, "route": route, "place": place, "outcome": outcome})

    def files(self) -> dict[str, tuple[bytes, dict[str, str]]] | None:
        """Contents and origins of all files, or None as soon as one cannot be had."""
        origins = self._origins()
        found: dict[str, tuple[bytes, dict[str, str]]] = {}
        for file in self.spec["files"]:
            result = self._kept(file, origins) or self._first_route(file)
            if result is None:
                return None
            found[file["name"]] = result
        wanted = {name: origin for name, (_, origin) in found.items()}
        if wanted != origins:
            write_bytes(self.home / "origins.json", _json(wanted))
        return found

    def _origins(self) -> dict[str, dict[str, str]]:
        path = self.home / "origins.json"
        if not path.exists():
            return {}
        origins = read_json(path)
        texts = [
            isinstance(origin, dict) and all(isinstance(text, str) for text in origin.values())
            for origin in origins.values()
        ]
        if not all(texts):
            raise UserError(f"{path}: does not say where the files came from; delete it.")
        return origins

    def _kept(
        self, file: Mapping[str, Any], origins: Mapping[str, dict[str, str]]
    ) -> tuple[bytes, dict[str, str]] | None:
        path = self.home / "files" / file["name"]
        if not path.exists():
            return None
        payload = _bounded(path, file["bytes"])
        _verify(payload, file, str(path), "Delete this file and run again to fetch it anew.")
        origin = origins.get(file["name"], {"from": "put there by hand", "route": "raw"})
        self.note(file["name"], "raw", str(path), "already there, checksum right")
        return payload, origin

    def _first_route(self, file: Mapping[str, Any]) -> tuple[bytes, dict[str, str]] | None:
        for route, place, remedy in self._routes(file):
            try:
                payload = self._get(route, place, file)
            except OversizeError as error:
                raise UserError(
                    f"{file['name']}: {without_password(place)} {error}. {remedy}"
                ) from error
            except TransferError as failure:
                self.note(file["name"], route, place, str(failure))
                continue
            _verify(payload, file, without_password(place), remedy)
            self.note(file["name"], route, place, "taken")
            write_bytes(self.home / "files" / file["name"], payload)
            return payload, {"from": without_password(place), "route": route}
        return None

    def _routes(self, file: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        keep = self.home / "files" / file["name"]
        wrong = (
            "The address serves another version now, or your network answers in its place. Set "
            "`data.official: false` in config/config.yaml to use the mirrors and bundled copies, "
            f"or put the right file at {keep}."
        )
        routes = []
        if self.official:
            if "url" in file:
                routes.append(("official", file["url"], wrong))
            if "archive" in file:
                routes.append(("archive", file["archive"]["url"], wrong))
        for mirror in self.mirrors:
            place = _place_in_mirror(mirror, self.spec["folder"], file["name"])
            remedy = (
                f"Put the right file there, or take {without_password(mirror)} out of `data.mirrors` in "
                "config/config.yaml."
            )
            routes += [("mirror", place, remedy)]
        return routes

    def _get(self, route: str, place: str, file: Mapping[str, Any]) -> bytes:
        if route == "archive":
            if place not in self._archives:
                self._archives[place] = self._download(place, MOST_ARCHIVE)
            return read_member(
                self._archives[place], file["archive"]["member"], place, file["bytes"]
            )
        if urlsplit(place).scheme in _WEB and "://" in place:
            return self._download(place, file["bytes"])
        path = Path(place)
        if not path.parent.parent.is_dir():
            raise TransferError("no such folder")
        if path.exists() and not path.is_file():
            raise TransferError("no file")
        try:
            return _bounded(path, file["bytes"])
        except FileNotFoundError as error:
            raise TransferError("not there") from error
        except OSError as error:
            raise TransferError(f"cannot be read ({error.strerror})") from error

    def _download(self, url: str, most: int) -> bytes:
        address = urlsplit(url)
        if address.scheme not in _WEB or not address.hostname:
            raise UserError(
                f"{without_password(url)}: only http: and https: addresses can be downloaded."
            )
        host = address.netloc.rpartition("@")[2]
        if host_is_down(self.hosts, host):
            raise TransferError(f"no connection to {host}")
        try:
            return download(url, most, self.timeout)
        except UnreachableError as error:
            remember_host(self.hosts, host)
            raise TransferError(f"no connection to {host}") from error


def _bounded(path: Path, size: int) -> bytes:
    """Content of a file, of which at most one byte more than expected is read."""
    with path.open("rb") as stream:
        return stream.read(size + 1)


def _check_names(dataset: str, spec: Mapping[str, Any]) -> None:
    """Refuse identifiers and names that could lead out of their folder."""
    if not _DATASET.fullmatch(dataset):
        raise UserError(f"{dataset!r}: a data set is named by a-z, 0-9 and _, a letter first.")
    for name in (spec["folder"], *(file["name"] for file in spec["files"])):
        if not _PLAIN_NAME.fullmatch(name):
            raise UserError(f"{dataset}: {name!r} is not a plain file name. {_REGISTRY}.")
    for file in spec["files"]:
        member = file.get("archive", {}).get("member", "")
        if member.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", member) or ":" in member:
            raise UserError(
                f"{dataset}: the archive member {member!r} leads out of the archive. {_REGISTRY}."
            )


_REGISTRY = "Correct the entry of this data set in config/datasets.yaml"


def _place_in_mirror(mirror: str, folder: str, name: str) -> str:
    if "://" not in mirror and not mirror.startswith("file:"):
        return str(Path(mirror).expanduser() / folder / name)
    try:
        address = urlsplit(mirror)
        host = address.hostname
    except ValueError:
        address, host = urlsplit(""), None
    if address.scheme in _WEB and host:
        return f"{mirror.rstrip('/')}/{quote(folder)}/{quote(name)}"
    if address.scheme == "file" and address.netloc in ("", "localhost"):
        return str(Path(url2pathname(address.path)) / folder / name)
    raise UserError(
        f"{without_password(mirror)}: a mirror is a folder or a http:, https: or file: address. Correct "
        "`data.mirrors` in config/config.yaml."
    )


def _verify(payload: bytes, file: Mapping[str, Any], place: str, remedy: str) -> None:
    found = _sha256(payload)
    if found != file["sha256"]:
        raise UserError(
            f"{file['name']}: the copy from {place} is not the expected file: sha256 {found} "
            f"({_size(payload, file)}), expected {file['sha256']} ({file['bytes']} bytes). {remedy}"
        )


def _size(payload: bytes, file: Mapping[str, Any]) -> str:
    """Size of a file of which at most one byte more than expected was read."""
    most = file["bytes"]
    return f"{len(payload)} bytes" if len(payload) <= most else f"more than {most} bytes"


def _check_table(dataset: str, spec: Mapping[str, Any], table: pd.DataFrame, place: str) -> str:
    from replication.data.fingerprint import table_fingerprint
    from replication.data.parse import table_columns

    expected_shape = (spec["shape"]["rows"], spec["shape"]["columns"])
    if list(table.columns) != table_columns(spec) or table.shape != expected_shape:
        raise UserError(
            f"{dataset}: the table from {place} has {table.shape[0]} rows and the columns "
            f"{list(table.columns)}, expected {expected_shape[0]} rows and {table_columns(spec)}. "
            f"{_REGISTRY}, or restore the file."
        )
    fingerprint = table_fingerprint(table, spec.get("numeric") or ())
    if fingerprint != spec["fingerprint"]:
        raise UserError(
            f"{dataset}: the table from {place} has the fingerprint {fingerprint}, expected "
            f"{spec['fingerprint']}. Either `parse` or `columns` of the entry changed, or the "
            f"file did. {_REGISTRY}, or restore the file."
        )
    return fingerprint


def read_origins(bundled: Path) -> dict[str, dict[str, str]]:
    """Rows of ``ORIGINS.csv`` by data set.

    Parameters
    ----------
    bundled : path
        Folder of the bundled copies.

    Returns
    -------
    dict of dict
        Empty if the folder has no such file.
    """
    path = Path(bundled) / "ORIGINS.csv"
    if not path.exists():
        return {}
    return {row["dataset"]: row for row in read_rows(path)}


def _bundled_copy(
    dataset: str, spec: Mapping[str, Any], bundled: Path
) -> tuple[pd.DataFrame, dict[str, str], str] | None:
    path = bundled / f"{dataset}.csv.xz"
    if not path.exists():
        return None
    origin = read_origins(bundled).get(dataset)
    if origin is None:
        raise UserError(f"{path}: not listed in ORIGINS.csv beside it; restore both from git.")
    payload = path.read_bytes()
    if _sha256(payload) != origin["sha256"]:
        raise UserError(
            f"{path}: not the expected file: sha256 {_sha256(payload)}, expected "
            f"{origin['sha256']}. Restore it from git, or make it anew with data/bundled/build.py."
        )
    from replication.data.parse import table_from_bytes

    table = table_from_bytes(lzma.decompress(payload), name=str(path))
    place = f"{origin['package']} {origin['version']}: {origin['member']}"
    file = {"name": path.name, "sha256": origin["sha256"], "from": place, "route": "bundled"}
    return table, file, origin["relation"]


def forget_unreachable(raw: Path | str) -> list[str]:
    """Prepare a new attempt: forget unreachable hosts, and list what was unavailable.

    Parameters
    ----------
    raw : path
        Folder of downloads.

    Returns
    -------
    list of str
        Data sets whose ``source.json`` says unavailable, or is damaged. Delete that file, or force the job.
    """
    raw = Path(raw)
    for marker in (raw / ".unreachable").glob("*"):
        marker.unlink(missing_ok=True)
    sources = sorted(raw.glob("*/source.json"))
    return [path.parent.name for path in sources if _is_unavailable(path)]


def _is_unavailable(path: Path) -> bool:
    """Whether a record says so, or is damaged and says nothing."""
    try:
        return read_json(path, "status")["status"] == UNAVAILABLE
    except UserError:
        return True


def _names(spec: Mapping[str, Any]) -> str:
    return ", ".join(file["name"] for file in spec["files"])


def _reason(attempts: Sequence[Mapping[str, str]]) -> str:
    return "; ".join(f"{a['file']} from {a['place']}: {a['outcome']}" for a in attempts)


def _remedy(spec: Mapping[str, Any]) -> str:
    files = ", ".join(
        f"<mirror>/{spec['folder']}/{file['name']} (sha256 {file['sha256']})"
        for file in spec["files"]
    )
    hosts = sorted({urlsplit(file["url"]).netloc for file in spec["files"] if "url" in file})
    network = f"connect to the network ({', '.join(hosts)}), or " if hosts else ""
    return (
        f"{network}put the files into a folder as {files} and name <mirror> in `data.mirrors` of "
        "config/config.yaml; then run `make retry`"
    )


def _sha256(payload: bytes) -> str:
    return hashlib.sha256(payload).hexdigest()


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the download step to a parser."""
    parser.add_argument("--dataset", required=True, help="identifier of the data set")
    parser.add_argument("--spec", required=True, help="its entry in datasets.yaml, as JSON")
    parser.add_argument(
        "--policy",
        default="{}",
        help='the data part of config.yaml as JSON, e.g. {"official": true, "timeout": 5, '
        '"mirrors": ["../data"], "strict": false}',
    )
    parser.add_argument("--raw", required=True, type=Path, help="folder of downloads")
    parser.add_argument("--bundled", required=True, type=Path, help="folder of bundled copies")
    parser.add_argument("--table", required=True, type=Path, help="the canonical table to write")
    parser.add_argument("--source", required=True, type=Path, help="the record to write")


def run(args: argparse.Namespace) -> int:
    """Fetch one data set and write its table and the record of where it came from.

    Parameters
    ----------
    args : argparse.Namespace
        The options of `add_arguments`.

    Returns
    -------
    int
        0, also for an unavailable data set, unless the policy is strict: then 1.
    """
    from replication.data.parse import table_bytes, table_columns

    spec = specification(args.spec)
    policy = _policy(specification(args.policy))
    strict = policy.pop("strict")
    source = fetch_dataset(args.dataset, spec, raw=args.raw, bundled=args.bundled, **policy)
    if source.table is not None:
        write_bytes(args.table, table_bytes(source.table))
        print(f"{args.dataset}: {source.table.shape[0]} rows, {source.route}", file=sys.stderr)
    else:
        header = ",".join(table_columns(spec)) + "\n"
        write_bytes(args.table, header.encode())
        print(
            f"DATA SET {args.dataset} IS NOT AVAILABLE ({source.reason}). Everything that needs it "
            f"is left out and marked as missing. What to do: {source.remedy}.",
            file=sys.stderr,
        )
    write_bytes(args.source, _json(source.facts()))
    return 1 if strict and source.status == UNAVAILABLE else 0


def _policy(given: dict[str, Any]) -> dict[str, Any]:
    policy = {"official": True, "timeout": 5.0, "mirrors": [], "strict": False}
    unknown = sorted(set(given) - set(policy))
    if unknown:
        raise UserError(f"--policy: unknown keys {unknown}; known are {sorted(policy)}.")
    wait = given.get("timeout", 5.0)
    if not isinstance(wait, int | float) or not 0 < wait <= MOST_SECONDS:
        raise UserError(
            f"config/config.yaml: data.timeout: is {wait!r}, must be a number of seconds from 0 to "
            f"{MOST_SECONDS:g}"
        )
    return {**policy, **given}
