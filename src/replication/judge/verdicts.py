"""Compare a reproduced number with the printed one, and return the verdict.

The rules read numbers and the notes of the configuration. Only *not comparable* is set by hand, by
a note with a code; every other verdict follows from the numbers:

1. *not run*: there is no reproduced number; the reason says why.
2. *not comparable*: a note of the configuration has a reason code (`CODES`): the printed number
   cannot be recomputed, or ours was derived from it. The row keeps our number and its spread.
   Unpublished settings of a method that the paper compares with have no code: its numbers are
   judged in every paper, with a remark.
3. *exact*: our number, rounded or truncated to the printed digits, is the printed one. The mean of
   random samples that differ is never exact; an ill-posed number is exact only if all numbers that
   rounding leaves open are.
4. *within noise*: the printed number lies in the range of one of `NOISES`; *not comparable*
   (code ``cannot-fail``) if that range has more than half of the possible numbers.
5. *differs*: the printed number lies outside that range.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import isfinite, sqrt

EXACT, WITHIN_NOISE, DIFFERS, NOT_COMPARABLE, NOT_RUN = VERDICTS = (
    "exact",
    "within noise",
    "differs",
    "not comparable",
    "not run",
)
MARKS = {EXACT: "=", WITHIN_NOISE: "~", DIFFERS: "≠", NOT_COMPARABLE: "–", NOT_RUN: "∅"}

CODES = {
    "data-unknown": "the data of the paper are not available",
    "sample-unknown": "the random sample of the paper was never published",
    "settings-unknown": "the generator is public; its settings and seed were not printed",
    "image-only": "the number is only drawn, not printed",
    "timing-hardware": "a time on other hardware",
    "degenerate": "rounding noise or ties alone decide the number",
    "configured": "our number was set from the printed one",
    "cannot-fail": "the range of chance covers more than half of the possible numbers",
}

REPEATED, ORDERS, SAMPLES, INPUTS, ROUNDING = NOISES = (
    "repeated runs",
    "row orders",
    "random samples",
    "rounded inputs",
    "rounding",
)
"""What makes the range of a number that is *within noise*.

Repeated runs have random starts. Row orders decide ties. Random samples are drawn in place of one
that was not published. Rounded inputs are printed numbers, of which only the rounded values are
known. Rounding: the range is wide enough only because the order of floating-point operations moves
objects.
"""
STANDARD_ERRORS = 2
"""Largest distance of two means within noise, in standard errors of their difference."""
IN_WORDS = f"{('no', 'one', 'two', 'three')[STANDARD_ERRORS]} standard errors"
"""`STANDARD_ERRORS` in a sentence."""
MOST_ROUNDING = 0.01
"""Largest part of a range that is due to rounding: the difference of scores that counts as none.

A share of objects that rounding moves says how badly a number is determined, not how far the score
moves. Without this limit a number could be within noise only because it is badly determined.
"""

ILL_POSED = "ill-posed"
"""First word of the remark on a number that rounding decides."""

UNEXPLAINED = "unexplained"
"""First word of a note on what was tried for a difference; an exact number has none."""

_NOTE_KEYS = ("artefact", "dataset", "method", "metric", "reading")
_WORDS: dict[str, int | Fraction] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "half": Fraction(1, 2),
}  # fmt: skip
_NUMERAL = re.compile(r"(?P<number>-?(?:\d+(?:,\d{3})*)?(?:\.\d+)?)(?P<unit>%|[A-Za-z]*)")
_PERCENT = re.compile(r"\d(?:\.(\d+))?%")
_POWER = re.compile(r"(?P<base>\d+)\^\{?(?P<exponent>-?\d+)\}?")


@dataclass(frozen=True)
class Printed:
    """A printed number; the paper prints ``value * scale``."""

    # a percentage is a fraction
    value: Decimal
    # printed decimals; None for an exact number (a word, a fraction, a power)
    digits: int | None
    # 100 for a percentage
    scale: int = 1

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit, in the unit of `value`; 0 for an exact number."""
        return 0.0 if self.digits is None else 0.5 * 10.0**-self.digits / self.scale


