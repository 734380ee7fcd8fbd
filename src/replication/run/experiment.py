"""Step `experiment`: computations of one paper on one data set outside its pipelines.

A computation is a function of a paper's module (``run`` in the configuration). It gets an
`Experiment` and the entry's parameters as keyword arguments, and yields records. This step adds
paper, experiment and data set, and writes the records. A journal keeps finished results, so that an
interrupted job can be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.data.store import Similarity, Tables, read_archive
from replication.errors import UserError
from replication.files import check_digest, read_json, read_raw
from replication.run.journal import Journal, forget
from replication.run.records import Records, write_records
from replication.run.runner import Objects, Runner
from replication.steps import OK, call, estimator, generator

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from replication.run.labels import LabelRows

COMMON = ("paper", "experiment", "dataset", "status", "reason")


def run(spec: dict[str, Any], output: Path, code: str = "") -> None:
    """Run the step."""
    for one in spec["experiments"]:
        if computed(one, code, output):
            raise UserError(
                f"config/papers/{one['paper']}.yaml: experiments.{one['experiment']}: clusters, "
                "so its labels have to be kept; name its `batch`"
            )
    forget(spec["experiments"])


def computed(spec: Mapping[str, Any], code: str, folder: Path) -> LabelRows:
    """Run one experiment on one data set, write its records, and return its label vectors.

    The specification is that of `Experiment`, plus ``run`` and ``journal`` (folder).
    """
    name = spec["experiment"]
    files = [Path(one["file"]) for one in spec["inputs"]]
    experiment = Experiment(spec, Journal.of(Path(spec["journal"], name), spec, code, files))
    common = dict(zip(COMMON, (spec["paper"], name, spec["dataset"], OK, ""), strict=True))
    absent = experiment.absent
    made = [absent] if absent else call(spec["run"], experiment, **experiment.parameters)
    records = [{**common, **record} for record in made]
    columns = list(dict.fromkeys([*COMMON, *(name for row in records for name in row)]))
    write_records(folder / f"{name}.parquet", columns, records)
    owner = {"paper": spec["paper"], "job": name, "dataset": spec["dataset"]}
    return [({**owner, **key}, labels) for key, labels in experiment.runner.kept]


class Experiment:
    """Data, measures, algorithms and random numbers of one experiment on one data set.

    Parameters
    ----------
    spec : dict
        ``paper``, ``experiment``, ``dataset`` (empty for none), ``parameters``, ``trials``,
        ``seed``, ``measures`` and ``algorithms`` (id to class, parameters, label),
        ``similarities`` (id to label and ``settings``), ``preparations`` (ids), ``inputs`` (one
        entry per file with ``role``: ``facts``, ``prepared``, ``tables`` or ``similarity``).
        The ids and ``parameters`` are attributes as well.
    finished : Journal
        Results of an interrupted run.

    Attributes
    ----------
    trials : int
        Repetitions, already limited by the effort.
    runner : Runner
        Makes the clusterings of the job and keeps their labels.
    """

    def __init__(self, spec: Mapping[str, Any], finished: Journal) -> None:
        self._spec, self._finished = spec, finished
        self.paper: str = spec["paper"]
        self.name: str = spec["experiment"]
        self.dataset: str = spec["dataset"]
        self.parameters: dict[str, Any] = spec["parameters"]
        self.trials: int = spec["trials"]
        self.measures: dict[str, dict[str, Any]] = spec["measures"]
        self.algorithms: dict[str, dict[str, Any]] = spec["algorithms"]
        self.similarities: dict[str, dict[str, Any]] = spec["similarities"]
        self._learnt: dict[str, Similarity] = {}
        self._place = f"config/papers/{self.paper}.yaml: experiments.{self.name}"
        self._files = Records(spec["inputs"], self._place)
        self.runner = Runner(finished)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Counts of the prepared table, and its status."""
        return read_json(self._files.file("facts"), "status", "reason")

    @property
    def absent(self) -> dict[str, str]:
        """Status and reason of an unavailable data set; empty if it is available."""
        if not self.dataset or self.facts["status"] == OK:
            return {}
        return {"status": self.facts["status"], "reason": self.facts["reason"]}

    @cached_property
    def prepared(self) -> pd.DataFrame:
        """The prepared table, every cell a text; the class is the column `CLASS`."""
        path = self._files.file("prepared")
        check_digest(path, read_json(self._files.file("facts"), "sha256")["sha256"])
        return read_raw(path)

    def tables(self, preparation: str) -> Tables:
        """Return integer codes and labels under one preparation."""
        self._listed(preparation, self._spec["preparations"])
        return read_archive(self._files.file("tables"), preparation)

    def objects(self, preparation: str) -> Objects:
        """Return the (first) table under one preparation, with its classes."""
        made = self.tables(preparation)
        where = (made.rows[0], self.facts["objects"]) if made.rows else ()
        return Objects(made.tables[0], made.labels[0], *where)

    def similarity(self, name: str, preparation: str, **parameters: Any) -> Any:
        """Return a fit of the step `similarity` on the (first) table under one preparation.

        It is an object space or, for a measure that represents whole objects, their vectors of
        shape (n, d). The parameters are those that the entry varies.

        Raises
        ------
        UserError
            If the entry does not list the measure with these parameters.
        MeasureError
            If the measure refused the table.
        """
        self._listed(name, self.similarities)
        if parameters not in self.similarities[name]["settings"]:
            raise UserError(
                f"{self._place}.similarities.{name}: "
                f"the computation needs {parameters or 'no parameters'}, which it does not vary"
            )
        if preparation not in self._learnt:
            self._listed(preparation, self._spec["preparations"])
            self._learnt[preparation] = read_archive(
                self._files.file("similarity"), preparation, self.similarities
            )
        return self._learnt[preparation].fit(name, **parameters).spaces[0]

    def measure(self, name: str, **parameters: Any) -> Any:
        """Return an unfitted measure; parameters replace registered ones."""
        return self._made(self.measures, name, parameters)

    def algorithm(self, name: str, **parameters: Any) -> Any:
        """Return an unfitted algorithm; parameters replace registered ones."""
        return self._made(self.algorithms, name, parameters)

    def rng(self, *names: str, trial: int = 0) -> np.random.Generator:
        """Return the generator of one trial, seeded by study seed, ids and names."""
        return generator(
            self._spec["seed"], self.paper, self.name, self.dataset, *names, trial=trial
        )

    def shared(self, *names: str, trial: int = 0) -> np.random.Generator:
        """Return a generator that all experiments of the paper share on a data set."""
        return generator(self._spec["seed"], self.paper, self.dataset, *names, trial=trial)

    def seed(self, *names: str, trial: int = 0) -> int:
        """Return a seed below 2**31, for libraries that need a number."""
        return int(self.rng(*names, trial=trial).integers(2**31))

    def once(self, name: str, function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a result that JSON can hold, from an interrupted run if possible.

        Its name, without tabs and line ends, is unique within the job.
        """
        return self._finished.once(name, function)

    def _made(self, registry: Mapping[str, Any], name: str, parameters: dict[str, Any]) -> Any:
        self._listed(name, registry)
        parameters = {**registry[name].get("parameters", {}), **parameters}
        return estimator(registry[name]["class"], **parameters)

    def _listed(self, name: str, names: Collection[str]) -> None:
        if name not in names:
            raise UserError(
                f"{self._place}: the computation needs {name!r}, which the entry does not list; it "
                f"lists {', '.join(names) or 'none'}"
            )
