"""The files of `config` as types: which keys there are, what they hold, and what they mean.

The text below a field is its description, in `config/README.md` and in error messages.
"""

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    model_validator,
)
from pydantic_core import PydanticCustomError

from replication.errors import remedy

ABSENT: Any = None
"""Default of a key that need not be there; given, it is never empty."""


def _spelled(value: Any) -> Any:
    """The number or truth value that a text of the command line spells."""
    try:
        return json.loads(value.lower()) if isinstance(value, str) else value
    except ValueError:
        return value


def _unique(values: list[Any]) -> list[Any]:
    for i, value in enumerate(values):
        if value in values[:i]:
            said = {"value": repr(value)}
            raise PydanticCustomError("rule", "{value} is listed twice; remove one", said)
    return values


Spelled = BeforeValidator(_spelled)
Unique = AfterValidator(_unique)
Filled = Field(min_length=1)

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
Point = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_]*$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Address = Annotated[str, Field(pattern=r"^https?://")]
Folder = Annotated[str, Field(pattern=r"^[^<>{}]+$")]
Text = Annotated[str, Filled]
Texts = Annotated[list[str], Filled]
Columns = Annotated[list[Id], Unique]
Ids = Annotated[list[str], Filled, Unique]
Count = Annotated[int, Field(ge=1)]
Repeats = Annotated[int, Field(ge=1, le=1_000_000)]
Parameters = dict[str, Any]
Grid = Annotated[dict[str, Annotated[list[Any], Filled]], Filled]
Treatment = Literal["impute", "value", "drop"]


class _Entry(BaseModel):
    """Part of a file: its keys are the fields, no others."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )
    mistakes: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    """What can be wrong with an entry as a whole, and how to tell."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, content: Any) -> Any:
        """Refuse unknown keys: a slip in a key would make another one missing."""
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in content if isinstance(content, dict) else ():
            if key not in known:
                said = {"key": key, "remedy": remedy(key, known)}
                raise PydanticCustomError("key", "unknown key; {remedy}", said)
        return content

    @model_validator(mode="after")
    def _sound(self) -> Self:
        for message, wrong in self.mistakes.items():
            if wrong(self):
                raise PydanticCustomError("rule", message)
        return self


# --- config.yaml ----------------------------------------------------------------------------------


class Roots(_Entry):
    """Where the results go."""

    results: Folder
    """Folder of tables, similarities, trials, logs and the ledger."""
    figures: Folder
    """Folder of the finished tables and figures."""


class Data(_Entry):
    """How data sets are obtained."""

    official: Annotated[bool, Spelled]
    """Whether the official addresses are tried first."""
    timeout: Annotated[float, Field(gt=0, le=3600), Spelled]
    """Seconds to wait for a connection."""
    mirrors: list[Text]
    """Folders or addresses that hold copies of the official files, tried in order after the
    official addresses. A folder that does not exist is passed over."""
    strict: Annotated[bool, Spelled]
    """Whether a data set that no route can deliver is an error. If not, the artefacts that need
    it say "not run"."""


class Limits(_Entry):
    """How much is computed."""

    datasets: Literal["all"] | Ids
    """`all`, or a list of the papers' data set ids; the others are listed as "not run"."""
    row_orders: Annotated[Repeats, Spelled]
    """Row permutations behind every spread."""
    samples: Annotated[Repeats, Spelled]
    """Random samples where a paper used one that was never published."""
    trials: Annotated[Literal["printed"] | Repeats, Spelled]
    """`printed` (random experiments are repeated as often as in the papers) or the highest number
    of repetitions."""


class Config(_Entry):
    """What to run.

    `config/quick.yaml`, or any file given with `--configfile`, is laid over it (maps are merged,
    lists are replaced), and `--config key=value` over both.
    """

    effort: Id
    """Name of this way of running; shown beside the results."""
    seed: Annotated[int, Field(ge=0), Spelled]
    """Root of every random number. The seed of a trial is derived from it and from names, never
    from the order of jobs."""
    what_if: str = ""
    """File of changes that are laid over the rest of the configuration, such as
    `config/what-if/ward.yaml`. Results and figures then go to `results/whatif-<name>/<effort>`
    (docs/what-if.md)."""
    papers: Ids
    """Papers to reproduce, by the names of the files in `config/papers`."""
    roots: Roots
    """Where the results go, relative to the top of the repository. Each effort needs its own
    places."""
    data: Data
    """How data sets are obtained. Every route is checked against the same checksum or
    fingerprint."""
    limits: Limits
    """How much is computed."""


