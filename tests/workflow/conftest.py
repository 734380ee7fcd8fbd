"""Runs of the workflow in copies of the repository; nothing here touches the network."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from kit import QUICK, ROOT, bring_kernels, called

NOT_COPIED = (".git", ".venv", ".snakemake", ".*_cache")
NOT_COPIED += ("results", "raw", "benchmarks", "notebooks")
# every address is asked for through a proxy, and nobody answers there
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
# caches that other tests are writing
NOT_COPIED += ("tmp*", "*.pyc.*")


@dataclass
class House:
    """A copy of the repository.

    ``first`` is what its first run said.
    """

    root: Path
    first: subprocess.CompletedProcess | None = None

    def run(self, *command, **environment):
        """Run a command at the top of the copy; stdout and stderr together."""
        ambient = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MAKEFLAGS")}
        return subprocess.run(
            command,
            cwd=self.root,
            env=ambient | NO_NETWORK | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def snakemake(self, *arguments, **config):
        """Run Snakemake; keywords are laid over the configuration."""
        overlay = [f"{key}={json.dumps(value)}" for key, value in config.items()]
        words = [*arguments, *(["--config", *overlay] if overlay else [])]
        return self.run(sys.executable, "-m", "snakemake", *words)

    def edit(self, name, old, new):
        """Replace the first occurrence of a text in a file."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {name}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    @contextmanager
    def edited(self, name, old, new):
        """Edit a file, and take that back."""
        path = self.root / name
        before = path.read_bytes()
        try:
            self.edit(name, old, new)
            yield
        finally:
            path.write_bytes(before)

    def contents(self, *folders, suffixes=(".csv", ".md", ".tex", ".html", ".svg")):
        """Bytes of the files below some folders that must not depend on how a run went."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for folder in folders
            for path in sorted((self.root / folder).rglob("*"))
            if path.suffix in suffixes and not {"benchmarks", "logs"} & set(path.parts)
        }


def copy_to(place):
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*NOT_COPIED))
    bring_kernels(place)
    shutil.rmtree(place / "figures", ignore_errors=True)
    return House(place)


@pytest.fixture(scope="session")
def copy():
    return copy_to


@pytest.fixture
def house(tmp_path):
    return copy_to(tmp_path / "house")


@pytest.fixture(scope="module")
def still_house(tmp_path_factory):
    """A copy that tests leave as it is."""
    return copy_to(tmp_path_factory.mktemp("still") / "house")


@pytest.fixture(scope="session")
def mirrors():
    """The mirror with the original files that the environment names, if it names one."""
    return [os.environ["MIRROR"]] if "MIRROR" in os.environ else []


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """The whole workflow, run once with quick effort; tests leave it as it is.

    It has no network and no mirror, as on a machine that has nothing but the packages.
    """
    house = copy_to(tmp_path_factory.mktemp("quick") / "house")
    house.first = house.snakemake(*QUICK)
    return house


@pytest.fixture
def own(tmp_path):
    """Call tools/own.py in a folder that has what it needs."""
    (tmp_path / "src").symlink_to(ROOT / "src")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    shutil.copy(ROOT / "Snakefile", tmp_path)
    return partial(called, sys.executable, ROOT / "tools/own.py", cwd=tmp_path)
