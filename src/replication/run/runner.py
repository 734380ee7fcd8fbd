"""Cluster objects: similarity, algorithm and seeds give label vectors.

`cluster` makes label vectors. A `Runner` belongs to a job: it takes the label vectors of an
interrupted run from the journal, keeps all of them for the file of labels, and returns them as
`Clusterings`, which have the scores of `replication.run.scores`.
"""

import typing
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from couplings.cluster._base import Takes
from couplings.cluster.neighbours import NeighbourGraph, numbered
from couplings.errors import MeasureError
from couplings.values import ValueMatrices
from replication.errors import UserError
from replication.run.journal import Journal
from replication.run.labels import ABSENT, pack, unpack
from replication.run.rounding import ROUNDED, margin_of, perturb, share_moved
from replication.run.scores import score


@dataclass(frozen=True, eq=False)
class Objects:
    """Objects to cluster, and their rows in the stored table."""

    # `CategoricalTable` or `MixedTable` of n objects, and their classes
    table: Any
    classes: np.ndarray
    # row of each object in the coded or prepared table; None if they are its rows
    rows: np.ndarray | None = None
    # rows of that table; None for n
    size: int | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return self.table.n_objects

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(np.unique(self.classes))

    def ordered(self, order: np.ndarray) -> Self:
        """Return the objects in another order, or some of them, by index."""
        rows = np.arange(self.n_objects) if self.rows is None else self.rows
        return replace(
            self,
            table=self.table.take(order),
            classes=self.classes[order],
            rows=rows[order],
            size=self.n_objects if self.size is None else self.size,
        )

    def in_table_order(self, labels: np.ndarray) -> np.ndarray:
        """Return labels, a row per clustering, in the order of the stored table.

        Rows of the table that are not among the objects get `ABSENT`.
        """
        if self.rows is None:
            return labels
        home = np.full((len(labels), self.size or self.n_objects), ABSENT, dtype=np.int64)
        home[:, self.rows] = labels
        return home


