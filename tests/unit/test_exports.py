import importlib

import numpy as np
import pytest

import couplings


@pytest.mark.parametrize("name", couplings.__all__)
def test_every_exported_name_exists(name):
    assert getattr(couplings, name) is getattr(
        importlib.import_module(couplings._MODULES[name]), name
    )


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="'couplings' has no attribute 'nothing'"):
        couplings.nothing  # noqa: B018


def test_estimators_with_array_parameters_can_be_shown():
    weights = np.ones((2, 2))
    assert repr(couplings.Caso(weights)) == f"Caso(weights={weights!r})"
    assert repr(couplings.Caso()) == "Caso()"
