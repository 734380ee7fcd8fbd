import sys
from importlib import resources
from pathlib import Path

import pytest
from kit import called

from replication.report import provenance

SPEC = {
    "effort": "quick",
    "seed": 7,
    "limits": {"datasets": ["car", "zoo"], "trials": "printed"},
    "papers": [
        {"id": "one", "title": "On things", "citation": "A. Author, 2012.", "doi": "10.1/x"},
        {"id": "two", "title": "On more", "citation": "B. Author, 2015.", "doi": ""},
        {"id": "mine", "title": "A study", "citation": "", "doi": ""},
    ],
}


@pytest.fixture
def groups(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "inputs": [
            *("workflow/Snakefile", "requirements.lock", "config/papers/one.yaml"),
            *("data/published/one_tab1.csv", "data/raw/car/source.json"),
        ],
        "outputs": [
            *("results/quick/ledger/verdicts.csv", "results/quick/figures/one/tab1.md"),
            "figures/one/tab 2.svg",
        ],
    }
    for names in files.values():
        for name in names:
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"content of {name}\n", encoding="utf-8")
    return {key: [Path(name) for name in names] for key, names in files.items()}


@pytest.mark.slow
def test_a_validator_of_the_ecosystem_finds_nothing(groups):
    output = Path("results/quick/ro-crate-metadata.json")
    provenance.run(SPEC, Path(__file__).parents[2] / "pyproject.toml", output, **groups)
    folder = output.parent.resolve()
    terms = resources.files("rocrate") / "data" / "ro-crate.jsonld"
    # A workflow cannot both be a file of the crate, as one profile wants, and have an absolute
    # address, as this recommendation of another one does.
    passed_over = "process-run-crate-0.5_5.1"
    script = Path(__file__).parents[1] / "crate_validator.py"
    words = [sys.executable, script, folder, terms, "workflow-run-crate-0.5", passed_over]
    run = called(*words)
    assert run.stdout.splitlines() == ["validated"], run.stdout + run.stderr
