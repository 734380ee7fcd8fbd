"""What several test modules share: the papers, and specifications of the keys that matter."""

import hashlib
import importlib.util
import io
import operator
import shutil
import subprocess
import sys
import time
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import settings

from couplings import CategoricalTable, MixedTable, measure_from
from replication.data.store import Tables, write_archive
from replication.files import digest, read_rows, write_json, write_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.claims import CLAIM_COLUMNS, Evidence, MissingEvidenceError, judge
from replication.judge.ledger import UNAVAILABLE_COLUMNS
from replication.judge.published import load
from replication.run.experiment import Experiment
from replication.run.journal import Journal
from replication.run.labels import COLUMNS, each_labels
from replication.run.records import write_records
from replication.run.similarity import learn
from replication.show.job import Job

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "data" / "published"
QUICK = ("--configfile", "config/quick.yaml")
"""What Snakemake is given for quick effort."""


def parsed(path):
    """Content of a file of YAML; PyYAML's own parser takes seven times as long."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(Path(path).read_text("utf-8"), Loader=loader)


def module(path):
    """A program that no folder of the search path holds, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


RUN = tuple(parsed(ROOT / "config/config.yaml")["papers"])
"""Ids of the papers and studies that are run."""
PAPERS = tuple(
    name for name in RUN if parsed(ROOT / f"config/papers/{name}.yaml").get("prints", True)
)
"""Ids of the papers among them, which print numbers."""


def called(*words, **more):
    """A process that has ended, whatever its status, with what it said."""
    words = [str(word) for word in words]
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def examples(number, deadline=None, **more):
    """Settings of a test on so many random examples, or on the few of the profile `quick`."""
    if settings.get_current_profile_name() == "quick":
        number = min(number, settings.default.max_examples)
    return settings(max_examples=number, deadline=deadline, **more)


def refused(error, call, cases):
    """A test that a call refuses every case: its arguments, and last the words of the error."""

    @pytest.mark.parametrize("case", cases, ids=lambda case: case[-1])
    def test(case):
        *given, words = case
        with pytest.raises(error, match=words):
            call(*given)

    return test


def refused_calls(error, cases):
    """The same of calls that stand in the cases, before their arguments."""
    return refused(error, operator.call, cases)


def configuration(paper):
    """What `config/papers` says of a paper."""
    return parsed(ROOT / f"config/papers/{paper}.yaml")


def bring_kernels(place):
    """Give a copy of the repository the compiled kernels, which go by content, in one folder."""
    kernels = "src/couplings/_kernels/__pycache__"
    (ROOT / kernels).mkdir(exist_ok=True)
    shutil.rmtree(place / kernels, ignore_errors=True)
    (place / kernels).symlink_to(ROOT / kernels)


def experiment_spec(paper, name, **spec):
    """Specification of an experiment; keys that are not given have the plainest value."""
    plain = {"dataset": "", "parameters": {}, "trials": 1, "seed": 1, "inputs": []}
    plain |= {"measures": {}, "algorithms": {}, "similarities": {}, "preparations": []}
    return {"paper": paper, "experiment": name, **plain, **spec}


def experiment_of(partial, paper, name, **spec):
    """An experiment of such a specification."""
    return Experiment(experiment_spec(paper, name, **spec), Journal(partial, "key"))


def read_labels(path):
    """Label vectors that a job kept, one per row, with what tells them apart."""
    return pd.DataFrame([(*key, row) for key, row in each_labels(path)], columns=list(COLUMNS))


def computed(function, experiment):
    """What a function of a paper yields for an experiment, called as the step calls it."""
    return function(experiment, **experiment.parameters)


def costs_here(works, *arguments, once=None):
    """`replication.run.cost.costs` with one call of each piece, in this process."""
    for work in works(*arguments):
        name = " ".join(str(label) for label in work.labels.values())

        def measure(work=work):
            begin = time.process_time()
            work.run()
            seconds = max(time.process_time() - begin, 1e-6)
            taken = {"seconds": seconds, "slowest": seconds, "repeats": 2, "calls": 1, "step": 1e-7}
            return {**taken, "before_mib": 100.0, "peak_mib": 100.0}

        yield {**work.labels, **(once(name, measure) if once else measure())}


