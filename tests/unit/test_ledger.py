"""The ledger, its roll-up, and the findings."""

import json

import pandas as pd
import pytest
from kit import PUBLISHED, ROOT

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge import ledger
from replication.judge.cells import ABSENT_ARTEFACT, VERDICT_COLUMNS
from replication.judge.claims import CLAIM_COLUMNS
from replication.judge.published import COLUMNS
from replication.papers.dilca import findings as dilca
from replication.show import breakdown, findings, rollup
from replication.show.claim_counts import count_claims, described, settled


def printed(name, artefact="fig01", **cells):
    row = dict.fromkeys(COLUMNS, "") | {"paper": "toy", "artefact": artefact, "dataset_id": name}
    row |= {"id": f"toy-{artefact}-{name}-m-nmi", "method_id": "m", "metric": "nmi"}
    return row | {"value": "0.5", "printed": "0.5"} | cells


def judged(name, verdict="exact", reading="reconciled", **cells):
    row = dict.fromkeys(VERDICT_COLUMNS, "") | {"id": f"toy-fig01-{name}-m-nmi", "paper": "toy"}
    row |= {"artefact": "fig01", "dataset": name, "method": "m", "metric": "nmi", "oracle": "no"}
    row |= {"printed": "0.5", "reproduced": "0.6", "difference": "0.1"}
    return row | {"reading": reading, "verdict": verdict} | cells


def claim(name, verdict="confirmed", **cells):
    row = dict.fromkeys(CLAIM_COLUMNS, "words, and more")
    return row | {"id": name, "paper": "toy", "verdict": verdict, "asserts": "most"} | cells


@pytest.fixture
def folder(tmp_path):
    published = tmp_path / "published"
    published.mkdir()
    for artefact in ("fig01", "fig09"):
        rows = [printed(name, artefact) for name in ("a", "b")]
        write_rows(published / f"toy_{artefact}.csv", COLUMNS, rows)
    return tmp_path


def write(path, rows):
    write_rows(path, VERDICT_COLUMNS, rows)
    return path


def run(folder, verdicts, sources=(), claims=()):
    spec = {"papers": ["toy"]}
    output = folder / "verdicts.csv"
    ledger.run(spec, verdicts, list(claims), list(sources), folder / "published", output)


def test_every_printed_number_gets_a_verdict(folder):
    rows = [judged("b"), judged("b", "differs", "printed"), judged("a", "differs")]
    run(folder, [write(folder / "v.csv", rows)])
    rows = read_rows(folder / "verdicts.csv")
    found = [(row["id"], row["reading"], row["verdict"]) for row in rows]
    assert found == [
        ("toy-fig01-a-m-nmi", "reconciled", "differs"),
        ("toy-fig01-b-m-nmi", "reconciled", "exact"),
        ("toy-fig01-b-m-nmi", "printed", "differs"),
        ("toy-fig09-a-m-nmi", "reconciled", "not run"),
        ("toy-fig09-b-m-nmi", "reconciled", "not run"),
    ]
    assert rows[-1]["reason"] == ABSENT_ARTEFACT


def test_unavailable_data_sets_are_listed_with_a_remedy(folder):
    sources = []
    for name, status in (("vote", "available"), ("car", "unavailable"), ("zoo", "complete rows")):
        path = folder / f"{name}.json"
        facts = {"dataset": name, "status": status, "reason": "no route, at all", "remedy": "wait"}
        path.write_text(json.dumps(facts))
        sources.append(path)
    run(folder, [], sources)
    rows = read_rows(folder / "unavailable.csv")
    said = {"reason": "no route, at all", "remedy": "wait"}
    assert rows == [
        {"dataset": "car", "status": "unavailable"} | said,
        {"dataset": "zoo", "status": "complete rows"} | said,
    ]


