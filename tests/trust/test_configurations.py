"""Configurations that cannot be meant."""

import json
import shutil

import pytest
import yaml
from kit import ROOT, called, parsed
from trust_cases import GOOD, PAPER, load

from couplings.errors import MeasureError
from replication.data.store import read_archive
from replication.plan import configuration
from replication.plan.configuration import ConfigError, read_yaml
from replication.plan.plan import Plan

CONFIG = "config/config.yaml"


def put(*path, value):
    """Change of one value of a file; a key that is not there is added."""

    def change(content):
        at = content
        for key in path[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        at[path[-1]] = value

    return change


def run(key, value):
    """Change of the experiment."""
    return PAPER, put("experiments", "runs", key, value=value)


def zoo(key, value):
    """Change of the data set."""
    return PAPER, put("datasets", "zoo", key, value=value)


def bins(value):
    return PAPER, put("preparations", "codes", "bins", value=value)


def config(*path, value):
    return CONFIG, put(*path, value=value)


def printed_as(file):
    """Change of the data set to a table that the paper prints."""
    entry = {"printed": "Zoo", "missing": "value", "inline": file}
    return PAPER, put("datasets", "zoo", value=entry)


def smd(key, value):
    """Change of the measure."""
    return "config/measures.yaml", put("smd", key, value=value)


NO_FILE = ("..", "../../../etc/passwd", "a/../../b.csv", "/etc/passwd", ".", "", "my{dataset}.csv")
NO_FILE += ("my\\x.csv", "my\nx.csv", "my\0x.csv")
NO_TIME = (0, -1, 1e-300, 1e300, True, float("nan"), float("inf"))
CHANGES = [
    # file, change, what the message must say
    (*run("by_effort", {"quik": {}}), ["runs.by_effort: unknown effort 'quik'", "'quick'?"]),
    (*run("by_dataset", {"zooo": {}}), ["by_dataset", "'zooo'", "'zoo'?"]),
    (*run("trials", 0), ["runs.trials: is 0", "equal to 1"]),
    (*run("measures", ["smdd"]), ["measures[0]", "'smd'?"]),
    (*run("measures", ["smd", "smd"]), ["measures", "'smd'", "twice"]),
    (*run("alone", True), ["experiments.runs", "`alone`", "remove one"]),
    (
        PAPER,
        lambda content: content["experiments"].update(
            runs={"run": "replication.papers.crosscheck.experiments:runs", "similarities": ["smd"]}
        ),
        ["experiments.runs", "add both"],
    ),
    (*run("run", "replication.papers.crosscheck.experiment:runs"), ["runs.run", "no module"]),
    (*run("run", "runs"), ["runs.run", "match pattern"]),
    *((*printed_as(name), ["datasets.zoo.inline", "match pattern"]) for name in NO_FILE),
    (*printed_as("no.csv"), ["datasets.zoo.inline: there is no file data/bundled/no.csv"]),
    (*zoo("printed", "a\nb"), ["datasets.zoo.printed", "match pattern"]),
    (*zoo("attributes", ["hair", "type"]), ["datasets.zoo.attributes: 'type' is the class"]),
    (*zoo("numeric", "gears"), ["datasets.zoo.numeric", "valid list"]),
    (*zoo("missing", "impte"), ["missing", "'impte'", "'impute'?", "value, drop"]),
    (*zoo("clas", "use"), ["datasets.zoo.clas", "'class'?"]),
    (*bins(10**9), ["preparations.codes.bins: is 1000000000", "equal to 10000"]),
    (*bins(2.5), ["bins: is 2.5", "valid integer"]),
    (PAPER, put("preparations", "codes", "numeric", value="equal_width"), ["needs `bins`"]),
    (PAPER, put("artefacts", "tilt", "outputs", value=["figure"]), ["tilt", "table"]),
    (PAPER, put("comparisons", value=[{"methods": ["a", "b"]}]), ["comparisons[0].run", "missing"]),
    *((*config("data", "timeout", value=time), ["data.timeout: is "]) for time in NO_TIME),
    (*config("data", "mirrors", value="../x"), ["data.mirrors", "valid list"]),
    (*config("limits", "trials", value="printd"), ["limits.trials", "'printed'?"]),
    (*config("limits", "row_orders", value=float("inf")), ["row_orders: is Infinity"]),
    (*config("limits", "samples", value=2**63), ["limits.samples", "equal to 1000000"]),
    (*config("effort", value="Full run"), ["effort", "match pattern"]),
    (*config("effort", value="config"), ["effort: config is the name of another file"]),
    (*config("effort", value="a" * 5000), ["effort", "at most 100"]),
    (*config("limits", "trials", value=-1), ["limits.trials: is -1", "equal to 1"]),
    (*config("limits", "datasets", value=[1]), ["limits.datasets[0]: is 1", "valid string"]),
    (
        PAPER,
        lambda content: content["experiments"].update(
            runs={"run": "replication.papers.crosscheck.experiments:runs", "each": "measures"}
        ),
        ["experiments.runs: `each: measures` needs `measures`"],
    ),
    (
        *smd("class", "couplings.measures.frequency:SimpelMatching"),
        ["smd.class", "'SimpleMatching'?"],
    ),
    (*smd("class", "couplings.measure:X"), ["smd.class", "no module 'couplings.measure'"]),
]


@pytest.mark.parametrize(("file", "change", "words"), CHANGES, ids=[case[2][0] for case in CHANGES])
def test_a_value_that_cannot_be_meant(root, file, change, words):
    path = root / file
    content = parsed(path)
    change(content)
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False))
    with pytest.raises(ConfigError) as caught:
        load(root)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 1000
    for word in [file, *words]:
        assert word in said


BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)
MERGES = "a0: &a0 {x0: 1, y0: 2}\n" + "".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}], x{i}: 1}}\n" for i in range(1, 12)
)
NESTED = "{x: 1}"
for i in range(12):
    NESTED = f"{{<<: [&n{i} {NESTED}{f', *n{i}' * 9}]}}"
TEXTS = [
    # name, content, what the message must say
    ("aliases", BOMB, ["references", "write the values out"]),
    ("merges", MERGES, ["references", "write the values out"]),
    ("nested-merges", f"a: {NESTED}\n", ["references", "write the values out"]),
    ("circle", "a: &a\n  b: *a\n", ["line 1", "recursive"]),
    ("list-circle", "a: &a [*a]\n", ["line 1", "recursive"]),
    ("deep", "a: " + "[" * 3000 + "]" * 3000 + "\n", ["nested too deep"]),
    ("digits", "a: " + "9" * 5000 + "\n", ["cannot be read"]),
    ("date", "a: 2024-99-99\n", ["cannot be read"]),
    ("object", "a: !!python/object/apply:os.system [echo]\n", ["line 1", "a tag (!)"]),
    ("name", "a: !!python/name:os.system\n", ["line 1", "a tag (!)"]),
    ("own-tag", "a: !thing 5\n", ["line 1", "a tag (!)"]),
    ("twice", "a: 1\nb: 2\na: 3\n", ["line 3", "'a' is given twice"]),
    ("tab", "a:\n\tb: 1\n", ["line 2", "not valid YAML"]),
    ("open", "a: [1\nb: 2\n", ["line 2", "not valid YAML", "bracket"]),
    ("quote", 'a: "x\n', ["not valid YAML", "quote"]),
    ("list", "- a\n- b\n", ["must hold keys and values"]),
    ("text", "only words\n", ["must hold keys and values", "'only words'"]),
    ("empty", "", ["must hold keys and values", "empty"]),
    ("number-key", "1: a\n", ["line 1", "'1' is not text", "quotes"]),
    ("list-key", "? [a, b]\n: 1\n", ["line 1", "is not text"]),
    ("nul", "a: \0\n", ["not valid YAML"]),
    ("utf16", "a: 1\n".encode("utf-16"), ["cannot be read", "UTF-8"]),
    ("binary", b"\xff\xfe\0\1", ["cannot be read", "UTF-8"]),
    ("no-anchor", "a: *b\n", ["line 1", "not valid YAML"]),
    ("octal", "a: 1\nseed: 017\n", ["line 2", "'017' is another number", "quotes"]),
    ("sexagesimal", "seed: 1:30\n", ["line 1", "'1:30' is another number"]),
    ("sexagesimal-float", "seed: 1:30.5\n", ["'1:30.5' is another number"]),
    ("grouped", "seed: 1_000\n", ["'1_000' is another number"]),
    ("hexadecimal", "seed: 0x10\n", ["'0x10' is another number"]),
    ("binary-number", "seed: 0b11\n", ["'0b11' is another number"]),
    ("two-documents", "a: 1\n---\nb: 2\n", ["not valid YAML"]),
]


@pytest.mark.parametrize(
    ("content", "words"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS]
)
def test_a_file_that_is_no_configuration(tmp_path, refused, content, words):
    path = tmp_path / "mine.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = refused("check", path)
    for word in ["mine.yaml", *words]:
        assert word in said


def test_a_folder_is_no_configuration(tmp_path, refused):
    assert f"{tmp_path}: cannot be read" in refused("check", tmp_path)


