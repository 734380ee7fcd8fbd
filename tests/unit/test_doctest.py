"""The examples in the docstrings of the library run and print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import couplings
from couplings.measures.registry import REGISTRY

LIBRARY = Path(couplings.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts)
    for path in LIBRARY.rglob("[!_]*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_a_module_print_what_they_say(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


@pytest.mark.parametrize("name", sorted({entry.class_name for entry in REGISTRY.values()}))
def test_every_measure_has_an_example(name):
    assert "Examples\n" in getattr(couplings, name).__doc__
