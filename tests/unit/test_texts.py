"""Texts that speak of a run: every figure is a reference, and every reference has a value."""

import json
import re
import shutil

import article
import pandas as pd
import pytest
import texts
import yaml
from kit import ROOT

from replication.errors import UserError
from replication.text import checks
from replication.text.render import TYPST, rendered, stated
from replication.text.view import Rows, View

RECORD = ROOT / "data" / "record" / "full"
SOURCES = {
    path.relative_to(texts.PAGES).as_posix(): path for path in sorted(texts.PAGES.rglob("*.md"))
}
# parts that the build of the documentation writes from the record are no sources
WRITTEN = ("docs/_build", "docs/_generated")
CHECKED = {
    path.relative_to(ROOT).as_posix(): path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not path.relative_to(ROOT).as_posix().startswith(WRITTEN)
    and path.parent != ROOT / "docs/letters"
} | SOURCES
ARTICLE = article.ARTICLE / "article.typ"
READINGS = yaml.safe_load((ROOT / "config/readings.yaml").read_text("utf-8"))
RECORDED = View.of_record(ROOT)
NOTES = [
    (path.stem, note)
    for path in sorted((ROOT / "config/papers").glob("*.yaml"))
    for note in yaml.safe_load(path.read_text("utf-8")).get("notes", [])
]