def parse_printed(text: str) -> Printed | None:
    """Read a printed number; None if the text is not a number, such as ``NA`` or a label.

    Numbers are such as ``91.95%``, ``-0.0128``, ``10,000``, ``2.66GHz``, ``0.260 ± 0.023`` (its
    first number), ``1/3``, ``2^4``, ``seven``, or a set ``{A, B}``, which counts its members.
    """
    text = text.partition("±")[0].strip().replace("−", "-")
    if text in _WORDS:
        return Printed(_decimal(Fraction(_WORDS[text])), None)
    if text.startswith("{") and text.endswith("}"):
        return Printed(Decimal(len(text[1:-1].split(","))), None)
    if power := _POWER.fullmatch(text):
        return Printed(_decimal(Fraction(int(power["base"])) ** int(power["exponent"])), None)
    if re.fullmatch(r"\d+/\d+", text):
        return Printed(_decimal(Fraction(text)), None)
    numeral = _NUMERAL.fullmatch(text)
    if not numeral or numeral["number"] in ("", "-"):
        return None
    number = Decimal(numeral["number"].replace(",", ""))
    scale = 100 if numeral["unit"] == "%" else 1
    return Printed(number / scale, -int(number.as_tuple().exponent), scale)


def in_unit(printed: str, value: float) -> str:
    """Return our number in the unit of a printed one, with one more digit.

    If the printed text is a range of percentages, ours is one; if it is no number otherwise, ours
    has four digits.
    """
    target = parse_printed(printed)
    if target is None and (ends := _PERCENT.findall(printed)):
        target = Printed(Decimal(0), max(map(len, ends)), 100)
    if target is None:
        return f"{value:.4g}"
    if target.digits is None or (target.digits == 0 and target.scale == 1 and value.is_integer()):
        return f"{value:.6g}"
    unit = "%" if target.scale == 100 else ""
    return f"{value * target.scale:.{max(target.digits, 0) + 1}f}{unit}"


def printed_number(text: str) -> Printed:
    """Read a printed number with `parse_printed`.

    Raises `ValueError` if the text is no number.
    """
    printed = parse_printed(text)
    if printed is None:
        raise ValueError(f"{text!r} is no number")
    return printed


def _decimal(fraction: Fraction) -> Decimal:
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


@dataclass(frozen=True)
class Reproduced:
    """Numbers that were computed for one printed number."""

    # a mean if there are several runs; None if nothing was computed
    value: float | None
    # sample standard deviation over the runs; None for a single run
    sd: float | None = None
    # random runs or samples
    runs: int = 1
    # smallest and largest number over runs and row orders, including the order of the file
    spread: tuple[float, float] | None = None
    orders: int = 0
    # why there is no value
    absent: str = ""
    # whether the runs are random samples of the objects, of which the paper took one: the verdict
    # then rests on the spread and not on the error of a mean
    sampled: bool = False
    # mean share of the objects that rounding alone moves to another cluster; 0 for a well-posed
    # number, see `replication.run.rounding`
    rounding: float = 0.0
    # what varies in the spread, one of `NOISES`; by default row orders
    spread_of: str = ORDERS

    @property
    def number(self) -> float:
        """The number that was computed."""
        if self.value is None:
            raise ValueError(f"nothing was computed: {self.absent}")
        return self.value


@dataclass(frozen=True)
class Verdict:
    """Verdict of one number, one of `VERDICTS`."""

    verdict: str
    # reasons, and known facts about the cell
    remarks: tuple[str, ...] = ()
    # ours minus printed; None without a number of ours
    difference: float | None = None
    # place of the printed number in our spread, which is no explanation; empty without a spread
    position: str = ""
    # smallest and largest printed number that would be within noise
    open: tuple[float, float] | None = None
    # for a number within noise, what makes the range, one of `NOISES`; otherwise empty
    noise: str = ""

    @property
    def reason(self) -> str:
        """The remarks as one text."""
        return joined(self.remarks)