@pytest.mark.parametrize(
    ("names", "words"),
    [("aa", "two verdicts for toy-fig01-a-m-nmi"), ("z", "belong to no printed number of toy")],
)
def test_contradictions_are_refused(folder, names, words):
    with pytest.raises(UserError, match=words):
        run(folder, [write(folder / "v.csv", map(judged, names))])


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("verdicts", "columns must be id, paper, artefact"),
        ("claims", "columns must be id, paper, where"),
    ],
)
def test_a_file_of_other_columns_is_refused(folder, part, words):
    write_rows(folder / "toy.csv", ["id", "verdict"], [])
    with pytest.raises(UserError, match=words):
        run(folder, **{"verdicts": [], part: [folder / "toy.csv"]})


def test_claims_of_all_papers_are_gathered(folder):
    rows = [claim("toy-1"), claim("toy-2", "mixed"), claim("toy-3")]
    write_rows(folder / "toy.csv", CLAIM_COLUMNS, rows)
    run(folder, [], claims=[folder / "toy.csv"])
    assert read_rows(folder / "claims.csv") == rows


COUNTED = [
    judged("a", "differs", "literal"),
    judged("a"),
    judged("b"),
    judged("b", id="b-again", artefact="t"),
]


@pytest.fixture
def rows_of_ledger(tmp_path):
    write_rows(tmp_path / "verdicts.csv", VERDICT_COLUMNS, COUNTED)
    said = {"claim": "a | b", "where": "Section 4", "evidence": "in 2 of 10, all <= 3"}
    said |= {"ours": "2/10", "print": "7/10", "print_verdict": "confirmed"}
    write_rows(tmp_path / "claims.csv", CLAIM_COLUMNS, [claim("toy-1", "refuted", **said)])
    return tmp_path


def rolled_up(folder, papers, timed=()):
    spec = {"papers": papers, "timed": list(timed)}
    files = [folder / f"{name}.csv" for name in ("verdicts", "claims")]
    rollup.run(spec, *files, PUBLISHED, folder / "rollup.md")


TOY = {"id": "toy", "name": "Toy", "note": "", "headline": True}


def table(text):
    """Rows of a Markdown table, by paper."""
    head, _, *body = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
    ]
    return {row[0]: dict(zip(head, row, strict=True)) for row in body}


def test_every_number_counts_once_and_under_the_reconciled_reading(rows_of_ledger):
    rolled_up(rows_of_ledger, [TOY, TOY | {"id": "none", "name": "None"}])
    numbers, claims = map(table, (rows_of_ledger / "rollup.md").read_text().split("\n\n"))
    counted = {"paper": "Toy", "numbers": "2", "printed in": "3", "exact": "2"}
    assert numbers["Toy"] == counted | {"exact by truncation": "0", "exact, literal": "1"}
    assert set(numbers["None"].values()) == {"None", "0"}
    assert numbers["all"] == numbers["Toy"] | {"paper": "all"}
    counts = {"claims": "1", "refuted": "1", "causes of the refuted": "1"}
    assert claims["Toy"] == {"paper": "Toy", **counts}
    assert "<svg" in (rows_of_ledger / "rollup.svg").read_text()


def test_no_file_that_is_kept_moves_with_a_verdict_that_times_decide(rows_of_ledger):
    kept = []
    for said in ("refuted", "confirmed"):
        path = rows_of_ledger / "claims.csv"
        claim = read_rows(path)[0] | {"verdict": said, "ours": f"{said} 1/2", "evidence": said}
        write_rows(path, CLAIM_COLUMNS, [claim])
        rolled_up(rows_of_ledger, [TOY], timed=["toy-1"])
        names = ("rollup.md", "rollup.svg", "claims.md", "deviations.md", "breakdown.md")
        kept.append({name: (rows_of_ledger / name).read_bytes() for name in names})
    assert kept[0] == kept[1]
    claims = table(kept[0]["rollup.md"].decode().split("\n\n")[1])
    counts = {"claims": "1", "timed": "1", "causes of the refuted": "0"}
    assert claims["Toy"] == {"paper": "Toy", **counts}
    assert "toy-1` " not in kept[0]["claims.md"].decode()


