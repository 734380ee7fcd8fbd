"""Configurations that cannot be meant."""

import json
import shutil
import subprocess

import pytest
import yaml
from trust_cases import PAPER, ROOT, load

from couplings.errors import MeasureError
from replication.data.store import read_similarity
from replication.plan.configuration import ConfigError, check_readable, check_roots, read_yaml

CONFIG = "config/config.yaml"


def put(*path, value):
    """Change of one value of a file; a key that is not there is added."""

    def change(content):
        at = content
        for key in path[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        at[path[-1]] = value

    return change


def inline(file):
    """Change of the data set to a table that the paper prints."""
    return put(*EXAMPLE, value={"printed": "Zoo", "missing": "value", "inline": file})


EXAMPLE = ("datasets", "zoo")
RUNS = ("experiments", "runs")
ENTRY = ("stored.yaml: datasets.zoo",)

CHANGES = [
    # name, file, change, what the message must say
    (
        "parameter-of-a-data-set",
        PAPER,
        put(*RUNS, "by_dataset", value={"zoo": {"without_value": {}}}),
        [
            "runs.by_dataset.zoo: unknown parameter 'without_value'",
            "did you mean 'without_values'?",
        ],
    ),
    (
        "parameter",
        PAPER,
        put(*RUNS, "parameters", "prepration", value="codes"),
        ["runs.parameters: unknown parameter 'prepration'", "'preparation'?"],
    ),
    (
        "parameter-of-an-effort",
        PAPER,
        put(*RUNS, "by_effort", value={"quick": {"preparatoin": "codes"}}),
        ["runs.by_effort.quick", "'preparation'?"],
    ),
    (
        "effort",
        PAPER,
        put(*RUNS, "by_effort", value={"quik": {"preparation": "codes"}}),
        ["runs.by_effort: unknown effort 'quik'", "'quick'?"],
    ),
    (
        "data-set-of-by-dataset",
        PAPER,
        put(*RUNS, "by_dataset", value={"zooo": {"preparation": "codes"}}),
        ["by_dataset", "'zooo'", "'zoo'?"],
    ),
    ("up", PAPER, inline("../../../etc/passwd"), [*ENTRY, "inline", "copy"]),
    ("up-inside", PAPER, inline("a/../../b.csv"), [*ENTRY, "leads out"]),
    ("absolute", PAPER, inline("/etc/passwd"), [*ENTRY, "leads out"]),
    ("itself", PAPER, inline("."), [*ENTRY, "leads out"]),
    ("no-name", PAPER, inline(""), [*ENTRY, "leads out"]),
    ("braces", PAPER, inline("my{x}.csv"), [*ENTRY, "'{'", "rename it"]),
    ("wildcard", PAPER, inline("my{dataset}.csv"), [*ENTRY, "'{'"]),
    ("backslash", PAPER, inline("my\\x.csv"), [*ENTRY, "rename it"]),
    ("line-break", PAPER, inline("my\nx.csv"), [*ENTRY, "rename it"]),
    ("nul-in-a-name", PAPER, inline("my\0x.csv"), [*ENTRY, "rename it"]),
    ("printed", PAPER, put(*EXAMPLE, "printed", value="a\nb"), [*ENTRY, "printed", "one line"]),
    (
        "class-as-attribute",
        PAPER,
        put(*EXAMPLE, "attributes", value=["hair", "type"]),
        ["datasets.zoo.attributes: 'type' is the class"],
    ),
    (
        "class-as-number",
        PAPER,
        put(*EXAMPLE, "numeric", value=["type"]),
        ["datasets.zoo.numeric: 'type' is the class"],
    ),
    ("missing", PAPER, put(*EXAMPLE, "missing", value="maybe"), ["missing", "'maybe'", "impute"]),
    ("numeric-text", PAPER, put(*EXAMPLE, "numeric", value="gears"), ["numeric", "a list"]),
    ("class-number", PAPER, put(*EXAMPLE, "class", value=5), ["class: is 5", "a text"]),
    ("key", PAPER, put(*EXAMPLE, "clas", value="use"), ["datasets.zoo.clas", "'class'?"]),
    (
        "bins",
        PAPER,
        put("preparations", "codes", "bins", value=10**9),
        ["preparations.codes.bins: is 1000000000, must be at most 10000"],
    ),
    ("no-bins", PAPER, put("preparations", "codes", "bins", value=0), ["bins: is 0", "at least 1"]),
    (
        "half-bins",
        PAPER,
        put("preparations", "codes", "bins", value=2.5),
        ["bins: is 2.5", "whole"],
    ),
    ("bins-true", PAPER, put("preparations", "codes", "bins", value=True), ["bins: is true"]),
    ("no-trials", PAPER, put(*RUNS, "trials", value=0), ["runs.trials: is 0", "at least 1"]),
    ("measure", PAPER, put(*RUNS, "measures", value=["smdd"]), ["measures[0]", "'smd'?"]),
    (
        "algorithm",
        PAPER,
        put(*RUNS, "algorithms", value=["kmodes_onlin"]),
        ["algorithms[0]", "'kmodes_online'?"],
    ),
    ("twice", PAPER, put(*RUNS, "measures", value=["smd", "smd"]), ["measures", "'smd'", "twice"]),
    (
        "preparation",
        PAPER,
        put(*RUNS, "preparations", value=["code"]),
        ["preparations[0]", "'codes'?"],
    ),
    (
        "function",
        PAPER,
        put(*RUNS, "run", value="replication.papers.stored.experiments:run"),
        ["runs.run", "'runs'?"],
    ),
    (
        "module",
        PAPER,
        put(*RUNS, "run", value="replication.papers.stored.experiment:runs"),
        ["runs.run", "no module"],
    ),
    ("no-function", PAPER, put(*RUNS, "run", value="runs"), ["runs.run", "a text like"]),
    (
        "kind",
        PAPER,
        put("artefacts", "partitions", "kind", value="partition"),
        ["kind", "'partitions'?"],
    ),
    ("timeout-nan", CONFIG, put("data", "timeout", value=float("nan")), ["data.timeout", "finite"]),
    ("timeout-inf", CONFIG, put("data", "timeout", value=float("inf")), ["data.timeout", "finite"]),
    ("timeout-large", CONFIG, put("data", "timeout", value=1e300), ["timeout", "at most 3600"]),
    ("timeout-zero", CONFIG, put("data", "timeout", value=0), ["timeout", "more than 0"]),
    ("timeout-less", CONFIG, put("data", "timeout", value=-1), ["timeout", "more than 0"]),
    ("timeout-true", CONFIG, put("data", "timeout", value=True), ["timeout: is true", "a number"]),
    ("seed", CONFIG, put("seed", value=1.5), ["seed: is 1.5", "whole number"]),
    ("mirrors", CONFIG, put("data", "mirrors", value="../x"), ["data.mirrors", "a list"]),
    ("mirror", CONFIG, put("data", "mirrors", value=[""]), ["data.mirrors[0]"]),
    ("trials", CONFIG, put("limits", "trials", value="printd"), ["limits.trials", "printed"]),
    ("orders", CONFIG, put("limits", "row_orders", value=float("inf")), ["row_orders", "finite"]),
    ("roots", CONFIG, put("roots", "results", value="results/{x}"), ["roots.results"]),
    ("paper", CONFIG, put("papers", value=["strored"]), ["papers[0]", "'stored'?"]),
    ("effort-name", CONFIG, put("effort", value="Full run"), ["effort", "a text like"]),
    (
        "class-of-a-measure",
        "config/measures.yaml",
        put("smd", "class", value="couplings.measures.frequency:SimpelMatching"),
        ["smd.class", "'SimpleMatching'?"],
    ),
    (
        "module-of-a-measure",
        "config/measures.yaml",
        put("smd", "class", value="couplings.measure:X"),
        ["smd.class", "no module 'couplings.measure'"],
    ),
    (
        "odd-number-of-a-measure",
        "config/measures.yaml",
        put("smd", "parameters", value={"x": float("nan")}),
        ["smd.parameters.x: is nan"],
    ),
]


@pytest.mark.parametrize(
    ("file", "change", "words"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_a_value_that_cannot_be_meant(root, file, change, words):
    path = root / file
    content = yaml.safe_load(path.read_text())
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
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}], y{i}: 1}}\n" for i in range(1, 9)
)
TEXTS = [
    # name, content, what the message must say
    ("aliases", BOMB, ["references (& and *)", "more than 200000 values", "write out"]),
    ("merges", MERGES, ["references", "write out"]),
    ("circle", "a: &a\n  b: *a\n", ["references", "circle"]),
    ("list-circle", "a: &a [*a]\n", ["references", "circle"]),
    ("deep", "a: " + "[" * 3000 + "]" * 3000 + "\n", ["nested too deep"]),
    ("digits", "a: " + "9" * 5000 + "\n", ["cannot be read"]),
    ("date", "a: 2024-99-99\n", ["cannot be read"]),
    ("object", "a: !!python/object/apply:os.system [echo]\n", ["line 1", "remove the tag"]),
    ("name", "a: !!python/name:os.system\n", ["line 1", "remove the tag"]),
    ("own-tag", "a: !thing 5\n", ["line 1", "remove the tag"]),
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


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere.yaml", ["nowhere.yaml: cannot be read"]), (".", ["cannot be read"])],
)
def test_a_configuration_that_is_no_file(tmp_path, refused, name, words):
    said = refused("check", tmp_path / name)
    assert all(word in said for word in words)


