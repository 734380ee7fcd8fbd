"""Parameters of estimators, in the protocol that ``sklearn.base.clone`` expects."""

import inspect
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
        """Return the parameters by name (`deep` is accepted for compatibility)."""
        return {name: getattr(self, name) for name in self._param_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; an unknown name raises `CouplingsError`."""
        names = self._param_names()
        for name, value in params.items():
            if name not in names:
                known = ", ".join(names) or "none"
                raise CouplingsError(
                    f"{type(self).__name__} has no parameter {name!r}; its parameters: {known}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Show the parameters that differ from their defaults."""
        signature = inspect.signature(type(self).__init__).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not signature[name].default
            and not np.array_equal(value, signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def check_choice(owner: str, name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise `CouplingsError` unless `value` is one of `choices`."""
    if value not in choices:
        expected = ", ".join(repr(choice) for choice in choices)
        raise CouplingsError(f"{owner}: {name}={value!r} is not known; choose one of {expected}")
