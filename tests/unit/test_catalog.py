"""The plan of a run, and other readings of it."""

import ast
import itertools
import json
import re
import runpy
import shutil

import pytest
from kit import ROOT, RUN

from replication.plan.compute_jobs import outputs_of
from replication.plan.configuration import ConfigError, read_yaml
from replication.plan.lineage import files_of
from replication.plan.plan import Plan
from replication.plan.readings import references, resolved

LISTED = f"papers: [{', '.join(RUN)}]"


def load(root, **changes):
    config = read_yaml(root / "config/config.yaml", "config/config.yaml")
    for key, value in changes.items():
        config[key] = {**config[key], **value} if isinstance(value, dict) else value
    return Plan.load(config, root)


@pytest.fixture
def root(tmp_path):
    """Repository whose configuration can be broken."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "workflow").mkdir()
    for name in ("src", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def edit(root, name, old, new):
    path = root / "config" / name
    text = path.read_text()
    assert old in text, f"{old!r} is not in {name}"
    path.write_text(text.replace(old, new, 1))


MIRRORS, SOURCES = "mirrors: []", "datasets.yaml"
CONFIG, DILCA, INDEPENDENT = "config.yaml", "papers/dilca.yaml", "papers/crosscheck.yaml"
MISTAKES = [
    # file, text, replacement, what the message must say
    (CONFIG, "effort:", "efort:", ["config/config.yaml", "efort: unknown key", "'effort'"]),
    (CONFIG, "seed: 20120301", "seed: soon", ["seed", "'soon'", "valid integer"]),
    (CONFIG, "papers: [dilca,", "papers: [dilka,", ["papers[0]", "'dilka'", "'dilca'?"]),
    (CONFIG, LISTED, "papers: []", ["papers: is []", "at least 1 item"]),
    (CONFIG, "official: true", "official: maybe", ["data.official", "valid boolean"]),
    (CONFIG, "seed: 20120301\n", "", ["seed", "missing"]),
    (CONFIG, "datasets: all", "datasets: [vot]", ["limits.datasets[0]", "'vot'", "'vote'?"]),
    (CONFIG, "datasets: all", "datasets: al", ["limits.datasets", "'al'", "'all'?"]),
    (CONFIG, "datasets: all", "datasets: [car, car]", ["limits.datasets", "'car'", "twice"]),
    ("measures.yaml", "dilca_rr:", "Dilca-RR:", ["config/measures.yaml", "Dilca-RR", "valid id"]),
    ("measures.yaml", "dilca.su: clip", "dilca.su: cli", ["readings.dilca.su", "'clipped'?"]),
    ("measures.yaml", "dilca.su: clipped", "dilca.sux: clipped", ["'dilca.sux'", "'dilca.su'?"]),
    ("measures.yaml", "{rounding: =dilca.su}", "{rounding: =dilca.sux}", ["an unknown reading"]),
    ("algorithms.yaml", "[ridge]", "[rigde]", ["mixture.parameters.ridge", "has no part 'rigde'"]),
    ("readings.yaml", "values: {mdl: mdl,", "values: {mdk: mdl,", ["'mdl'", "'mdk'?"]),
    ("readings.yaml", "reconciled: D\n", "reconciled: E\n", ["dilca.ward.reconciled", "'E'"]),
    ("readings.yaml", '"4": it is', "4: it is", ["config/readings.yaml, line", "'4' is not text"]),
    ("datasets.yaml", "  class: rings\n", "", ["config/datasets.yaml", "abalone.class", "missing"]),
    (SOURCES, "class: rings", "class: ring", [SOURCES, "abalone.class", "'ring'", "'rings'?"]),
    (SOURCES, "numeric: [length", "numeric: [lenght", ["abalone.numeric[0]", "'length'?"]),
    (SOURCES, "suffix: {class", "suffix: {clas", ["adult.files[1].strip_suffix", "'class'?"]),
    (SOURCES, "  identifiers: [", "  identifiers: [nam, ", ["identifiers[0]", "'nam'"]),
    (SOURCES, "  ignored:\n", "  ignored:\n    idd: none\n", [".ignored", "'idd'"]),
    (SOURCES, "url: https://archive", "url: https:/archive", ["abalone.files[0].url", "pattern"]),
    (SOURCES, "url: https://archive.ics.uci.edu/", "url: https://a:b/", ["[0].url", "no address"]),
    (SOURCES, "quote: '\"'", 'quote: ","', ["parse.quote: is ','", "match pattern"]),
    *(
        (CONFIG, MIRRORS, f"mirrors: [{place!r}]", ["data.mirrors[0]", "folder or http", "correct"])
        for place in ("htp://a", "http:/a", "https://", "http://a:b/", "http://a/?b", "~nobody_/a")
    ),
    (DILCA, "source: car\n", "source: cars\n", ["datasets.car.source", "'car'?"]),
    (DILCA, "    source: car\n", "", ["datasets.car", "exactly one of"]),
    (DILCA, "bser:", "bsr:", ["datasets.audiology.mode_ties", "'bsr'", "'bser'?"]),
    (DILCA, "numeric: [age]", "numeric: [aga]", ["numeric[0]", "'aga'", "'age'?"]),
    (DILCA, "parts: [yellow", "parts: [yelow", ["balloons.parts[0]", "'yellow"]),
    (DILCA, "measure: dilca_m,", "measure: dilca_n,", ["methods.dilca_m", "'dilca_m'?"]),
    (DILCA, "algorithm: ward_r}", "algorithm: ward_d2}", ["dilca.ward", "change one"]),
    (DILCA, "algorithm: rock_merge}", "algorithm: rock_merg}", ["rock.beside.at_least.algorithm"]),
    (DILCA, "      at_least: {", "      fixed: {", ["rock.beside.fixed: this id is taken"]),
    (DILCA, "fixed: {sigma: 0.5}", "fixed: {sigma: 0.55}", ["fixed.sigma", "0.55"]),
    (DILCA, "&generated [syn_a,", "&generated [syn_aa,", ["generated.datasets[0]", "'syn_a'?"]),
    (DILCA, "kind: quality", "kind: qualty", ["artefacts.fig03.kind", "'quality'?"]),
    (DILCA, "{artefact: fig15, dataset: car", "{artefact: fig15, dataset: cat", ["notes["]),
    (DILCA, "scores: [inverse", "score: [inverse", ["comparisons[0]", "'scores'?"]),
    (DILCA, "repeated: [unex", "repeated: [unes", ["repeated[0]", "'unexplained'?"]),
    (DILCA, "repeated: [unex", "repeted: [unex", ["findings.repeted", "'repeated'?"]),
    ("papers/caso.yaml", "examples:worked\n", "examples:works\n", ["worked.run", "'worked'?"]),
    (SOURCES, "gaps: [bi_rads", "gaps: [bi_rds", ["complete_rows.gaps", "'bi_rads'?"]),
    (
        INDEPENDENT,
        "{preparation: codes, b",
        "{preparations: codes, b",
        ["s.runs: p", "'preparation'?"],
    ),
    (INDEPENDENT, "codes, bases: 50", "codes", ["experiments.runs:", "missing", "add it"]),
]


def said_in_one_line(caught, words):
    message = str(caught.value)
    assert "\n" not in message
    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize(("name", "old", "new", "words"), MISTAKES)
def test_a_mistake_is_one_line_with_place_value_and_remedy(root, name, old, new, words):
    edit(root, name, old, new)
    with pytest.raises(ConfigError) as caught:
        load(root)
    said_in_one_line(caught, words)


def test_values_of_a_wildcard_are_sorted(catalog):
    assert catalog.ids("paper") == sorted(catalog.papers)


def test_jobs_of_a_cluster_do_not_check_what_the_run_has_checked(catalog):
    assert Plan.load(BASE, ROOT, check=False) == catalog
    assert Plan.load({**BASE, "papers": ["none"]}, ROOT, check=False).config["papers"] == ["none"]


def test_parameters_are_checked_again_when_they_changed(root, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "replication.plan.checks.check_parameters", lambda *_, **given: asked.append(given)
    )
    load(root)
    assert asked
    asked.clear()
    load(root)
    assert asked == []
    edit(root, "papers/planted.yaml", "parameters:", "parameters:\n      unasked: 1")
    load(root)
    assert any("unasked" in given for given in asked)


def test_texts_of_the_command_line_become_numbers_and_truth_values():
    given = {"limits": {"row_orders": "3", "trials": "7"}}
    given["data"] = {"official": "False", "timeout": "2.5"}
    config = load(ROOT, **given).config
    assert (config["limits"]["row_orders"], config["limits"]["trials"]) == (3, 7)
    assert (config["data"]["official"], config["data"]["timeout"]) == (False, 2.5)
    assert load(ROOT, limits={"trials": "printed"}).config["limits"]["trials"] == "printed"
    with pytest.raises(ConfigError, match=r"limits\.row_orders: is '2\.5'. Input"):
        load(ROOT, limits={"row_orders": "2.5"})


def test_every_path_of_a_specification_is_an_input(catalog):
    for artefact in catalog.artefacts("dilca"):
        spec = json.loads(catalog.spec("table", paper="dilca", artefact=artefact))
        files = catalog.inputs("table", paper="dilca", artefact=artefact)["files"]
        assert outputs_of(spec["inputs"]) == files
        assert files
        assert len(set(files)) == len(files)


def test_seeds_are_only_where_numbers_are_drawn(catalog):
    seed = catalog.config["seed"]
    for dataset, expected in (("syn_a", seed), ("adult", seed), ("vote", None)):
        spec = json.loads(catalog.spec("discretize", paper="dilca", dataset=dataset))
        assert spec["seed"] == expected, dataset


def test_a_pipeline_beside_the_readings_is_run_and_shown(catalog):
    ids = {"paper": "dilca", "dataset": "vote", "batch": "direct"}
    spec, _ = json.loads(catalog.spec("trials", **ids))["methods"]
    found = {one["reading"]: one["algorithm"]["parameters"] for one in spec["readings"]}
    assert found["at_least"] == {"label": "merge"}
    assert found["reconciled"] == {"label": "merge", "strict": True, "naming": "last"}
    wanted = catalog.inputs("table", paper="dilca", artefact="fig03")["files"]
    assert catalog.file("trials", **ids) in wanted
    table = json.loads(catalog.spec("table", paper="dilca", artefact="fig03"))
    assert [one["id"] for one in table["methods"] if "beside" in one] == ["rock"]


def test_the_report_names_the_papers_of_a_source(catalog):
    found = {one["id"]: one["papers"] for one in json.loads(catalog.spec("report"))["sources"]}
    assert (found["abalone"], found["car"]) == (["coupledmc"], ["dilca", "disc", "crosscheck"])


def test_limits_leave_out_but_never_hide():
    catalog = load(ROOT, limits={"datasets": ["car"]}, effort="quick")
    assert catalog.computed("dilca") == ["car"]
    assert catalog.sources() == ["car"]
    spec = json.loads(catalog.spec("table", paper="dilca", artefact="fig03"))
    assert {name for entry in spec["inputs"] for name in entry["datasets"]} == {"car"}
    left_out = {one["dataset"]: one["reason"] for one in spec["left_out"]}
    assert {one["id"] for one in spec["datasets"]} == {"car", *left_out}
    assert "limits.datasets" in left_out["vote"]
    assert catalog.targets("dilca") == load(ROOT, effort="quick").targets("dilca")


def test_only_the_used_part_of_the_configuration_is_in_a_specification(catalog, root):
    edit(root, DILCA, 'text: "the printed purities', 'text: "As known, the printed purities')
    edit(root, SOURCES, 'title: "Car', 'title: "The Car')
    edit(root, "measures.yaml", "label: DILCA_RR", "label: DILCA_R")
    bins = "bins10: {numeric: equal_width, bins: "
    edit(root, DILCA, f"{bins}10", f"{bins}9")
    other = load(root)
    ids = {"paper": "dilca", "dataset": "car"}
    assert other.spec("download", dataset="car") == catalog.spec("download", dataset="car")
    assert other.spec("similarity", **ids) == catalog.spec("similarity", **ids)
    ours, theirs = (json.loads(one.spec("discretize", **ids)) for one in (catalog, other))
    assert ours["preparations"].pop("bins10") != theirs["preparations"].pop("bins10")
    assert ours == theirs
    table = {"paper": "dilca", "artefact": "fig02"}
    assert other.spec("table", **table) != catalog.spec("table", **table)


def test_commands_stay_far_below_the_longest_that_a_shell_takes(catalog):
    """One argument of a process, here a whole command, can have 131072 characters."""
    jobs = [(rule, {}) for rule in ("report", "ledger", "provenance")]
    for paper in catalog.papers:
        jobs.append(("claims", {"paper": paper}))
        artefacts = [{"paper": paper, "artefact": one} for one in catalog.artefacts(paper, "table")]
        datasets = [{"paper": paper, "dataset": one} for one in catalog.computed(paper)]
        jobs += itertools.product(["table"], artefacts)
        jobs += itertools.product(["discretize", "similarity", "experiment", "timing"], datasets)
    assert len(jobs) > 200
    for rule, ids in jobs:
        assert len(catalog.spec(rule, **ids)) < 80_000, (rule, ids)


def test_unavailable_data_sets_are_named(root):
    catalog = load(root)
    assert catalog.unavailable() == []
    path = root / catalog.file("unavailable")
    path.parent.mkdir(parents=True)
    head = "dataset,status,reason,remedy\n"
    path.write_text(head)
    assert catalog.unavailable() == []
    row = "{},unavailable,offline,connect\n".format
    path.write_text(head + row("car") + row("zoo") + "mammographic_masses,complete rows,x,y\n")
    names, remedy = catalog.unavailable()
    assert "NOT AVAILABLE: car, zoo, mammographic_masses (complete rows only)." in names
    assert remedy.endswith("make retry reproduce EFFORT=full")
    path.write_text(head + row("car") + row("titanic"))
    assert catalog.unavailable()[1:] == [remedy, "  No address serves titanic; see data/README.md."]


def test_figures_that_hold_measured_times_are_not_kept(catalog):
    kept_out = set(re.findall(r"(?m)^figures/(\w+)/(\w+)\.\*$", (ROOT / ".gitignore").read_text()))
    timed = {
        (paper, name)
        for paper, content in catalog.papers.items()
        for name, entry in content["artefacts"].items()
        for one in entry.get("experiments", [])
        if content["experiments"][one].get("alone")
    }
    assert kept_out <= timed
    # what is kept of times is rough: under a minute, orders of magnitude to the nearest half
    assert timed - kept_out == {("dilca", "text"), ("cde", "text")}


BASE = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")
READINGS = read_yaml(ROOT / "config/readings.yaml", "config/readings.yaml")
FOLLOWING = [*(ROOT / "config").glob("*.yaml"), *(ROOT / "config/papers").glob("*.yaml")]
STEERED = {name for path in FOLLOWING for _, name in references(read_yaml(path, path.name))}
QUESTIONS = sorted((ROOT / "config/what-if").glob("*.yaml"))


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Function that loads the configuration under a question."""

    def load(text, name="question", **changes):
        path = tmp_path_factory.mktemp("asked") / f"{name}.yaml"
        path.write_text(text)
        return Plan.load({**BASE, **changes, "what_if": str(path)}, ROOT)

    return load