@dataclass(frozen=True, eq=False)
class Vectors:
    """A representation of objects by g vectors, of which equal objects may share one."""

    rows: np.ndarray
    # number of objects of each vector; None for one
    weights: np.ndarray | None = None
    # vector of each object; None if object i has vector i
    inverse: np.ndarray | None = None
    # how much rounding can change them, see `replication.run.rounding`
    margin: float = np.inf


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Label vectors of the same objects."""

    objects: Objects
    # cluster of each of n objects, shape (t, n)
    labels: np.ndarray
    # other observations; JSON can hold them
    facts: dict[str, Any] = field(default_factory=dict)
    # of each clustering its ``margin`` (None if unknown) and the share of objects ``moved`` by
    # rounding, see `replication.run.rounding`; empty if no margin is known
    rounding: list[dict[str, Any]] = field(default_factory=list)
    # objective that the algorithm minimises, as a tuple per clustering; empty if the algorithm
    # exposes none, and for clusterings of an interrupted run
    objectives: Sequence[tuple[float, ...]] = field(default_factory=list)

    @classmethod
    def none(cls, objects: Objects, **facts: Any) -> "Clusterings":
        """Return no clusterings, and facts that say why."""
        return cls(objects, np.empty((0, objects.n_objects), dtype=np.int64), facts)

    def of(self, objects: Objects) -> "Clusterings":
        """Return the same clusters in another order, that of `Objects.ordered`."""
        return replace(
            self,
            objects=objects,
            labels=np.array([numbered(row[objects.rows]) for row in self.labels]),
        )

    def scores(
        self, names: Sequence[str] | Mapping[str, str], among: np.ndarray | None = None
    ) -> list[dict[str, float]]:
        """Return the scores of every clustering against the classes.

        Parameters
        ----------
        names
            As in `replication.run.scores.score`.
        among : ndarray of bool, shape (n,), optional
            Objects that are scored; all by default.

        Returns
        -------
        list of dict
            One per clustering, with ``margin`` and ``moved`` where they are known.
        """
        counted = slice(None) if among is None else among
        known = self.rounding or [{}] * len(self.labels)
        # many starts give the same clusters
        scored: dict[bytes, dict[str, float]] = {}
        found = []
        for row, rounding in zip(self.labels, known, strict=True):
            labels = row.tobytes()
            if labels not in scored:
                scored[labels] = score(self.objects.classes[counted], row[counted], names)
            found.append(scored[labels] | rounding)
        return found


def cluster(
    objects: Objects,
    similarity: Any,
    algorithm: Any,
    seeds: Sequence[Any] = (None,),
    *,
    starts: int = 1,
    observe: Callable[[Any], dict[str, Any]] | None = None,
    again: bool = True,
) -> Clusterings:
    """Cluster objects, once per seed.

    Parameters
    ----------
    objects : Objects
        n objects.
    similarity : fitted measure, ObjectSpace, ValueMatrices, Vectors, array, NeighbourGraph or None
        What the algorithm compares objects with; an array (such as distances of all pairs) or a
        graph is given to it in place of the objects. None for an algorithm that works on the
        table itself.
    algorithm : estimator
        Not fitted, with all its parameters but ``random_state``. Its attribute ``takes`` says what
        its `fit` is given, see `couplings.cluster._base.Clustering`.
    seeds : sequence of int, SeedSequence or Generator
        One per clustering; ``(None,)`` for an algorithm without chance.
    starts : int
        Number of starts per seed; the one with the lowest ``objective_`` is kept.
    observe : callable, optional
        From the fitted algorithm of the first seed to the `Clusterings.facts`; not for algorithms
        that take rows.
    again : bool
        Whether clusterings with a margin of rounding are repeated to count the objects that move;
        otherwise only the margin is recorded.

    Raises
    ------
    CouplingsError
        Errors of the algorithm; `MeasureError` if it takes no measure, or compares values and the
        measure compares only whole objects.
    UserError
        If the algorithm does not say what it takes.

    Notes
    -----
    An algorithm that takes rows has `runs`, which makes one start per seed. One that clusters rows
    of its own, such as spectral clustering, has `embed`; they are made once for all seeds. A graph
    joins objects by their similarity over the number of attributes, as ``theta`` and ``strict`` of
    the algorithm say. Distances are the algorithm's own to change if it has a parameter ``copy``.
    """
    # repeats begin where the first clusterings began
    sources = [one.bit_generator for one in seeds if isinstance(one, np.random.Generator)]
    begun = [source.state for source in sources]
    found, margins = _cluster(objects, similarity, algorithm, seeds, starts, observe)
    if all(margin is None for margin in margins):
        return found
    close = [t for t, margin in enumerate(margins) if margin is not None and margin < ROUNDED]
    shares: dict[int, float | None] = dict.fromkeys(close, 0.0 if again else None)
    if close and again:
        some = close if len(set(sources)) == len(sources) else range(len(seeds))
        again_from = [seeds[t] for t in some]
        ended = [source.state for source in sources]
        others = []
        for one in perturb(similarity):
            _rewind(sources, begun)
            others.append(_cluster(objects, one, algorithm, again_from, starts, None)[0].labels)
        _rewind(sources, ended)
        shares = {
            t: share_moved(found.labels[t], np.array([one[i] for one in others]))
            for i, t in enumerate(some)
            if t in shares
        }
    rounding = [
        {
            "margin": margin if margin is None or np.isfinite(margin) else None,
            "moved": None if margin is None else shares.get(t, 0.0),
        }
        for t, margin in enumerate(margins)
    ]
    return replace(found, rounding=rounding)


def _rewind(sources: Sequence[np.random.BitGenerator], states: Sequence[Any]) -> None:
    for source, state in zip(sources, states, strict=True):
        source.state = state


def _cluster(
    objects: Objects,
    similarity: Any,
    algorithm: Any,
    seeds: Sequence[Any],
    starts: int,
    observe: Callable[[Any], dict[str, Any]] | None,
) -> tuple[Clusterings, list[float | None]]:
    """Return clusterings without the effects of rounding, and their margins."""
    if similarity is not None and hasattr(algorithm, "embed"):
        similarity, algorithm = algorithm.embed(objects.table, similarity)
    if _takes(algorithm) == "rows":
        runs = algorithm.runs(similarity.rows, seeds, similarity.weights)
        inverse = slice(None) if similarity.inverse is None else similarity.inverse
        margins = np.minimum(runs.margin, similarity.margin).tolist()
        objectives = [(value,) for value in runs.inertia.tolist()]
        return Clusterings(objects, runs.labels[:, inverse], objectives=objectives), margins
    given, named = _arguments(algorithm, objects.table, similarity)
    parameters = algorithm.get_params(deep=False)
    if "copy" in parameters and given is not similarity and len(seeds) == 1:
        # the distances of all pairs take hundreds of megabytes and are used only here
        algorithm = type(algorithm)(**{**parameters, "copy": False})
    fitted = [_fitted(algorithm, seed, starts, given, named) for seed in seeds]
    labels = np.array([one.labels_ for one in fitted], dtype=np.int64)
    margins = [margin_of(one, given, named.get("matrices")) for one in fitted]
    own = [value for one in fitted if (value := objective(one)) is not None]
    facts = observe(fitted[0]) if observe else {}
    return Clusterings(objects, labels, facts, objectives=own), margins


def objective(fitted: Any) -> tuple[float, ...] | None:
    """Return the objective that a fitted algorithm minimises, or None if it exposes none.

    ``rank_`` puts the number of empty clusters first where empty clusters lower the objective.
    Log-likelihoods are negated.
    """
    if hasattr(fitted, "rank_"):
        return tuple(map(float, fitted.rank_))
    for name in ("objective_", "cost_", "inertia_"):
        if hasattr(fitted, name):
            return (float(getattr(fitted, name)),)
    if hasattr(fitted, "log_likelihoods_"):
        return (-float(fitted.log_likelihoods_[-1]),)
    return None


def _fitted(algorithm: Any, seed: Any, starts: int, given: Any, named: dict[str, Any]) -> Any:
    """Return the algorithm after its fit from one seed, the best of some starts."""
    parameters = algorithm.get_params(deep=False)
    states = [seed] if starts == 1 else np.random.SeedSequence(seed).spawn(starts)
    fitted = [
        type(algorithm)(**{**parameters, **({} if state is None else {"random_state": state})})
        for state in states
    ]
    fitted = [one.fit(given, **named) for one in fitted]
    return fitted[0] if starts == 1 else min(fitted, key=lambda one: one.objective_)


def _takes(algorithm: Any) -> str:
    """Return what the `fit` of an algorithm is given; raise if its class does not say."""
    known, name = typing.get_args(Takes), type(algorithm).__name__
    if (takes := getattr(algorithm, "takes", None)) not in known:
        raise UserError(
            f"{name}: takes is {takes!r}; set the attribute of the class to one of "
            f"{', '.join(known)}"
        )
    return str(takes)


def _arguments(algorithm: Any, table: Any, similarity: Any) -> tuple[Any, dict[str, Any]]:
    """Return what an algorithm that does not take rows is given: the input of its `fit`."""
    if similarity is None or isinstance(similarity, np.ndarray | NeighbourGraph):
        return table if similarity is None else similarity, {}
    space = getattr(similarity, "space_", similarity)
    name = type(algorithm).__name__
    match _takes(algorithm):
        case "graph":
            alike = per_attribute(table, space)
            return NeighbourGraph.from_similarity(alike, algorithm.theta, algorithm.strict), {}
        case "space":
            return table, {"space": space}
        case "distances":
            return space.condensed(table), {}
        case "values" if isinstance(space, ValueMatrices):
            return table, {"matrices": space}
        case "values" if space.link in ("inverse", "ratio"):
            raise MeasureError(f"{name} compares values, {type(similarity).__name__} whole objects")
        case "values":
            return table, {"matrices": space.matrices}
    raise MeasureError(f"{name} takes no measure; give it None")


def per_attribute(table: Any, space: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return similarities per attribute, as a function for `NeighbourGraph.from_similarity`."""

    def alike(objects: np.ndarray) -> np.ndarray:
        if not len(objects):
            return np.zeros((0, table.n_objects))
        return space.between(table.take(objects), table) / table.n_attributes

    return alike


