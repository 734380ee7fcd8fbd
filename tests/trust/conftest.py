"""Bad input, case by case: one clear message, exit status 2, no traceback, nothing written.

The rows are in the files of this folder. What is refused in `tests/unit` already stands there:
`MISTAKES` of test_catalog and test_prepare.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from kit import ROOT, experiment_of, parsed
from trust_cases import PAPER

from replication.__main__ import main


@pytest.fixture
def refused(capsys):
    """Run a step that must refuse, in this process; returns its one line."""

    def call(step, *words, status=2):
        capsys.readouterr()
        assert main([step, *map(str, words)]) == status
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert said.startswith("error: ")
        assert said.count("\n") == 1
        assert len(said) < 4100
        return said

    return call


@pytest.fixture
def accepted():
    def call(step, *words):
        assert main([step, *map(str, words)]) == 0

    return call


@pytest.fixture
def job(tmp_path):
    """Words of `discretize` on a small file, and of `similarity` on what it left."""
    return Job(tmp_path)


class Job:
    """Files of one data set."""

    def __init__(self, folder):
        self.folder = folder
        self.prepared, self.facts = folder / "mine.prepared.csv", folder / "mine.json"
        self.tables = folder / "mine.codes.npz"

    def file(self, content, name="mine.csv"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def discretize(self, path, changes=None, **entry):
        entry = {"printed": "Mine", "inline": path.name, "class": "use", "missing": "value"} | entry
        rule = {"numeric": "equal_width", "bins": 5, "labels": "stripped"}
        spec = {"paper": "toy", "dataset": "mine", "entry": entry, "source": {}, "seed": None}
        spec |= {"preparations": {"bins": rule}, "sample": None, **(changes or {})}
        return ["--spec", json.dumps(spec), "--table", path, *self.written]

    @property
    def written(self):
        files = {"prepared": self.prepared, "facts": self.facts, "output": self.tables}
        return [word for name, path in files.items() for word in (f"--{name}", path)]

    @property
    def experiment(self):
        """An experiment on what was written."""
        files = {"facts": self.facts, "prepared": self.prepared, "tables": self.tables}
        inputs = [{"role": role, "file": str(path)} for role, path in files.items()]
        return experiment_of(self.folder / "journal", "toy", "one", dataset="mine", inputs=inputs)


def registries():
    """Text of each registry, with the entries that the paper needs alone."""
    paper = parsed(ROOT / PAPER)
    kept = {"datasets": {entry["source"] for entry in paper["datasets"].values()}}
    for kind in ("measures", "algorithms"):
        lists = (entry.get(kind, []) for entry in paper["experiments"].values())
        kept[kind] = {"smd", *(name for names in lists for name in names)}
    asked = ""
    for kind in ("datasets", "measures", "algorithms", "readings"):
        entries = parsed(ROOT / f"config/{kind}.yaml")
        names = kept.get(kind) or re.findall(r"=(\w+\.\w+)", asked)
        text = yaml.safe_dump({name: entries[name] for name in entries if name in names})
        asked += text
        yield kind, text


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """Repository with one paper and short registries."""
    root = tmp_path_factory.mktemp("root")
    (root / "config/papers").mkdir(parents=True)
    for name in ("config", "quick", "independent"):
        shutil.copy(ROOT / f"config/{name}.yaml", root / "config")
    for name, text in registries():
        (root / f"config/{name}.yaml").write_text(text)
    shutil.copy(ROOT / PAPER, root / "config/papers")
    config = parsed(root / "config/config.yaml")
    config["papers"] = [Path(PAPER).stem]
    (root / "config/config.yaml").write_text(yaml.safe_dump(config))
    (root / "src").symlink_to(ROOT / "src")
    return root


@pytest.fixture
def root(small, tmp_path):
    folder = tmp_path / "root"
    shutil.copytree(small, folder, symlinks=True)
    return folder