def test_a_reference_is_the_answer_its_value_or_a_part_of_it():
    readings = {
        "a.plain": {"reconciled": "x"},
        "a.valued": {"reconciled": "x", "values": {"x": 0.5, "y": None}},
        "a.parts": {"reconciled": "y", "values": {"y": {"one": 1, "two": [2]}}},
    }
    first = {"parameters": {"p": "=a.plain", "q": "=a.valued"}}
    second = {"parameters": {"r": "=a.parts[two]", "s": "as it is"}, "readings": {"b.c": "d"}}
    content = {"first": first, "second": second}
    first = {"parameters": {"p": "x", "q": 0.5}, "readings": {"a.plain": "x", "a.valued": "x"}}
    second = {"parameters": {"r": [2], "s": "as it is"}}
    second["readings"] = {"a.parts": "y", "b.c": "d"}
    expected = {"first": first, "second": second}
    assert resolved(content, readings, "config/measures.yaml") == expected
    assert list(references(content)) == [
        ("first.parameters.p", "a.plain"),
        ("first.parameters.q", "a.valued"),
        ("second.parameters.r", "a.parts"),
    ]


def test_tables_ask_for_the_readings_that_say_so():
    asked = set()
    papers = ROOT / "src/replication/papers"
    for path in papers.rglob("*.py"):
        # claims are judged under all answers, and the study has methods of these names
        if path.name != "claims.py" and "study" not in path.relative_to(papers).parts:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and node.value in READINGS:
                    asked.add(node.value)
    said = {name for name, entry in READINGS.items() if entry.get("steers") == "tables"}
    assert asked == said


