"""The profile of a cluster, and the programs that fill and check it."""

import re

import resources
import yaml
from kit import ROOT, parsed

PROFILE = ROOT / "profiles/slurm/config.yaml"

RULES = {
    name
    for path in (ROOT / "workflow/rules").glob("*.smk")
    for name in re.findall(r"(?m)^rule (\w+):", path.read_text(encoding="utf-8"))
}
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def test_the_profile_says_what_every_rule_needs():
    profile = parsed(PROFILE)
    assert set(profile["default-resources"]) == {"mem_mb", "runtime"}
    measured = set(profile["set-resources"])
    assert measured <= RULES
    assert measured >= {"similarity", "trials", "experiment", "timing", "table", "figure"}
    for needs in profile["set-resources"].values():
        assert needs["mem_mb"] >= 200
        assert needs["runtime"] >= 1
    assert set(profile["groups"]) == RULES - {"notebook", "timing", "table", "ledger"}
    assert set(profile["group-components"]) < set(profile["groups"].values())


def test_every_rule_has_a_docstring_a_log_an_environment_and_is_measured():
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        text = path.read_text(encoding="utf-8")
        assert "lambda" not in text
        assert not re.search(r"(?m)^    run:", text)
        for rule in re.split(r"(?m)^rule ", text)[1:]:
            assert re.match(r'\w+:\n    """\S', rule), rule
            for part in ("log", "conda", "message", "benchmark", "shell"):
                assert f"    {part}:\n" in rule, f"{path.name}: {part}\n{rule}"
            assert "spec=spec(" in rule and "code=code(" in rule, rule


def write(folder, name, *rows):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{s}\t0:00:00\t{mb}\t1\t1\t1\t0\t0\t0\t0\n" for s, mb in rows]
    path.write_text(HEADER + "".join(lines), encoding="utf-8")


def test_resources_are_those_of_the_largest_job(tmp_path):
    write(tmp_path, "trials/dilca/zoo.ward.printed.tsv", (2.0, 150.0))
    write(tmp_path, "trials/cde/zoo.kmeans.printed.tsv", (50.0, 410.0), (3.0, "NA"))
    write(tmp_path, "ledger/ledger.tsv", (0.1, "-"))
    block = yaml.safe_load(resources.resources([tmp_path]))
    assert block == {
        "trials": {"mem_mb": 700, "runtime": 4},  # 615 MB, 210 s
        "ledger": {"mem_mb": 200, "runtime": 2},
    }


def test_what_a_rule_asks_for_is_never_made_less(tmp_path):
    known = resources.resources([tmp_path])
    assert known == ""
    write(tmp_path / "one", "trials/dilca/zoo.tsv", (2.0, 400.0))
    write(tmp_path / "one", "tests/dilca.tsv", (2.0, 100.0))
    write(tmp_path / "other", "trials/dilca/zoo.tsv", (100.0, 10.0))
    write(tmp_path / "other", "ledger/ledger.tsv", (1.0, 10.0))
    known = resources.resources([tmp_path / "one"])
    assert resources.resources([tmp_path / "one"], known) == known
    block = resources.resources([tmp_path / "other"], known)
    assert yaml.safe_load(block) == {
        "ledger": {"mem_mb": 200, "runtime": 2},
        "tests": {"mem_mb": 200, "runtime": 2},
        "trials": {"mem_mb": 600, "runtime": 6},
    }
    assert "  tests:  # 1 jobs: up to 2 s, 100 MB\n" in block