def equals_printed(
    printed: Printed,
    value: float,
    modes: Sequence[str] = (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN),
) -> bool:
    """Return whether a number, rounded or truncated to the printed digits, is the printed one.

    Papers round and truncate, sometimes in one table, so both count. A tie may round up or to
    even; truncation is toward zero. The shortest decimal text of `value` is rounded, so that 0.125
    and 0.1250000000000000001 give the same digits.
    """
    if printed.digits is None:
        # a relative tolerance tells 1e-14 from 1e-15
        return abs(value - float(printed.value)) <= 1e-9 * abs(float(printed.value))
    ours = Decimal(repr(value)) * printed.scale
    unit = Decimal(1).scaleb(-printed.digits)
    target = printed.value * printed.scale
    return any(ours.quantize(unit, mode) == target for mode in modes)


def truncated(printed: Printed, value: float) -> bool:
    """Return whether a number is the printed one by truncation but not by rounding."""
    rounded = equals_printed(printed, value, (ROUND_HALF_UP, ROUND_HALF_EVEN))
    return equals_printed(printed, value) and not rounded


def within_noise(printed: Printed, reach: tuple[float, float] | None) -> bool:
    """Return whether the printed number lies in the range of chance, see `window`."""
    p = float(printed.value)
    # a distance of exactly h is inside, whatever the last bit of the subtraction says
    tolerance = 1e-12 * max(1.0, abs(p))
    return reach is not None and reach[0] - tolerance <= p <= reach[1] + tolerance


def window(
    printed: Printed, values: Reproduced, printed_sd: float | None = None, printed_runs: int = 1
) -> tuple[float, float] | None:
    """Return the smallest and largest number within noise; None if there is no range.

    Parameters
    ----------
    printed : Printed
        The printed number p; h is half a unit of its last digit.
    values : Reproduced
        With several runs R of mean m and standard deviation s the rule is
        ``|m - p| <= 2 sqrt(s^2 / R + s_p^2 / R_p) + h``, see `STANDARD_ERRORS`; for one run, and
        for random samples of the objects, it is ``min - h <= p <= max + h`` over samples and row
        orders. The range that rounding leaves open, at most `MOST_ROUNDING`, is added on both
        sides.
    printed_sd : float or None
        Standard deviation s_p that the paper prints; s if it prints none.
    printed_runs : int
        Runs R_p behind the printed number.
    """
    h = printed.half_unit + min(values.rounding, MOST_ROUNDING)
    sd = values.sd
    if sd is not None and _repeated(values):
        paper_sd = sd if printed_sd is None else printed_sd
        variance = sd**2 / values.runs + paper_sd**2 / printed_runs
        error = STANDARD_ERRORS * sqrt(variance) + h
        return values.number - error, values.number + error
    if values.spread is None:
        return (values.number - h, values.number + h) if values.rounding else None
    return values.spread[0] - h, values.spread[1] + h


def _repeated(values: Reproduced) -> bool:
    """Return whether the range of a number is that of a mean over repeated runs."""
    return values.runs > 1 and values.sd is not None and not values.sampled


def noise_of(
    printed: Printed, values: Reproduced, printed_sd: float | None = None, printed_runs: int = 1
) -> str:
    """Return what makes a number within noise, one of `NOISES`; parameters as in `window`."""
    without = window(printed, replace(values, rounding=0.0), printed_sd, printed_runs)
    if not within_noise(printed, without):
        return ROUNDING
    if _repeated(values):
        return REPEATED
    return SAMPLES if values.sampled else values.spread_of