# --- registries -----------------------------------------------------------------------------------


class Class(_Entry):
    """One measure or algorithm, under the id that the other files use."""

    class_: Point = Field(alias="class")
    """Where the class is, as `module:Class`."""
    parameters: Parameters = ABSENT
    """Parameters of its constructor."""
    label: Text
    """Its name in tables and figures."""
    paper: Text
    """Where it is defined or used, usually the id of a paper."""
    equation: str = ABSENT
    """Equation, algorithm or section of the definition."""
    readings: dict[str, str] = ABSENT
    """The choices of `config/readings.yaml` that this entry stands for."""


class Reading(_Entry):
    """One choice, as `paper.choice`."""

    question: Text
    """What the text leaves open."""
    choices: Annotated[dict[str, str], Filled]
    """The possible answers, each with a few words of explanation."""
    reconciled: str
    """The answer that the evidence in ``decided_by`` supports best."""
    literal: str
    """The answer that the text gives, taken literally."""
    values: Annotated[Parameters, Filled] = ABSENT
    """What stands for an answer where `=paper.choice` refers to it, if that is not the answer
    itself; an answer without a value cannot be taken. A part of a map is `=paper.choice[part]`."""
    steers: Literal["tables", "nothing"] = ABSENT
    """`tables`, if tables ask for the answer; `nothing`, if no step takes it and the entry is a
    record of what was tried. Not given where `=paper.choice` in the configuration is all there
    is."""
    decided_by: Literal["text", "source", "print", "labels", "open"]
    """What decided for the reconciled answer: `text`, the paper says so; `source`, a paper that it
    cites or the authors' program; `print`, printed numbers fit it best, so it was chosen after
    seeing them; `labels`, it was chosen with the classes; `open`, nothing decides."""
    evidence: Text
    """Why the reconciled answer is believed."""


class Archive(_Entry):
    """A zip or tar archive with a file in it."""

    url: Address
    """Address of the archive."""
    member: Text
    """Exact name of the file in the archive."""


class Line(_Entry):
    """One line."""

    line: Count
    """Number of the line, counted from 1."""
    reason: Text
    """Why it is left out."""


class File(_Entry):
    """One raw file."""

    name: Name
    """Name of the file, in a mirror and in data/raw."""
    url: Address = ABSENT
    """Official address. Without it the file comes from a mirror or as a bundled copy."""
    archive: Archive = ABSENT
    """Another official address, a zip or tar archive with the file in it."""
    sha256: Digest
    """SHA-256 of the file. A file with another one is refused."""
    bytes: Count
    """Size of the file."""
    rows: Count
    """Rows that the file must give."""
    lacks: Columns = ABSENT
    """Ignored columns that this file does not have."""
    skip_lines: list[Line] = ABSENT
    """Lines that are no rows."""
    strip_suffix: dict[Id, Text] = ABSENT
    """Ends to cut off the fields of some columns, where they are."""


class Parse(_Entry):
    """How the lines are read."""

    separator: Literal["comma", "semicolon", "tab", "whitespace"]
    """What stands between two fields. `whitespace` is any number of blanks and tabs; blanks at both
    ends of a line are then ignored."""
    quote: Annotated[str, Field(min_length=1, max_length=1)] = ABSENT
    """The quotation mark around fields that hold a separator. None if absent."""
    header: bool = False
    """Whether the first line holds the names of the columns, which are compared."""
    letters: bool = False
    """Whether every letter of the last field is a column of its own."""
    keep_blanks: Columns = ABSENT
    """Columns whose blanks are part of the label and stay; around other fields they are removed."""
    missing: Annotated[list[str], Unique] = ABSENT
    """Fields that mean a missing value; each becomes `?` in the table. An empty field that is not
    listed is an error."""


class Shape(_Entry):
    """Size of a table."""

    rows: Count
    """Rows of all files together."""
    columns: Count
    """Columns without the ignored ones; `part` counts."""