@pytest.mark.parametrize(
    "text", ["0", "-3", "+4", "12", "1.5", "-0.5", "1e3", "2.5e-3", ".5", "7."]
)
def test_ordinary_numbers_mean_what_is_written(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(f"a: {text}\n")
    # YAML 1.1 takes 1e3 for a text
    assert float(read_yaml(path, path.name)["a"]) == float(text)


def test_a_large_file_is_not_called_a_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(configuration, "MOST_PIECES", 100)
    path = tmp_path / "mine.yaml"
    path.write_text(f"a: {[*range(100)]}\n")
    with pytest.raises(ConfigError, match="too many values; split it"):
        read_yaml(path, path.name)


def test_many_plain_keys_are_no_bomb(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("".join(f"k{i}: {i}\n" for i in range(100_000)))
    assert len(read_yaml(path, path.name)) == 100_000


def test_a_mistake_under_a_file_of_changes_names_that_file(root):
    (root / "config/what-if").mkdir()
    (root / "config/what-if/mine.yaml").write_text("measures: {smd: {class: 'couplings.x:Y'}}\n")
    config = read_yaml(root / CONFIG, CONFIG) | {"what_if": "config/what-if/mine.yaml"}
    with pytest.raises(ConfigError, match=r"^config/what-if/mine\.yaml over config/measures\.yaml"):
        Plan.load(config, root)


@pytest.mark.parametrize("name", ["x" * 5000, "config/" + "a/" * 500 + "b.yaml", "A.yaml", "a\0b"])
def test_a_file_of_changes_has_a_short_name(root, name):
    config = read_yaml(root / CONFIG, CONFIG) | {"what_if": name}
    with pytest.raises(ConfigError, match="at most 200 letters"):
        Plan.load(config, root)


def test_lists_by_reference_are_no_bomb(root):
    path = root / PAPER
    text = path.read_text()
    path.write_text(text + "clustered: &b [x]\n")
    read_yaml(path, path.name)
    assert "zoo" in load(root).computed("crosscheck")


REGISTERED = [
    # class, parameters, what the message must say
    ("couplings.measures.dilca:DilcaM", {"sigmaa": 0.5}, ["sigmaa", "did you mean 'sigma'?"]),
    ("couplings.measures.dilca:DilcaN", {}, ["DilcaN"]),
    ("couplings.measures.dilka:DilcaM", {}, ["there is no 'couplings.measures.dilka:DilcaM'"]),
    ("couplings.measures.dilca", {}, ["couplings.measures.dilca"]),
    (":DilcaM", {}, ["':DilcaM' is not in couplings"]),
    ("couplings.table:CategoricalTable", {}, ["not a class with a method `fit`"]),
    ("couplings.table:np", {}, ["'couplings.table:np' is defined elsewhere"]),
    ("builtins:dict", {}, ["'builtins:dict' is not in couplings", "--config plugins=PATH"]),
]


@pytest.fixture
def learning(tmp_path, accepted, job):
    """Function that gives the words of `similarity`, for a class and its parameters."""
    accepted("discretize", *job.discretize(job.file(GOOD)))
    words = ["--tables", job.tables, "--output", tmp_path / "o.npz"]

    def call(name, parameters):
        fit = {"measure": "m", "class": name, "parameters": parameters, "setting": {}}
        return ["similarity", "--spec", json.dumps({"preparations": {"bins": [fit]}}), *words]

    return call


@pytest.mark.parametrize(("name", "parameters", "words"), REGISTERED)
def test_a_registered_class_that_cannot_be_made(refused, learning, name, parameters, words):
    said = refused(*learning(name, parameters))
    for word in words:
        assert word in said


@pytest.mark.parametrize("sigma", ["x", -3])
def test_a_measure_that_refuses_its_parameter_is_named_where_it_is_asked_for(
    tmp_path, accepted, learning, sigma
):
    accepted(*learning("couplings.measures.dilca:DilcaM", {"sigma": sigma}))
    with pytest.raises(MeasureError, match="sigma"):
        read_archive(tmp_path / "o.npz", "bins", ["m"]).fit("m")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(
    ("effort", "word"),
    [
        *(
            (effort, "is not the name of an effort")
            for effort in ("", "x; touch p", "x;touch p", "a/b", "../x", "`touch p`")
        ),
        ("quik", "error: EFFORT=quik: there is no config/quik.yaml; known: full quick"),
    ],
)
def test_an_effort_of_make_is_a_name(tmp_path, effort, word):
    shutil.copy(ROOT / "Makefile", tmp_path)
    # the last is the newest
    for name in ("requirements.lock", "pyproject.toml", "config/quick.yaml", ".venv/ready"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    done = called("make", "reproduce", f"EFFORT={effort}", cwd=tmp_path)
    assert done.returncode == 2
    assert word in done.stderr
    assert not (tmp_path / "p").exists()
