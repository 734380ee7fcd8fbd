"""Step `tests`: statistical comparisons, of methods over data sets or by a function of a paper."""

from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.errors import UserError
from replication.run.paired import ROUNDING, correct
from replication.run.records import Records, available, write_records
from replication.run.selection import RULES, select
from replication.steps import call, generator

COLUMNS = (
    "reading",
    "score",
    "method_a",
    "method_b",
    "oracle",
    "datasets",
    "wins_a",
    "ties",
    "wins_b",
    "median_difference",
    "statistic",
    "p",
    "p_holm",
    "note",
)


def run(spec: dict[str, Any], output: Path) -> None:
    """Run the step."""
    rows: list[dict[str, Any]] = []
    for entry in spec["comparisons"]:
        found = call(entry["run"], Comparison(spec, entry), **entry.get("parameters", {}))
        rows += ({"paper": spec["paper"], **row} for row in found)
    columns = dict.fromkeys(name for row in rows for name in row)
    write_records(output, list(columns), rows)


class Comparison(Records):
    """Records, random numbers and answers for the function of a comparison.

    Attributes
    ----------
    spec, entry : dict
        Specification of the step, and the entry of the comparison.
    """

    def __init__(self, spec: dict[str, Any], entry: dict[str, Any]) -> None:
        super().__init__(spec["inputs"], f"config/papers/{spec['paper']}.yaml: comparisons")
        self.spec, self.entry = spec, entry

    def records(self, experiment: str) -> pd.DataFrame:
        """Return the records of an experiment that the comparison names, on all data sets."""
        if experiment not in self.entry["experiments"]:
            raise UserError(
                f"{self._place}: {self.entry['run']} needs the experiment {experiment!r}; name it "
                "under `experiments`"
            )
        return self.frame("experiment", experiment=experiment)

    def rng(self, *names: str) -> np.random.Generator:
        """Return a generator, seeded by study seed, paper and names."""
        return generator(self.spec["seed"], self.spec["paper"], *names)

    def choice(self, question: str) -> str:
        """Return the answer of the first reading to a question that tables ask."""
        return self.spec["choices"][question]


def over_datasets(comparison: Comparison, *, scores: Sequence[str]) -> list[dict[str, Any]]:
    """Return two-sided Wilcoxon signed-rank tests over data sets, with Holm's correction.

    A data set and method has one number: the score in file order at the selected setting, averaged
    over random samples. Zero differences are treated by Pratt's method. The result has one row per
    pair of methods and score, keyed by `COLUMNS`.
    """
    from scipy.stats import wilcoxon

    reading, records = comparison.spec["reading"], comparison.frame("trials")
    records = available(records[records["reading"] == reading])
    means, labelled = {}, set()
    for name in comparison.entry["methods"]:
        part, entry = records[records["method"] == name], comparison.spec["methods"][name]
        means[name] = _means(part, entry, scores)
        if entry.get("select") in RULES or part["label_cuts"].notna().any():
            labelled.add(name)
    rows = []
    for (a, b), score in product(combinations(comparison.entry["methods"], 2), scores):
        shared = means[a].index.intersection(means[b].index)
        difference = (means[a].loc[shared, score] - means[b].loc[shared, score]).to_numpy(copy=True)
        # equal scores differ in the last bits when they were summed in another order
        difference[np.abs(difference) < ROUNDING] = 0.0
        row = dict.fromkeys(COLUMNS)
        row |= {
            "reading": reading,
            "score": score,
            "method_a": a,
            "method_b": b,
            "oracle": bool(labelled & {a, b}),
            "datasets": len(shared),
            "wins_a": int((difference > 0).sum()),
            "ties": int((difference == 0).sum()),
            "wins_b": int((difference < 0).sum()),
        }
        if np.count_nonzero(difference) < 2:
            row["note"] = "fewer than two data sets differ: no test"
        else:
            test = wilcoxon(difference, zero_method="pratt")
            row["median_difference"] = float(np.median(difference))
            row |= {"statistic": float(test.statistic), "p": float(test.pvalue)}
        rows.append(row)
    correct(rows)
    return rows


def _means(records: pd.DataFrame, entry: dict[str, Any], scores: Sequence[str]) -> pd.DataFrame:
    """Return the means of scores over samples, by data set."""
    samples = records[records["order"] == 0].groupby(["dataset", "sample"])
    picked = records.loc[[_picked(rows, entry) for _, rows in samples]]
    return picked.groupby("dataset")[scores].agg(lambda column: np.mean(column.to_numpy()))


def _picked(rows: pd.DataFrame, entry: dict[str, Any]) -> Any:
    """Return the label of the row at the setting that the rule of a method selects."""
    if not entry.get("select"):
        return rows.index[0]
    chosen = select(rows.to_dict("list"), entry["select"], entry.get("fixed"))
    return rows.index[rows["setting"].tolist().index(chosen)]
