"""Step `similarity`: learn the value matrices of one measure on one preparation.

Small similarities that several experiments take are learnt together, in one job per data set.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Any

from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.errors import CouplingsError
from couplings.measures.base import ValueMeasure
from replication.data.store import Similarity, Tables, read_tables, write_similarity
from replication.errors import UserError
from replication.steps import OK, TOGETHER, made, specification


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="measure and its fits (JSON)")
    parser.add_argument("--tables", type=Path, required=True, help="tables (npz)")
    parser.add_argument("--output", type=Path, required=True, help="value matrices (npz)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    write_similarity(args.output, learn(read_tables(args.tables), spec))
    return 0


def learn(tables: Tables, spec: dict[str, Any]) -> Similarity:
    """Fit one measure on every table, for every parameter setting; or several measures.

    Parameters
    ----------
    tables : Tables
        What `discretize` wrote.
    spec : dict
        ``measure`` (id) and ``fits`` (list of ``class`` as ``module:Class``, ``parameters`` and
        ``setting``, which tells one fit from the others). If ``measure`` is `TOGETHER` the
        setting is the ``measure``, and one that refuses the tables does not keep others back.

    Returns
    -------
    Similarity

    Raises
    ------
    UserError
        If a measure depends on random numbers, or compares whole objects only.
    CouplingsError
        If a measure that is learnt alone refuses the tables.
    """
    facts = {
        "status": tables.facts["status"],
        "reason": tables.facts["reason"],
        "measure": spec["measure"],
        "settings": [fit["setting"] for fit in spec["fits"]],
    }
    if facts["status"] != OK:
        return Similarity(facts)
    facts["label_cuts"] = tables.facts["label_cuts"]

    @cache
    def counts(s: int) -> CooccurrenceCounts:
        return cooccurrence(tables.tables[s])

    number = range(len(tables.tables))
    together = spec["measure"] == TOGETHER
    learnt, refused = [], {}
    for fit in spec["fits"]:
        measure = made(fit["class"], fit["parameters"])
        if not isinstance(measure, ValueMeasure) or "random_state" in measure.get_params():
            raise UserError(
                f"registry entry class {fit['class']!r}: has no value matrices that are the same "
                "in every run, so the rule `similarity` cannot learn it; name it in `measures` "
                "of the experiment"
            )
        try:
            fitted = [made(fit["class"], fit["parameters"]).fit(counts(s)) for s in number]
        except (CouplingsError, MemoryError) as error:
            if not together:
                raise
            refused[fit["setting"]["measure"]] = _reason(error)
            continue
        learnt.append((fit["setting"], fitted))
    facts["settings"] = [setting for setting, _ in learnt]
    if together:
        facts["refused"] = refused
    spaces = [[fitted[s].space_ for _, fitted in learnt] for s in number]
    contexts = [
        [fitted[s].context_ for _, fitted in learnt if hasattr(fitted[s], "context_")]
        for s in number
    ]
    return Similarity(facts, spaces, contexts if any(contexts) and not together else None)


def _reason(error: CouplingsError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        said = f" ({error})" if str(error) else ""
        return f"the memory does not suffice{said}; cluster a sample of the rows"
    return str(error)
