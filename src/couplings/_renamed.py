"""Old names: they work, and warn once which name replaces them."""

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from couplings._domains import caller_level

T = TypeVar("T")
_SAID: set[tuple[str, str]] = set()


def warn_of_name(owner: str, old: str, new: str) -> None:
    """Issue a `FutureWarning` that `old` is called `new` now, once for each name."""
    if (owner, old) not in _SAID:
        _SAID.add((owner, old))
        warnings.warn(
            f"{owner}: {old} is called {new} now; the old name will go",
            FutureWarning,
            stacklevel=caller_level(),
        )


def renamed(**names: str) -> Callable[[type[T]], type[T]]:
    """Return a class decorator that keeps old names of parameters and attributes."""

    def keep(cls: type[T]) -> type[T]:
        init: Any = cls.__init__
        parameters = inspect.signature(cls).parameters

        @wraps(init)
        def start(self: Any, *args: Any, **given: Any) -> None:
            for old, new in names.items():
                if old in given and new in parameters:
                    warn_of_name(cls.__name__, old, new)
                    given[new] = given.pop(old)
            init(self, *args, **given)

        cls.__init__ = start  # type: ignore[method-assign]
        cls._old_names = names  # type: ignore[attr-defined]
        for old, new in names.items():
            setattr(cls, old, _alias(old, new))
        return cls

    return keep


def _alias(old: str, new: str) -> property:
    def get(self: Any) -> Any:
        found = getattr(self, new)
        warn_of_name(type(self).__name__, old, new)
        return found

    def put(self: Any, value: Any) -> None:
        warn_of_name(type(self).__name__, old, new)
        setattr(self, new, value)

    return property(get, put, doc=f"Old name of `{new}`.")
