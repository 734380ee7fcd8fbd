"""The step `claims`: every claim has one test, and every verdict its evidence."""

import pandas as pd
import pytest
from kit import ROOT, printed_claims, recorded

from replication.errors import UserError
from replication.files import read_rows, write_rows
from replication.judge import claims
from replication.judge.claims import (
    CONFIRMED,
    MIXED,
    NEARLY,
    NOT_RUN,
    NOT_TESTABLE,
    REFUTED,
    Count,
    Outcome,
    cases,
    grade,
)


def told(held, total, printed=None, part=1):
    """An outcome that holds in some of its cases, and in so many on the printed values."""
    first = [i < held for i in range(total)] if held is not None else None
    second = None if printed is None else [i < printed for i in range(total)]
    return Outcome(cases(range(total), first, print_holds=second, part=part), "fig01")


def published(*names, asserts="all", margin=""):
    row = dict.fromkeys(claims.PUBLISHED_COLUMNS, "x") | {"asserts": asserts, "margin": margin}
    return [row | {"id": name} for name in names]


@pytest.fixture
def evidence(tmp_path):
    for dataset, status, score in (("vote", "ok", 0.5), ("car", "unavailable", None)):
        row = {"dataset": dataset, "status": status, "score": score}
        recorded(tmp_path / f"grid.{dataset}.parquet", [row])
    (tmp_path / "fig01.csv").write_text("dataset,reading,reproduced\nvote,fixed,1.5\nNA,fixed,\n")
    (tmp_path / "fig02.csv").write_text("artefact\n")
    inputs = [{"role": "experiment", "experiment": "grid", "datasets": ["vote", "car"]}]
    inputs[0]["file"] = str(tmp_path / "grid.{dataset}.parquet")
    inputs += [
        {"role": "table", "artefact": name, "file": str(tmp_path / f"{name}.csv")}
        for name in ("fig01", "fig02")
    ]
    return claims.Evidence({"paper": "toy", "effort": "quick", "inputs": inputs}, tmp_path)


GENERAL = {
    (3, 3): CONFIRMED,
    (47, 48): NEARLY,
    (9, 10): NEARLY,
    (89, 100): MIXED,
    (5, 6): MIXED,
    (7, 12): MIXED,
    (6, 12): MIXED,
    (5, 12): REFUTED,
    (1, 12): REFUTED,
    (0, 4): REFUTED,
    (2, 6, 4): NOT_TESTABLE,
    (0, 6, 2): REFUTED,
    (0, 6, 4): NOT_TESTABLE,
}
"""Held and all cases, and those that cannot be told, of a statement without a quantifier."""
ALMOST = {(10, 10): CONFIRMED, (9, 10): CONFIRMED}
ALMOST |= {(8, 10): MIXED, (5, 10): MIXED, (4, 10): REFUTED}
GRADES = {
    **dict.fromkeys(("all", "value", "significant", "order", "print"), GENERAL),
    "almost": ALMOST,
    "theorem": {(10, 10): CONFIRMED, (999, 1000): REFUTED},
    "most": {(6, 10): CONFIRMED, (5, 10): MIXED, (4, 10): REFUTED},
    "half": {(5, 10): CONFIRMED, (4, 10): REFUTED},
    "some": {(1, 10): CONFIRMED, (0, 10): REFUTED},
    "authors": {(10, 10): NOT_TESTABLE},
}


@pytest.mark.parametrize(
    ("quantifier", "counts", "verdict"),
    [(name, *one) for name, grades in GRADES.items() for one in grades.items()],
)
def test_a_statement_is_graded_by_its_quantifier(quantifier, counts, verdict):
    assert grade(quantifier, Count(*counts)) == verdict


ORDER = (REFUTED, MIXED, NEARLY, CONFIRMED)


