"""What every step of the workflow shares: specification, functions by name, random numbers."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import sys
import typing
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, is_typeddict

from replication.errors import UserError, remedy

if TYPE_CHECKING:
    import numpy as np

OK = "ok"
UNAVAILABLE = "unavailable"
"""The data set could not be had; every file that needs it says so, down to the ledger."""


def specification(text: str) -> dict[str, Any]:
    """Parse the ``--spec`` argument of a step.

    Raises
    ------
    UserError
        If the text is not a JSON object.
    """
    try:
        return dict(json.loads(text).items())
    except (ValueError, RecursionError, AttributeError) as error:
        raise UserError(f"--spec must be a JSON object: {error}") from error


def add_options(parser: argparse.ArgumentParser, run: Callable[..., int]) -> None:
    """Declare the parameters of a step as options.

    Parameters
    ----------
    parser : ArgumentParser
        Parser of the command line.
    run : callable
        The step. A parameter that is a ``dict`` takes JSON, a ``list`` any number of values.
    """
    for name, one in inspect.signature(run, eval_str=True).parameters.items():
        origin, of = typing.get_origin(one.annotation), typing.get_args(one.annotation)
        many = {"nargs": "*", "type": of[0], "default": []} if origin is list else {}
        kind = specification if origin is dict else one.annotation
        default = None if one.default is one.empty else one.default
        plain = {"type": kind, "required": default is None, "default": default}
        parser.add_argument(f"--{name}", **(many or plain))


def called(function: Any, *arguments: Any, **parameters: Any) -> Any:
    """Result of a function or class, or of one named ``module:name``, called with parameters.

    Raises
    ------
    UserError
        If it does not exist or does not take the parameters.
    """
    return taking(function, *arguments, **parameters)(*arguments, **parameters)


def taking(function: Any, *arguments: Any, **parameters: Any) -> Any:
    """Return the function or class that `called` would call; it takes the parameters.

    Raises
    ------
    UserError
        If it does not exist or does not take them.
    """
    found = load_class(function) if isinstance(function, str) else function
    if not callable(found):
        raise UserError(f"{function!r} is no function or class; name it as module:name")
    taken = _signature(found)
    try:
        taken.bind(*arguments, **parameters)
    except TypeError as error:
        known = list(taken.parameters)
        wrong = next((key for key in parameters if key not in known), None)
        hint = remedy(wrong, known) if wrong else "add it"
        name = f"{found.__module__}:{found.__qualname__}"
        raise UserError(f"parameters of {name!r}: {error}; {hint}") from error
    return found


def _signature(function: Any) -> inspect.Signature:
    """Parameters of a function; of ``**given: Unpack[Keys]`` these are the keys."""
    taken = inspect.signature(function)
    parameters: list[inspect.Parameter] = []
    for one in taken.parameters.values():
        name = str(one.annotation).removeprefix("Unpack[").removesuffix("]")
        keys: Any = getattr(sys.modules[function.__module__], name, None)
        if not is_typeddict(keys) or one.kind is not one.VAR_KEYWORD:
            parameters.append(one)
            continue
        for key in keys.__annotations__:
            default = one.empty if key in keys.__required_keys__ else None
            parameters.append(inspect.Parameter(key, one.KEYWORD_ONLY, default=default))
    return taken.replace(parameters=parameters)


def load_class(name: str) -> Any:
    """Class named ``module:Class`` in a registry.

    Raises
    ------
    UserError
        If the module or the class does not exist.
    """
    try:
        return pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise UserError(f"there is no {name!r}: {error}") from error


def find_function(package: str, name: str) -> Any:
    """Function of a module, or of any module of a package.

    Raises
    ------
    UserError
        If none has it.
    """
    try:
        parts = pkgutil.iter_modules(getattr(importlib.import_module(package), "__path__", []))
        names = [package, *(f"{package}.{part.name}" for part in parts)]
        modules = [importlib.import_module(one) for one in names]
    except ImportError as error:
        raise UserError(f"{package}: {error}") from error
    for module in modules:
        if hasattr(module, name):
            return getattr(module, name)
    raise UserError(f"{package}: has no function {name!r}; add it, or correct the name")


def setting_text(value: float | str | None) -> str:
    """Shortest text of a parameter setting, as written to the records."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def generator(root: int, *names: str, trial: int = 0) -> np.random.Generator:
    """Random generator for one trial of one named piece of work.

    Parameters
    ----------
    root : int
        Seed of the study (`seed` in config/config.yaml).
    *names : str
        What the numbers are for: paper, data set, method, algorithm, ...
    trial : int
        Number of the repetition, from 0.

    Returns
    -------
    numpy.random.Generator
        The same one whatever the order of jobs, the batch or the number of cores.
    """
    import numpy as np  # after the command line has set the number of threads

    words = [root, *(zlib.crc32(name.encode()) for name in names), trial]
    return np.random.default_rng(np.random.SeedSequence(words))
