"""The workflow as it stands: it builds, reads well, and complains well."""

import re
import stat
import sys

import pytest
from kit import QUICK, parsed

pytestmark = pytest.mark.workflow

ORDER = (
    *("download", "partitions", "discretize", "similarity", "trials", "others"),
    *("experiment", "timing", "tests"),
    *("table", "figure", "claims", "ledger", "granularity", "rollup", "findings"),
    *("report", "provenance", "all"),
)
READS_VERDICTS = {("ledger", "table")}
"""Tables of the cross-check compare verdicts of the papers, whose tables are made before."""
MOST_JOBS = 540
"""Jobs of a full run."""


def test_both_entries_list_the_same_jobs(still_house):
    """At the top, where users call it, and in `workflow`, where the catalogue looks for it."""
    run, other = (
        still_house.snakemake("-n", "--quiet", "reason", *entry)
        for entry in ((), ("-s", "workflow/Snakefile"))
    )
    assert run.returncode == 0, run.stdout
    assert "This was a dry-run" in run.stdout
    counts = re.findall(r"(?m)^(\w+) +(\d+)$", run.stdout)
    assert counts == re.findall(r"(?m)^(\w+) +(\d+)$", other.stdout)
    assert dict(counts)["all"] == "1"
    assert int(dict(counts)["total"]) <= MOST_JOBS
    assert not (still_house.root / "results").exists()


def test_one_figure_is_asked_for_by_its_name(still_house):
    run = still_house.snakemake("-n", "figures/dilca/fig05.svg", "--quiet", "reason")
    found = dict(re.findall(r"(?m)^(\w+) +(\d+)$", run.stdout))
    assert (found["figure"], found["table"]) == ("1", "1")
    assert not {"claims", "timing"} & set(found)


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("figures/dilca/fig5.svg", "figures/dilca/fig05.svg"),
        ("figures/dilka/fig15.csv", "figures/dilca/fig15.csv"),
        ("paper_dilka", "paper_dilca"),
        ("results/quick/figures/dilca/fig15.csv", "figures/dilca/fig15.csv"),
    ],
)
def test_a_wrong_target_is_answered_with_the_nearest(still_house, target, meant):
    run = still_house.snakemake("-n", target)
    assert run.returncode != 0
    assert f"error: unknown target {target!r}; did you mean {meant!r}? known: " in run.stdout


def test_groups_of_the_cluster_can_be_submitted(still_house):
    """No group waits for jobs that wait for the group, and every rule it names exists."""
    groups = parsed(still_house.root / "profiles/slurm/config.yaml")["groups"]
    words = [f"{rule}={group}" for rule, group in groups.items()]
    run = still_house.snakemake("-n", "--quiet", "rules", "reason", "--groups", *words)
    assert run.returncode == 0, run.stdout
    assert "This was a dry-run" in run.stdout


def test_the_rulegraph_never_goes_back(still_house):
    run = still_house.snakemake("--rulegraph")
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', run.stdout))
    edges = {(names[a], names[b]) for a, b in re.findall(r"(\d+) -> (\d+)", run.stdout)}
    assert sorted(names.values()) == sorted(ORDER)
    assert {(a, b) for a, b in edges if ORDER.index(a) >= ORDER.index(b)} == READS_VERDICTS
    # a job whose inputs are all in the clone would not make its output there again; the first two
    # ask other machines
    assert {b for _, b in edges} == {*ORDER[2:]}


def test_every_paper_is_a_target_with_a_description(still_house):
    run = still_house.snakemake("--list-rules")
    names = [
        f"{'paper_' if parsed(path).get('prints', True) else ''}{path.stem}"
        for path in (still_house.root / "config/papers").glob("*.yaml")
    ]
    for name in ("all", *names):
        assert re.search(rf"^{name} \(\S.+\)$", run.stdout, re.MULTILINE), run.stdout