class Source(_Entry):
    """One data set: where its files are, how they are read, what the result must look like."""

    title: Text
    """Name for readers."""
    description: Text
    """What the rows and the class are, in one sentence."""
    licence: Text
    """Licence of the data."""
    citation: Text
    """Whom to cite."""
    uci: Count = ABSENT
    """Number in the UCI Machine Learning Repository."""
    doi: Annotated[str, Field(pattern=r"^10\.")] = ABSENT
    """Digital object identifier, without address."""
    homepage: Address = ABSENT
    """Page that describes the data set."""
    note: str = ABSENT
    """What to know before using the data."""
    folder: Name
    """Folder of the files inside a mirror."""
    files: Annotated[list[File], Filled]
    """The files, in the order of their rows in the table. With more than one, the table has a last
    column `part` with the name of the file of each row."""
    parse: Parse
    """How the lines are read. Lines without content are never rows."""
    columns: Annotated[Columns, Filled]
    """Every column of the raw files, in order."""
    ignored: dict[Id, Text] = ABSENT
    """Columns that do not go into the table, each with the reason."""
    numeric: Columns
    """Columns that hold a quantity: each field must be a number or missing. Numbers that only stand
    for categories are not listed. A paper's protocol may treat them otherwise."""
    class_: Id = Field(alias="class")
    """The column with the class."""
    identifiers: Columns = ABSENT
    """Columns that name the row, or nothing; never attributes unless asked for."""
    shape: Shape
    """Size of the table."""
    fingerprint: Digest
    """SHA-256 of the table up to the names of its labels, numeric columns by value
    (replication.data.parse)."""
    table_sha256: Digest
    """SHA-256 of the table as CSV, made from the original files."""


# --- papers ---------------------------------------------------------------------------------------


class Synthetic(_Entry):
    """A generated data set."""

    objects: Count
    """Number of objects."""
    attributes: Count
    """Number of attributes."""
    values: Count
    """Number of values of every attribute."""
    classes: Count
    """Number of classes."""
    spread: Annotated[float, Field(gt=0)] = ABSENT
    """Width of the classes' value distributions."""


class Sample(_Entry):
    """A random sample."""

    size: Count
    """Number of rows."""


class Dataset(_Entry):
    """One data set, under the id that this paper's artefacts use."""

    mistakes = {
        "give exactly one of source, synthetic, inline": lambda one: (
            [one.source, one.synthetic, one.inline].count(ABSENT) != 2
        )
    }
    printed: Annotated[str, Field(pattern=r"^[^\r\n\t]*$")]
    """Its name in the paper."""
    source: str = ABSENT
    """Id in `config/datasets.yaml`. Exactly one of `source`, `synthetic` and `inline` is
    given."""
    synthetic: Synthetic = ABSENT
    """Parameters of a generated data set."""
    inline: Annotated[str, Field(pattern=r"^\w[\w.-]*(/\w[\w.-]*)*$")] = ABSENT
    """A table that the paper prints, as a file under `data/bundled`."""
    parts: Texts = ABSENT
    """Which files of the source are used, in order. Without it, all of them."""
    class_: str = Field(alias="class", default=ABSENT)
    """Column of the class labels, where it is not the one in `config/datasets.yaml`."""
    attributes: Ids = ABSENT
    """Columns that are used, in this order. Without it, all of them."""
    without: Ids = ABSENT
    """Columns that are left out."""
    missing: Treatment
    """What becomes of missing values - `impute` (mean or most frequent value), `value` (a value of
    its own), `drop` (the row is dropped)."""
    missing_in: Annotated[dict[str, Treatment], Filled] = ABSENT
    """The same for single columns, by their names, where it is not what `missing` says; `drop` also
    for columns that are not used. A missing cell of a numeric column that is a value is one more
    interval."""
    mode_ties: dict[str, str] = ABSENT
    """Which of several equally frequent values is imputed, by attribute."""
    numeric: Annotated[list[str], Unique] = ABSENT
    """Attributes that the paper treats as numeric."""
    declared: dict[str, Texts] = ABSENT
    """Declared values of attributes whose declaration has values that never occur."""
    sample: Sample = ABSENT
    """A random sample that was never published."""
    reachable: dict[str, int] = ABSENT
    """Counts that the data really have; asserted by the tests. A printed count that is not here
    cannot be reached."""