def test_the_committed_page_of_claims_is_that_of_the_record(catalog):
    spec = json.loads(catalog.spec("rollup"))
    names = {paper["id"]: paper["name"] for paper in spec["papers"]}
    claims = pd.read_csv(ROOT / "data/record/full/claims.csv", dtype=str, keep_default_na=False)
    made = rollup.claims_markdown(described(settled(claims, spec["timed"]), PUBLISHED), names)
    assert made == (ROOT / "figures/claims.md").read_text("utf-8")


def test_what_differs_says_why():
    rows = [judged("a", "differs", reason="a misprint"), judged("b", "differs"), judged("c")]
    text = rollup.deviations_markdown(pd.DataFrame(rows))
    assert "2 printed numbers differ" in text
    assert "For 1 of them, no variant that we tried" in text
    reasons = [line.split("|")[-2].strip() for line in text.splitlines()[-2:]]
    assert reasons == ["a misprint", "unexplained"]
    shares = [judged("d", "differs", printed="38.05%", reproduced="0.46021")]
    assert "| 38.05%    | 46.021% |" in rollup.deviations_markdown(pd.DataFrame(shares))
    assert "No number differs." in rollup.deviations_markdown(pd.DataFrame(rows[2:]))


def test_the_most_frequent_kind_of_numbers_stands_first():
    rows = pd.DataFrame({"about": [*"abbcccc"], "verdict": ["exact"] * 6 + ["differs"]})
    page = breakdown._crossed(rows, "about", "numbers", ("exact", "differs"))
    assert [line.split()[1] for line in page.splitlines()[2:]] == ["c", "b", "a"]


@pytest.mark.parametrize("part", ["paper", "dataset", "method", "metric", "printed"])
def test_numbers_that_differ_in_a_part_of_their_place_are_two(part):
    one, same, other = judged("a"), judged("a", id="b"), judged("a", id="b", **{part: "0.6"})
    assert rollup.distinct(pd.DataFrame([one, same]))["id"].tolist() == [one["id"]]
    assert len(rollup.distinct(pd.DataFrame([one, other]))) == 2


def test_one_printed_number_has_one_verdict():
    rows = [judged("b", id="b"), judged("b", "differs", id="c")]
    with pytest.raises(UserError, match="b and c are one printed number and have two verdicts"):
        rollup.distinct(pd.DataFrame(rows))


VERDICTS = ("exact", "within noise", "differs", "not comparable", "exact", "not run")
NUMBERS = list(map(judged, "abcdef", VERDICTS))
CLAIMS = [
    claim(f"toy-{i}", verdict)
    for i, verdict in enumerate(("confirmed", "refuted", "mixed", "refuted"))
]


def plain(rows):
    """Claims in words, each with a cause of its own."""
    return pd.DataFrame(rows).assign(stated="words", cause="")


def test_claims_that_fall_by_one_fact_are_one_cause_and_whole_tables_are_counted_apart():
    rows = plain([claim(f"toy-{i}", "refuted") for i in range(5)] + [claim("toy-5")])
    rows["cause"] = ["one fact", "one fact", "", "", "", ""]
    rows["stated"] = [*["words"] * 4, "table", "table"]
    counts = count_claims(rows)
    assert (counts.total, counts.causes) == (4, 3)
    assert counts.tables == {"refuted": 1, "confirmed": 1}
    sentence = findings.fallen_claims(rows).sentence
    assert "Of 4 claims that the papers make in words, 0 are confirmed, 4 refuted" in sentence
    assert "Refuted by 3 causes: 4 of toy by 3." in sentence
    assert sentence.endswith(
        "2 claims that are whole tables or columns are counted apart (1 confirmed, 1 refuted)."
    )
    page = rollup.claims_markdown(rows.assign(where="", evidence=""), {})
    assert "| one fact | toy-0, toy-1 |" in page
    said = rollup.said_of("toy", rows.assign(verdict=[]) if rows.empty else rows[:0], rows)
    assert said.endswith(
        "4 claims (4 refuted) and 2 whole tables or columns (1 confirmed, 1 refuted)"
    )


