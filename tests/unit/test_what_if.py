"""Readings that steer, and questions that are laid over the configuration."""

import ast
import json

import pytest
from kit import ROOT

from replication.plan.configuration import ConfigError, read_yaml
from replication.plan.plan import Plan
from replication.plan.readings import references, resolved

CONFIG = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")
READINGS = read_yaml(ROOT / "config/readings.yaml", "config/readings.yaml")
QUESTIONS = sorted((ROOT / "config/what-if").glob("*.yaml"))


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Function that loads the configuration under a question."""

    def load(text, name="question", **changes):
        path = tmp_path_factory.mktemp("asked") / f"{name}.yaml"
        path.write_text(text)
        return Plan.load({**CONFIG, **changes, "what_if": str(path)}, ROOT)

    return load


# --- readings that steer --------------------------------------------------------------------------


def test_a_reference_is_the_answer_its_value_or_a_part_of_it():
    readings = {
        "a.plain": {"reconciled": "x"},
        "a.valued": {"reconciled": "x", "values": {"x": 0.5, "y": None}},
        "a.parts": {"reconciled": "y", "values": {"y": {"one": 1, "two": [2]}}},
    }
    content = {
        "first": {"parameters": {"p": "=a.plain", "q": "=a.valued"}},
        "second": {"parameters": {"r": "=a.parts[two]", "s": "as it is"}, "readings": {"b.c": "d"}},
    }
    assert resolved(content, readings, "config/measures.yaml") == {
        "first": {
            "parameters": {"p": "x", "q": 0.5},
            "readings": {"a.plain": "x", "a.valued": "x"},
        },
        "second": {
            "parameters": {"r": [2], "s": "as it is"},
            "readings": {"a.parts": "y", "b.c": "d"},
        },
    }
    assert list(references(content)) == [
        ("first.parameters.p", "a.plain"),
        ("first.parameters.q", "a.valued"),
        ("second.parameters.r", "a.parts"),
    ]


def test_tables_ask_for_the_readings_that_say_so():
    asked = set()
    for path in (ROOT / "src/replication/papers").rglob("*.py"):
        # claims are judged under all answers, and the study has methods of these names
        if path.name != "claims.py" and "study" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and node.value in READINGS:
                    asked.add(node.value)
    said = {name for name, entry in READINGS.items() if entry.get("steers") == "tables"}
    assert asked == said


def test_every_answer_that_steers_can_be_taken(ask):
    others = {
        name: [one for one in entry.get("values", entry["choices"]) if one != entry["reconciled"]]
        for name, entry in READINGS.items()
        if entry.get("steers") != "nothing"
    }
    for i in range(max(map(len, others.values()))):
        answers = {name: some[i] for name, some in others.items() if i < len(some)}
        catalog = ask(json.dumps({"readings": answers}))
        for name, answer in answers.items():
            assert catalog.readings[name]["reconciled"] == answer
            # where nothing but tables follows, the answer itself is all there is
            assert catalog.steered.get(name) or READINGS[name]["steers"] == "tables"


# --- questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_the_questions_that_are_shipped(path):
    assert len(path.read_text().splitlines()) <= 5
    catalog = Plan.load({**CONFIG, "what_if": f"config/what-if/{path.name}"}, ROOT)
    assert catalog.config["roots"] == {
        "results": f"results/whatif-{path.stem}/full",
        "figures": f"results/whatif-{path.stem}/full/figures",
    }
    assert catalog.file("claims", paper="dilca").startswith(f"results/whatif-{path.stem}/full/")


MISTAKES = [
    ("readings: {dilca.word: D2}", ["readings.dilca.word", "'dilca.ward'?"]),
    ("readings: {dilca.ward: D3}", ["readings.dilca.ward", "'D3'", "known: D, D2"]),
    ("readings: {caso.sd: mean}", ["readings.caso.sd", "a record"]),
    ("measures: {dilca_x: {parameters: {}}}", ["measures.dilca_x", "'dilca_m'"]),
    ("measures: {dilca_m: {parameter: {}}}", ["over config/measures.yaml", "'parameters'?"]),
    ("papers: {dilka: {}}", ["papers.dilka", "'dilca'?"]),
    ("papers: {dilca: {datasets: {vot: {missing: value}}}}", ["datasets.vot", "'vote'"]),
    ("papers: {dilca: {datasets: {vote: {missing: val}}}}", ["vote.missing", "'value'?"]),
    ("reading: {dilca.ward: D2}", ["reading: unknown key", "'readings'?"]),
    ("{}", ["at least 1"]),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_a_mistake_in_a_question_is_one_line(ask, text, words):
    with pytest.raises(ConfigError) as caught:
        ask(text)
    message = str(caught.value)
    assert "\n" not in message
    for word in ["question.yaml", *words]:
        assert word in message
    with pytest.raises(ConfigError, match="lower-case letters"):
        ask("readings: {dilca.ward: D2}", name="My question")


# --- what a question changes ----------------------------------------------------------------------


def test_another_answer_reaches_algorithms_and_tables(ask, catalog):
    other = ask("readings: {dilca.ward: D2, dilca.nmi: arithmetic}")
    assert other.algorithms["ward_r"]["parameters"]["recurrence"] == "D2"
    assert catalog.algorithms["ward_r"]["parameters"]["recurrence"] == "D"
    spec = json.loads(other.spec("table", paper="dilca", artefact="fig04"))
    assert spec["choices"]["reconciled"]["dilca.nmi"] == "arithmetic"
    assert spec["choices"]["literal"]["dilca.nmi"] == "sqrt"


def test_parameters_bins_and_cleaning_are_changed_by_id(ask):
    catalog = ask(
        "measures: {delta: {parameters: {aggregation: mean}}}\n"
        "papers: {dilca: {preparations: {mdl: {numeric: equal_width, bins: 3}},"
        " datasets: {vote: {missing: drop}}}}"
    )
    assert catalog.measures["delta"]["parameters"] == {"aggregation": "mean"}
    assert catalog.papers["dilca"]["datasets"]["vote"]["missing"] == "drop"
    assert catalog.papers["dilca"]["preparations"]["mdl"]["bins"] == 3