class Preparation(_Entry):
    """One preparation, under the id that methods and artefacts use."""

    mistakes = {
        "equal widths need the number of `bins`": lambda one: (
            "equal_width" in one.numeric and one.bins is ABSENT
        )
    }
    numeric: Literal["equal_width", "mdl", "mdl_or_equal_width", "category", "keep", "drop"]
    """How numeric attributes are discretised - `equal_width`, `mdl` (Fayyad and Irani),
    `mdl_or_equal_width` (equal widths where MDL finds no cut), or `category` (each number is a
    value); or that they are not - `keep` (the table is mixed) or `drop` (they are left out)."""
    bins: Annotated[int, Field(ge=1, le=10000)] = ABSENT
    """Number of equal-width bins."""
    domain: Literal["declared", "observed"] = ABSENT
    """Whether declared values that never occur belong to an attribute (`declared`, the default) or
    not (`observed`)."""
    order: Literal["appearance", "alphabetical", "declared", "natural"] = ABSENT
    """Order of the values of an attribute, by which they enter the sums - `appearance` in the file
    (the default), `alphabetical`, `declared` (as declared, else alphabetical), or `natural` (by
    number if all are numbers, else alphabetical)."""
    constant: Literal["keep", "drop"] = ABSENT
    """Whether attributes with the same value for all objects stay (`keep`, the default) or are left
    out (`drop`)."""
    smallest_class: Count = ABSENT
    """Classes with fewer objects are left out."""
    labels: Literal["raw", "stripped"]
    """Class labels as they stand in the file (`raw`) or without surrounding blanks
    (`stripped`)."""
    readings: dict[str, str] = ABSENT
    """The choices of `config/readings.yaml` that this entry stands for."""


class Pipeline(_Entry):
    """How a method clusters."""

    preparation: str
    """Id of a preparation of this paper."""
    measure: str = ABSENT
    """Id in `config/measures.yaml`. Without it the algorithm works on the table itself and the grid
    is the algorithm's."""
    algorithm: str
    """Id in `config/algorithms.yaml`."""


class Select(_Entry):
    """A rule that chooses a setting."""

    rule: str
    """Name of the rule."""
    oracle: bool
    """Whether the rule looks at the class labels."""


class Method(_Entry):
    """One method, under the id that artefacts use."""

    label: str
    """Its name in tables and figures."""
    grid: Grid = ABSENT
    """Parameters of the measure (or of the algorithm, if there is no measure) that are varied, each
    with its values."""
    batch: Id = ABSENT
    """Methods of one batch are clustered in one job of `trials`; by default each in its own."""
    select: Select = ABSENT
    """How one setting of the grid is chosen for the tables."""
    fixed: Annotated[Parameters, Filled] = ABSENT
    """A setting of the grid that is shown beside the chosen one."""
    reconciled: Pipeline = ABSENT
    """The pipeline under the reconciled reading."""
    literal: Pipeline = ABSENT
    """The pipeline as the paper words it."""
    beside: Annotated[dict[Id, Pipeline], Filled] = ABSENT
    """Further pipelines, each judged as a reading of its own under the id given here."""


class Comparison(_Entry):
    """Statistical tests: of `methods`, or by a function that is `run`."""

    mistakes = {
        "give run and experiments, or methods, reading and scores": lambda one: (
            None in (one.run, one.experiments) and None in (one.methods, one.reading, one.scores)
        )
    }
    run: Point = ABSENT
    """What compares, as `module:function`; it gets the records and yields one row per test."""
    experiments: Ids = ABSENT
    """Experiments whose records are compared."""
    parameters: Parameters = ABSENT
    """Keyword arguments of the function."""
    methods: Annotated[list[str], Field(min_length=2), Unique] = ABSENT
    """The methods that are compared with each other."""
    reading: str = ABSENT
    """The reading that is used."""
    scores: Ids = ABSENT
    """Columns of the trials that are compared."""