MISTAKES = [
    (
        *("config/papers/dilca.yaml", "measure: dilca_m,", "measure: dilca_x,"),
        r"error: config/papers/dilca\.yaml: .*'dilca_x'.* known:",
    ),
    (
        *("config/quick.yaml", "effort: quick", "effort: quick\neffort: full"),
        r"error: .*quick\.yaml, line \d+: not valid YAML",
    ),
    (
        *("src/replication/papers/dilca/timings.py", "def scalability(", "def scalability(("),
        r"error: .*timings\.py, line \d+",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), MISTAKES)
def test_a_mistake_in_a_file_is_one_line(still_house, name, old, new, said):
    with still_house.edited(name, old, new):
        run = still_house.snakemake("-n", *(QUICK if "quick" in name else ()))
    assert run.returncode != 0
    (line,) = [line for line in run.stdout.splitlines() if line and "profile" not in line]
    assert re.match(said, line)


def test_an_effort_is_asked_for_by_its_file(still_house):
    run = still_house.snakemake("-n", effort="quick")
    assert run.returncode != 0
    assert "effort: config/quick.yaml is not part of this configuration" in run.stdout
    assert "Traceback" not in run.stdout


def test_a_paper_that_was_deleted_is_named_only_if_asked_for(still_house):
    path = still_house.root / "config/papers/study.yaml"
    aside = path.rename(path.with_suffix(".aside"))
    run = still_house.snakemake("-n", "study")
    other = still_house.snakemake("-n", "paper_cde")
    aside.rename(path)
    assert run.returncode != 0
    assert "No rule to produce study" in run.stdout
    assert "KeyError" not in run.stdout
    assert other.returncode == 0


@pytest.fixture(scope="module")
def make(still_house):
    """Run make as if its environment were ready."""
    place = still_house.root / ".venv"
    (place / "bin").mkdir(parents=True)
    for name, command in (("python", ""), ("snakemake", "-m snakemake")):
        path = place / "bin" / name
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {command} "$@"\n', encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    for name in ("ready", "kernels"):
        (place / name).touch()
    return lambda *words: still_house.run("make", "--no-print-directory", *words)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("quick.yaml", "limits:", "limits: [", r"config/quick\.yaml, line \d+: not valid YAML"),
        ("config.yaml", "papers: [dilca,", "papers: [dilka,", "unknown paper 'dilka'; did you"),
    ],
)
def test_make_passes_on_a_mistake_in_the_configuration(still_house, make, file, old, new, said):
    with still_house.edited(f"config/{file}", old, new):
        (still_house.root / ".venv/ready").touch()
        run = make("reproduce", *(["EFFORT=quick"] if file == "quick.yaml" else []))
    assert run.returncode != 0
    assert re.search(f"error: .*{said}", run.stdout)
    assert "Traceback" not in run.stdout


def test_make_refuses_an_old_python(still_house, make):
    ready, old = still_house.root / ".venv/ready", still_house.root / "oldpython"
    ready.unlink()
    old.write_text("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.1\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    said = [make("lint", f"PYTHON={name}") for name in (old, "nopython")]
    ready.touch()
    assert 0 not in {run.returncode for run in said}
    assert "Python 3.9.1, Python 3.11 or newer is needed" in said[0].stdout
    assert "there is no nopython" in said[1].stdout


def test_make_retry_forgets_what_could_not_be_had(make, still_house):
    raw = still_house.root / "data/raw"
    (raw / ".hosts").mkdir(parents=True)
    records = {
        "good": '{\n "status": "available"\n}',
        "toy": '{"status": "unavailable"}',
        "cut": "{",
    }
    for name, content in records.items():
        (raw / name).mkdir()
        (raw / name / "source.json").write_text(content)
    make("retry")
    assert sorted(path.parent.name for path in raw.rglob("source.json")) == ["good"]
    assert not (raw / ".hosts").exists()


def test_the_default_profile_runs_on_all_cores(still_house):
    profile = parsed(still_house.root / "profiles/default/config.yaml")
    assert profile["cores"] == "all"
    assert profile["rerun-incomplete"] is True
