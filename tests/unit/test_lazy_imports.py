"""What the library exports, and what importing a part of it loads."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import couplings

HEAVY = ("pandas", "pyarrow", "sklearn", "matplotlib", "scipy.stats", "scipy.optimize")


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "couplings.table",
        "couplings.measures.dilca",
        "couplings.measures.frequency",
        "couplings.cluster.ward",
        "couplings.metrics.external",
        "couplings.discretize",
    ],
)
def test_light(module):
    assert not loaded_after(f"import {module}") & set(HEAVY)


@pytest.mark.parametrize("step", ["download", "discretize", "tests", "table", "figure"])
def test_a_step_without_kernels_loads_none(step):
    from replication.plan.layout import STEPS

    # figures need the plotting library, all others frames
    needed = {"matplotlib"} if step == "figure" else {"pandas", "pyarrow"}
    assert not loaded_after(f"import {STEPS[step]}") & {"numba", *HEAVY} - needed


def test_package_loads_nothing():
    loaded = loaded_after("import couplings")
    assert {name for name in loaded if name.startswith("couplings")} == {"couplings"}
    assert "numpy" not in loaded


def test_one_measure_does_not_load_another():
    loaded = loaded_after("from couplings import DilcaM")
    assert "couplings.measures.dilca" in loaded
    assert "couplings.measures.frequency" not in loaded


def test_every_name_resolves():
    for name in set(couplings.__all__) - {"__version__"}:
        assert getattr(couplings, name).__name__ == name
    assert dir(couplings) == couplings.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        couplings.nothing  # noqa: B018


def test_a_near_name_is_suggested():
    with pytest.raises(AttributeError, match="did you mean 'DilcaM' or 'DilcaRR'"):
        couplings.Dilca  # noqa: B018


def test_the_version_is_that_of_the_package():
    project = Path(couplings.__file__).parents[2] / "pyproject.toml"
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    assert couplings.__version__ == declared