def test_a_record_steers_nothing_and_every_other_reading_something(catalog):
    for name, entry in catalog.readings.items():
        steers = entry.get("steers")
        assert (name in STEERED) == (steers is None) or steers == "tables", name


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
            assert name in STEERED or READINGS[name]["steers"] == "tables"


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_the_questions_that_are_shipped(path):
    assert len(path.read_text().splitlines()) <= 5
    catalog = Plan.load({**BASE, "what_if": f"config/what-if/{path.name}"}, ROOT)
    assert catalog.config["roots"] == {
        "results": f"results/whatif-{path.stem}/full",
        "figures": f"results/whatif-{path.stem}/full/figures",
    }
    assert catalog.file("claims", paper="dilca").startswith(f"results/whatif-{path.stem}/full/")


def test_a_reading_links_what_it_leaves_alike_and_no_more(catalog, tmp_path, monkeypatch):
    program = runpy.run_path(str(ROOT / "tools/readings.py"))
    plan = Plan.load({**BASE, "what_if": "config/what-if/ward.yaml"}, ROOT)
    jobs = program["jobs_behind"](plan)
    assert {job.rule for job in jobs} >= {"discretize", "similarity", "trials", "timing", "table"}
    monkeypatch.chdir(tmp_path)
    for job in jobs:
        for file in files_of(catalog, job):
            path = tmp_path / file
            folder = not path.suffix or (job.rule == "trials" and path.suffix != ".parquet")
            made = path / "records" if folder else path
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(file)
    assert program["seed"](catalog, catalog, jobs) == []
    other = program["seed"](catalog, plan, jobs)
    kept = program["kept"](catalog)
    assert {job.rule for job in other if job.ids["dataset"] in kept} == {"trials"}
    assert {job.ids["paper"] for job in other} == {"dilca"}
    for job in jobs:
        for file in files_of(plan, job):
            assert (tmp_path / file).exists() == (job not in other), file
    linked = tmp_path / plan.file("verdicts", paper="cde", artefact="table01")
    assert linked.stat().st_nlink == 2