def job_of(paper, artefact, **spec):
    """A job of an artefact; keys that are not given have the plainest value."""
    plain = {"kind": artefact, "label": "Toy", "readings": ["reconciled"], "seed": 1}
    plain |= {key: [] for key in ("datasets", "methods", "left_out", "inputs")}
    return Job({"paper": paper, "artefact": artefact, **plain, **spec})


def recorded(path, rows, **ids):
    """Entry of an experiment whose records are these rows, ids as `Records` takes them."""
    rows = [{"status": "ok", "reason": "", **row} for row in rows]
    write_records(path, list(dict.fromkeys(name for row in rows for name in row)), rows)
    return {"role": "experiment", "file": str(path), **ids}


def coded_inputs(place, **tables):
    """Inputs of an experiment: coded tables by preparation."""
    write_archive(place, tables)
    return [{"role": "tables", "file": str(place)}]


def data_inputs(place, table, classes, preparation, **facts):
    """Inputs of an experiment: one coded table, and what the steps before it say of it."""
    ok = {"status": "ok", "reason": ""}
    write_json(place / "facts.json", ok | facts)
    tables = {preparation: Tables(ok, [table], [classes])}
    entry = {"role": "facts", "file": str(place / "facts.json")}
    return [entry, *coded_inputs(place / "tables.npz", **tables)]


def learnt_inputs(place, tables, preparation, measures, varied=None):
    """Inputs of an experiment: what the step `similarity` learns of tables; measures by id."""
    if not measures:
        return []
    fits = [
        {
            "measure": name,
            "class": entry["class"],
            "parameters": entry.get("parameters", {}) | point,
            "setting": point,
        }
        for name, entry in measures.items()
        for point in (varied or {}).get(name, [{}])
    ]
    write_archive(place, {preparation: learn(tables, fits)})
    return [{"role": "similarity", "file": str(place)}]


def assert_same_table(table, other):
    """Two tables have the same codes in the same type, domains and attributes."""
    np.testing.assert_array_equal(table.codes, other.codes)
    assert table.codes.dtype == other.codes.dtype
    assert table.codes.flags.f_contiguous
    assert (table.categories, table.attributes) == (other.categories, other.attributes)


def assert_same_counts(counts, other):
    """Two counts of integers are those of the same objects."""
    np.testing.assert_array_equal(counts.matrix, other.matrix)
    assert counts.matrix.dtype == np.int64
    np.testing.assert_array_equal(counts.offsets, other.offsets)
    for name in ("n_objects", "categories", "attributes"):
        assert getattr(counts, name) == getattr(other, name)


def mixed_table(n=80, seed=0):
    """Three groups of objects in three attributes of categories and two numbers."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    codes = np.column_stack(
        [np.where(rng.random(n) < 0.7, group, rng.integers(0, 4, n)) for _ in range(3)]
    )
    numeric = group[:, np.newaxis] * [1.0, 30.0] + rng.normal(size=(n, 2)) * [1, 20]
    return MixedTable(CategoricalTable.from_codes(codes), numeric, ("x", "y"))


def measure_of(name, **parameters):
    """A measure by its name; where it draws, from one seed."""
    measure = measure_from(name, **parameters)
    drawn = "random_state" in measure.get_params()
    return measure.set_params(random_state=0) if drawn else measure


def label_frame(seed=0, n=80):
    """Three columns of related labels."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            name: np.array(list("pqrstuv"))[(kind * (rng.random(n) < 0.8) + shift) % (shift + 3)]
            for shift, name in enumerate(["a", "b", "c"])
        }
    )


def toy_entry(files, columns, *, parse=None, numeric=(), folder="toy", **more):
    """An entry as in config/datasets.yaml for files given as {name: (payload, extra keys)}."""
    listed = [
        {"name": name, "sha256": hashlib.sha256(payload).hexdigest(), "bytes": len(payload)} | extra
        for name, (payload, extra) in files.items()
    ]
    found = {"folder": folder, "files": listed, "parse": {"separator": "comma", **(parse or {})}}
    found |= {"columns": list(columns), "numeric": list(numeric), "class": columns[-1]}
    return found | more


