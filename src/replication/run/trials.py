"""Step `trials`: cluster one data set by the methods of one batch, and score every clustering.

A batch holds methods (pipelines of preparation, measure and algorithm, in every reading) and
experiments that cluster. All label vectors go to one file. A journal keeps finished clusterings, so
that an interrupted run can be resumed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from couplings.cluster.neighbours import NeighbourGraph
from couplings.cluster.ward_ties import WardRemainder, ward_remainder
from couplings.table import CategoricalTable
from replication.data.store import Fit, Tables, read_archive
from replication.run.experiment import computed
from replication.run.journal import Journal, forget
from replication.run.labels import LabelRows, write_labels
from replication.run.records import write_records
from replication.run.rounding import ROUNDED
from replication.run.runner import Clusterings, Objects, Runner, cluster
from replication.run.scores import EXTERNAL
from replication.run.selection import select
from replication.specs import MethodSpec, PipelineSpec
from replication.steps import OK, estimator, generator, setting_text

SCORES = tuple(name for name in EXTERNAL if name not in ("mutual_information", "nmi_min"))
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
    "made",
    "trial",
    "parameter",
    "setting",
    "n_objects",
    "n_clusters_asked",
    "n_clusters_found",
    "label_cuts",
    *SCORES,
    "margin",
    "moved",
    "status",
    "reason",
)


def run(spec: dict[str, Any], output: Path, labels: Path, code: str = "") -> None:
    """Run the step."""
    vectors: LabelRows = []
    for content in spec["methods"]:
        method = MethodSpec.of(content)
        records, rows = method_records(method, code)
        write_records(output / f"{method.method}.parquet", COLUMNS, records)
        vectors += rows
    for experiment in spec["experiments"]:
        vectors += computed(experiment, code, output)
    write_labels(labels, vectors)
    forget([*spec["methods"], *spec["experiments"]])


def method_records(method: MethodSpec, code: str) -> tuple[list[dict[str, Any]], LabelRows]:
    """Return the records and label vectors of one method, reading by reading.

    Readings that cluster the same codes by the same algorithm share it.
    """
    records: list[dict[str, Any]] = []
    rows: LabelRows = []
    done: list[tuple[Any, ...]] = []
    for pipeline in method.readings:
        files = [Path(method.tables)]
        tables = read_archive(files[0], pipeline.preparation)
        name = f"{method.method}.{pipeline.reading}"
        steps = [_coded(tables), pipeline.measure, pipeline.settings, pipeline.algorithm]
        found = next((found for known, *found in done if known == steps), None)
        if found is None:
            fits = None
            if pipeline.measure and tables.facts["status"] == OK:
                files.append(Path(method.similarity))
                learnt = read_archive(files[1], pipeline.preparation, {pipeline.measure})
                fits = [learnt.fit(pipeline.measure, **point) for point in pipeline.settings]
            key = method.under(pipeline)
            runner = Runner(Journal.of(Path(method.journal, name), key, code, files))
            found = [list(trials(tables, fits, method, pipeline, runner)), list(runner.kept)]
            done.append((steps, *found))
        owner = {"paper": method.paper, "dataset": method.dataset, "measure": pipeline.measure}
        owner |= {"job": name, "algorithm": pipeline.algorithm.id}
        common = _common(tables, method, pipeline)
        records += [{**record, **common} for record in found[0]]
        rows += [({**owner, **key}, labels) for key, labels in found[1]]
    return records, rows


def _coded(tables: Tables) -> list[tuple[Any, ...]]:
    """Return codes, sizes of domains and classes; a mixed table, which equals no other, itself."""
    return [
        (table.codes.tobytes(), table.n_values.tolist(), classes.tobytes())
        if isinstance(table, CategoricalTable)
        else (table,)
        for table, classes in zip(tables.tables, tables.labels, strict=True)
    ]


def _common(tables: Tables, method: MethodSpec, pipeline: PipelineSpec) -> dict[str, Any]:
    """Return the columns in which readings with the same clusters can differ."""
    common = {
        "paper": method.paper,
        "dataset": method.dataset,
        "method": method.method,
        "reading": pipeline.reading,
        "preparation": pipeline.preparation,
        "measure": pipeline.measure,
        "algorithm": pipeline.algorithm.id,
    }
    status = {name: tables.facts[name] for name in ("status", "reason")}
    cuts = {"label_cuts": " ".join(tables.facts["label_cuts"])} if status["status"] == OK else {}
    return {**common, **status, **cuts}


def trials(
    tables: Tables,
    fits: list[Fit] | None,
    method: MethodSpec,
    pipeline: PipelineSpec,
    runner: Runner,
) -> Iterator[dict[str, Any]]:
    """Cluster and score.

    In file order, every parameter setting is tried on every table. The first table is then
    clustered again under `row_orders` permutations of its rows, at the selected and the fixed
    setting: this measures the spread due to ties. If ties cannot change Ward's clusters, a
    permutation has the clusters of the file order and is not computed.

    Parameters
    ----------
    tables : Tables
        One preparation.
    fits : list of Fit or None
        Fits of the measure, one per setting; None if the algorithm works on the table itself and
        varies its own parameter.
    method : MethodSpec
        The method.
    pipeline : PipelineSpec
        Its pipeline under one reading.
    runner : Runner
        Of this job.

    Yields
    ------
    dict
        One record per clustering, keyed by `COLUMNS`. ``label_cuts`` names the attributes that
        were cut with the class labels. ``made`` is false if the clusters follow from those in file
        order, without a clustering in this order.
    """
    common = _common(tables, method, pipeline)
    if common["status"] != OK:
        yield common
        return
    bench = _Bench(tables, fits, method, pipeline, runner)

    def record(s: int, p: int, order: int) -> dict[str, Any]:
        place = {"sample": s, "order": order, "trial": 0, **_parameter(bench.settings[p])}
        return {**common, **place, **bench.scores(s, p, order)}

    points = range(len(bench.settings))
    records = [record(s, p, 0) for s in range(len(tables.tables)) for p in points]
    yield from records
    chosen = _spread_settings(records[: len(points)], method)
    for order in range(1, method.row_orders + 1):
        for p in points:
            if chosen is None or _parameter(bench.settings[p])["setting"] in chosen:
                yield record(0, p, order)


def _parameter(setting: dict[str, float]) -> dict[str, Any]:
    """Return name and value of the one parameter that a grid varies."""
    if not setting:
        return {"parameter": "", "setting": None}
    ((name, value),) = setting.items()
    return {"parameter": name, "setting": float(value)}


def _spread_settings(records: list[dict[str, Any]], method: MethodSpec) -> set[float] | None:
    """Return the settings whose row-order spread is measured; None for all."""
    if not method.select:
        return None
    tried = {name: [record[name] for record in records] for name in ("setting", *SCORES)}
    fixed = method.fixed or {}
    return {select(tried, method.select, fixed), *map(float, fixed.values())}


@dataclass(frozen=True)
class OtherOrders:
    """Clusters by Ward's method of objects in other orders, as far as those in file order tell."""

    # clusters in file order, if every order gives them
    same: Clusterings | None = None
    # merges that every order makes, if the choices left open are few
    remainder: WardRemainder | None = None

    @classmethod
    def after(
        cls, found: Clusterings, distances: Callable[[], np.ndarray], recurrence: str
    ) -> "OtherOrders":
        """Return what clusters in file order tell of the other orders.

        Every order gives them if no tie was met (`couplings.Ward.tied_`), or if all choices at
        ties end in the same clusters.
        """
        margins = [rounding["margin"] for rounding in found.rounding]
        clear = all(margin is None or margin >= ROUNDED for margin in margins)
        if found.facts.get("tied") is False and clear:
            return cls(same=found)
        left = ward_remainder(distances(), found.labels[0], recurrence=recurrence, overwrite=True)
        if left is not None and left.settled(found.labels[0]):
            return cls(same=found)
        return cls(remainder=left)

    def clusterings(self, objects: Objects) -> Clusterings | None:
        """Return the clusters of objects in another order, None if they must be clustered."""
        if self.same is not None:
            return self.same.of(objects)
        if self.remainder is None or objects.rows is None:
            return None
        labels = self.remainder.clusters(objects.n_classes, objects.rows)
        return None if labels is None else Clusterings(objects, labels[None])