@pytest.mark.parametrize("quantifier", [name for name in claims.QUANTIFIERS if name != "authors"])
@pytest.mark.parametrize("total", [1, 2, 3, 7, 10, 11, 40])
def test_one_more_case_never_makes_a_verdict_worse(quantifier, total):
    ranks = [ORDER.index(grade(quantifier, Count(held, total))) for held in range(total + 1)]
    assert ranks == sorted(ranks)
    assert ranks[0] == ORDER.index(REFUTED)
    assert ranks[-1] == ORDER.index(CONFIRMED)


@pytest.mark.parametrize("total", [1, 2, 5, 10, 12, 48])
def test_who_claims_more_is_never_treated_more_leniently(total):
    for held in range(total + 1):
        ranks = [
            ORDER.index(grade(name, Count(held, total)))
            for name in ("theorem", "all", "almost", "half", "some")
        ]
        assert ranks == sorted(ranks)
        most = ORDER.index(grade("most", Count(held, total)))
        assert (ranks[2] <= most) or most == ORDER.index(MIXED)


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([CONFIRMED], CONFIRMED),
        ([CONFIRMED, NEARLY], NEARLY),
        ([CONFIRMED, REFUTED], MIXED),
        ([CONFIRMED, MIXED], MIXED),
        ([CONFIRMED, REFUTED, REFUTED], REFUTED),
        ([CONFIRMED, NOT_TESTABLE], NOT_TESTABLE),
        ([REFUTED, NOT_TESTABLE], REFUTED),
    ],
)
def test_a_claim_asserts_all_its_parts(parts, verdict):
    assert claims.whole(parts) == verdict


def test_much_close_and_about_are_one_margin_each(evidence):
    plain, much = (evidence.of({"margin": name}) for name in ("", "much"))
    assert plain.ahead(0.51, 0.5)
    assert not plain.ahead(0.5 + 1e-12, 0.5)
    assert much.ahead(0.55, 0.5)
    assert not much.ahead(0.54, 0.5)
    assert plain.close(0.54, 0.5)
    assert not plain.close(0.56, 0.5)
    assert plain.small(4, 9)
    assert not plain.small(5, 10)
    assert claims.about(0.36, 1 / 3)
    assert not claims.about(0.379, 1 / 3)


def test_the_other_form_of_a_word_is_relative_for_scores_and_absolute_for_parts(evidence):
    other = {"relative": evidence.of({"margin": "much"}, {"form": "relative"})}
    other["absolute"] = evidence.of({"margin": ""}, {"form": "absolute"})
    assert other["relative"].ahead(0.13, 0.1)
    assert not other["relative"].ahead(0.59, 0.5)
    assert other["relative"].close(0.59, 0.5)
    assert not other["relative"].close(0.13, 0.1)
    assert other["absolute"].small(5, 6)
    assert not other["absolute"].small(6, 100)


def test_a_claim_is_judged_under_every_answer_that_it_asks_for(evidence):
    def test(evidence):
        sign = evidence.choice("toy.sign", "plus", "minus")
        step = evidence.choice("toy.step", "one", "ten")
        held = 10 if (sign, step) != ("minus", "ten") else 2
        return told(held if evidence.close(0.13, 0.1) else 8, 10)

    [row], found = claims.judge({"toy-1": test}, published("toy-1"), evidence)
    assert (row["verdict"], row["readings"]) == (CONFIRMED, "3/4")
    assert row["under"] == (
        "toy.sign, toy.step: plus, one confirmed 10/10; plus, ten confirmed 10/10; "
        "minus, one confirmed 10/10; minus, ten refuted 2/10"
    )
    assert row["other_form"] == "relative: mixed 8/10"
    assert len(found["toy-1"]) == 10


def test_a_question_that_only_another_answer_asks_is_asked(evidence):
    def test(evidence):
        held = True
        if evidence.choice("toy.sign", "plus", "minus") == "minus":
            held = evidence.choice("toy.step", "one", "ten", "all") != "ten"
            held = evidence.choice("toy.end", "open", "closed") == "open" if held else held
        return told(int(held), 1)

    [row], _ = claims.judge({"toy-1": test}, published("toy-1"), evidence)
    assert row["readings"] == "3/6"
    assert row["under"] == (
        "toy.sign, toy.step, toy.end: plus confirmed 1/1; minus, one, open confirmed 1/1; "
        "minus, one, closed refuted 0/1; minus, ten refuted 0/1; minus, all, open confirmed 1/1; "
        "minus, all, closed refuted 0/1"
    )


