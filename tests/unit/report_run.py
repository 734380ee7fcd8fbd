"""A small run on disk, for tests of the report."""

from html.parser import HTMLParser

from kit import ROOT, write_ledger

from replication.files import write_json
from replication.judge.cells import Ours, not_run, verdict_row
from replication.judge.verdicts import EXACT, WITHIN_NOISE, Reproduced, verdict
from replication.plan.readings import MEANINGS
from replication.report import pages
from replication.report.gather import gather
from replication.show import tables
from replication.show.sheet import Cell, Column, Sheet

PROJECT = ROOT / "pyproject.toml"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path id="a"/></svg>'


class Elements(HTMLParser):
    """Elements of a page with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def all(self, tag):
        return [attrs for name, attrs in self.found if name == tag]


def cell(paper, name, printed, method="a_1"):
    place = {"id": f"{paper}-tab1-{name}", "paper": paper, "artefact": "tab1", "metric": "purity"}
    return place | {"dataset_id": name, "method_id": method, "printed": printed}


def reading(question, evidence, reconciled, literal, **choices):
    answers = {"reconciled": reconciled, "literal": literal}
    found = {"question": question, "choices": choices, "evidence": evidence, "answers": answers}
    return found | {"decided_by": "open"}


def ledger_rows(paper):
    rows = []
    numbers = (("car", "70.08%", 0.70084), ("vote", "91.95%", 0.5), ("zoo", "0.50", 0.9))
    for name, printed, value in numbers:
        ours = Ours(Reproduced(value), oracle=name == "car")
        remark = "the </script> file is *short*" * (name == "vote")
        judged = verdict(printed, ours.values, reason=remark)
        rows.append(verdict_row(cell(paper, name, printed), judged, ours, reading="reconciled"))
    return [*rows, not_run(cell(paper, "adult", "61%"), "left out", reading="reconciled")]


def sheet(name):
    near = Cell(70.1, 2, spread=(68.0, 70.1), verdict=WITHIN_NOISE)
    return Sheet(
        name=name,
        title="Table 1: purity & <more> of A_1",
        caption="2 of 3 numbers are <exact>.",
        columns=[
            Column("dataset", "Data set", text=True),
            Column("p", "printed", "A_1"),
            Column("o", "ours", "A_1"),
        ],
        rows=[
            {"dataset": "Car & co", "p": "70.08", "o": near},
            {"dataset": "Vote", "p": "1,234", "o": Cell("−91.95", verdict=EXACT)},
            {"dataset": "Adult", "p": "61"},
        ],
        data=[],
        data_columns=["x"],
        legend=["= exact; ~ within noise"],
    )


class Run:
    """A small run on disk: paper `one` has numbers and claims, the study `mine` has neither."""

    def __init__(self, place):
        self.place, self.results, self.figures = place, place / "results", place / "figures"
        roots = {"results": str(self.results), "figures": str(self.figures)}
        source = {"id": "car", "title": "Car Evaluation", "licence": "CC BY 4.0"}
        source["citation"] = "M. Bohanec (1997)"
        evidence = "57 of 60 tables; see other.rule"
        index = {"inverse": "inverse purity", "eq5": "eq. (5)"}
        self.spec = {
            "effort": "quick",
            "seed": 7,
            "limits": {"datasets": ["car"], "trials": 3},
            "roots": roots | {"raw": str(place / "raw")},
            "overlay": " --configfile config/quick.yaml",
            "timed": [],
            "sources": [source | {"homepage": "https://example.org/car", "papers": ["one"]}],
            "papers": [self.paper("one", ["tab1"]), self.paper("mine", ["own_1"], prints=False)],
            "beside": {},
            "meanings": MEANINGS,
            "readings": {
                "one.index": reading("Which <index>?", evidence, "inverse", "eq5", **index),
                "other.rule": reading("Which rule?", "none", "a", "a", a="the first"),
            },
        }
        measure = {"role": "measure", "id": "m", "config": "config/measures.yaml:3"}
        self.links = {
            "components": {
                "measure m": measure | {"readings": {"one.index": "inverse"}},
                "one data set car": {"role": "data set", "id": "car", "of": "car"},
                "one table tab1": {"role": "table", "id": "tab1", "label": "Table 1"},
            },
            "methods": {"one a_1": {"reconciled": ["measure m"]}},
            "artefacts": {"one tab1": ["one table tab1"]},
        }
        self.write_ledger(ledger_rows("one"))
        file = {"name": "car.data", "sha256": "ab" * 32, "route": "mirror"}
        source = {"dataset": "car", "status": "available", "route": "mirror", "files": [file]}
        write_json(place / "raw/car/source.json", source | {"rows": 1728, "columns": 7})
        finding = {"id": "exact", "sentence": "3 of 4 <fit>.", "seen": "Shares", "evidence": "all"}
        finding |= {"file": "rollup.md", "page": "#numbers"}
        write_json(self.figures / "findings/findings.json", {"findings": [finding]})
        (self.figures / "findings/exact.svg").write_bytes(SVG)
        for paper in self.spec["papers"]:
            for entry in paper["artefacts"]:
                base = self.figures / paper["id"] / entry["id"]
                base.parent.mkdir(parents=True, exist_ok=True)
                made = sheet(f"{paper['id']}-{entry['id']}")
                base.with_suffix(".md").write_text(tables.markdown(made), encoding="utf-8")
                base.with_suffix(".json").write_text(tables.sheet_json(made), encoding="utf-8")
                base.with_suffix(".csv").write_text("x\n", encoding="utf-8")
                base.with_suffix(".svg").write_bytes(SVG)

    def paper(self, name, artefacts, prints=True):
        plain = {"label": "Table 1", "outputs": ["table", "figure"], "printed": prints}
        entry = {"id": name, "name": name.title(), "note": "", "citation": "A. Author, 2012."}
        entry |= {"title": f"On the _{name}_ of <things>", "prints": prints}
        entry |= {"readings": ["reconciled", "literal"] if prints else []}
        return entry | {"artefacts": [{"id": one, **plain} for one in artefacts]}

    def write_ledger(self, rows, claims=1):
        claim = {"paper": "one", "where": "Section 2", "claim": "A_1 is <best>", "asserts": "all"}
        claim |= {"verdict": "mixed", "ours": "9/11", "margin": "much", "artefact": "tab1"}
        claim |= {"print": "11/11", "print_verdict": "confirmed"}
        claim |= {"evidence": "9 of 11 hold, by one.index"}
        claimed = [{"id": f"one-0{i + 1}", **claim} for i in range(claims)]
        write_ledger(self.results / "ledger", rows, claimed)

    def gather(self):
        evidence = {name: one["evidence"] for name, one in self.spec["readings"].items()}
        return gather(self.spec, PROJECT, self.links, evidence)

    def page(self):
        return pages.render(self.gather())