_UNKNOWN = OtherOrders()


def _ties(fitted: Any) -> dict[str, Any]:
    """Return whether Ward's method met a tie, no fact of other algorithms."""
    return {"tied": fitted.tied_} if hasattr(fitted, "tied_") else {}


class _Bench:
    """Clusterings of one pipeline; equal matrices are clustered once."""

    def __init__(
        self,
        tables: Tables,
        fits: list[Fit] | None,
        method: MethodSpec,
        pipeline: PipelineSpec,
        runner: Runner,
    ) -> None:
        self._tables, self._fits, self._runner = tables, fits, runner
        self._method, self._algorithm = method, pipeline.algorithm
        self.settings = pipeline.settings
        self._known: dict[tuple[int, int, int], Clusterings] = {}
        self._graphs: dict[tuple[int, int, bool], NeighbourGraph] = {}
        self._orders: dict[tuple[int, int], OtherOrders] = {}

    def scores(self, s: int, p: int, order: int) -> dict[str, Any]:
        """Return the scores of table s under setting p and row order `order`."""
        objects = Objects(self._tables.tables[s], self._tables.labels[s])
        if order:
            method = self._method
            rng = generator(method.seed, method.paper, method.dataset, "order", trial=order)
            objects = objects.ordered(rng.permutation(objects.n_objects))
        first = (s, self._first_equal(s, p), order)
        setting = (f"{name}={setting_text(value)}" for name, value in self.settings[p].items())
        key: dict[str, Any] = {"setting": " ".join(setting), "sample": s, "order": order}
        in_file = self._known.get((*first[:2], 0))
        others = self._others(*first[:2], in_file) if order and in_file else _UNKNOWN
        if first in self._known:
            found = self._known[first]
            self._runner.again(found, **key)
        else:
            make = partial(self._made, objects, s, p, order, others)
            found = self._known[first] = self._runner.clusterings(objects, make, **key)
        return {
            "made": others.same is None,
            "n_objects": objects.n_objects,
            "n_clusters_asked": objects.n_classes,
            "n_clusters_found": len(np.unique(found.labels)),
            **found.scores(SCORES)[0],
        }

    def _made(
        self, objects: Objects, s: int, p: int, order: int, others: OtherOrders
    ) -> Clusterings:
        """Return clusters derived from known ones if possible, otherwise new ones."""
        return others.clusterings(objects) or self._cluster(objects, s, p, order)

    def _others(self, s: int, p: int, in_file: Clusterings) -> OtherOrders:
        if "tied" not in in_file.facts or self._fits is None:
            return _UNKNOWN
        if (s, p) not in self._orders:
            table, space = self._tables.tables[s], self._fits[p].spaces[s]
            ward = estimator(self._algorithm.class_, **self._algorithm.parameters)
            self._orders[s, p] = OtherOrders.after(
                in_file, lambda: space.condensed(table), ward.recurrence
            )
        return self._orders[s, p]

    def _first_equal(self, s: int, p: int) -> int:
        if self._fits is None:
            return p
        matrices = [fit.spaces[s].matrices.data for fit in self._fits[: p + 1]]
        return next(q for q in range(p + 1) if np.array_equal(matrices[q], matrices[p]))

    def _cluster(self, objects: Objects, s: int, p: int, order: int) -> Clusterings:
        parameters = {**self._algorithm.parameters, "n_clusters": objects.n_classes}
        if self._fits is None:
            parameters |= self.settings[p]
        algorithm = estimator(self._algorithm.class_, **parameters)
        if self._fits is None and algorithm.takes == "graph":
            return cluster(objects, self._neighbours(objects, algorithm, s), algorithm)
        space = None if self._fits is None else self._fits[p].spaces[s]
        # the file order gives the number, the other orders its spread
        return cluster(objects, space, algorithm, observe=_ties, again=order == 0)

    def _neighbours(self, objects: Objects, algorithm: Any, s: int) -> NeighbourGraph:
        """Return the graph of these objects: a known one, if it joins the same pairs.

        Links are counted in file order; other orders reuse these counts.
        """
        table, theta, strict = self._tables.tables[s], algorithm.theta, algorithm.strict
        pairs = partial(NeighbourGraph.least_agreeing, table.n_attributes, strict=strict)
        known = s, pairs(theta), objects.rows is None
        if known not in self._graphs:
            # free the memory of links in file order before the next ones are counted
            self._graphs = {key: graph for key, graph in self._graphs.items() if not key[2]}
            graph = self._graphs[known] = NeighbourGraph.from_table(table, theta, strict)
            alike = (pairs(setting.get("theta", theta)) == known[1] for setting in self.settings)
            if objects.rows is not None or sum(alike) > 1:
                graph.keep_links()
        graph = self._graphs[known]
        return graph if objects.rows is None else graph.take(objects.rows)