def test_an_answer_without_evidence_is_not_run_and_confirms_nothing(evidence):
    def test(evidence):
        if evidence.choice("toy.table", "there", "absent") == "absent":
            raise claims.MissingEvidenceError("no such table")
        return told(1, 1)

    [row], _ = claims.judge({"toy-1": test}, published("toy-1"), evidence)
    assert (row["verdict"], row["readings"]) == (CONFIRMED, "1/2")
    assert row["under"] == "toy.table: there confirmed 1/1; absent not run "
    assert row["other_form"] == ""


@pytest.fixture(scope="module")
def printed():
    return list(printed_claims().values())


def test_every_published_claim_says_what_it_asserts(printed):
    assert len(printed) == 233
    assert all(map(claims.asserted, printed))


def test_every_theorem_names_a_test_that_there_is(printed):
    files = {path.stem: path.read_text("utf-8") for path in ROOT.glob("tests/*/test_*.py")}
    for claim in printed:
        file, _, function = claim["test"].partition("::")
        assert not file or f"def {function}(" in files[file], claim["id"]
        # the growth of a time has no test but its measurement
        assert claim["test"] or "theorem" not in claim["asserts"] or claim["id"] == "cde-41"


@pytest.mark.parametrize(
    ("row", "words"),
    [({"asserts": "all;many"}, "asserts 'many'"), ({"margin": "clearly"}, "margin 'clearly'")],
)
def test_an_unknown_assertion_is_refused(row, words):
    [claim] = published("toy-1")
    with pytest.raises(UserError, match=words):
        claims.asserted(claim | row)


def test_no_function_of_a_paper_can_set_a_verdict():
    words = ("CONFIRMED", "REFUTED", "MIXED", "NEARLY", "NOT_TESTABLE")
    for path in sorted((ROOT / "src/replication/papers").glob("*/claims*.py")):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in words if word in text], path


def test_a_claim_is_tested_once():
    book = claims.ClaimBook()
    book.about("toy-1")(lambda evidence: None)
    with pytest.raises(ValueError, match="toy-1 is tested twice"):
        book.about("toy-1")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda e: e.table("fig09"), "no table 'fig09' in this run"),
        (lambda e: e.table("fig02"), "fig02 has no numbers"),
        (lambda e: e.experiment("other"), "no experiment 'other'"),
        (lambda e: e.experiment("grid", ["vote", "car"]), "was not run on car"),
        (lambda e: e.tests(), "no tests in this run"),
        (lambda e: e.need(e.table("fig01"), "dataset", ["vote", "zoo"]), "effort quick.*: zoo"),
    ],
)
def test_what_was_not_run_is_named(evidence, ask, words):
    with pytest.raises(claims.MissingEvidenceError, match=words):
        ask(evidence)


def test_a_claim_without_evidence_is_not_run(evidence):
    def asks(evidence):
        evidence.table("fig09")

    book = {"toy-1": asks, "toy-2": lambda e: told(1, 1)}
    rows, _ = claims.judge(book, published("toy-1", "toy-2"), evidence)
    assert [row["verdict"] for row in rows] == [NOT_RUN, CONFIRMED]
    assert "fig09" in rows[0]["evidence"]
    assert rows[1]["ours"] == "1/1"


def test_print_and_our_numbers_stand_in_columns_of_their_own(evidence):
    book = {"toy-1": lambda e: told(2, 10, printed=7)}
    [row], _ = claims.judge(book, published("toy-1", asserts="most"), evidence)
    assert (row["verdict"], row["ours"]) == (REFUTED, "2/10")
    assert (row["print_verdict"], row["print"]) == (CONFIRMED, "7/10")