def write_ledger(folder, verdicts, claims):
    """Files of a ledger that the report reads."""
    for name, columns, rows in (
        ("verdicts", VERDICT_COLUMNS, verdicts),
        ("claims", CLAIM_COLUMNS, claims),
        ("unavailable", UNAVAILABLE_COLUMNS, []),
    ):
        write_rows(folder / f"{name}.csv", columns, rows)


def texts(sheet):
    """Rows of a readable table as texts, without the empty cells."""
    keys = [column.key for column in sheet.columns]
    rows = [zip(keys, sheet.cells(row), strict=True) for row in sheet.rows]
    return [{key: cell.text for key, cell in row if cell.text} for row in rows]


def prepared_inputs(place, frame, **facts):
    """Inputs of an experiment: a prepared table, and what its step says of it."""
    table, record = place.with_name(f"{place.name}.csv"), place.with_name(f"{place.name}.json")
    frame.to_csv(table, index=False)
    known = {"status": "ok", "reason": "", "objects": len(frame), "sha256": digest(table)}
    write_json(record, known | facts)
    return [{"role": "prepared", "file": str(table)}, {"role": "facts", "file": str(record)}]


@cache
def printed_cells(paper):
    """Printed cells of a paper; `Evidence` reads them once for all claims, too."""
    return load(paper, PUBLISHED)


@cache
def printed_claims():
    """Claims that papers make in words, by id."""
    return {row["id"]: row for row in read_rows(PUBLISHED / "claims.csv")}


def judged_claim(claims, name, evidence):
    """Row of a claim of a book, judged on some evidence."""
    ((row,), _) = judge({name: claims[name]}, [printed_claims()[name]], evidence)
    return row


def outlined(rows):
    """The last of some records, and a digest of all, without what is measured, in five digits."""
    kept = [
        {
            key: f"{value if abs(value) > 1e-9 else 0:.5g}"
            if isinstance(value, float)
            else str(value)
            for key, value in row.items()
            if key not in MEASURED and not key.endswith(("seconds", "_mib"))
        }
        for row in rows
    ]
    words = ", ".join(f"{key} {value}" for key, value in kept[-1].items())
    return f"{len(kept)} records, {hashlib.sha256(str(kept).encode()).hexdigest()[:8]}; {words}"


MEASURED = {"slowest", "repeats", "calls", "step", "margin"}
"""Columns that differ from run to run or machine to machine, beside seconds and memory."""


def verdicts_on(claims, evidence, without=()):
    """What the claims of a book say of some evidence, a line each; some need more columns."""
    for name in sorted({*claims} - {*without}):
        ((row,), found) = judge({name: claims[name]}, [printed_claims()[name]], evidence)
        told = (row.get(key) or "" for key in ("verdict", "ours", "print", "value", "evidence"))
        listed = [outlined(frame.to_dict("records")) for frame in found.values()]
        yield " | ".join((name, *told, *listed))


class Invented(Evidence):
    """Evidence from frames by name instead of files; what is not given is missing."""

    def __init__(self, paper, tables=None, tests=None, **experiments):
        super().__init__({"paper": paper, "effort": "full", "inputs": []}, ROOT / "data/published")
        self._printed = partial(printed_cells, paper)
        tested = {} if tests is None else {"tests": tests}
        self.given = {"table": tables or {}, "experiment": experiments, "tests": tested}

    def files(self, role, **wanted):
        name = next(iter(wanted.values()), role)
        if name not in self.given[role]:
            raise MissingEvidenceError(name)
        return [name]

    def file(self, role, **wanted):
        return io.StringIO(self.frame(role, **wanted).to_csv(index=False))

    def frame(self, role, **wanted):
        (name,) = self.files(role, **wanted)
        return self.given[role][name].copy()
