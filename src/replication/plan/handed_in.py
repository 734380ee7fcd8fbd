"""Methods that others hand in to the leaderboard: their files, and what is planned of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.plan.computing import digest_of, experiment_files
from replication.plan.configuration import ConfigError
from replication.plan.layout import USER

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

PAPER, TABLE, TEMPLATE, COST = "study", "leaderboard", "handed_in", "handed_cost"
"""Paper and artefact of the leaderboard, experiments of what is handed in and of its cost."""
FOLDER = f"{USER}/methods"
"""Where files are put that are handed in."""
KINDS = (".py", ".parquet")
"""Endings of the files: a method, or label vectors."""
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_BESIDE = {"data": "data", "cost": "cost"}
"""Artefacts that say what kind of data the data sets are, and what the measures cost."""


def per_file(name: str, entry: dict[str, Any], root: Path) -> dict[str, dict[str, Any]]:
    """One experiment per file of a folder; its parameter ``file`` is the path from the top.

    Parameters
    ----------
    name : str
        Id of the experiment in the configuration.
    entry : dict
        What it says there; ``folder`` is looked into, and need not exist.
    root : Path
        Top of the repository.

    Returns
    -------
    dict
        By ``<name>_<stem of the file>``, sorted.

    Raises
    ------
    ConfigError
        If the name of a file is no id, or two files have the same.
    """
    shared = {key: value for key, value in entry.items() if key != "each"}
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((Path(root) / entry["folder"]).glob("*")):
        if path.suffix not in KINDS or path.name.startswith("."):
            continue
        file = f"{entry['folder']}/{path.name}"
        check_id(path)
        if f"{name}_{path.stem}" in found:
            raise ConfigError(f"{file}: another file has the name {path.stem!r}; rename one")
        parameters = {**entry.get("parameters", {}), "file": file}
        found[f"{name}_{path.stem}"] = {**shared, "parameters": parameters}
    return found


def check_id(path: Path) -> None:
    """Check that the name of a file that is handed in can be an id.

    Raises
    ------
    ConfigError
        If it cannot.
    """
    if not _ID.fullmatch(path.stem):
        raise ConfigError(
            f"{path}: its name becomes the id of the method; rename it: lower-case letters, "
            "digits and _, a letter first, at most 40"
        )


def handed_in_records(catalog: Catalog, experiment: str = TEMPLATE) -> list[dict[str, str]]:
    """Records of everything that is handed in, or of its cost, one per file and data set."""
    return [
        {"experiment": name, **one}
        for name, entry in catalog.papers[PAPER]["experiments"].items()
        if "folder" in entry and name.startswith(f"{experiment}_")
        for one in experiment_files(catalog, PAPER, name)
    ]


def files_of(catalog: Catalog) -> list[str]:
    """Files that are handed in, as paths from the top."""
    entries = catalog.papers[PAPER]["experiments"].values()
    found = [entry["parameters"]["file"] for entry in entries if "folder" in entry]
    return list(dict.fromkeys(found))


def leaderboard_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `leaderboard`: records of what is handed in, and the files themselves.

    The table of what this project computed is none, or asking for the page would run the study.
    """
    records = [*handed_in_records(catalog), *handed_in_records(catalog, COST)]
    return {"records": [one["file"] for one in records], "handed_in": files_of(catalog)}


def leaderboard_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `leaderboard`: see `board_spec`, with the contents of what it looks at."""
    spec = board_spec(catalog, handed_in_records(catalog), handed_in_records(catalog, COST))
    there = [*spec["tables"].values(), *files_of(catalog)]
    contents = [digest_of(catalog, file) for file in there if (catalog.root / file).is_file()]
    return {**spec, "files": files_of(catalog), "contents": contents}


def board_spec(
    catalog: Catalog, records: list[dict[str, str]], costs: list[dict[str, str]]
) -> dict[str, Any]:
    """What the page needs: the tables of the study, records of what is handed in, names.

    Keys: ``tables`` (``leaderboard``, ``data``, ``cost``; files), ``records`` and ``costs``
    (experiment, dataset, file), ``datasets`` (printed name by id), ``labels`` (pattern of the files
    with the label vectors).
    """
    names = {TABLE: TABLE, **_BESIDE}
    return {
        "tables": {
            key: catalog.file("table", paper=PAPER, artefact=name) for key, name in names.items()
        },
        "records": records,
        "costs": costs,
        "datasets": {
            name: catalog.papers[PAPER]["datasets"][name]["printed"]
            for name in catalog.computed(PAPER)
        },
        "labels": catalog.file(
            "experiment_labels", paper=PAPER, experiment="{experiment}", dataset="{dataset}"
        ),
    }


def board_of_report(catalog: Catalog, others: dict[str, str]) -> dict[str, Any]:
    """The leaderboard as the report shows it: empty if the study was not made.

    Parameters
    ----------
    others : dict
        What was made beside the run, see `replication.plan.presenting.beside`.

    Returns
    -------
    dict
        As `board_spec`, of the records those that are there, with their contents.
    """
    table = catalog.file("table", paper=PAPER, artefact=TABLE)
    there = PAPER in others and (catalog.root / table).is_file()
    if PAPER not in catalog.config["papers"] and not there:
        return {}
    records, costs = (
        [one for one in found if (catalog.root / one["file"]).is_file()]
        for found in (handed_in_records(catalog), handed_in_records(catalog, COST))
    )
    contents = [digest_of(catalog, one["file"]) for one in (*records, *costs)]
    return {**board_spec(catalog, records, costs), "contents": contents}


def hand_out_records(catalog: Catalog) -> list[dict[str, str]]:
    """Coded tables and facts of the data sets, one record per data set."""
    preparation = catalog.papers[PAPER]["experiments"]["profiles"]["preparations"][0]
    return [
        {
            "dataset": name,
            "facts": catalog.file("facts", paper=PAPER, dataset=name),
            "tables": catalog.file("tables", paper=PAPER, dataset=name, preparation=preparation),
        }
        for name in catalog.computed(PAPER)
    ]


def hand_out_inputs(catalog: Catalog) -> dict[str, list[str]]:
    """Inputs of `hand_out`: the coded tables of all data sets, and the facts about them."""
    return {"files": [one[key] for one in hand_out_records(catalog) for key in ("facts", "tables")]}


def hand_out_spec(catalog: Catalog) -> dict[str, Any]:
    """Specification of `hand_out`: inputs, names of the data sets, ``missing`` and ``bins``."""
    entries = catalog.papers[PAPER]
    parameters = entries["experiments"]["profiles"]["parameters"]
    return {
        "inputs": hand_out_records(catalog),
        "names": {name: one["printed"] for name, one in entries["datasets"].items()},
        **{key: parameters[key] for key in ("missing", "bins")},
    }
