"""Write into every public array of every public object, then call everything that uses it.

A program of its own, because a write that is not stopped ends the process (test_readonly.py).
"""

import copy
import inspect
import os
import pickle
import warnings

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np
import pandas as pd

import couplings
from couplings import CategoricalTable, CooccurrenceCounts, MixedTable, cooccurrence
from couplings.cluster.joint_counts import JointCounts
from couplings.mixed import MixedSpace
from couplings.spaces import CentredSpace, ObjectSpace, QuotientSpace
from couplings.values import ValueMatrices

ROWS = 60
RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 4, (ROWS, 3))
TABLE = CategoricalTable.from_codes(CODES)
NUMBERS = RNG.normal(size=(ROWS, 2))


def mixed():
    return MixedTable(CategoricalTable.from_codes(CODES), NUMBERS, ("x", "y"))


def arrays_of(owner, seen, path=""):
    """Every array that an object keeps and public attributes lead to, with its path."""
    if id(owner) in seen:
        return
    seen[id(owner)] = owner
    if isinstance(owner, np.ndarray):
        yield path, owner
    elif isinstance(owner, list | tuple):
        for place, one in enumerate(owner):
            yield from arrays_of(one, seen, f"{path}[{place}]")
    elif isinstance(owner, dict):
        for name, one in owner.items():
            yield from arrays_of(one, seen, f"{path}[{name!r}]")
    elif type(owner).__module__.startswith("couplings"):
        for name in dir(owner):
            value = public(owner, name)
            if isinstance(value, np.ndarray) and not np.shares_memory(value, public(owner, name)):
                continue  # made anew for each reader
            if not callable(value) or type(value).__module__.startswith("couplings."):
                yield from arrays_of(value, seen, f"{path}.{name}")


def public(owner, name):
    """A public attribute, None if these data do not have it."""
    if name.startswith("_"):
        return None
    try:
        return getattr(owner, name)
    except Exception:  # defined for other data
        return None


def spoil(array):
    """Write values far outside of any domain; True if the array let itself be written."""
    worst = {"i": 2**40, "u": 2**40, "f": np.nan, "b": True}.get(array.dtype.kind)
    if array.dtype.kind in "iu":
        worst = min(worst, np.iinfo(array.dtype).max)
    if worst is None or not array.size:
        return False
    try:
        array[...] = worst
    except ValueError:
        return False
    return True


def use(owner, data):
    """Call every public method of an object with the data, and the functions that take it."""
    for name in dir(owner):
        method = public(owner, name)
        if not inspect.ismethod(method) or name in {"fit", "save", "set_output"}:
            continue
        for given in ((), (data,), (data, data), (0,), (0, 1), (TABLE,)):
            attempt(method, *given)
    if isinstance(owner, CategoricalTable):
        for kind in (couplings.KModes, couplings.DilcaRR, couplings.Ward, couplings.LatentClasses):
            attempt(kind().fit, owner)
        attempt(cooccurrence, owner)
        attempt(ObjectSpace(SPACE.matrices, "sum").pairwise, owner)
    if isinstance(owner, MixedTable):
        attempt(couplings.KPrototypes().fit, owner)
        attempt(couplings.MixedDistance().fit, owner)
    if isinstance(owner, CooccurrenceCounts):
        from couplings.counts import symmetric_uncertainty

        attempt(symmetric_uncertainty, owner)
        for kind in (couplings.DilcaM, couplings.Cado, couplings.AhmadDey, couplings.CDE):
            attempt(kind().fit, owner)
    if isinstance(owner, ValueMatrices):
        attempt(ObjectSpace(owner, "sum").pairwise, TABLE)
        attempt(couplings.KModes(2).fit, TABLE, matrices=owner)


def attempt(call, *given, **more):
    """Any answer and any error will do; only the end of the process is a failure."""
    try:
        call(*given, **more)
    except Exception:  # an honest refusal
        return


SPACE = couplings.SimpleMatching().fit(TABLE).space_


def objects():
    """Every public object, with the data that it takes."""
    yield "table", lambda: CategoricalTable.from_codes(CODES), TABLE
    yield "mixed table", mixed, TABLE
    yield "counts", lambda: cooccurrence(CategoricalTable.from_codes(CODES)), TABLE
    yield "matrices", lambda: ValueMatrices.from_blocks([1.0 - np.eye(4)] * 3), TABLE
    yield "joint counts", lambda: JointCounts.from_table(TABLE), TABLE
    yield "mixed space", lambda: MixedSpace.weighted(mixed()), mixed()
    for link in ("sum", "ratio"):
        terms = np.ones(12) if link == "ratio" else None
        matrices = ValueMatrices.from_blocks([1.0 - np.eye(4)] * 3)
        yield (
            link,
            lambda matrices=matrices, link=link, terms=terms: ObjectSpace(matrices, link, terms),
            TABLE,
        )
    yield "quotient", lambda: QuotientSpace(matrices, matrices), TABLE
    yield "centred", lambda: CentredSpace(ObjectSpace(matrices, "inverse")), TABLE
    for name in dir(couplings):
        kind = getattr(couplings, name)
        if not (inspect.isclass(kind) and hasattr(kind, "fit")):
            continue
        given = {"n_clusters": 2, "random_state": 0, "n_components": 2, "n_init": 1}
        known = inspect.signature(kind).parameters
        arguments = {key: value for key, value in given.items() if key in known}
        if name == "Ward":
            arguments["measure"] = "simple_matching"
        for data in (TABLE, mixed(), pd.DataFrame(NUMBERS)):
            try:
                kind(**arguments).fit(data)
            except Exception:  # another kind of data
                continue
            yield (
                name,
                lambda kind=kind, data=data, arguments=arguments: kind(**arguments).fit(data),
                data,
            )


COPIES = (lambda one: one, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)))


def main():
    warnings.simplefilter("ignore")
    for name, make, data in objects():
        # Arrays of fitted estimators are copied by the same means.
        copies = COPIES[:1] if hasattr(make(), "fit") else COPIES
        for copied in copies:
            paths = [path for path, _ in arrays_of(copied(make()), {})]
            written = []
            for path in paths:
                owner = copied(make())
                array = dict(arrays_of(owner, {}))[path]
                if spoil(array):
                    written.append(path)
                    use(owner, data)
            print(f"{name}: wrote {', '.join(written) or 'nothing'} of {len(paths)}", flush=True)


if __name__ == "__main__":
    main()
