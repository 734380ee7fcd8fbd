"""Step `similarity`: learn the value matrices of all measures that a paper uses on a data set.

For a measure that represents whole objects, the step keeps their vectors.
"""

from functools import cache
from pathlib import Path
from typing import Any

from couplings._params import Transformer
from couplings.counts import CooccurrenceCounts, cooccurrence
from couplings.errors import CouplingsError, MeasureError
from couplings.measures.base import ValueMeasure
from couplings.mixed import MixedTable
from replication.data.store import Fit, Similarity, Tables, read_archive, write_archive
from replication.errors import UserError
from replication.steps import OK, estimator


def run(spec: dict[str, Any], tables: Path, output: Path) -> None:
    """Run the step."""
    learnt = {
        preparation: learn(read_archive(tables, preparation), fits)
        for preparation, fits in spec["preparations"].items()
    }
    write_archive(output, learnt)


def learn(tables: Tables, fits: list[dict[str, Any]]) -> Similarity:
    """Fit measures on every table of one preparation.

    A fit has ``measure`` (id), ``class`` as ``module:Class``, ``parameters``, and ``setting`` (the
    varied parameters). If a measure refuses the tables, the others are still fitted.

    Raises `UserError` if a measure depends on random numbers, or has neither value matrices nor
    vectors.
    """
    facts = {name: tables.facts[name] for name in ("status", "reason")}
    if facts["status"] != OK:
        return Similarity(facts)

    @cache
    def counts(s: int) -> CooccurrenceCounts:
        table = tables.tables[s]
        if isinstance(table, MixedTable):
            raise MeasureError("values are compared in tables without numbers; cut or drop them")
        return cooccurrence(table)

    found = []
    for fit in fits:
        measures = [estimator(fit["class"], **fit["parameters"]) for _ in tables.tables]
        if not isinstance(measures[0], Transformer) or "random_state" in measures[0].get_params():
            raise UserError(
                f"registry entry class {fit['class']!r}: has neither value matrices nor vectors "
                "that are the same in every run, so the rule `similarity` cannot learn it; name it "
                "in `measures` of the experiment"
            )
        made: dict[str, Any] = {}
        try:
            made["spaces"] = [
                measure.fit(counts(s)).space_
                if isinstance(measure, ValueMeasure)
                else measure.fit_transform(tables.tables[s])
                for s, measure in enumerate(measures)
            ]
            made["contexts"] = [one.context_ for one in measures if hasattr(one, "context_")]
        except CouplingsError as error:
            made = {"reason": str(error)}
        except MemoryError as error:
            said = f" ({error})" if str(error) else ""
            made = {"reason": f"not enough memory{said}; cluster a sample of the rows"}
        found.append(Fit(fit["measure"], fit["setting"], **made))
    return Similarity({**facts, "label_cuts": tables.facts["label_cuts"]}, found)
