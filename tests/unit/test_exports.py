import tomllib
from pathlib import Path

import numpy as np
import pytest

import couplings


def test_a_near_name_is_suggested():
    with pytest.raises(AttributeError, match="did you mean 'DilcaM' or 'DilcaRR'"):
        couplings.Dilca  # noqa: B018


def test_the_version_is_that_of_the_package():
    project = Path(couplings.__file__).parents[2] / "pyproject.toml"
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    assert couplings.__version__ == declared


def test_estimators_with_array_parameters_can_be_shown():
    weights = np.ones((2, 2))
    assert repr(couplings.Caso(weights)) == f"Caso(weights={weights!r})"
    assert repr(couplings.Caso()) == "Caso()"