class Experiment(_Entry):
    """One experiment, under the id that artefacts and claims use."""

    mistakes = {
        "an experiment that runs `alone` keeps no labels in a `batch`; split it": lambda one: (
            one.alone and one.batch
        ),
        "measures are learnt on a data set under a preparation; name both": lambda one: (
            one.similarities and not (one.datasets and one.preparations)
        ),
    }
    run: Point
    """The computation, as `module:function`; it gets one data set at a time."""
    datasets: Ids = ABSENT
    """Data sets of this paper, one job each. Without it there is one job and no data set."""
    preparations: Ids = ABSENT
    """Preparations that the computation asks for."""
    measures: Ids = ABSENT
    """Measures of `config/measures.yaml` that the computation fits itself."""
    similarities: Ids | Annotated[dict[str, Annotated[list[Grid], Filled]], Filled] = ABSENT
    """Measures of `config/measures.yaml` whose value matrices or vectors it takes from the rule
    `similarity`, learnt on each of its data sets under each of its preparations. A list; or, if
    parameters are varied, of each measure a list of grids, like `methods.<id>.grid`."""
    algorithms: Ids = ABSENT
    """Algorithms of `config/algorithms.yaml` that are used."""
    parameters: Parameters = ABSENT
    """Keyword arguments of the computation."""
    by_dataset: dict[str, Parameters] = ABSENT
    """Parameters that differ between data sets, laid over `parameters`."""
    by_effort: dict[str, Parameters] = ABSENT
    """Parameters of an effort, such as `quick`, laid over both."""
    trials: Count = ABSENT
    """Repetitions, as many as the paper did; limited by `limits.trials`."""
    each: Literal["measures", "algorithms"] = ABSENT
    """With `measures` or `algorithms`, one job per data set and measure or algorithm; a new one
    then runs nothing else again."""
    alone: bool = ABSENT
    """Whether nothing else may run at the same time, because times are measured."""
    batch: Id = ABSENT
    """For an experiment that clusters, the job of `trials` that runs it; the label vectors are
    kept."""


class MeasuredColumns(_Entry):
    """Columns that hold times or memory."""

    columns: Texts
    """Names of columns."""
    where: Annotated[dict[str, Texts], Filled] = ABSENT
    """Only in rows with these values, by column; in every row without it."""


class Measured(_Entry):
    """What differs from one run to the next because it is a time, memory, or said about them."""

    claims: Ids = ABSENT
    """Claims that are decided by measured times or memory."""
    tables: Annotated[dict[str, Annotated[list[MeasuredColumns], Filled]], Filled] = ABSENT
    """Measured columns of the artefacts' tables, and of their verdicts."""


class Artefact(_Entry):
    """One artefact, under the id that names its files."""

    mistakes = {
        "a figure is drawn from the table; add table to `outputs`": lambda one: (
            "table" not in one.outputs
        )
    }
    kind: Id
    """What it shows; a function of `replication.papers.<paper>.tables`, and of `.figures` if it has
    one."""
    label: str
    """Its name in the paper."""
    datasets: Ids = ABSENT
    """Data sets of this paper, in the order of the rows."""
    experiments: Ids = ABSENT
    """Experiments of this paper that it shows."""
    parameters: Parameters = ABSENT
    """Keyword arguments of the function, and `printed_in`, other artefacts whose printed numbers it
    shows."""
    methods: Ids = ABSENT
    """Methods of this paper, in the order of the columns."""
    tests: bool = ABSENT
    """Whether it shows statistical tests of `comparisons`."""
    score: Literal["purity", "nmi", "ari"] = ABSENT
    """What is printed."""
    preparation: str = ABSENT
    """Preparation that is used."""
    preparations: Ids = ABSENT
    """Preparations that are used."""
    measure: str = ABSENT
    """Measure that is used."""
    literal_preparation: str = ABSENT
    """Preparation under the literal reading."""
    literal_measure: str = ABSENT
    """Measure under the literal reading."""
    grid: Grid = ABSENT
    """Parameters of the measure that are varied, each with its values."""
    outputs: Annotated[list[Literal["table", "figure"]], Filled, Unique]
    """What is written: `[table]` or `[table, figure]`."""


class Note(_Entry):
    """What is known about printed cells."""

    artefact: str = ABSENT
    """Applies to this artefact only."""
    dataset: str = ABSENT
    """Applies to this data set only."""
    method: str = ABSENT
    """Applies to this method only."""
    metric: str = ABSENT
    """Applies to this metric only."""
    reading: str = ABSENT
    """Applies to this reading only."""
    code: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")] = ABSENT
    """A short word for the reason."""
    text: Text
    """The note."""