def _packed(made: Clusterings) -> dict[str, Any]:
    return {"facts": made.facts, "rounding": made.rounding, **pack(made.labels)}


class Runner:
    """Make the clusterings of one job, each once, and keep their labels.

    Parameters
    ----------
    finished : Journal
        Results of an interrupted run.
    """

    def __init__(self, finished: Journal) -> None:
        self._finished = finished
        self._kept: list[tuple[dict[str, Any], Objects, dict[str, Any]]] = []
        self._names: set[str] = set()
        self._alike: dict[Hashable, dict[str, Any]] = {}

    def clusterings(
        self,
        objects: Objects,
        make: Callable[[], Clusterings],
        alike: Hashable = None,
        **key: str | int,
    ) -> Clusterings:
        """Make clusterings, or take them from an interrupted run; keep their labels.

        Parameters
        ----------
        objects : Objects
            Objects to cluster.
        make : callable
            Returns the clusterings of `objects`.
        alike : hashable, optional
            Key of the input: clusterings with the same key are made once.
        **key : str or int
            Columns of `replication.run.labels` that identify the clusterings in the job, without
            ``trial``, which counts them.

        Raises
        ------
        ValueError
            If other clusterings of the job have this key.
        """
        name = " ".join(["labels", *(f"{key}={value}" for key, value in key.items())])
        if name in self._names:
            raise ValueError(f"two sets of clusterings are called {name!r}")
        self._names.add(name)
        known = self._finished.once(name, lambda: self._alike.get(alike) or _packed(make()))
        if alike is not None:
            self._alike[alike] = known
        self._kept.append((key, objects, known))
        return Clusterings(objects, unpack(known), known["facts"], known["rounding"])

    def again(self, clusterings: Clusterings, **key: str | int) -> None:
        """Keep the labels of existing clusterings under another key."""
        self._kept.append((key, clusterings.objects, pack(clusterings.labels)))

    @property
    def kept(self) -> Iterator[tuple[dict[str, Any], np.ndarray]]:
        """Rows for `replication.run.labels.write_labels`."""
        for key, objects, packed in self._kept:
            for trial, labels in enumerate(objects.in_table_order(unpack(packed))):
                yield {**key, "trial": trial}, labels