def test_lists_by_reference_are_no_bomb(root):
    path = root / PAPER
    text = path.read_text()
    path.write_text(text + "beside: &b [x]\n")
    check_readable([path])
    assert "zoo" in load(root).computed("stored")


def test_every_effort_has_its_own_place(root):
    config = read_yaml(root / CONFIG, CONFIG)
    check_roots(config, root, CONFIG)
    with pytest.raises(ConfigError, match=r"roots\.\w+: '\S+' belongs to the effort 'full'"):
        check_roots({**config, "effort": "quick"}, root, CONFIG)
    own = {"results": "results/x", "figures": "results/x/figures"}
    check_roots({**config, "effort": "mine", "roots": own}, root, CONFIG)


def test_a_paper_that_is_gone_is_named(root):
    catalog = load(root)
    with pytest.raises(
        ConfigError, match=r"config/papers/strored\.yaml: there is no such file.*'stored'"
    ):
        catalog.targets("strored")


REGISTERED = [
    # class, parameters, what the message must say
    ("couplings.measures.dilca:DilcaM", {"sigmaa": 0.5}, ["sigmaa", "did you mean 'sigma'?"]),
    ("couplings.measures.dilca:DilcaN", {}, ["DilcaN"]),
    ("couplings.measures.dilka:DilcaM", {}, ["dilka"]),
    ("couplings.measures.dilca", {}, ["couplings.measures.dilca"]),
    (":DilcaM", {}, ["':DilcaM'"]),
]