class Change(_Entry):
    """A change of a protocol."""

    date: str
    """Day of the change."""
    protocol: str = ABSENT
    """Hash of what is computed from then on; a test compares the newest one."""
    commit: str = ABSENT
    """First commit that computes it."""
    change: Text
    """What was changed, and what was known then."""
    answer: Text = ABSENT
    """What the answer was under this protocol."""


class Paper(_Entry):
    """One paper - its data sets, pipelines and artefacts."""

    id: Id
    """Id of the paper; the name of the file."""
    title: str
    """Title of the paper."""
    name: str = ABSENT
    """What its method is called, in the table of `README.md` and as a heading of the readings."""
    brings: str = ABSENT
    """What is new in it, in some words for the table of `README.md`."""
    note: str = ABSENT
    """What a reader of its counts must know; stands below them."""
    citation: str
    """Authors, journal, year."""
    doi: str = ABSENT
    """Digital object identifier."""
    prints: bool = ABSENT
    """Whether the paper prints numbers to compare with and claims to test. Without it, it does; a
    study of this project does not."""
    datasets: Annotated[dict[Id, Dataset], Filled] = ABSENT
    """The data sets as this paper uses them. Without it, experiments make their own tables."""
    preparations: Annotated[dict[Id, Preparation], Filled] = ABSENT
    """Ways to make a categorical table out of a prepared data set."""
    readings: Annotated[
        list[Literal["reconciled", "literal", "released", "repaired"]], Filled, Unique
    ]
    """Readings of the paper that are run, the one that is counted first; each has an entry in every
    method."""
    beside: Annotated[list[str], Unique] = ABSENT
    """Readings that single artefacts show beside those of the paper; notes may name them."""
    methods: Annotated[dict[Id, Method], Filled] = ABSENT
    """The methods that the paper compares."""
    comparisons: list[Comparison] = ABSENT
    """Statistical tests, by the rule `tests` - of methods over data sets (`methods`, `reading`,
    `scores`), or by a function of the paper (`run`, `experiments`)."""
    experiments: dict[Id, Experiment] = ABSENT
    """What this paper computes beside the common grid of methods and data sets."""
    clustered: Annotated[list[str], Unique] = ABSENT
    """The data sets that are clustered; a list that artefacts can repeat by reference."""
    measured: Measured = ABSENT
    """What differs from one run to the next because it is a time, memory, or said about them.
    `verify` compares everything else."""
    artefacts: Annotated[dict[Id, Artefact], Filled]
    """The tables and figures of the paper that are reproduced."""
    findings: Annotated[dict[str, Ids], Filled] = ABSENT
    """What a reader should know first. For each finding, a function of the paper's module
    `findings`, the artefacts whose tables it is counted from; the first is its evidence."""
    notes: list[Note] = ABSENT
    """What is known about single printed cells; shown beside the verdict, never used to change
    it."""
    history: Annotated[list[Change], Filled] = ABSENT
    """Changes of a protocol of this project, the newest last; every table names the newest."""


class WhatIf(_Entry):
    """A question - what is laid over the configuration for one run of `make whatif`.

    Maps are merged, anything else is replaced (docs/what-if.md).
    """

    question: Text = ABSENT
    """The question in words; heading of the comparison."""
    readings: dict[str, str] = ABSENT
    """Other answers to questions of `config/readings.yaml`, by their ids; what refers to them
    follows."""
    measures: dict[str, Parameters] = ABSENT
    """Changes of entries of `config/measures.yaml`, by their ids."""
    algorithms: dict[str, Parameters] = ABSENT
    """Changes of entries of `config/algorithms.yaml`, by their ids."""
    datasets: dict[str, Parameters] = ABSENT
    """Changes of entries of `config/datasets.yaml`, by their ids."""
    papers: dict[str, Parameters] = ABSENT
    """Changes of files in `config/papers`, by paper, section and id."""


FILES: Mapping[str, TypeAdapter[Any]] = {
    "config": TypeAdapter(Config),
    "datasets": TypeAdapter(dict[Id, Source]),
    "measures": TypeAdapter(Annotated[dict[Id, Class], Filled]),
    "algorithms": TypeAdapter(Annotated[dict[Id, Class], Filled]),
    "readings": TypeAdapter(
        dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")], Reading]
    ),
    "papers": TypeAdapter(Paper),
    "what_if": TypeAdapter(WhatIf),
}
"""Type of each kind of file."""
