"""Run steps from the command line, load functions by name, seed random generators."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import sys
import typing
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, is_typeddict

from replication import plugins
from replication.errors import UserError, remedy

if TYPE_CHECKING:
    import numpy as np

OK = "ok"
UNAVAILABLE = "unavailable"
"""Status of a data set that could not be downloaded, in every file that needs it."""
COMPLETE_ROWS = "complete rows"
"""Status of a raw table of which only the rows without a missing cell are here."""


def specification(text: str) -> dict[str, Any]:
    """Parse the ``--spec`` argument of a step.

    Raises `UserError` if the text is not a JSON object.
    """
    try:
        return dict(json.loads(text).items())
    except (ValueError, RecursionError, AttributeError) as error:
        raise UserError(f"--spec must be a JSON object: {error}") from error


def run_step(run: Callable[..., int | None], words: Sequence[str], name: str) -> int:
    """Run a step with the words of a command line; return its exit code, 0 if it returns none.

    The positional-only parameters of `run`, the step, are given in order, the others as options,
    such as ``--output``. A parameter that is a ``dict`` takes JSON, a ``list`` any number of
    values, a ``bool`` nothing. `name` is the command, for its help.
    """
    parser = argparse.ArgumentParser(
        prog=name,
        description=_about(run),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parameters = inspect.signature(run, eval_str=True).parameters
    in_order = [key for key, one in parameters.items() if one.kind is one.POSITIONAL_ONLY]
    for key, one in parameters.items():
        origin = typing.get_origin(one.annotation)
        kind = (*typing.get_args(one.annotation), one.annotation)[0]
        options: dict[str, Any] = {"type": specification if origin is dict else kind}
        if one.annotation is bool:
            options = {"action": "store_true"}
        elif origin is list:
            options |= {"nargs": "*", "default": []}
        elif one.default is not one.empty:
            options |= {"default": one.default}
        elif key not in in_order:
            options |= {"required": True}
        parser.add_argument(key if key in in_order else f"--{key}", **options)
    given = vars(parser.parse_args(words))
    positional = [given.pop(key) for key in in_order]
    return run(*positional, **given) or 0


def _about(run: Callable[..., int | None]) -> str:
    """Return what a step does: the docstring of its module, and its own if that says more."""
    own = inspect.getdoc(run) or ""
    texts = (inspect.getdoc(sys.modules[run.__module__]), own.removeprefix("Run the step."))
    return "\n\n".join(text.strip() for text in texts if text and text.strip())


def call(function: Any, *arguments: Any, **parameters: Any) -> Any:
    """Call a function or class, or a function of a paper named ``module:name``, with parameters.

    Raises `UserError` if it does not exist or does not take the parameters.
    """
    named = isinstance(function, str)
    found = load_class(function, plugins.FUNCTIONS) if named else function
    if not callable(found):
        raise UserError(f"{function!r} is not a function or class; name it as module:name")
    name = f"{found.__module__}:{found.__qualname__}"
    check_parameters(name, _signature(found), *arguments, **parameters)
    return found(*arguments, **parameters)


def check_parameters(
    name: str, taken: inspect.Signature, *arguments: Any, **parameters: Any
) -> None:
    """Check that the function or class `name` takes parameters.

    Raises `UserError` if it does not.
    """
    try:
        taken.bind(*arguments, **parameters)
    except TypeError as error:
        known = list(taken.parameters)
        wrong = next((key for key in parameters if key not in known), None)
        hint = remedy(wrong, known) if wrong else "add it"
        raise UserError(f"parameters of {name!r}: {error}; {hint}") from error


def _signature(function: Any) -> inspect.Signature:
    """Return the parameters of a function; the keys of ``**given: Unpack[Keys]`` count as such."""
    taken = inspect.signature(function)
    parameters: list[inspect.Parameter] = []
    for one in taken.parameters.values():
        name = str(one.annotation).removeprefix("Unpack[").removesuffix("]")
        keys: Any = getattr(sys.modules[function.__module__], name, None)
        if is_typeddict(keys) and one.kind is one.VAR_KEYWORD:
            defaults = dict.fromkeys(keys.__required_keys__, one.empty)
            parameters += (
                inspect.Parameter(key, one.KEYWORD_ONLY, default=defaults.get(key))
                for key in keys.__annotations__
            )
        else:
            parameters.append(one)
    return taken.replace(parameters=parameters)


def load_class(name: str, packages: tuple[str, ...] = plugins.PACKAGES) -> Any:
    """Return the object named ``module:name``, defined in `packages` or an allowed module.

    Raises `UserError` if it does not exist or may not be named (`replication.plugins`).
    """
    plugins.check_point(name, packages)
    try:
        plugins.import_allowed(name)
        found = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        raise UserError(f"there is no {name!r}: {error}") from error
    if not plugins.is_ours(found):
        raise UserError(f"{name!r} is defined elsewhere; name a function or class of that module")
    return found


def estimator(name: str, **parameters: Any) -> Any:
    """Return a measure or algorithm, made by the class named ``module:Class``.

    Raises `UserError` if there is no such class, it has no `fit`, or refuses the parameters.
    """
    found = load_class(name, plugins.CLASSES)
    if not (isinstance(found, type) and hasattr(found, "fit")):
        raise UserError(f"{name!r} is not a class with a method `fit`; name a measure or algorithm")
    return call(found, **parameters)


def find_function(package: str, name: str) -> Any:
    """Return a function of a module, or of any module in a package.

    Raises `UserError` if there is no such function.
    """
    parts = pkgutil.iter_modules(getattr(importlib.import_module(package), "__path__", []))
    for module in (package, *(f"{package}.{part.name}" for part in parts)):
        if found := getattr(importlib.import_module(module), name, None):
            return found
    raise UserError(f"{package} has no function {name!r}; add it or correct the name")


def setting_text(value: float | str | None) -> str:
    """Return the shortest text of a parameter setting, as written to the records."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def generator(root: int, *names: str, trial: int = 0) -> np.random.Generator:
    """Return the random generator of one trial of one named task.

    `root` is the seed of the study (`seed` in config/config.yaml). `names` are those of the task:
    paper, data set, method, algorithm, ... `trial` is the number of the repetition, from 0. The
    generator is independent of the order of jobs, the batch and the number of cores.
    """
    import numpy as np  # after the command line has set the number of threads

    words = [root, *(zlib.crc32(name.encode()) for name in names), trial]
    return np.random.default_rng(np.random.SeedSequence(words))
