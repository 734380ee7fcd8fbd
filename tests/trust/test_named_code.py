"""A configuration names code of this repository, or of modules that the command line allows."""

import json
import sys

import pytest
import yaml
from kit import ROOT, called, parsed
from trust_cases import GOOD, PAPER, load

from replication import plugins
from replication.errors import UserError
from replication.plan.configuration import ConfigError, read_yaml
from replication.plan.plan import Plan
from replication.steps import estimator, load_class

EVIL = """
open({marker!r}, "w").close()
class Evil:
    fit = None
def runs(experiment):
    yield {{}}
"""
OWN = '''
from couplings import SimpleMatching


class Mine(SimpleMatching):
    """A measure outside this repository."""


def counts(experiment, **given):
    yield {"objects": len(experiment.prepared), **given}


def strict(experiment):
    yield {"objects": len(experiment.prepared)}
'''
CLASSES = [
    "os:system",
    "subprocess:Popen",
    "builtins:exec",
    "evil:Evil",
    "sklearn.cluster:KMeans",
    "couplingsx.measures:X",
    "replication.files:write_text",
    "replication.steps:called",
    "replication.__main__:main",
]


def whatif(root, **changes):
    """Load the configuration under a file of changes."""
    file = "config/what-if/mine.yaml"
    (root / "config/what-if").mkdir(exist_ok=True)
    (root / file).write_text(yaml.safe_dump(changes))
    config = read_yaml(root / "config/config.yaml", "config/config.yaml")
    return Plan.load(config | {"what_if": file}, root)


@pytest.fixture
def evil(root, monkeypatch):
    """Module in the search path that leaves a file if it is imported."""
    marker = root / "was-imported"
    (root / "evil.py").write_text(EVIL.format(marker=str(marker)))
    monkeypatch.syspath_prepend(root)
    yield marker
    assert "evil" not in sys.modules


@pytest.mark.parametrize("point", CLASSES)
def test_a_what_if_file_cannot_name_other_classes(root, evil, point):
    target = {"path": str(evil), "text": "x", "command": f"touch {evil}", "args": "id"}
    with pytest.raises(ConfigError, match=r"smd\.class: .* is not in couplings or replication\.pa"):
        whatif(root, measures={"smd": {"class": point, "parameters": target}})
    with pytest.raises(UserError, match="is not in couplings or replication"):
        estimator(point, **target)
    assert not evil.exists()


@pytest.mark.parametrize("point", [*CLASSES, "replication.run.runner:Runner", "couplings.table:np"])
def test_a_what_if_file_cannot_name_other_functions(root, evil, point):
    change = {"crosscheck": {"experiments": {"runs": {"run": point, "parameters": {}}}}}
    with pytest.raises(ConfigError, match=r"experiments\.runs\.run: .* is not in replication\.pa"):
        whatif(root, papers=change)
    assert not evil.exists()


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("replication.papers.crosscheck.experiments:Iterator", "unknown function 'Iterator'"),
        ("replication.papers.crosscheck.nowhere:runs", "no module"),
        ("replication.papers.crosscheck.experiments:runs.__globals__", "match pattern"),
        ("replication.papers..crosscheck.experiments:runs", "match pattern"),
    ],
)
def test_a_function_must_be_defined_in_a_paper(root, point, said):
    change = {"crosscheck": {"experiments": {"runs": {"run": point}}}}
    with pytest.raises(ConfigError, match=said):
        whatif(root, papers=change)


@pytest.mark.parametrize("kind", ["called", "Path", "__import__", "x"])
def test_an_artefact_cannot_name_other_functions(root, kind):
    with pytest.raises(ConfigError, match=r"artefacts\.label_sets\.kind"):
        whatif(root, papers={"crosscheck": {"artefacts": {"label_sets": {"kind": kind}}}})


def test_a_job_refuses_what_the_plan_did_not_see():
    for point in ("os:system", "couplings.table:np.ndarray", "replication.files:os.system"):
        with pytest.raises(UserError, match=r"is not in|is defined elsewhere"):
            load_class(point)


@pytest.mark.parametrize("file", ["config/config.yaml", PAPER, "config/measures.yaml", "what-if"])
def test_no_file_can_allow_modules(root, evil, file):
    if file == "what-if":
        with pytest.raises(ConfigError, match="plugins: unknown key"):
            whatif(root, plugins=str(root / "evil.py"), measures={"smd": {"class": "evil:Evil"}})
        return
    content = parsed(root / file) | {"plugins": str(root / "evil.py")}
    (root / file).write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match="plugins: "):
        load(root)
    assert not evil.exists()


def test_a_check_imports_nothing(root):
    code = (
        "import sys; from pathlib import Path; from replication.plan.plan import Plan;"
        "Plan.of_effort(Path(sys.argv[1]), 'full');"
        "print([one for one in sys.modules if one.startswith(('replication.papers', 'couplings'))])"
    )
    known = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    done = called(sys.executable, "-c", code, root, env=known)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.fixture
def own(root, monkeypatch):
    """Module that the command line allows."""
    path = root / "elsewhere" / "own_measures.py"
    path.parent.mkdir()
    path.write_text(OWN)
    monkeypatch.setenv(plugins.VARIABLE, str(path))
    # as at the start of a process
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield path
    sys.modules.pop("own_measures", None)


def test_the_command_line_allows_a_module(root, own, accepted, job, tmp_path, monkeypatch):
    run = "own_measures:counts"
    change = {"crosscheck": {"experiments": {"runs": {"run": run, "parameters": {"most": 5}}}}}
    plan = whatif(root, measures={"smd": {"class": "own_measures:Mine"}}, papers=change)
    assert "own_measures" not in sys.modules
    before = plan.code_sources.digest(["own_measures:Mine"])
    strict = {"crosscheck": {"experiments": {"runs": {"run": "own_measures:strict"}}}}
    with pytest.raises(ConfigError, match=r"parameters of 'own_measures:strict'"):
        whatif(root, papers=strict)
    accepted("discretize", *job.discretize(job.file(GOOD)))
    fit = {"measure": "m", "class": "own_measures:Mine", "parameters": {}, "setting": {}}
    spec = json.dumps({"preparations": {"bins": [fit]}})
    words = ["--tables", job.tables, "--output", tmp_path / "o.npz"]
    accepted("similarity", "--spec", spec, *words)
    own.write_text(OWN + "\n# another version\n")
    assert load(root).code_sources.digest(["own_measures:Mine"]) != before
    monkeypatch.delenv(plugins.VARIABLE)
    with pytest.raises(ConfigError, match="is not in couplings"):
        whatif(root, measures={"smd": {"class": "own_measures:Mine"}})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("os.py", "'os' is taken"),
        ("couplings.py", "is taken"),
        ("a-b.py", "no module"),
        ("x", "no module"),
    ],
)
def test_modules_that_cannot_be_allowed(root, monkeypatch, name, said):
    (root / "plugins").mkdir()
    (root / "plugins" / name).write_text(OWN)
    for path in (root / "plugins", root / "plugins" / name):
        monkeypatch.setenv(plugins.VARIABLE, str(path))
        with pytest.raises(UserError, match=said):
            load(root)


def test_an_installed_package_is_not_taken_for_a_module(root, monkeypatch):
    path = root / "yaml.py"
    path.write_text(OWN)
    monkeypatch.setenv(plugins.VARIABLE, str(path))
    with pytest.raises(UserError, match="taken by an installed package"):
        load_class("yaml:Mine")