MISTAKEN_QUESTIONS = [
    ("question: What if?", ["changes nothing"]),
    ("readings: {}\nmeasures: {}", ["changes nothing"]),
    ("readings: {dilca.word: D2}", ["readings.dilca.word", "'dilca.ward'?"]),
    ("readings: {dilca.ward: D3}", ["readings.dilca.ward", "'D3'", "known: D, D2"]),
    ("readings: {caso.sd: mean}", ["readings.caso.sd", "a record"]),
    ("measures: {dilca_x: {parameters: {}}}", ["measures.dilca_x", "'dilca_m'"]),
    ("measures: {dilca_m: {parameter: {}}}", ["over config/measures.yaml", "'parameters'?"]),
    ("papers: {dilka: {}}", ["papers.dilka", "'dilca'?"]),
    ("papers: {dilca: {datasets: {vot: {missing: value}}}}", ["datasets.vot", "'vote'"]),
    ("papers: {dilca: {datasets: {vote: {missing: val}}}}", ["vote.missing", "'value'?"]),
    ("reading: {dilca.ward: D2}", ["reading: unknown key", "'readings'?"]),
    ("{}", ["changes nothing"]),
]


@pytest.mark.parametrize(("text", "words"), MISTAKEN_QUESTIONS)
def test_a_mistake_in_a_question_is_one_line(ask, text, words):
    with pytest.raises(ConfigError) as caught:
        ask(text)
    said_in_one_line(caught, ["question.yaml", *words])


def test_a_question_is_named_in_lower_case(ask):
    with pytest.raises(ConfigError, match="lower-case letters"):
        ask("readings: {dilca.ward: D2}", name="My question")


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
