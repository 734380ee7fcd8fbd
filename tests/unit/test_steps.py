"""Rules of Snakemake and `STEPS` say the same of what a step reads, writes and is called."""

import re

import pytest
from kit import ROOT

from replication.plan.plan import JOBS, Plan
from replication.plan.steps import FILES, FOLDERS, MADE_BY, STEPS

TEXTS = {
    part.partition(":")[0]: part
    for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
    for part in re.split(r"(?m)^rule ", path.read_text(encoding="utf-8"))[1:]
}


def section(rule, name):
    """One section of a rule, without comments."""
    found = re.search(rf"(?ms)^    {name}:(.*?)(?=^    \w+:|\Z)", TEXTS[rule])
    return re.sub(r"(?m)^ *#.*$", "", found[1]) if found else ""


def patterns(text):
    """Named and unnamed patterns; a folder ends in a slash."""
    found = re.findall(r'(?:(\w+)=)?\s*(report\(|directory\()?\s*"([^"]+)"', text)
    return {
        name: re.sub(r"<(\w+)>", r"{\1}", pattern) + "/" * (wrapper == "directory(")
        for name, wrapper, pattern in found
        if name not in ("caption", "category")
    }


def test_every_rule_is_a_step_that_the_plan_knows():
    assert TEXTS.keys() == STEPS.keys() == JOBS.keys()


@pytest.mark.parametrize("rule", STEPS)
def test_a_rule_writes_what_its_step_writes(rule):
    output = re.sub(r"labels=\{.*?\},\n", "", section(rule, "output"), flags=re.S)
    expected = dict(STEPS[rule].outputs)
    if len(expected) == 1:
        expected = {"": next(iter(expected.values()))}
    assert patterns(output) == expected


@pytest.mark.parametrize("rule", STEPS)
def test_a_rule_reads_one_file_by_its_pattern_and_asks_the_plan_for_more(rule):
    inputs = section(rule, "input")
    asked = re.findall(r'(\w+)=inputs\("(\w+)", "(\w+)"\)', inputs)
    assert {(name, rule, name) for name in STEPS[rule].gathers} == {*asked}
    assert patterns(re.sub(r"\w+=inputs\(.*?\)", "", inputs)) == dict(STEPS[rule].reads)


@pytest.mark.parametrize("rule", STEPS)
def test_a_rule_runs_the_command_of_its_step(rule):
    command = STEPS[rule].command
    name = rule if command is None else command
    assert re.findall(r"-m replication (\w+)", section(rule, "shell")) == [name] * (name != "")


def test_the_plan_lists_the_files_that_fan_in():
    plan = Plan.of_effort(ROOT, "quick", check=False)
    ids = {
        "paper": "dilca",
        "dataset": "balloons",
        "batch": "ward",
        "artefact": "fig03",
        "notebook": "dilca",
    }
    for rule, step in STEPS.items():
        found = plan.inputs(rule, **{name: ids[name] for name in step.wildcards})
        assert found.keys() == {*step.reads, *step.gathers}, rule


def test_a_file_has_one_name_and_one_rule():
    assert sum(len(step.outputs) for step in STEPS.values()) == len(MADE_BY) == len(FILES) - 1
    assert len({*FILES.values()}) == len(FILES)
    assert {"trials", "experiments", "timings", "cases", "findings_pictures"} == FOLDERS


@pytest.mark.parametrize("rule", STEPS)
def test_outputs_of_a_rule_have_the_same_wildcards(rule):
    for pattern in STEPS[rule].outputs.values():
        found = set(re.findall(r"\{(\w+)\}", pattern)) - {"results", "figures"}
        assert found == set(STEPS[rule].wildcards)