def verdict(
    printed: str,
    values: Reproduced,
    *,
    notes: Iterable[Mapping[str, str]] = (),
    printed_sd: float | None = None,
    printed_runs: int = 1,
    possible: tuple[float, float] | None = None,
    reason: str = "",
) -> Verdict:
    """Judge one printed number.

    Parameters
    ----------
    printed : str
        The number as printed.
    values : Reproduced
        The computed numbers.
    notes : iterable of mapping
        Notes of the configuration on this cell: ``text``, and ``code`` if the number cannot be
        compared. A text that begins with `UNEXPLAINED` is no remark on an exact number.
    printed_sd, printed_runs
        As in `window`.
    possible : tuple of float or None
        Smallest and largest possible number, if known.
    reason : str
        Remark of the builder of the artefact, before the notes.

    Raises
    ------
    ValueError
        If `printed` is not a number, our number is not finite, or a note has an unknown code.
    """
    notes = list(notes)
    for note in notes:
        if note.get("code", "data-unknown") not in CODES:
            raise ValueError(f"unknown reason code {note['code']!r}; codes are {', '.join(CODES)}")
    target = parse_printed(printed)
    texts = [note["text"] for note in notes if "code" not in note]
    open_questions = [text for text in texts if text.startswith(UNEXPLAINED)]
    remarks = [reason, _ill_posed(target, values), *texts]
    if values.value is None:
        return Verdict(NOT_RUN, tuple(filter(None, (values.absent, *remarks))))
    if target is None:
        raise ValueError(f"{printed!r} is no number")
    if not isfinite(values.value):
        raise ValueError(f"our number for the printed {printed} is {values.value}")
    difference = float(Decimal(repr(values.value)) - target.value)
    position = _position(target, values)
    reach = window(target, values, printed_sd, printed_runs)

    def judged(name: str, *said: str) -> Verdict:
        return Verdict(name, tuple(filter(None, (*said, *remarks))), difference, position, reach)

    if codes := [note for note in notes if "code" in note]:
        return judged(NOT_COMPARABLE, *(f"{note['code']}: {note['text']}" for note in codes))
    # the mean of samples that differ is none of them; all that rounding leaves open must be exact
    varies = values.sampled and values.spread is not None and values.spread[0] < values.spread[1]
    ends = {values.value + sign * values.rounding for sign in (-1, 0, 1)}
    if not varies and all(equals_printed(target, end) for end in ends):
        remarks = [one for one in remarks if one not in open_questions]
        return judged(EXACT)
    if not within_noise(target, reach):
        return judged(DIFFERS)
    if possible and reach:
        low, high = max(reach[0], possible[0]), min(reach[1], possible[1])
        share = (high - low) / (possible[1] - possible[0])
        if share > 0.5:
            return judged(
                NOT_COMPARABLE,
                f"cannot-fail: the range of chance covers {share:.0%} of the possible numbers",
            )
    noise = noise_of(target, values, printed_sd, printed_runs)
    return replace(judged(WITHIN_NOISE), noise=noise)


def _ill_posed(printed: Printed | None, values: Reproduced) -> str:
    """Return the remark on a number that rounding decides, with the share of objects it moves."""
    if values.value is None or not values.rounding:
        return ""
    mark = f"{ILL_POSED}: rounding alone moves {values.rounding:.2%} of the objects"
    if printed is not None and equals_printed(printed, values.value):
        mark += " (our order of operations gives the printed digits)"
    return mark


def _position(printed: Printed, values: Reproduced) -> str:
    """Return the place of the printed number in our spread; empty without a spread."""
    if values.spread is None or values.spread[0] == values.spread[1]:
        return ""
    low, high = values.spread
    p, h = float(printed.value), printed.half_unit
    counts = {"samples": values.runs, "row orders": values.orders}
    over = " and ".join(f"{n} {name}" for name, n in counts.items() if n > 1)
    where = "below" if p < low - h else "above" if p > high + h else "inside"
    return f"{where} our range over {over}" if over else f"{where} our range"


def joined(remarks: Iterable[str]) -> str:
    """Return remarks as one text, without empty ones."""
    return "; ".join(filter(None, remarks))


def applying(notes: Iterable[Mapping[str, str]], **cell: str) -> list[Mapping[str, str]]:
    """Return the notes that apply to a cell.

    A note applies to the ``artefact``, ``dataset``, ``method``, ``metric`` and ``reading`` that it
    names; a key that it does not name applies to all. The cell is given under the same keys.
    """
    return [
        note
        for note in notes
        if all(note[key] == cell.get(key) for key in _NOTE_KEYS if key in note)
    ]
