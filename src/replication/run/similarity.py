"""Step `similarity`: learn the value matrices of one measure on one preparation.

Of a measure that represents whole objects it keeps their vectors. Small similarities that several
experiments take are learnt together, in one job per data set.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Any

from couplings._output import Transformer
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.base import ValueMeasure
from couplings.mixed import MixedTable
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
        setting has the ``measure``, and one that refuses the tables does not keep others back.

    Returns
    -------
    Similarity

    Raises
    ------
    UserError
        If a measure depends on random numbers, or has neither value matrices nor vectors.
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
        table = tables.tables[s]
        if isinstance(table, MixedTable):
            raise MeasureError("values are compared in tables without numbers; cut or drop them")
        return cooccurrence(table)

    number = range(len(tables.tables))
    together = spec["measure"] == TOGETHER
    learnt, refused = [], []
    for fit in spec["fits"]:
        measures = [made(fit["class"], fit["parameters"]) for _ in number]
        _check(measures[0], fit["class"])
        try:
            found = [
                measure.fit(counts(s)).space_
                if isinstance(measure, ValueMeasure)
                else measure.fit_transform(tables.tables[s])
                for s, measure in enumerate(measures)
            ]
        except (CouplingsError, MemoryError) as error:
            if not together:
                raise
            refused.append({"setting": fit["setting"], "reason": _reason(error)})
            continue
        learnt.append((fit["setting"], measures, found))
    facts["settings"] = [setting for setting, _, _ in learnt]
    if together:
        facts["refused"] = refused
    spaces = [[found[s] for _, _, found in learnt] for s in number]
    contexts = [
        [measures[s].context_ for _, measures, _ in learnt if hasattr(measures[s], "context_")]
        for s in number
    ]
    return Similarity(facts, spaces, contexts if any(contexts) and not together else None)


def _check(measure: Any, name: str) -> None:
    if not isinstance(measure, Transformer) or "random_state" in measure.get_params():
        raise UserError(
            f"registry entry class {name!r}: has neither value matrices nor vectors that are the "
            "same in every run, so the rule `similarity` cannot learn it; name it in `measures` "
            "of the experiment"
        )


def _reason(error: CouplingsError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        said = f" ({error})" if str(error) else ""
        return f"the memory does not suffice{said}; cluster a sample of the rows"
    return str(error)