@pytest.mark.parametrize(
    ("verdict", "ours", "cause"),
    [
        ("refuted", "2/24; 1/2; 1/2", True),
        ("refuted", "24/24; 0/2; 0/2", False),
        ("refuted", "20/24; 0/2; 0/2", False),
        ("timed", "", 0),
    ],
)
def test_a_fact_that_does_not_hold_in_a_run_is_no_cause(verdict, ours, cause):
    rows = pd.DataFrame(
        [
            claim("caso-44", verdict, ours=ours, asserts="all;most;most"),
            claim("caso-42", "refuted"),
            claim("caso-43", "mixed"),
        ]
    )
    found = described(rows, PUBLISHED)
    assert list(map(bool, found["cause"])) == [bool(cause), bool(cause), False]
    assert found["stated"].tolist() == ["words"] * 3


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [("stated", "picture", "stated 'picture'"), ("cause", "moon", "there is no cause 'moon'")],
)
def test_an_unknown_cause_or_form_of_a_claim_is_refused(tmp_path, column, value, words):
    for name in ("claims", "causes"):
        text = (PUBLISHED / f"{name}.csv").read_text("utf-8")
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    rows = read_rows(tmp_path / "claims.csv")
    write_rows(tmp_path / "claims.csv", list(rows[0]), [rows[0] | {column: value}])
    with pytest.raises(UserError, match=words):
        described(pd.DataFrame([claim("toy-1")]), tmp_path)


TESTED = {"significance": ("table11", "table12"), "text": ("table01",)}
"""Tables of means behind tests over data sets, and behind numbers of the text."""


def test_claims_of_a_cause_rest_on_the_evidence_of_the_claim_that_measures_it():
    record = {row["id"]: row for row in read_rows(ROOT / "data/record/full/claims.csv")}
    causes = read_rows(PUBLISHED / "causes.csv")
    published = read_rows(PUBLISHED / "claims.csv")
    asserts = {row["id"]: row["asserts"].split(";") for row in published}
    for cause in causes:
        assert not cause["part"] or int(cause["part"]) <= len(asserts[cause["claim"]])
        members = [row["id"] for row in published if row["cause"] == cause["id"]]
        assert len(members) > 1
        papers = {name.partition("-")[0] for name in [*members, cause["claim"]]}
        assert len(papers) == 1
        known = [record[name] for name in (*members, cause["claim"]) if name in record]
        # tests over data sets are those of the tables of means
        shared = [{*row["artefact"].split(), *TESTED.get(row["artefact"], ())} for row in known]
        assert set.intersection(*shared), cause


def test_numbers_and_claims_are_counted():
    about = ["worked example", *["score"] * 5]
    exact = findings.exact_numbers(pd.DataFrame(NUMBERS).assign(about=about)).sentence
    assert "Exact by kind: 1 of 1 (worked example) and 1 of 3 (score)." in exact
    assert "Of the scores, 1 are within noise; if ours were of another method, about 0" in exact
    assert exact.startswith("Of 4 printed numbers that can be compared, 2 (50%) match")
    assert "2 if the texts are followed literally. Another 1 are within noise." in exact
    rows = pd.DataFrame(NUMBERS).assign(about=about, noise=["", "row orders", *[""] * 4])
    assert "within noise: 1 by row orders." in findings.exact_numbers(rows).sentence
    claims = findings.fallen_claims(plain(CLAIMS)).sentence
    assert "make in words, 1 are confirmed, 2 refuted, and 1 only partly" in claims
    assert "Refuted: 2 of toy." in claims
    assert "significance" not in claims
    tests = [{**one, "asserts": "value;significant"} for one in CLAIMS[1:]]
    said = findings.fallen_claims(plain(tests)).sentence
    assert said.endswith("Of the 3 that assert statistical significance, 0 are confirmed.")
    timed = findings.fallen_claims(settled(plain(CLAIMS), ["toy-1"])).sentence
    assert "1 are confirmed, 1 refuted, and" in timed
    assert ". Another 1 depend on measured times." in timed


