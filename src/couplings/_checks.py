"""Checks of parameters, made before any computation or allocation."""

import os
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from couplings.errors import CouplingsError

Fit = TypeVar("Fit", bound=Callable[..., Any])
Seed = int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None

# Whole numbers up to here are exact in float64.
_LARGEST_TOTAL = 2.0**53

_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def check_choice(owner: str, name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise `CouplingsError` unless `value` is one of `choices`; True is not 1."""
    plain = value is None or isinstance(value, str | int | float | np.generic)
    truth = isinstance(value, bool | np.bool_)
    if not plain or not any(
        value == choice and truth == isinstance(choice, bool) for choice in choices
    ):
        raise CouplingsError(
            f"{owner}: {name}={value!r} is not known; choose one of {', '.join(map(repr, choices))}"
        )


def word_of(owner: str, name: str, value: Any, words: tuple[str, ...]) -> str | None:
    """Return a parameter that is one of `words` in any case, or None if it is no text."""
    if not isinstance(value, str):
        return None
    check_choice(owner, name, value.lower(), words)
    return value.lower()


def did_you_mean(name: str, known: list[str]) -> str:
    """Return ``" (did you mean ...?)"`` if a known name is similar, else an empty string."""
    near = get_close_matches(str(name), known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def is_integer(value: Any) -> bool:
    """Return whether `value` is an integer of Python or NumPy; booleans are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def is_number(value: Any) -> bool:
    """Return whether `value` is a real number of Python or NumPy; booleans are not."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def unmasked(values: Any, absent: Any) -> Any:
    """Return values whose masked ones, if there are any, are `absent`; NumPy would show them."""
    if not np.ma.is_masked(values):
        return values
    shown = np.asarray(values, dtype=object if absent is None else np.float64)
    return np.where(np.ma.getmaskarray(values), np.asarray(absent), shown)


def real_numbers(owner: str, name: str, values: Any) -> np.ndarray:
    """Return values as an array of real numbers; objects and truth values become float64.

    Masked numbers are NaN. Raises `CouplingsError` for text, dates, complex numbers and rows of
    different lengths.
    """
    try:
        values = unmasked(values, np.nan)
        array = np.asarray(values)
        if array.dtype.kind in "iuf":
            return array
        kinds = {type(one) for one in array.ravel()} if array.dtype.kind == "O" else set()
        texts = any(issubclass(kind, str | bytes) for kind in kinds)
        if array.dtype.kind in "bO" and not texts:
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        kind = _NumberTypeError if isinstance(error, TypeError) else CouplingsError
        raise kind(f"{owner}: {name} must be real numbers: {error}") from error
    found = "text" if texts or array.dtype.kind in "USTV" else str(array.dtype)
    # scikit-learn's words for complex numbers
    said = "Complex data not supported: " if array.dtype.kind == "c" else ""
    raise CouplingsError(f"{owner}: {said}{name} must be real numbers, not {found}")


def row_positions(owner: str, rows: Any, n_rows: int) -> np.ndarray:
    """Return the positions of rows given as positions (negative from the end) or as a mask.

    Raises `CouplingsError` for anything else, and for positions beyond the rows.
    """
    try:
        given = np.asarray(rows)
    except (TypeError, ValueError):
        given = np.zeros((0, 0))
    if given.dtype.kind == "b" and given.shape == (n_rows,):
        return np.flatnonzero(given)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and len(given)):
        raise CouplingsError(
            f"{owner}: rows={reprlib.repr(rows)} are neither whole numbers nor a mask with one "
            f"truth value for each of {n_rows} rows"
        )
    outside = (given < -n_rows) | (given >= n_rows)
    if outside.any():
        raise CouplingsError(
            f"{owner}: there is no row {given[outside][0]}; the {n_rows} rows are 0 to {n_rows - 1}"
        )
    return np.where(given < 0, given.astype(np.int64) + n_rows, given.astype(np.int64))


class _NumberTypeError(CouplingsError, TypeError):
    """A cell cannot be a number; scikit-learn expects a `TypeError`."""


def check_positive(owner: str, **values: Any) -> None:
    """Raise `CouplingsError` unless all values, given by name, are positive integers."""
    for name, value in values.items():
        if not is_integer(value) or value < 1:
            raise CouplingsError(f"{owner}: {name}={value!r} is not a positive integer")


def check_clusters(
    owner: str, n_clusters: Any, n_objects: int, name: str = "n_clusters", of: str = "objects"
) -> None:
    """Raise `CouplingsError` unless `n_clusters` is an integer from 1 to the number of objects."""
    if not is_integer(n_clusters) or not 1 <= n_clusters <= n_objects:
        raise CouplingsError(
            f"{owner}: {name}={n_clusters!r} is not an integer from 1 to {n_objects} {of}"
        )


def check_number(
    owner: str,
    name: str,
    value: Any,
    most: float = np.inf,
    above: float | None = None,
) -> None:
    """Raise `CouplingsError` unless `value` is finite, from 0 or above `above`, to `most`."""
    span = "of at least 0" if above is None else f"above {above:g}"
    if most < np.inf:
        span = f"from 0 to {most:g}" if above is None else f"{span} and at most {most:g}"
    large = is_number(value) and (value >= 0 if above is None else value > above)
    if not large or not np.isfinite(value) or value > most:
        raise CouplingsError(f"{owner}: {name}={value!r} is not a number {span}")


def check_weights(
    owner: str,
    sample_weight: ArrayLike | None,
    n_objects: int,
    name: str = "sample_weight",
    of: str = "row",
) -> np.ndarray:
    """Return the weights of rows, (n,): int64 if all are whole, else float64; 1 each for None.

    Sums of such weights are exact in float64, or at least far from its limits.
    """
    if sample_weight is None:
        return np.ones(n_objects, dtype=np.int64)
    array = np.asarray(sample_weight)
    if np.ma.is_masked(sample_weight):
        raise CouplingsError(f"{owner}: {name}: some weights are masked; set them to 0 or a number")
    fits = array.shape == (n_objects,) and array.dtype.kind in "iuf"
    if not fits or not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise CouplingsError(
            f"{owner}: {name} must be {n_objects} finite numbers of at least 0, one per {of} and "
            f"not all zero, not {array.dtype} of shape {array.shape}"
        )
    with np.errstate(over="ignore"):
        total = array.sum(dtype=np.float64)
    if not 1 / _LARGEST_TOTAL < total < _LARGEST_TOTAL:
        raise CouplingsError(
            f"{owner}: the sum of {name} is {total:.3g}; it must lie between 2**-53 and 2**53, so "
            "divide the weights by their mean"
        )
    whole = array.dtype.kind in "iu" or (array == np.floor(array)).all()
    return array.astype(np.int64 if whole else np.float64)


def is_whole(counts: np.ndarray) -> bool:
    """Return whether counts are numbers of objects; fractions are shares of a population.

    The rule of all statistics on pairs of objects: n objects make n (n - 1) / 2 pairs, shares have
    no number of objects, and their pairs are drawn with replacement, n**2 / 2.
    """
    return counts.dtype.kind in "iu" or bool((counts == np.floor(counts)).all())


def counted_weights(
    owner: str, sample_weight: ArrayLike | None, n_objects: int
) -> tuple[np.ndarray, float]:
    """Return the weights of rows as int64 of shape (n,), and the integer that represents 1.

    Raises `CouplingsError` if a weight is too small next to the largest to count.
    """
    # Fractions become multiples of a power of two, so that their sums are exact in any order.
    weights = check_weights(owner, sample_weight, n_objects)
    if weights.dtype == np.int64:
        return weights, 1.0
    unit = 2.0 ** (min(40, 61 - n_objects.bit_length()) - np.frexp(weights.max())[1])
    counted = np.rint(weights * unit).astype(np.int64)
    lost = (counted == 0) & (weights > 0)
    if lost.any():
        raise CouplingsError(
            f"{owner}: a weight of {weights[lost].min():.3g} counts nothing next to the largest, "
            f"{weights.max():.3g}; set such weights to 0"
        )
    return counted, float(unit)


def generator(owner: str, random_state: Seed) -> np.random.Generator:
    """Return the random generator; raise `CouplingsError` if `random_state` is not a seed."""
    known = np.random.SeedSequence | np.random.Generator | np.random.RandomState | None
    if not isinstance(random_state, known) and not (is_integer(random_state) and random_state >= 0):
        raise CouplingsError(
            f"{owner}: random_state={random_state!r} is not an integer of at least 0, a numpy "
            "SeedSequence or Generator, or None"
        )
    return np.random.default_rng(random_state)


def check_memory(owner: str, n_bytes: float, what: str, remedy: str) -> None:
    """Raise `CouplingsError`, with the remedy, if `n_bytes` exceed the available memory."""
    limit = _memory()
    if n_bytes > limit:
        raise CouplingsError(
            f"{owner}: {what} takes {_readable(n_bytes)}, this machine has {_readable(limit)}; "
            f"{remedy}"
        )


@contextmanager
def threads(owner: str, n_jobs: int | None) -> Iterator[None]:
    """Limit the threads of the compiled kernels: None and -1 mean all."""
    if n_jobs is not None and (not is_integer(n_jobs) or (n_jobs < 1 and n_jobs != -1)):
        raise CouplingsError(f"{owner}: n_jobs={n_jobs!r} is not a positive integer, -1 or None")
    if n_jobs is None or n_jobs == -1:
        yield
        return
    if n_jobs == 1:
        from couplings._kernels.threads import one_thread

        with one_thread():
            yield
        return
    import numba

    before = numba.get_num_threads()
    # Numba sets its options while it loads, invisibly to type checkers.
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    numba.set_num_threads(min(int(n_jobs), most))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def limited(fit: Fit) -> Fit:
    """Let `fit` use as many threads as the parameter `n_jobs` says."""

    @wraps(fit)
    def fitted(self: Any, *args: Any, **given: Any) -> Any:
        with threads(type(self).__name__, getattr(self, "n_jobs", None)):
            return fit(self, *args, **given)

    return cast(Fit, fitted)


@cache
def _memory() -> float:
    """Return the least limit of machine, container and ``ulimit -v`` in bytes, or infinity."""
    try:
        limit = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return np.inf
    if _CONTAINER_LIMIT.is_file():
        allowed = _CONTAINER_LIMIT.read_text(encoding="ascii").strip()
        limit = min(limit, float(allowed)) if allowed.isdigit() else limit
    try:
        import resource
    except ImportError:  # not available on Windows
        return limit
    own, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit if own == resource.RLIM_INFINITY else min(limit, float(own))


def _readable(n_bytes: float) -> str:
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if n_bytes < 1000 or unit == "TB":
            break
        n_bytes /= 1000
    return f"{n_bytes:.3g} {unit}"


def label_codes(labels: ArrayLike, n_objects: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct labels of objects, sorted, and the index of each object's label."""
    array = np.asarray(unmasked(labels, None))
    check_labels("labels", array)
    if array.shape != (n_objects,):
        raise CouplingsError(
            f"labels must be a vector of {n_objects} labels, not of shape {array.shape}"
        )
    return coded(array)


def coded(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct labels, sorted, and the index of each label."""
    small = labels.dtype.kind in "iu" and labels.size > 0 and labels.min() >= 0
    if not small or labels.max() > labels.size:
        return np.unique(labels, return_inverse=True)
    # counting is about ten times as fast as sorting
    codes = labels.astype(np.intp)
    distinct = np.flatnonzero(np.bincount(codes))
    index = np.empty(distinct[-1] + 1, np.intp)
    index[distinct] = np.arange(len(distinct))
    return distinct.astype(labels.dtype), index[codes]


def label_array(labels: ArrayLike) -> np.ndarray:
    """Return labels as an array; a list of mixed types, which NumPy would convert, as objects."""
    if isinstance(labels, list | tuple) and len(set(map(type, labels))) > 1:
        return np.asarray(labels, dtype=object)
    return np.asarray(unmasked(labels, None))


def check_labels(name: str, labels: np.ndarray) -> None:
    """Raise `CouplingsError` if labels of objects are missing or of mixed types."""
    if labels.dtype.kind not in "fcmMO":
        return
    import pandas as pd

    missing = pd.isna(labels)
    if missing.any():
        raise CouplingsError(
            f"{name}: {missing.sum()} of the labels are missing (None or NaN); leave them out"
        )
    kinds = {_kind(one) for one in labels.ravel()} if labels.dtype.kind == "O" else set()
    if len(kinds) > 1:
        raise CouplingsError(
            f"{name}: the labels are of mixed types ({', '.join(sorted(kinds))}); 1 and '1' could "
            "be one class or two; make them all text, or all numbers"
        )
    try:
        if kinds:
            labels.min()
    except TypeError as error:
        raise CouplingsError(
            f"{name}: labels of type {kinds.pop()} have no order; use text or numbers"
        ) from error


def _kind(label: Any) -> str:
    if isinstance(label, bool | np.bool_):
        return "bool"
    if isinstance(label, int | float | np.integer | np.floating):
        return "number"
    return "text" if isinstance(label, str) else type(label).__name__
