"""Step `similarity`: learn the value matrices of one measure on one preparation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from couplings.counts import cooccurrence
from replication.data.store import Similarity, Tables, read_tables, write_similarity
from replication.steps import OK, made, specification


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="measure, class, parameters, settings (JSON)")
    parser.add_argument("--tables", type=Path, required=True, help="tables (npz)")
    parser.add_argument("--output", type=Path, required=True, help="value matrices (npz)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    write_similarity(args.output, learn(read_tables(args.tables), spec))
    return 0


def learn(tables: Tables, spec: dict[str, Any]) -> Similarity:
    """Fit one measure on every table, for every parameter setting.

    Parameters
    ----------
    tables : Tables
        What `discretize` wrote.
    spec : dict
        ``measure`` (id), ``class`` (``module:Class``), ``parameters`` and ``settings`` (list of
        dicts of further parameters, ``[{}]`` for a measure without a grid).

    Returns
    -------
    Similarity
    """
    facts = {
        "status": tables.facts["status"],
        "reason": tables.facts["reason"],
        "measure": spec["measure"],
        "settings": spec["settings"],
    }
    if facts["status"] != OK:
        return Similarity(facts)
    facts["label_cuts"] = tables.facts["label_cuts"]
    spaces, contexts = [], []
    for table in tables.tables:
        counts = cooccurrence(table)
        fitted = [
            made(spec["class"], {**spec["parameters"], **setting}).fit(counts)
            for setting in spec["settings"]
        ]
        spaces.append([one.space_ for one in fitted])
        contexts.append([one.context_ for one in fitted if hasattr(one, "context_")])
    return Similarity(facts, spaces, contexts if any(contexts) else None)
