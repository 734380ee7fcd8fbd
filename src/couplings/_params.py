"""Parameters of estimators, in the protocol that ``sklearn.base.clone`` expects."""

import inspect
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from couplings.errors import CouplingsError


class Params:
    """Mixin: reads the parameters off the signature of ``__init__``.

    A subclass stores every argument of ``__init__`` unchanged under its own name, and validates
    them in ``fit``. scikit-learn is not imported, so that a measure stays cheap to load.
    """

    @classmethod
    def _param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` those of nested estimators too."""
        params = {name: getattr(self, name) for name in self._param_names()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    inner = value.get_params(deep=True)
                    params |= {f"{name}__{key}": part for key, part in inner.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of a nested estimator as ``name__parameter``.

        Raises
        ------
        CouplingsError
            If a name is unknown.
        """
        names = self._param_names()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            own, _, inner = name.partition("__")
            if own not in names:
                known = ", ".join(names) or "none"
                raise CouplingsError(
                    f"{type(self).__name__} has no parameter {own!r}{did_you_mean(own, names)}; "
                    f"its parameters: {known}"
                )
            if inner:
                nested.setdefault(own, {})[inner] = value
            else:
                setattr(self, own, value)
        for own, inner_params in nested.items():
            estimator = getattr(self, own)
            if not hasattr(estimator, "set_params"):
                raise CouplingsError(
                    f"{type(self).__name__}: {own}={estimator!r} has no parameters to set; give "
                    "an instance instead of a name"
                )
            estimator.set_params(**inner_params)
        return self

    def __repr__(self) -> str:
        """Show the parameters that differ from their defaults."""
        signature = inspect.signature(type(self).__init__).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if value is not signature[name].default
            and not np.array_equal(value, signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def check_choice(owner: str, name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise `CouplingsError` unless `value` is one of `choices`."""
    if value not in choices:
        expected = ", ".join(repr(choice) for choice in choices)
        raise CouplingsError(f"{owner}: {name}={value!r} is not known; choose one of {expected}")


def did_you_mean(name: str, known: list[str]) -> str:
    """Return ``" (did you mean ...?)"`` if one of the known names is near, else nothing."""
    near = get_close_matches(str(name), known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def check_integer(owner: str, name: str, value: Any, lowest: int) -> int:
    """Return `value` as an int; `CouplingsError` unless it is an integer of at least `lowest`."""
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_) or value < lowest:
        raise CouplingsError(f"{owner}: {name}={value!r} is not an integer of at least {lowest}")
    return int(value)


def check_number(owner: str, name: str, value: Any) -> float:
    """Return `value` as a float; `CouplingsError` unless it is a finite number."""
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not number or not np.isfinite(value):
        raise CouplingsError(f"{owner}: {name}={value!r} is not a finite number")
    return float(value)