def column(dataset, label, printed, ours):
    """Rows of one method: a printed and a reproduced number of each of the three scores."""
    common = {"dataset": dataset, "printed_name": dataset.title(), "label": label}
    return [
        {**common, "metric": metric, "printed": text, "reproduced": str(value)}
        for metric, text, value in zip(("purity", "nmi", "ari"), printed, ours, strict=True)
    ]


def test_a_repeated_column_has_all_three_numbers_of_one_other_method():
    printed, theirs, other = (".5", ".4", ".3"), (0.5, 0.4, 0.3), (0.5, 0.4, 0.9)
    rows = [
        *column("vote", "DELTA", printed, other),
        *column("vote", "PEARSON", (".5", ".4", ".2"), theirs),
        *column("vote", "LIN", printed, other),  # two of three
        *column("zoo", "DELTA", printed, other),
        *column("zoo", "LIN", printed, theirs),
        *column("zoo", "OF", printed, theirs),  # one of two
        *column("car", "DELTA", printed, theirs),  # its own
        *column("car", "LIN", printed, theirs),
    ]
    found = dilca.repeated(rows).sentence
    assert "are ours of a method whose own printed ones differ on Vote (PEARSON)." in found
    # PEARSON and LIN on Vote differ too; LIN is printed with ours of PEARSON
    assert found.endswith(
        "2 other triples of a method on a data set that differ from ours, 1 are "
        "ours of another method."
    )
    printed_too = [*column("zoo", "DELTA", printed, other), *column("zoo", "LIN", printed, theirs)]
    assert "printed for another method on Zoo (LIN)" in dilca.repeated(printed_too).sentence
    assert dilca.repeated(rows[9:]) is None


def found_in(folder):
    write_rows(folder / "verdicts.csv", VERDICT_COLUMNS, NUMBERS)
    write_rows(folder / "claims.csv", CLAIM_COLUMNS, CLAIMS)
    common = {"dataset": "letter", "printed_name": "Letter", "share": 0.01, "comparisons": 0.04}
    rows = [{**common, "measure": "smd", "distance": 0.05}]
    rows.append({**common, "measure": "cado", "distance": 0.56})
    write_rows(folder / "rare.csv", list(rows[0]), rows)
    rare = {"id": "rare", "paper": "caso", "prints": True, "artefact": "rare_values"}
    spec = {"findings": [{**rare, "tables": [str(folder / "rare.csv")]}], "names": {}, "timed": []}
    spec |= {"headline": sorted({row["paper"] for row in NUMBERS + CLAIMS})}
    files = [folder / f"{name}.csv" for name in ("verdicts", "claims")]
    findings.run(spec, *files, PUBLISHED, folder / "findings")
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_every_finding_has_its_sentence_picture_and_link(tmp_path):
    files = found_in(tmp_path)
    text = files["findings.md"].decode()
    for one in findings.read(tmp_path / "findings"):
        assert f"{one['sentence']} See [{one['evidence']}]({one['file']})." in text
        assert f"![{one['seen']}](findings/{one['id']}.svg)" in text
        assert b"<svg" in files[f"findings/{one['id']}.svg"]
    assert "on Letter, 4.0% of the comparisons make up 56% of the distance" in text
    assert found_in(tmp_path) == files


def test_findings_that_were_not_made_say_how(tmp_path):
    with pytest.raises(UserError, match=r"findings\.json: cannot be read"):
        findings.read(tmp_path)


def test_the_committed_findings_lead_to_files_and_to_the_ledger():
    found = findings.read(ROOT / "figures/findings")
    for one in found:
        assert (ROOT / "figures" / one["file"]).is_file(), one
    rows = (ROOT / "figures/rollup.md").read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    total = dict(zip(cells[0], next(row for row in cells if row[0] == "all"), strict=True))
    exact = next(one["sentence"] for one in found if one["id"] == "exact")
    assert f" {total['exact']} (" in exact
    assert f"Another {total['within noise']} are within noise" in exact
