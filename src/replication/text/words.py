"""Write numbers as texts."""

from collections.abc import Callable
from typing import Any

from replication.errors import UserError

WORDS = (
    *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
"""Counts in words."""
_MINUS = "\N{MINUS SIGN}"


def whole(value: Any) -> str:
    """Return a count with commas: ``1,093``.

    Raises `UserError` for a fraction.
    """
    number = float(value)
    if number != round(number):
        raise UserError(f"{value} is no count; give it a format, such as `decimals(2)`")
    return f"{round(number):,}"


def word(value: Any) -> str:
    """Return a count up to twenty in words; 0 is ``none``."""
    text = whole(value)
    return WORDS[int(text)] if text.isdigit() and int(text) < len(WORDS) else text


def decimals(value: Any, digits: int = 2) -> str:
    """Return a number with so many decimals."""
    return f"{float(value):.{digits}f}".replace("-", _MINUS)


def percent(value: Any, digits: int = 0) -> str:
    """Return a share as a percentage: 0.62 is ``62 %``."""
    return f"{100 * float(value):.{digits}f} %".replace("-", _MINUS)


def p_value(value: Any) -> str:
    """Return a p-value with three decimals."""
    return "< .001" if float(value) < 0.001 else f"{float(value):.3f}".lstrip("0")


def shown(value: Any, form: int | str | None) -> str:
    """Return a cell as it is, or as a number with a format: decimals, or a name of `FORMATS`."""
    if form is None:
        return str(value)
    return decimals(value, form) if isinstance(form, int) else FORMATS[form](value)


FORMATS: dict[str, Callable[..., str]] = {
    "whole": whole,
    "word": word,
    "Word": lambda value: word(value).capitalize(),
    "decimals": decimals,
    "percent": percent,
    "p_value": p_value,
}
"""Formats of numbers, filters of every template."""