@pytest.mark.parametrize(("name", "parameters", "words"), REGISTERED)
def test_a_registered_class_that_cannot_be_made(
    tmp_path, refused, accepted, job, name, parameters, words
):
    accepted("discretize", *job.discretize(job.file("a,b,use\nx,p,u\ny,q,v\nx,q,u\n")))
    fit = {"measure": "m", "class": name, "parameters": parameters, "setting": {}}
    spec = {"preparations": {"bins": [fit]}}
    words_ = ["--spec", json.dumps(spec), "--tables", job.tables, "--output", tmp_path / "o.npz"]
    said = refused("similarity", *words_)
    for word in words:
        assert word in said


@pytest.mark.parametrize("sigma", ["x", -3])
def test_a_measure_that_refuses_its_parameter_is_named_where_it_is_asked_for(
    tmp_path, accepted, job, sigma
):
    accepted("discretize", *job.discretize(job.file("a,b,use\nx,p,u\ny,q,v\nx,q,u\n")))
    fit = {"measure": "m", "class": "couplings.measures.dilca:DilcaM", "setting": {}}
    spec = {"preparations": {"bins": [{**fit, "parameters": {"sigma": sigma}}]}}
    path = tmp_path / "o.npz"
    accepted("similarity", "--spec", json.dumps(spec), "--tables", job.tables, "--output", path)
    with pytest.raises(MeasureError, match="sigma"):
        read_similarity(path, "bins", ["m"]).of("m")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(
    ("effort", "word"),
    [
        ("", "is no name of an effort"),
        ("x; touch p", "is no name of an effort"),
        ("x;touch p", "is no name of an effort"),
        ("a/b", "is no name of an effort"),
        ("../x", "is no name of an effort"),
        ("`touch p`", "is no name of an effort"),
        ("quik", "there is no config/quik.yaml"),
    ],
)
def test_an_effort_of_make_is_a_name(tmp_path, effort, word):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml", ".venv/ready"):  # the last is the newest
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    done = subprocess.run(
        ["make", "reproduce", f"EFFORT={effort}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert word in done.stderr
    assert not (tmp_path / "p").exists()