@pytest.fixture
def view(tmp_path):
    """View of the record's ledger, with the figures of one small study."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study/duels.csv").write_text(
        "first,second,verdict,p,gain,least\n"
        "cde,smd,better,0.0004,0.25,0.3\nlin,smd,worse,0.04,-0.5,\nadd,smd,worse,0.2,0.75,0.5\n"
    )
    return View.of_record(ROOT, RECORD, tmp_path)


DUELS = 'table("study/duels")'


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        (f'{DUELS}.one(first="cde").verdict', "better"),
        (f"{DUELS} | length", "3"),
        (f'{DUELS}.where(verdict="worse") | length | word', "two"),
        (f'{DUELS}.where(verdict="the same") | length | Word', "None"),
        (f'{DUELS}.where(first=["cde", "lin"]) | length', "2"),
        (f'{DUELS}.without(verdict="worse") | length', "1"),
        (f'{DUELS}.containing(verdict="or") | length', "2"),
        (f'{DUELS}.having("p < 0.05 and gain > 0") | length', "1"),
        (f'{DUELS}.having("gain > least") | length', "1"),
        (f'{DUELS}.summary("max", "gain") | percent', "75 %"),
        (f'{DUELS}.summary("min", "gain") | decimals(1)', "−0.5"),
        (f'{DUELS}.without(least="").summary("mean", "least") | decimals', "0.40"),
        (f'{DUELS}.distinct("verdict") | length', "2"),
        (f'{DUELS}.named("first")', "cde, lin and add"),
        (f'({DUELS}.where(verdict="worse") | length) / ({DUELS} | length)) | percent(1)', None),
        (f'(({DUELS}.where(verdict="worse") | length) / 3) | percent(1)', "66.7 %"),
        (f'{DUELS}.one(first="cde").p | p_value', "< .001"),
        (f'{DUELS}.one(first="lin").p | p_value', ".040"),
        (f"holds({DUELS} | length == 3)", ""),
        ("4321", "4,321"),
        ('label("dilca-fig03")', "Fig. 3"),
        ('claim("dilca-17").kind', "numeric"),
        ('number("dilca-fig02-audiology-features").printed', "59"),
        ('every_paper.one(paper="cde").name', "CDE"),
    ],
)
def test_a_reference_has_one_text(view, reference, text):
    source = f"{{{{ {reference} }}}}"
    if text is None:
        with pytest.raises(UserError, match=r"^x:1: "):
            rendered(source, view, "x")
    else:
        assert rendered(source, view, "x") == text


def test_rows_are_a_table_of_the_language(view):
    counts = f'{{{{ {DUELS}.crossed("second") | table }}}}'
    assert rendered(counts, view, "x").splitlines()[2] == "| smd | 1 | 2 | 3 |"
    cells = f'{{{{ {DUELS}.where(verdict="worse").cells("first", "p", p=1) | table }}}}'
    assert rendered(cells, view, "x", TYPST) == '(("lin", "0.0", ), ("add", "0.2", ), )'


def test_typst_takes_no_text_of_the_run_for_markup(view):
    assert rendered('{{ "a_b #c [d] *e*" }}', view, "x", TYPST) == r"a\_b \#c \[d\] \*e\*"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ('table("study/duel") | length', "make reproduce writes the tables"),
        (f'{DUELS}.where(frist="cde") | length', "did you mean 'first'"),
        (f'{DUELS}.one(second="smd").p', "3 rows with {'second': 'smd'}, not one"),
        (f'{DUELS}.one(first="lcm").p', "0 rows"),
        (f'{DUELS}.one(first="cde").gian', "did you mean 'gain'"),
        (f'{DUELS}.summary("mean", "gain")', "is no count; give it a format"),
        (f'{DUELS}.summary("most", "gain")', "there is no summary 'most'"),
        (f'{DUELS}.one(first="cde").verdict | decimals', "could not convert"),
        (f'{DUELS}.having("p <")', "the condition 'p <'"),
        (f'1 / ({DUELS}.where(first="lcm") | length)', "division by zero"),
        ('number("dilca-99").printed', "there is no printed number 'dilca-99'"),
        ('claim("dilca-99").verdict', "0 rows with {'id': 'dilca-99'}"),
        ("nothing", "'nothing' is undefined"),
        ("numbers.", "expected name or number"),
        (f'holds({DUELS} | length == 2, "two duels")', "does not hold in this run: two duels"),
        ("''.__class__.__mro__", "unsafe"),
        ("claims._view._root", "is undefined|unsafe"),
    ],
)
def test_a_reference_without_a_value_is_refused_with_its_line(view, reference, said):
    with pytest.raises(UserError, match=r"^a.md:2: ") as error:
        rendered(f"first line\n{{{{ {reference} }}}}", view, "a.md")
    assert re.search(said if "|" in said else re.escape(said), str(error.value))


def test_the_counts_of_the_view_are_those_of_the_roll_up():
    rows = (ROOT / "figures/rollup.md").read_text("utf-8").splitlines()
    heads, alls = (
        [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row[:8] == begin]
        for begin in ("| paper ", "| all   ")
    )
    view = View.of_record(ROOT)
    for found, head, counts in zip((view.numbers, view.claims), heads, alls, strict=True):
        for verdict, count in zip(head, counts, strict=True):
            if verdict in ("exact", "within noise", "confirmed", "refuted", "timed"):
                assert len(found.where(verdict=verdict)) == int(count)


def test_every_page_is_what_its_source_says_of_the_record():
    found = texts.pages()
    letters = {f"docs/letters/{one.paper}.md" for one in RECORDED.every_paper}
    assert {path.relative_to(ROOT).as_posix() for path in found} == {*SOURCES, *letters} - {
        "letter.md"
    }
    for path, text in found.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `make readme`"


@pytest.mark.parametrize("name", CHECKED)
def test_no_figure_of_a_page_is_typed(name):
    assert checks.typed_figures(CHECKED[name].read_text("utf-8"), name) == []


@pytest.mark.parametrize("name", CHECKED)
def test_no_verdict_of_a_page_is_typed(name):
    assert checks.typed_verdicts(CHECKED[name].read_text("utf-8"), name) == []


@pytest.mark.parametrize("name", ["README.md", "letter.md", "docs/papers/cde.md"])
def test_a_wrong_count_or_a_false_none_in_a_page_is_found(name):
    source = CHECKED[name].read_text("utf-8")
    count = source + "\nOf the claims 93 are as printed.\n"
    assert [one for one in checks.typed_figures(count, name) if "93" in one]
    none = source + "\nNone of the claims of CASO is refuted.\n"
    assert [one for one in checks.typed_verdicts(none, name) if "None" in one or "refuted" in one]


@pytest.mark.parametrize("name", ["README.md", "docs/papers/dilca.md"])
def test_a_false_none_with_its_condition_stops_the_rendering(name):
    source = CHECKED[name].read_text("utf-8")
    none = '\nNone is refuted{{ holds(claims.where(verdict="refuted") | length == 0) }}.\n'
    assert checks.typed_verdicts(source + none, name) == []
    with pytest.raises(UserError, match="does not hold in this run"):
        rendered(source + none, RECORDED, name)


@pytest.mark.parametrize("name", READINGS)
def test_the_evidence_of_a_reading_is_computed(name):
    evidence = READINGS[name]["evidence"]
    assert checks.typed_figures(evidence, name) == []
    assert checks.typed_verdicts(evidence, name) == []
    assert "{{" not in rendered(evidence, RECORDED, name)


@pytest.mark.parametrize(("paper", "note"), NOTES)
def test_a_note_has_no_typed_result_and_its_condition_holds(paper, note):
    assert checks.typed_in_note(note, paper) == []
    if "holds" in note:
        condition = "{{ holds(" + note["holds"] + ") }}"
        assert rendered(condition, RECORDED, f"{paper}: {note['text']}") == ""


def test_what_an_unexplained_note_names_is_there():
    for paper, note in NOTES:
        for name in re.findall(r"`make tried NAME=(\w+)`", note["text"]):
            assert (ROOT / "workflow/tried" / f"{name}.py").is_file(), (paper, note)


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ({"text": "93 of the objects give the printed digits"}, "'93'"),
        ({"text": "none of the other columns is exact"}, "'none of the other"),
        ({"text": "unexplained; tried: two settings"}, "names no"),
        ({"text": "unexplained; tried: 3 of 7 orders (`make tried NAME=dilca_lin`)"}, "'3'"),
    ],
)
def test_a_planted_result_in_a_note_is_found(note, said):
    assert [one for one in checks.typed_in_note(note, "x") if said in one]


def test_a_condition_of_a_note_that_does_not_hold_is_refused():
    note = {"text": "none is exact", "holds": "numbers.where(verdict='exact') | length == 0"}
    assert checks.typed_in_note(note, "x") == []
    with pytest.raises(UserError, match="does not hold in this run"):
        rendered("{{ holds(" + note["holds"] + ") }}", RECORDED, "x")


@pytest.mark.parametrize(
    "planted", ["It makes 289 numbers exact.", "None of the other rules is better."]
)
def test_a_planted_result_in_the_evidence_of_a_reading_is_found(planted):
    text = READINGS["dilca.ward"]["evidence"] + " " + planted
    assert checks.typed_figures(text, "x") + checks.typed_verdicts(text, "x") != []


def test_evidence_that_a_smaller_run_cannot_have_says_so(view):
    text = "{{ table('dilca/fig03') | length }} cells."
    assert stated(text, view, "x").startswith("Not part of this run (x:1: there is no ")


def test_no_figure_of_the_article_is_typed():
    source = ARTICLE.read_text("utf-8")
    assert checks.typed_figures(source, ARTICLE.name, typst=True) == []
    assert len(re.findall(r"\{\{", source)) > 100
    text = rendered(source, View.of_record(ROOT), ARTICLE.name, TYPST)
    assert "{{" not in text
    assert "{%" not in text


@pytest.mark.parametrize(
    "line",
    ["Of 923 numbers {{ 1 }}", "on 12 data sets", "a gain of .04", "in 35% of the analyses"],
)
def test_a_figure_that_is_typed_is_found_with_its_line(line):
    (found,) = checks.typed_figures(f"First line.\n{line}\n", "a.md")
    assert found.startswith("a.md:2: ")


@pytest.mark.parametrize(
    "line",
    [
        "since 2012, Section 5.5 and Tables 1 and 2, Fig. 14, eq. (5)",
        "0-1P, GOODALL3, C4.5, table06, x2",
        "with sigma 0.5, at theta = .2 and k = 3",
        "two cores, 4 GB, 18 to 33 minutes, 48 bits",
        "Python 3.11, Snakemake 9",
        "`explain 3`, [link](page-2.md), $x_1 + 2$, https://a.b/3",
        "{{ numbers | length }} of {% if claims | length > 3 %}many{% endif %}",
        "1. First step",
    ],
)
def test_other_kinds_of_digits_may_be_typed(line):
    assert checks.typed_figures(line, "a.md") == []


def test_every_kind_of_digit_that_may_be_typed_has_a_reason():
    assert all(len(reason) > 10 for reason in checks.TYPED)
    assert all(re.compile(pattern) for pattern in checks.TYPED.values())


@pytest.mark.parametrize(
    "line", ["None of the claims is confirmed.", "All scores match.", "Ward loses everywhere."]
)
def test_a_verdict_without_a_reference_is_found(line):
    text = "A first sentence. " + line + " {{ 3 }} of them are exact."
    (found,) = checks.typed_verdicts(text, "a.md")
    assert line[:-1] in found


def test_a_verdict_with_a_reference_is_read_from_the_run():
    text = "None is confirmed{{ holds(claims | length > 0) }}. {{ 3 }} are exact. Two are not."
    assert checks.typed_verdicts(text, "a.md") == []


def test_sentences_have_the_line_on_which_they_begin():
    text = "One.\nTwo\ngoes on. Three!\n\n- Four\n- Five"
    found = list(checks.sentences(text))
    assert found == [(1, "One."), (2, "Two goes on."), (3, "Three!"), (5, "- Four"), (6, "- Five")]


def test_a_column_of_numbers_with_gaps_is_a_column_of_numbers():
    rows = Rows(pd.DataFrame({"a": ["1", "", "3"], "b": ["x", "2", "3"]}), "t")
    assert rows.having("a > 1").texts("a") == ["3"]
    assert rows.having("b == '3'").texts("b") == ["3"]


@pytest.mark.slow
def test_the_article_is_built_twice_alike_and_not_against_the_run(tmp_path, monkeypatch):
    pytest.importorskip("typst")
    folder = shutil.copytree(article.ARTICLE, tmp_path / "article")
    shutil.copytree(RECORD, tmp_path / "run/ledger")
    monkeypatch.setattr(article, "ARTICLE", folder)
    text = '#import "style.typ": *\n#show: style\n{{ claims | length }} claims @cohen1960.\n'
    table = '#listing({{ claims.crossed("name") | table }})[Claims.]\n'
    (folder / "article.typ").write_text(text + table)
    one, other = (article.article(tmp_path / "run", tmp_path).read_bytes() for _ in range(2))
    assert one[:5] == b"%PDF-"
    assert one == other
    (folder / "article.typ").write_text(text + '{{ holds(claim("dilca-17").verdict == "x") }}')
    with pytest.raises(UserError, match="does not hold in this run"):
        article.article(tmp_path / "run", tmp_path)


def test_the_article_of_a_folder_without_a_ledger_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"there is no .*/ledger/\w+.csv"):
        article.article(tmp_path)


def test_the_findings_of_the_view_are_those_of_the_page():
    findings = json.loads((ROOT / "figures/findings/findings.json").read_text("utf-8"))
    view = View.of_record(ROOT)
    for one in findings["findings"]:
        assert view.finding(one["id"]) == one["sentence"]