def test_what_only_the_authors_can_decide_is_not_testable(evidence):
    for found in (Outcome(None, note="their machine"), told(0, 1)):
        book = {"toy-1": lambda e, found=found: found}
        [row], _ = claims.judge(book, published("toy-1", asserts="authors"), evidence)
        assert row["verdict"] == NOT_TESTABLE


@pytest.mark.parametrize("names", [["toy-1"], ["toy-1", "toy-2", "toy-3"]])
def test_claims_and_tests_must_match(evidence, names):
    book = dict.fromkeys(["toy-1", "toy-2"], lambda e: told(1, 1))
    with pytest.raises(UserError, match=r"toy-[23]"):
        claims.judge(book, published(*names), evidence)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Outcome(None), "its test gives no evidence"),
        (Outcome(None, note="so"), "no case that decides"),
        (
            Outcome(pd.concat([cases("a", [True]), cases("b", [True], part=2)])),
            r"asserts 1 part\(s\), its test counts 2",
        ),
    ],
)
def test_an_outcome_fits_its_claim(evidence, found, words):
    with pytest.raises(ValueError, match=words):
        claims.judge({"toy-1": lambda e: found}, published("toy-1"), evidence)


def test_claims_of_other_columns_are_refused(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text("id,claim\n")
    with pytest.raises(UserError, match="columns must be"):
        claims.run({"paper": "disc", "effort": "", "inputs": []}, tmp_path, path, tmp_path)


def test_the_step_writes_a_row_per_claim(tmp_path, monkeypatch):
    rows = [{**row, "paper": row["id"][:3]} for row in published("toy-1", "any-2")]
    write_rows(tmp_path / "claims.csv", claims.PUBLISHED_COLUMNS, rows)
    book = claims.ClaimBook({"toy-1": lambda e: told(0, 1)})
    monkeypatch.setattr(claims, "load_class", lambda name: book)
    spec = {"paper": "toy", "effort": "full", "inputs": []}
    claims.run(spec, tmp_path, tmp_path / "o.csv", tmp_path / "cases")
    (row,) = read_rows(tmp_path / "o.csv")
    found = [row[key] for key in ("id", "verdict", "evidence")]
    assert found == ["toy-1", REFUTED, "Not for 0. Holds in 0 of 1."]


def test_the_sentence_of_evidence_comes_from_the_cases():
    first = cases(
        ["Adult", "Zoo", "Car"],
        [False, True, None],
        ours=[0.41, 0.9, 0.5],
        printed=[0.52, 0.9, None],
        print_holds=[True, True, False],
        margin=[-0.11, 0.0, 0.0],
    )
    outcome = Outcome(first, note="A remark.")
    assert outcome.evidence() == (
        "A remark. Not for Adult (ours 0.410, printed 0.52). Holds in 1 of 3, 1 cannot be told; on "
        "the printed values holds in 2 of 3."
    )
    assert list(map(str, outcome.counts("holds"))) == ["1/3 (1 cannot be told)"]
    assert first["holds"].tolist() == ["no", "yes", "cannot be told"]


def test_a_row_may_stand_for_many_cases_and_the_furthest_is_named_first():
    failed = cases("abc", [False] * 3, margin=[-1, -2, None], part=2)
    outcome = Outcome(pd.concat([cases(["tables"], [True], n=[100]), failed]))
    assert list(map(str, outcome.counts("holds"))) == ["100/100", "0/3"]
    assert outcome.evidence() == (
        "Part 2 not for b, a, c. Part 1 holds in 100 of 100; part 2 holds in 0 of 3."
    )


def test_more_than_three_cases_are_a_table_and_percent_stands_against_percent():
    failed = cases(
        "abcde",
        [False] * 5,
        ours=[-0.04167, 0.02, 0.03, 0.01, 0.0],
        printed=["5.56% to 16.50%", "9%", "0.52", "seven", "NA"],
        margin=[-5, -4, -3, -2, -1],
    )
    assert Outcome(failed).evidence() == (
        "Not for a (ours -4.167%, printed 5.56% to 16.50%), b (ours 2.0%, printed 9%), "
        "c (ours 0.030, printed 0.52) and 2 more cases. Holds in 0 of 5."
    )
