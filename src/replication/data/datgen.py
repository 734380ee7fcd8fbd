"""Tables of the generator DatGen 3.1.1 (G. Melli, 2000), attributes declared by number.

A class has rules. A rule fixes the values of a few attributes; all other cells of its objects are
uniform, and some may be drawn anew afterwards (errors). The random numbers are those of POSIX
``drand48``, drawn in the order of the program, so that equal settings and seeds give equal tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log, sqrt
from typing import Any

import numpy as np
from numba import njit

SEED_BITS = 32
"""A seed is a number of this many bits; the program takes the seconds since 1970."""
IN_TURN, AT_RANDOM, HALF_NORMAL = range(3)
"""Rule of an object: each in turn, any with equal chances, or the first ones more often."""
SIZES = {"equal": IN_TURN, "random": AT_RANDOM, "half-normal": HALF_NORMAL}
"""The same, by the sizes of the classes that follow."""
MOST_ATTRIBUTES = 255

_TOO_MANY_MISSES, _CONSTRAINED, _NO_OBJECT = range(1, 4)
_FAILURES = {
    _TOO_MANY_MISSES: "no attribute for the next term of a rule is found; ask for fewer terms",
    _CONSTRAINED: "the rules contradict each other too seldom; ask for more terms or values",
    _NO_OBJECT: "most objects meet several rules; ask for more terms or values",
}
_REFUSALS = {
    "objects, attributes and classes must be 1 or more": lambda one: (
        min(one.objects, one.attributes, one.classes) < 1
    ),
    f"there can be {MOST_ATTRIBUTES} attributes at most": lambda one: (
        one.attributes + one.irrelevant > MOST_ATTRIBUTES
    ),
    "values, terms and rules are a smallest and a largest number of 1 or more": lambda one: any(
        not 1 <= low <= high for low, high in (one.values, one.terms, one.rules)
    ),
    "there must be more attributes than rules per class": lambda one: one.rules[1] > one.attributes,
    "irrelevant and masked attributes are numbers from 0, masked ones at most all": lambda one: (
        one.irrelevant < 0 or not 0 <= one.masked <= one.attributes
    ),
    "shares lie from 0 to 1, that of objects without a rule below 1": lambda one: (
        not all(0 <= share <= 1 for share in (one.missing, one.errors, one.label_errors))
        or not 0 <= one.default < 1
    ),
    "the rule of an object is taken in turn (0), at random (1) or half-normally (2)": lambda one: (
        one.turn not in (IN_TURN, AT_RANDOM, HALF_NORMAL)
    ),
}


_ATTEMPTS = 1000
"""Seeds that `DatGen.first` tries; of the tables that the paper asks for, one in seven exists."""
GENERATED = "generated"
"""Name of the random numbers from which the seeds of a data set are drawn."""


class GenerationError(ValueError):
    """Settings that the generator refuses, or for which it finds no table."""


@dataclass(frozen=True)
class DatGen:
    """Settings of the generator; in brackets the program's own options.

    Attributes
    ----------
    objects : int
        Number of objects (``-O``).
    attributes, irrelevant : int
        Numbers of attributes that rules may use (``-A``) and that none uses (``-I``).
    values : tuple of int
        Smallest and largest number of values of an attribute (``-d``).
    classes : int
        Number of classes with rules (``-R``).
    turn : int
        `IN_TURN`, `AT_RANDOM` or `HALF_NORMAL` (``-r``).
    terms, rules : tuple of int
        Smallest and largest number of attributes of a rule (``-C`` plus one), and of rules of a
        class (``-D`` plus one).
    default : float
        Share of the objects of class 0, which has no rule (``-F``).
    masked : int
        Number of relevant attributes that are left out of the table (``-M``).
    missing, errors, label_errors : float
        Shares of cells without a value (``-m``), and of cells (``-e``) and classes (``-g``) that
        are drawn anew.

    Raises
    ------
    GenerationError
        If the settings do not fit together.

    Examples
    --------
    >>> table, classes = DatGen(6, 4, values=(3, 3), classes=2, terms=(3, 3)).table(seed=1)
    >>> table.shape, classes.tolist()
    ((6, 4), [1, 2, 1, 2, 1, 2])
    """

    objects: int
    attributes: int
    irrelevant: int = 0
    values: tuple[int, int] = (2, 2)
    classes: int = 1
    turn: int = IN_TURN
    terms: tuple[int, int] = (1, 1)
    rules: tuple[int, int] = (1, 1)
    default: float = 0.0
    masked: int = 0
    missing: float = 0.0
    errors: float = 0.0
    label_errors: float = 0.0

    def __post_init__(self) -> None:
        """Check the settings."""
        for message, wrong in _REFUSALS.items():
            if wrong(self):
                raise GenerationError(message)

    def table(self, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Generate one table.

        Parameters
        ----------
        seed : int or None
            From 0 below ``2 ** SEED_BITS``. None stands for the program's option ``-p`` under
            Linux, which never seeds.

        Returns
        -------
        codes : ndarray of int64, shape (objects, attributes that are not masked)
            From 0; -1 where the value is missing.
        classes : ndarray of int64, shape (objects,)
            From 1; 0 is the class without rules.

        Raises
        ------
        GenerationError
            If no table with such rules is found; another seed may have one.
        """
        if seed is not None and not 0 <= seed < 1 << SEED_BITS:
            raise GenerationError(
                f"seed {seed} is no number of {SEED_BITS} bits; take a smaller one"
            )
        # srand48 puts the seed above these 16 bits
        state = np.array([0 if seed is None else (seed << 16) + 0x330E], dtype=np.uint64)
        shares = np.array(
            [self.default, self.missing, self.errors, self.label_errors], dtype=np.float32
        )
        sizes = np.array([*self.values, *self.terms, *self.rules])
        codes, classes, failure = _generate(
            state,
            self.objects,
            self.attributes,
            self.attributes + self.irrelevant,
            self.masked,
            self.classes,
            self.turn,
            sizes,
            shares.astype(np.float64),
        )
        if failure:
            raise GenerationError(_FAILURES[failure])
        return codes, classes

    def first(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Generate the table of the first seed that has one; seeds are drawn from `rng`.

        Returns and raises as `table`.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self.table(int(rng.integers(1 << SEED_BITS)))
            except GenerationError as error:
                if attempt == _ATTEMPTS:
                    raise GenerationError(f"{error} ({attempt} seeds tried)") from error
        raise AssertionError


def rule_based(
    objects: int, attributes: int, values: int, classes: int, setting: Mapping[str, Any]
) -> DatGen:
    """Return settings with one rule per class, and the same number of values in every attribute.

    `setting` has ``sizes`` (of the classes, a key of `SIZES`), ``terms`` (smallest and largest
    number of attributes of a rule) and ``errors`` (share of cells that are drawn anew).
    """
    fewest, most = setting["terms"]
    return DatGen(
        objects,
        attributes,
        values=(values, values),
        classes=classes,
        turn=SIZES[setting["sizes"]],
        terms=(fewest, most),
        errors=setting["errors"],
    )


def names(values: int) -> list[str]:
    """Return the program's names of the first values: a to z, aa, ab, ..."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    found: list[str] = []
    for k in range(values):
        name, k = letters[k % 26], k // 26
        while k:
            name, k = letters[(k - 1) % 26] + name, (k - 1) // 26
        found.append(name)
    return found


@njit(cache=True)
def _uniform(state):
    """Draw a number in [0, 1); the state is the integer of 48 bits in `state[0]`."""
    state[0] = (np.uint64(0x5DEECE66D) * state[0] + np.uint64(0xB)) & np.uint64((1 << 48) - 1)
    return float(state[0]) / float(1 << 48)


@njit(cache=True)
def _below(state, n):
    """Draw an integer from 0 below n; also one of n = 1 takes a draw."""
    return floor(n * _uniform(state))


@njit(cache=True)
def _half_normal(state):
    """Draw |Z| / 2.5 modulo 1, by the polar method."""
    while True:
        a = abs(2 * _uniform(state) - 1)
        b = abs(2 * _uniform(state) - 1)
        s = a * a + b * b
        if 0 < s < 1:
            drawn = a * sqrt(-2 * log(s) / s) / 2.5
            return drawn - floor(drawn)


@njit(cache=True)
def _draw_rule(state, relevant, values, terms, rule):
    """Draw attributes and values of a rule into `rule` (-1: free); return whether it succeeded."""
    rule[:] = -1
    for _ in range(terms):
        j = _below(state, len(rule))
        misses = 0
        while not relevant[j] or rule[j] >= 0:
            misses += 1
            if misses > 257:
                return False
            j = _below(state, len(rule))
        rule[j] = 0
    # the size of each term, which is always one value
    for j in range(len(rule)):
        if rule[j] >= 0:
            _uniform(state)
    for j in range(len(rule)):
        if rule[j] >= 0:
            rule[j] = _below(state, values[j])
    return True


@njit(cache=True)
def _apart(one, other):
    """Return whether no object can meet both rules."""
    found = False
    for j in range(len(one)):
        found = found or (one[j] >= 0 and other[j] >= 0 and one[j] != other[j])
    return found


@njit(cache=True)
def _meets(row, rule):
    found = True
    for j in range(len(row)):
        found = found and (rule[j] < 0 or row[j] == rule[j])
    return found


@njit(cache=True)
def _generate(state, n_objects, n_relevant, m, masked, n_classes, turn, sizes, shares):
    """Return codes, classes and the reason of a failure, 0 for none."""
    relevant, shown = np.zeros(m, np.bool_), np.ones(m, np.bool_)
    codes = np.empty((n_objects, m - masked), np.int64)
    classes = np.empty(n_objects, np.int64)
    for found in range(n_relevant):
        j = _below(state, m)
        while relevant[j]:
            j = _below(state, m)
        relevant[j] = True
        shown[j] = found >= masked
    low, high, fewest_terms, most_terms, fewest_rules, most_rules = sizes
    values = np.empty(m, np.int64)
    for j in range(m):
        values[j] = low + _below(state, 1 + high - low)
    # owner[i] is the class of rule i
    owner = np.empty(n_classes * most_rules, np.int64)
    n_rules = 0
    for k in range(n_classes):
        for _ in range(fewest_rules + _below(state, 1 + most_rules - fewest_rules)):
            owner[n_rules] = k + 1
            n_rules += 1
    rules = np.empty((n_rules, m), np.int64)
    rejected = 0
    for i in range(n_rules):
        accepted = False
        while not accepted:
            terms = fewest_terms + _below(state, 1 + most_terms - fewest_terms)
            if not _draw_rule(state, relevant, values, min(terms, n_relevant), rules[i]):
                return codes, classes, _TOO_MANY_MISSES
            accepted = True
            for other in range(i):
                accepted = accepted and _apart(rules[i], rules[other])
            if not accepted:
                if rejected > 20 * n_rules:
                    return codes, classes, _CONSTRAINED
                rejected += 1
    default, missing, errors, label_errors = shares
    row = np.empty(m, np.int64)
    rejected = 0
    for i in range(n_objects):
        mine = -1
        if not _uniform(state) < default:
            if turn == IN_TURN:
                mine = i % n_rules
            elif turn == AT_RANDOM:
                mine = _below(state, n_rules)
            else:
                mine = floor(n_rules * _half_normal(state))
        accepted = False
        while not accepted:
            for j in range(m):
                # a fixed cell takes a draw too, without effect
                free = _below(state, values[j])
                row[j] = rules[mine, j] if mine >= 0 and rules[mine, j] >= 0 else free
                if missing > _uniform(state):
                    row[j] = -1
            accepted = True
            for other in range(n_rules):
                if other != mine and _meets(row, rules[other]):
                    accepted = False
            if not accepted:
                if rejected > 12 * n_objects:
                    return codes, classes, _NO_OBJECT
                rejected += 1
        column = 0
        for j in range(m):
            if shown[j]:
                if errors > _uniform(state):
                    row[j] = _below(state, values[j])
                codes[i, column] = row[j]
                column += 1
        classes[i] = owner[mine] if mine >= 0 else 0
        if label_errors > _uniform(state):
            classes[i] = _below(state, n_classes + 1)
    return codes, classes, 0
