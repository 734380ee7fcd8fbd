"""Step `trials`: cluster one data set with one method, score every clustering, resume if cut off.

Finished clusterings are appended to ``<output>.partial`` beside the output, under a first line
that identifies code, data and parameters; a run that was killed goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from couplings.metrics.external import external_scores
from replication.data.store import Similarity, Tables, read_similarity, read_tables
from replication.files import write_records
from replication.run.journal import Finished
from replication.run.selection import select
from replication.seeds import generator
from replication.steps import OK, made, setting_text, specification

SCORES = (
    "purity",
    "inverse_purity",
    "accuracy",
    "nmi_sqrt",
    "nmi_arithmetic",
    "nmi_max",
    "ari",
    "macro_f1",
    "pairwise_f",
    "best_match_f",
)
COLUMNS = (
    "paper",
    "dataset",
    "method",
    "reading",
    "preparation",
    "measure",
    "algorithm",
    "sample",
    "order",
    "trial",
    "parameter",
    "setting",
    "n_objects",
    "n_clusters_asked",
    "n_clusters_found",
    "label_cuts",
    *SCORES,
    "status",
    "reason",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the step."""
    parser.add_argument("--spec", required=True, help="pipeline of one method and reading (JSON)")
    parser.add_argument("--tables", type=Path, required=True, help="tables (npz)")
    parser.add_argument("--similarity", type=Path, help="value matrices (npz), if it needs any")
    parser.add_argument("--code", default="", help="digest of the code, part of the resume key")
    parser.add_argument("--output", type=Path, required=True, help="records (CSV)")


def run(args: argparse.Namespace) -> int:
    """Run the step."""
    spec = specification(args.spec)
    key = hashlib.sha256(
        b"\0".join(
            [
                json.dumps(spec, sort_keys=True).encode(),
                args.code.encode(),
                *(path.read_bytes() for path in (args.tables, args.similarity) if path),
            ]
        )
    ).hexdigest()
    partial = args.output.with_name(args.output.name + ".partial")
    finished = Finished(partial, key)
    tables = read_tables(args.tables)
    similarity = read_similarity(args.similarity) if args.similarity else None
    records = list(trials(tables, similarity, spec, finished))
    write_records(args.output, COLUMNS, records)
    partial.unlink(missing_ok=True)
    return 0


def trials(
    tables: Tables, similarity: Similarity | None, spec: dict[str, Any], finished: Finished
) -> Iterator[dict[str, Any]]:
    """Cluster and score.

    In file order every parameter setting is tried on every table. The first table is then
    clustered again under `row_orders` permutations of its rows, for the setting that the rule
    selects and for the fixed one: this is the spread that ties leave open.

    Parameters
    ----------
    tables, similarity
        Outputs of `discretize` and `similarity` for the same preparation. Without a similarity
        the algorithm works on the table itself, and varies its own parameter.
    spec : dict
        ``paper``, ``dataset``, ``method``, ``reading``, ``preparation``, ``measure``,
        ``algorithm`` (id, class, parameters, settings), ``select``, ``fixed``, ``row_orders``,
        ``seed``.
    finished : Finished
        Results of an interrupted run.

    Yields
    ------
    dict
        One record per clustering, keyed by `COLUMNS`; ``label_cuts`` names the attributes that
        were cut with the class labels (oracle).
    """
    names = ("paper", "dataset", "method", "reading", "preparation", "measure")
    common = {name: spec[name] for name in names} | {"algorithm": spec["algorithm"]["id"]}
    status = {"status": tables.facts["status"], "reason": tables.facts["reason"]}
    if status["status"] != OK:
        yield {**common, **status}
        return
    settings = similarity.facts["settings"] if similarity else spec["algorithm"]["settings"]
    bench = _Bench(tables, similarity, spec, finished)
    common |= status | {"trial": 0, "label_cuts": " ".join(tables.facts["label_cuts"])}
    records = [
        {**common, "sample": s, "order": 0, **_parameter(setting), **bench.scores(s, p, 0)}
        for s in range(len(tables.tables))
        for p, setting in enumerate(settings)
    ]
    yield from records
    chosen = _spread_settings(records[: len(settings)], spec)
    for order in range(1, spec["row_orders"] + 1):
        for p, setting in enumerate(settings):
            if chosen is None or _parameter(setting)["setting"] in chosen:
                yield {
                    **common,
                    "sample": 0,
                    "order": order,
                    **_parameter(setting),
                    **bench.scores(0, p, order),
                }


def _parameter(setting: dict[str, Any]) -> dict[str, Any]:
    """Name and text of the one parameter that a grid varies."""
    if not setting:
        return {"parameter": "", "setting": ""}
    ((name, value),) = setting.items()
    return {"parameter": name, "setting": setting_text(value)}


def _spread_settings(records: list[dict[str, Any]], spec: dict[str, Any]) -> set[str] | None:
    """Settings whose row-order spread is wanted; None for all."""
    if not spec.get("select"):
        return None
    scores = {name: [record[name] for record in records] for name in SCORES}
    best = select([float(r["setting"]) for r in records], scores, spec["select"]["rule"])
    fixed = [setting_text(value) for value in (spec.get("fixed") or {}).values()]
    return {setting_text(best), *fixed}


class _Bench:
    """Clusterings of one job; equal matrices are clustered once."""

    def __init__(
        self,
        tables: Tables,
        similarity: Similarity | None,
        spec: dict[str, Any],
        finished: Finished,
    ) -> None:
        self._tables, self._similarity, self._spec = tables, similarity, spec
        self._finished = finished

    def scores(self, s: int, p: int, order: int) -> dict[str, Any]:
        """Scores of table s under setting p and row order `order`."""
        name = f"{s}.{self._first_equal(s, p)}.{order}"
        known = self._finished.get(name)
        if known is None:
            known = self._cluster(s, p, order)
            self._finished.add(name, known)
        return known

    def _first_equal(self, s: int, p: int) -> int:
        if self._similarity is None:
            return p
        spaces = self._similarity.spaces[s]
        data = spaces[p].matrices.data
        return next(q for q in range(p + 1) if np.array_equal(spaces[q].matrices.data, data))

    def _cluster(self, s: int, p: int, order: int) -> dict[str, Any]:
        spec, table, truth = self._spec, self._tables.tables[s], self._tables.labels[s]
        rows = np.arange(len(truth))
        if order:
            rng = generator(spec["seed"], spec["paper"], spec["dataset"], "order", trial=order)
            rows = rng.permutation(len(truth))
        k = len(np.unique(truth))
        parameters = spec["algorithm"]["parameters"]
        if self._similarity is None:
            data = table.take(rows)
            parameters = parameters | spec["algorithm"]["settings"][p]
        else:
            data = self._similarity.spaces[s][p].condensed(table.take(rows))
        algorithm = made(spec["algorithm"]["class"], {"n_clusters": k, **parameters})
        found = algorithm.fit_predict(data)
        scores = external_scores(truth[rows], found)
        return {
            "n_objects": len(truth),
            "n_clusters_asked": k,
            "n_clusters_found": len(np.unique(found)),
            **{name: float(scores[name]) for name in SCORES},
        }
