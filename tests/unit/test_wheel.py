"""The wheel holds the library alone, and works in a fresh environment."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile

import pytest
from kit import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD = """
import sys
from flit_core.buildapi import build_sdist, build_wheel
build_wheel(sys.argv[1])
build_sdist(sys.argv[1])
"""


def run(*command, **options):
    return subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True, **options
    )


def build(folder):
    """Build the wheel and the source distribution of a copy of what they are made from."""
    source, out = folder / "source", folder / "dist"
    source.mkdir()
    out.mkdir()
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    known = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    run(sys.executable, "-c", BUILD, out, cwd=source, env=known)
    return {path.suffix: path for path in out.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("build"))


def test_a_second_build_gives_the_same_bytes(built, tmp_path):
    again = build(tmp_path)
    assert built.keys() == again.keys() == {".whl", ".gz"}
    for kind, path in built.items():
        assert path.read_bytes() == again[kind].read_bytes(), kind


def test_the_wheel_is_the_library_alone(built):
    with zipfile.ZipFile(built[".whl"]) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {
        "couplings",
        f"couplings-{PROJECT['version']}.dist-info",
    }
    for needed in ("py.typed", "__init__.pyi", "data/answer.json", "measures/dilca.py"):
        assert f"couplings/{needed}" in names
    modules = {
        path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src/couplings").rglob("*.py")
    }
    assert modules <= set(names)


@pytest.mark.skipif(
    "COUPLINGS_FRESH" not in os.environ,
    reason="downloads every dependency twice; set COUPLINGS_FRESH=1",
)
@pytest.mark.parametrize("versions", ["lowest", "newest"])
def test_the_wheel_works_in_a_fresh_environment(built, tmp_path, versions):
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh/bin/python"
    pins = []
    if versions == "lowest":
        pins = [
            re.sub(r">=([\d.]+).*", lambda at: f"=={at[1]}.*", one)
            for one in PROJECT["dependencies"]
        ]
    run(python, "-m", "pip", "install", "--quiet", built[".whl"], *pins)
    for page in [ROOT / "src/couplings/README.md", ROOT / "README.md"]:
        # The library alone: nothing of the repository is on the path.
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
        done = run(python, "-c", "\n".join(blocks), cwd=tmp_path)
        assert done.stdout
        assert run(python, "-c", "import couplings; print(couplings.__version__)").stdout


FIRST = """
import numpy as np
from couplings._kernels import agglomeration
agglomeration.block_sums(np.empty(0), np.zeros(1, np.int64), 1)
"""
QUIET = """
import logging
logging.getLogger("couplings").setLevel("ERROR")
import couplings._kernels
"""
STEP = "from replication.__main__ import main; main(['-h']); import couplings._kernels"
LINE = "couplings compiles its kernels on first use: up to half a minute of processor time, once\n"


@pytest.mark.slow
def test_the_first_use_says_that_it_compiles_once(tmp_path):
    known = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(sys.executable, "-c", QUIET, env=known).stderr == ""
    assert run(sys.executable, "-c", STEP, env=known).stderr == ""
    assert run(sys.executable, "-c", FIRST, env=known).stderr == LINE
    assert run(sys.executable, "-c", FIRST, env=known).stderr == ""
