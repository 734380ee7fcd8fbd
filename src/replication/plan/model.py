"""Define the keys of the files in `config`: their types, limits and meaning.

The text below a field is its description in `config/README.md` and in the JSON schema.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin
from urllib.parse import urlsplit

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

REGISTRIES = ("config", "datasets", "measures", "algorithms", "readings")
"""Files of `config` that hold no effort."""
ABSENT: Any = None
"""Default of an optional key. A key that is given is never empty."""


def _spelled(value: Any) -> Any:
    """Return the number or truth value that a text of the command line stands for."""
    try:
        return json.loads(value.lower()) if isinstance(value, str) else value
    except ValueError:
        return value


def _unique(values: list[Any]) -> list[Any]:
    for i, value in enumerate(values):
        if value in values[:i]:
            raise PydanticCustomError(
                "rule", "{value} is listed twice; remove one", {"value": repr(value)}
            )
    return values


def _effort(name: str) -> str:
    if name in REGISTRIES:
        raise PydanticCustomError(
            "rule", "{name} is the name of another file of config; choose another", {"name": name}
        )
    return name


def _address(url: str) -> str:
    """The address, if its host and port can be meant."""
    try:
        _ = urlsplit(url).port
    except ValueError as error:  # no such port, brackets without end
        raise PydanticCustomError(
            "rule", "{url} is no address ({why})", {"url": repr(url), "why": str(error)}
        ) from error
    return url


def _mirror(place: str) -> str:
    """The place, if it can be a folder or the address of one."""
    try:
        parts = urlsplit(place)
        if "://" in place or re.match("https?[:/]|//", place):
            _ = parts.port  # ValueError if it is no number
            host = parts.hostname and " " not in parts.netloc
            more = parts.query or parts.fragment
            right = place.startswith(("http://", "https://")) and host and not more
        else:
            right = not Path(place).expanduser().is_file()
    except (ValueError, RuntimeError):  # no such port, brackets without end; no such ~user
        right = False
    if right and place.strip() and place.isprintable():
        return place
    # the message leaves out the place, which may hold a password
    raise PydanticCustomError(
        "rule", "a mirror is a folder or http(s)://host/folder, without a query; correct it"
    )


@dataclass(frozen=True)
class Ref:
    """Says of a field that its text, its texts or its keys are ids of entries of one kind."""

    kind: str


Spelled = BeforeValidator(_spelled)
Unique = AfterValidator(_unique)
Filled = Field(min_length=1)

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
_WORD = "[A-Za-z_][A-Za-z0-9_]*"
Point = Annotated[str, Field(pattern=rf"^{_WORD}(\.{_WORD})*:{_WORD}$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Address = Annotated[
    str, Field(pattern=r"^https?://[A-Za-z0-9]\S*$", max_length=2000), AfterValidator(_address)
]
Text = Annotated[str, Filled]
Texts = Annotated[list[str], Filled]
Columns = Annotated[list[Id], Unique]
Ids = Annotated[list[str], Filled, Unique]
Count = Annotated[int, Field(ge=1)]
Repeats = Annotated[int, Field(ge=1, le=1_000_000)]
Parameters = dict[str, Any]
Grid = Annotated[dict[str, Annotated[list[Any], Filled]], Filled]
MeasureId = Annotated[str, Ref("measure")]
MeasureIds = Annotated[Ids, Ref("measure")]
AlgorithmIds = Annotated[Ids, Ref("algorithm")]
PreparationId = Annotated[str, Ref("preparation")]
PreparationIds = Annotated[Ids, Ref("preparation")]
DatasetIds = Annotated[Ids, Ref("data set")]
ExperimentIds = Annotated[Ids, Ref("experiment")]
MethodIds = Annotated[Ids, Ref("method")]
Function = Annotated[Point, Ref("function")]
Treatment = Literal["impute", "value", "drop"]


class _Entry(BaseModel):
    """One part of a file. Its fields are the only keys allowed."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )
    mistakes: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}
    """Mistakes in an entry as a whole: the message, and a function that detects the mistake."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, content: Any) -> Any:
        """Refuse unknown keys first: a misspelt key also leaves another one missing."""
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in content if isinstance(content, dict) else ():
            if key not in known:
                raise PydanticCustomError(
                    "key", "unknown key; {remedy}", {"key": key, "remedy": remedy(key, known)}
                )
        return content

    @model_validator(mode="after")
    def _sound(self) -> Self:
        for message, wrong in self.mistakes.items():
            if wrong(self):
                raise PydanticCustomError("rule", message)
        return self


class Data(_Entry):
    """How data sets are obtained."""

    official: Annotated[bool, Spelled]
    """Whether the official addresses are tried first. Without them and without mirrors that are
    addresses, a run does not use the network."""
    timeout: Annotated[float, Field(ge=0.1, le=3600), Spelled]
    """Seconds to wait for a connection. A host that does not answer costs twice as many at most,
    once in ten minutes."""
    mirrors: list[Annotated[str, Filled, AfterValidator(_mirror)]]
    """Folders or addresses with copies of the official files, tried in order after the official
    addresses; that of the variable `REPLICATION_MIRROR` of the environment comes after them. A
    missing folder is skipped."""


class Limits(_Entry):
    """How much is computed."""

    datasets: Literal["all"] | Ids
    """`all`, or a list of data set ids as the papers use them. The others are marked "not run"."""
    row_orders: Annotated[Repeats, Spelled]
    """Number of random row orders over which every spread is measured."""
    samples: Annotated[Repeats, Spelled]
    """Number of random samples, where a paper used a sample that was never published."""
    trials: Annotated[Literal["printed"] | Repeats, Spelled]
    """`printed` (repeat random experiments as often as the papers did), or an upper limit on the
    repetitions."""
    independent: Annotated[bool, Spelled]
    """Whether label vectors that others published are fetched and scored. Without them their
    column is empty."""


class Config(_Entry):
    """Configuration of a run.

    A file given with `--configfile`, such as `config/quick.yaml`, overrides it (maps are merged,
    lists are replaced). `--config key=value` overrides both.
    """

    effort: Annotated[Id, AfterValidator(_effort)]
    """Name of this configuration, such as `full` or `quick`. Results go to `results/<effort>`, and
    figures to `figures` in it; those of `full` go to `figures` at the top."""
    seed: Annotated[int, Field(ge=0), Spelled]
    """Root seed of all random numbers. The seed of a trial is derived from it and from names, so
    the order of jobs does not matter."""
    what_if: str = ""
    """File of changes to the rest of the configuration, such as `config/what-if/ward.yaml`. Results
    and figures then go to `results/whatif-<name>/<effort>` (docs/reproduce.md)."""
    papers: Ids
    """Papers to reproduce, by the names of the files in `config/papers`."""
    data: Data
    """How data sets are obtained. Files from every route must match the same checksum or
    fingerprint."""
    limits: Limits
    """How much is computed."""


class Class(_Entry):
    """One measure or algorithm, under the id that the other files use."""

    class_: Point = Field(alias="class")
    """Import path of the class, as `module:Class`."""
    parameters: Parameters = ABSENT
    """Parameters of its constructor."""
    label: Text
    """Its name in tables and figures."""
    paper: Text
    """Paper that defines or uses it, usually by its id."""
    equation: str = ABSENT
    """Equation, algorithm or section of the definition."""
    readings: dict[str, str] = ABSENT
    """Readings of `config/readings.yaml` that this entry implements, each with its answer."""


class Reading(_Entry):
    """One step that a paper leaves open, under the id `paper.choice`."""

    question: Text
    """Question that the text leaves open."""
    choices: Annotated[dict[str, str], Filled]
    """Possible answers, each with a short explanation."""
    reconciled: str
    """Answer that the evidence supports best; `decided_by` says what kind of evidence."""
    literal: str
    """Answer of the text, read literally."""
    values: Annotated[Parameters, Filled] = ABSENT
    """Value that replaces `=paper.choice` in the configuration, by answer. Without it, the answer
    itself is the value. An answer without a value cannot be chosen. `=paper.choice[part]` is one
    part of a map."""
    steers: Literal["tables", "nothing"] = ABSENT
    """Use of the answer other than by `=paper.choice`: `tables` if tables ask for it, `nothing` if
    no step uses it and the entry only records what was tried. Leave it out if there is no such
    use."""
    decided_by: Literal["text", "source", "print", "labels", "open"]
    """Basis of the reconciled answer: `text` (the paper's text), `source` (a cited paper or the
    authors' program), `print` (it fits the printed numbers best, so it was chosen after seeing
    them), `labels` (chosen with class labels), `open` (no evidence; our choice)."""
    evidence: Text
    """Evidence for the reconciled answer."""


class Line(_Entry):
    """One line of a raw file that is left out."""

    line: Count
    """Number of the line, counted from 1."""
    reason: Text
    """Why it is left out."""


class File(_Entry):
    """One raw file."""

    name: Name
    """Name of the file, in a mirror and in data/raw."""
    url: Address = ABSENT
    """Official address. Without it, the file comes from a mirror or a bundled copy."""
    archive: Address = ABSENT
    """Another official address: a zip or tar archive that contains the file under its `name`."""
    sha256: Digest
    """SHA-256 of the file. A file with a different checksum is refused."""
    bytes: Count
    """Size of the file."""
    rows: Count
    """Number of rows that the file must have."""
    lacks: Columns = ABSENT
    """Columns of `ignored` that this file does not have."""
    skip_lines: list[Line] = ABSENT
    """Lines to skip because they are not rows."""
    strip_suffix: dict[Id, Text] = ABSENT
    """Suffix to remove from fields, by column. Fields without it stay as they are."""


class Parse(_Entry):
    """How the lines are read."""

    separator: Literal["comma", "semicolon", "tab", "whitespace"]
    """Separator of fields. `whitespace` is any number of spaces and tabs; spaces at both ends of a
    line are then ignored."""
    quote: Annotated[str, Field(pattern=r"^[^\w\s,;]$")] = ABSENT
    """Quotation mark around fields that contain a separator. Without it, no field is quoted."""
    header: bool = False
    """Whether the first line holds the names of the columns. They must match `columns`."""
    letters: bool = False
    """Whether each letter of the last field is a column of its own."""
    keep_blanks: Columns = ABSENT
    """Columns in which surrounding spaces belong to the label. In the other columns they are
    removed."""
    missing: Annotated[list[str], Unique] = ABSENT
    """Texts that stand for a missing value; each becomes `?` in the table. An empty field that is
    not listed is an error."""


class CompleteRows(_Entry):
    """What packages hold of a data set if they hold only its rows without a missing cell."""

    rows: Count
    """Number of these rows."""
    gaps: Annotated[Columns, Filled]
    """Columns in which the other rows have missing cells."""
    fingerprint: Digest
    """Fingerprint of the table of these rows."""


class Source(_Entry):
    """One data set: its files, how they are read, checksums of the table."""

    mistakes = {
        "two of `files` have the same name; remove one": lambda one: (
            len({file.name for file in one.files}) < len(one.files)
        ),
        "with several `files`, `part` names that of each row; rename this column": lambda one: (
            len(one.files) > 1 and "part" in one.columns
        ),
    }
    title: Text
    """Name shown to readers."""
    description: Text
    """One sentence about the rows and the class."""
    licence: Text
    """Licence of the data."""
    citation: Text
    """Work to cite."""
    uci: Count = ABSENT
    """Number in the UCI Machine Learning Repository."""
    doi: Annotated[str, Field(pattern=r"^10\.")] = ABSENT
    """Digital object identifier, without `https://doi.org/`."""
    homepage: Address = ABSENT
    """Page that describes the data set."""
    note: str = ABSENT
    """Note for users of the data."""
    folder: Name
    """Folder of the files inside a mirror."""
    files: Annotated[list[File], Filled]
    """The files, in the order of their rows in the table. If there are several, a last column
    `part` names the file of each row."""
    parse: Parse
    """How the lines are read. Empty lines are skipped."""
    columns: Annotated[Columns, Filled]
    """Every column of the raw files, in order."""
    ignored: dict[Id, Text] = ABSENT
    """Columns that are left out of the table, each with the reason."""
    numeric: Columns
    """Columns that hold quantities; each field must be a number or missing. Do not list columns
    whose numbers are codes of categories. A paper may treat a column differently."""
    class_: Id = Field(alias="class")
    """The column with the class."""
    identifiers: Columns = ABSENT
    """Columns that only identify the row. They are attributes only where a paper asks for them."""
    fingerprint: Digest
    """SHA-256 of the table that does not depend on the names of labels and compares numeric columns
    by value (replication.data.parse)."""
    table_sha256: Digest
    """SHA-256 of the table as CSV, built from the original files."""
    complete_rows: CompleteRows = ABSENT
    """Given if the bundled copy holds only the complete rows. It serves the data sets of papers
    that drop every row with a missing cell in one of its `gaps`; the others are marked "not run",
    as if the data set were not available."""


class GeneratorSetting(_Entry):
    """What the generator of a data set is told beside the sizes."""

    sizes: Literal["equal", "random", "half-normal"]
    """Sizes of the classes: rules are taken in turn, at random, or the first ones more often."""
    terms: Annotated[list[Count], Field(min_length=2, max_length=2)]
    """Smallest and largest number of attributes in the rule of a class, which fixes their
    values."""
    errors: Annotated[float, Field(ge=0, le=1)]
    """Share of the cells that are drawn anew after the rules."""


class Synthetic(_Entry):
    """A generated data set (replication.data.datgen)."""

    objects: Count
    """Number of objects."""
    attributes: Count
    """Number of attributes."""
    values: Count
    """Number of values of every attribute."""
    classes: Count
    """Number of classes."""
    setting: GeneratorSetting
    """What the sizes leave open."""


class Dataset(_Entry):
    """One data set, under the id that this paper's artefacts use."""

    mistakes = {
        "give exactly one of `source`, `synthetic` and `inline`": lambda one: (
            [one.source, one.synthetic, one.inline].count(ABSENT) != 2
        )
    }
    printed: Annotated[str, Field(pattern=r"^[^\r\n\t]*$")]
    """Its name in the paper."""
    source: Annotated[str, Ref("source")] = ABSENT
    """Id in `config/datasets.yaml`. Exactly one of `source`, `synthetic` and `inline` is
    given."""
    synthetic: Synthetic = ABSENT
    """Parameters of a generated data set."""
    inline: Annotated[str, Field(pattern=r"^\w[\w.-]*(/\w[\w.-]*)*$")] = ABSENT
    """File under `data/bundled` with a table that the paper prints."""
    parts: Texts = ABSENT
    """Files of the source to use, in order. Without it, all."""
    class_: str = Field(alias="class", default=ABSENT)
    """Column of the class labels, if it is not the one in `config/datasets.yaml`."""
    attributes: Ids = ABSENT
    """Columns to use, in this order. Without it, all."""
    without: Ids = ABSENT
    """Columns to leave out."""
    missing: Treatment
    """Treatment of missing values: `impute` (replace by the mean or the most frequent value),
    `value` (treat as a category of its own), `drop` (drop the row)."""
    missing_in: Annotated[dict[str, Treatment], Filled] = ABSENT
    """Treatment of missing values by column, where it differs from `missing`. `drop` works for
    unused columns as well. With `value`, the missing values of a numeric column form an interval of
    their own."""
    without_values: Annotated[dict[str, Texts], Filled] = ABSENT
    """Values by column, used or not, whose rows are left out."""
    mode_ties: dict[str, str] = ABSENT
    """Value to impute where several are equally frequent, by attribute."""
    numeric: Annotated[list[str], Unique] = ABSENT
    """Attributes that the paper treats as numeric."""
    declared: dict[str, Texts] = ABSENT
    """Declared values of an attribute, where some of them never occur."""
    sample: Count = ABSENT
    """Number of rows of a random sample that the paper used and never published."""
    reachable: dict[str, int] = ABSENT
    """True counts of the data, checked by the tests. A printed count that differs cannot be
    reproduced."""


class Preparation(_Entry):
    """One preparation, under the id that methods and artefacts use."""

    mistakes = {
        "`equal_width` needs `bins`, the number of bins; add it": lambda one: (
            "equal_width" in one.numeric and one.bins is ABSENT
        )
    }
    numeric: Literal["equal_width", "mdl", "mdl_or_equal_width", "category", "keep", "drop"]
    """Treatment of numeric attributes. `equal_width`, `mdl` (Fayyad and Irani) and
    `mdl_or_equal_width` (equal widths where MDL finds no cut) discretise them; `category` makes
    each number a category; `keep` leaves them numeric, so the table is mixed; `drop` leaves them
    out."""
    bins: Annotated[int, Field(ge=1, le=10000)] = ABSENT
    """Number of equal-width bins."""
    domain: Literal["declared", "observed"] = ABSENT
    """Whether an attribute has the declared values that never occur (`declared`, the default) or
    not (`observed`)."""
    order: Literal["appearance", "alphabetical", "declared", "natural"] = ABSENT
    """Order in which the values of an attribute enter sums: `appearance` (in the file; the
    default), `alphabetical`, `declared` (otherwise alphabetical), or `natural` (by number if all
    are numbers, otherwise alphabetical)."""
    constant: Literal["keep", "drop"] = ABSENT
    """Whether attributes with the same value in all rows stay (`keep`, the default) or are left out
    (`drop`)."""
    smallest_class: Count = ABSENT
    """Smallest number of rows in a class. Smaller classes are left out."""
    labels: Literal["raw", "stripped"]
    """Class labels as in the file (`raw`) or without surrounding spaces (`stripped`)."""
    readings: dict[str, str] = ABSENT
    """Readings of `config/readings.yaml` that this entry implements, each with its answer."""


class Pipeline(_Entry):
    """Preparation, measure and algorithm of a method."""

    preparation: PreparationId
    """Id of a preparation of this paper."""
    measure: MeasureId = ABSENT
    """Id in `config/measures.yaml`. Without it, the algorithm clusters the table itself, and `grid`
    varies the parameters of the algorithm."""
    algorithm: Annotated[str, Ref("algorithm")]
    """Id in `config/algorithms.yaml`."""


class Method(_Entry):
    """One method, under the id that artefacts use."""

    label: str
    """Its name in tables and figures."""
    grid: Grid = ABSENT
    """Values to try, by parameter of the measure (or of the algorithm, if there is no measure)."""
    batch: Id = ABSENT
    """Name of a batch. The methods of a batch are clustered in one job of `trials`; by default each
    has a job of its own."""
    select: Literal["purity-nmi-first", "fixed"] = ABSENT
    """Rule that chooses the setting of the grid for the tables: `purity-nmi-first` (by scores that
    use class labels), or `fixed` (the setting under `fixed`)."""
    fixed: Annotated[Parameters, Filled] = ABSENT
    """Setting of the grid that is shown next to the chosen one."""
    reconciled: Pipeline = ABSENT
    """The pipeline under the reconciled reading."""
    literal: Pipeline = ABSENT
    """The pipeline under the literal reading."""
    beside: Annotated[dict[Id, Pipeline], Filled] = ABSENT
    """Further pipelines, by id. Each is judged as a reading of its own."""


class ComparisonEntry(_Entry):
    """Statistical tests by a function, of the records of experiments or of methods."""

    run: Function
    """Function that compares, as `module:function`. It takes the records and yields one row per
    test; `replication.run.statistics:over_datasets` tests methods over data sets."""
    experiments: ExperimentIds = ABSENT
    """Experiments whose records are compared."""
    methods: Annotated[list[str], Field(min_length=2), Unique, Ref("method")] = ABSENT
    """Methods that are compared with each other, under the first reading."""
    parameters: Parameters = ABSENT
    """Keyword arguments of the function."""


class ExperimentEntry(_Entry):
    """One experiment, under the id that artefacts and claims use."""

    mistakes = {
        "`each: measures` needs `measures`; add the list": lambda one: (
            one.each == "measures" and not one.measures
        ),
        "`each: algorithms` needs `algorithms`; add the list": lambda one: (
            one.each == "algorithms" and not one.algorithms
        ),
        "`alone` and `batch` exclude each other; remove one of them": lambda one: (
            one.alone and one.batch
        ),
        "`similarities` needs `datasets` and `preparations`; add both": lambda one: (
            one.similarities and not (one.datasets and one.preparations)
        ),
    }
    run: Function
    """Function that computes, as `module:function`. It takes one data set at a time."""
    datasets: DatasetIds = ABSENT
    """Data sets of this paper, one job each. Without it, there is one job without a data set."""
    preparations: PreparationIds = ABSENT
    """Preparations that the function uses."""
    measures: MeasureIds = ABSENT
    """Measures of `config/measures.yaml` that the function fits itself."""
    similarities: Annotated[
        Ids | Annotated[dict[str, Annotated[list[Grid], Filled]], Filled], Ref("measure")
    ] = ABSENT
    """Measures of `config/measures.yaml` whose value matrices or vectors the function takes from
    the rule `similarity`, learned on each data set under each preparation. Give a list or, to vary
    parameters, a list of grids for each measure, like `methods.<id>.grid`."""
    algorithms: AlgorithmIds = ABSENT
    """Algorithms of `config/algorithms.yaml` that the function uses."""
    parameters: Parameters = ABSENT
    """Keyword arguments of the function."""
    by_dataset: dict[str, Parameters] = ABSENT
    """Parameters by data set; they override `parameters`."""
    by_effort: Annotated[dict[str, Parameters], Ref("effort")] = ABSENT
    """Parameters by effort, such as `quick`; they override both."""
    trials: Count = ABSENT
    """Number of repetitions in the paper; limited by `limits.trials`."""
    each: Literal["measures", "algorithms"] = ABSENT
    """With `measures` or `algorithms`, each data set has one job per measure or algorithm, so that
    adding one reruns no others."""
    alone: bool = ABSENT
    """Whether the experiment measures times. No other job then runs at the same time."""
    batch: Id = ABSENT
    """Batch of `trials` that runs an experiment that clusters and keeps its label vectors."""


class MeasuredColumns(_Entry):
    """Columns that hold times or memory."""

    columns: Texts
    """Names of columns."""
    where: Annotated[dict[str, Texts], Filled] = ABSENT
    """Rows concerned, as a list of values by column. Without it, all rows."""


class Measured(_Entry):
    """Results that differ between runs: times, memory, and text about them."""

    claims: Ids = ABSENT
    """Claims that are decided by measured times or memory."""
    tables: Annotated[dict[str, Annotated[list[MeasuredColumns], Filled]], Filled] = ABSENT
    """Measured columns of tables and verdicts, by artefact."""


class Artefact(_Entry):
    """One artefact, under the id that names its files."""

    mistakes = {
        "a figure is drawn from its table; add `table` to `outputs`": lambda one: (
            "table" not in one.outputs
        )
    }
    kind: Id
    """Function of `replication.papers.<paper>.tables` that makes the table, and of `.figures` that
    draws the figure, if there is one."""
    label: str
    """Its name in the paper."""
    datasets: DatasetIds = ABSENT
    """Data sets of this paper, in the order of the rows."""
    experiments: ExperimentIds = ABSENT
    """Experiments of this paper whose results it shows."""
    parameters: Parameters = ABSENT
    """Keyword arguments of the function, and `printed_in`, other artefacts whose printed numbers it
    shows."""
    methods: MethodIds = ABSENT
    """Methods of this paper, in the order of the columns."""
    tests: bool = ABSENT
    """Whether it shows statistical tests of `comparisons`."""
    score: Literal["purity", "nmi", "ari"] = ABSENT
    """Score that the paper prints."""
    preparation: PreparationId = ABSENT
    """Preparation that is used."""
    preparations: PreparationIds = ABSENT
    """Preparations that are used."""
    measure: MeasureId = ABSENT
    """Measure that is used."""
    literal_preparation: PreparationId = ABSENT
    """Preparation under the literal reading."""
    literal_measure: MeasureId = ABSENT
    """Measure under the literal reading."""
    grid: Grid = ABSENT
    """Values to try, by parameter of the measure."""
    reads: Annotated[list[Literal["independent", "ledger", "published"]], Filled, Unique] = ABSENT
    """Further inputs: `independent` (scores of the label vectors of others), `ledger` (verdicts on
    all numbers of the run), `published` (printed numbers of all papers of the run)."""
    outputs: Annotated[list[Literal["table", "figure"]], Filled, Unique]
    """Outputs to write: `[table]` or `[table, figure]`."""


class Note(_Entry):
    """A note on printed numbers."""

    artefact: Annotated[str, Ref("artefact")] = ABSENT
    """Applies to this artefact only."""
    dataset: Annotated[str, Ref("data set")] = ABSENT
    """Applies to this data set only."""
    method: Annotated[str, Ref("method")] = ABSENT
    """Applies to this method only."""
    metric: str = ABSENT
    """Applies to this metric only."""
    reading: str = ABSENT
    """Applies to this reading only."""
    code: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")] = ABSENT
    """Short code of the reason."""
    text: Text
    """The note. A test refuses typed figures, and words of verdicts without `holds`."""
    holds: str = ABSENT
    """Condition on the record that the note rests on, as in `{{ holds(...) }}` of a page. A test
    evaluates it; a run does not."""


class Change(_Entry):
    """One change of a protocol."""

    date: str
    """Date of the change."""
    protocol: str = ABSENT
    """Hash of the protocol from this change on. A test compares the newest hash."""
    commit: str = ABSENT
    """First commit with this protocol."""
    change: Text
    """The change, and what was known when it was made."""
    answer: Text = ABSENT
    """Answer that the study gave under this protocol."""


class Paper(_Entry):
    """One paper: its data sets, pipelines and artefacts. Its id is the name of the file."""

    title: str
    """Title of the paper."""
    name: str
    """Name of its method, in the table of `README.md` and in headings."""
    brings: str = ABSENT
    """Its contribution in a few words, for the table of `README.md`."""
    note: str = ABSENT
    """Note shown below its counts of verdicts."""
    headline: bool = ABSENT
    """Whether its numbers and claims count in the findings, the roll-up and its picture (the
    default). False for a paper that was added later: it has a line of its own below."""
    citation: str
    """Authors, journal, year."""
    doi: str = ABSENT
    """Digital object identifier."""
    prints: bool = ABSENT
    """Whether the paper prints numbers to compare with and claims to test (the default). False for
    a study of this project."""
    datasets: Annotated[dict[Id, Dataset], Filled] = ABSENT
    """The data sets as this paper uses them. Without it, experiments make their own tables."""
    preparations: Annotated[dict[Id, Preparation], Filled] = ABSENT
    """Ways to make a categorical table out of a prepared data set."""
    readings: Annotated[
        list[Literal["reconciled", "literal", "released", "repaired"]], Filled, Unique
    ]
    """Readings that are run; the first one is counted. Every method has a pipeline for each."""
    beside: Annotated[dict[str, Text], Filled] = ABSENT
    """Further readings, of single methods or artefacts, each with its meaning."""
    methods: Annotated[dict[Id, Method], Filled] = ABSENT
    """The methods that the paper compares."""
    comparisons: list[ComparisonEntry] = ABSENT
    """Statistical tests of the rule `tests`."""
    experiments: dict[Id, ExperimentEntry] = ABSENT
    """Computations of this paper other than its methods on its data sets."""
    clustered: Annotated[list[str], Unique] = ABSENT
    """Data sets that are clustered: a list that artefacts can refer to."""
    measured: Measured = ABSENT
    """Results that differ between runs: times, memory, and text about them. `verify` compares
    everything else."""
    artefacts: Annotated[dict[Id, Artefact], Filled]
    """The tables and figures of the paper that are reproduced."""
    findings: Annotated[dict[str, Ids], Filled] = ABSENT
    """Main findings: for each, named like its function in the paper's module `findings`, the
    artefacts whose tables it is computed from. The first artefact is shown as evidence."""
    notes: list[Note] = ABSENT
    """Notes on single printed numbers, shown next to the verdict. A note with a code makes the
    number *not comparable*; other notes change no verdict."""
    history: Annotated[list[Change], Filled] = ABSENT
    """Changes of a protocol of this project, the newest last. Every table names the newest."""


class LabelFile(_Entry):
    """One MATLAB file with label vectors."""

    name: Name
    """Name of the file, in a mirror and in data/raw."""
    url: Address
    """Public address, which names the commit."""
    sha256: Digest
    """SHA-256 of the file. A file with a different checksum is refused."""
    bytes: Count
    """Size of the file."""
    arrays: Annotated[dict[Id, Text], Filled]
    """Array of label vectors by method. Its cells are data sets; a cell has a column per run."""


class LabelSource(_Entry):
    """Label vectors that others made with the programs of the authors, and published."""

    title: Text
    """Name shown to readers."""
    repository: Address
    """Public repository."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    """Commit of the files."""
    licence: Text
    """Licence of the files."""
    citation: Text
    """Work to cite."""
    folder: Annotated[str, Field(pattern=r"^\w[\w.-]*(/\w[\w.-]*)*$")]
    """Folder of the files inside a mirror."""
    files: Annotated[list[LabelFile], Filled]
    """The files. If one of them cannot be obtained, the source is unavailable."""
    datasets: Texts
    """Data set of each cell of the arrays, by its id in the study, or a name in `left_out`."""
    left_out: dict[str, Text] = ABSENT
    """Data sets that are not used, each with the reason."""


class Compared(_Entry):
    """One printed table that the label vectors of others can be compared with."""

    paper: Id
    """Id of the paper."""
    artefact: Id
    """Id of the table."""
    runs: Count
    """Runs behind a printed number."""
    methods: Annotated[dict[str, Id], Filled]
    """Method of the label vectors, by the method of the paper."""
    metrics: Annotated[dict[str, str], Filled]
    """Score of `replication.run.scores`, by the metric of the paper."""
    datasets: Annotated[dict[str, Id], Filled]
    """Data set of the study, by the data set of the paper."""
    other: dict[str, Text] = ABSENT
    """Data sets of the paper that others prepared differently, each with the difference."""


class IndependentMethod(_Entry):
    """One method of the label vectors."""

    label: Text
    """Its name in tables."""
    program: Text
    """Program that made the label vectors, and its settings."""
    sources: Ids
    """Sources whose runs are pooled."""
    ours: str = ABSENT
    """Algorithm or measure of this project that is validated by them."""


class Independent(_Entry):
    """Label vectors that others made with the authors' programs: files, methods, comparisons."""

    tables_of: Id
    """Study in `config/papers` whose data sets are those of the label vectors."""
    sources: Annotated[dict[Id, LabelSource], Filled]
    """Where they come from. The four sources are of one group, and independent of the authors and
    of this project, not of each other."""
    methods: Annotated[dict[Id, IndependentMethod], Filled]
    """The methods."""
    compared: Annotated[list[Compared], Filled]
    """Printed tables in which the pooled runs of others stand beside ours."""


class WhatIf(_Entry):
    """Changes to the configuration for one run of `make whatif`.

    Maps are merged, anything else is replaced (docs/reproduce.md).
    """

    question: Text = ABSENT
    """The question in words; heading of the comparison."""
    readings: dict[str, str] = ABSENT
    """New answers to readings of `config/readings.yaml`, by id. Every entry that refers to a
    reading follows."""
    measures: dict[str, Parameters] = ABSENT
    """Changes to entries of `config/measures.yaml`, by id."""
    algorithms: dict[str, Parameters] = ABSENT
    """Changes to entries of `config/algorithms.yaml`, by id."""
    datasets: dict[str, Parameters] = ABSENT
    """Changes to entries of `config/datasets.yaml`, by id."""
    papers: dict[str, Parameters] = ABSENT
    """Changes to files in `config/papers`, by paper, section and id."""


def references(
    kind: type[BaseModel], content: Mapping[str, Any], place: str = ""
) -> Iterator[tuple[str, str, Any]]:
    """Yield the `Ref` fields of an entry and of those within it.

    Parameters
    ----------
    kind : type
        Type of the entry.
    content : mapping
        The entry, checked.
    place : str
        Its place in the file; empty for the file.

    Yields
    ------
    place : str
    kind : str
        Kind of the entries that are named.
    given : str, list of str, or dict
        Their ids.
    """
    fields = {field.alias or name: field for name, field in kind.model_fields.items()}
    for key, value in content.items():
        field, at = fields[key], f"{place}.{key}" if place else key
        named = next((one.kind for one in field.metadata if isinstance(one, Ref)), None)
        if named is None:
            yield from _within(field.annotation, value, at)
        else:
            yield at, named, value


def _within(type_: Any, value: Any, place: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the references in a value of any type."""
    origin, parts = get_origin(type_), get_args(type_)
    if origin is Annotated:
        yield from _within(parts[0], value, place)
    elif origin is dict:
        for key, one in value.items():
            yield from _within(parts[1], one, f"{place}.{key}")
    elif origin is list:
        for i, one in enumerate(value):
            yield from _within(parts[0], one, f"{place}[{i}]")
    elif isinstance(type_, type) and issubclass(type_, BaseModel):
        yield from references(type_, value, place)


FILE_TYPES: Mapping[str, TypeAdapter[Any]] = {
    "config": TypeAdapter(Config),
    "datasets": TypeAdapter(dict[Id, Source]),
    "measures": TypeAdapter(Annotated[dict[Id, Class], Filled]),
    "algorithms": TypeAdapter(Annotated[dict[Id, Class], Filled]),
    "readings": TypeAdapter(
        dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")], Reading]
    ),
    "papers": TypeAdapter(Paper),
    "independent": TypeAdapter(Independent),
    "what_if": TypeAdapter(WhatIf),
}
"""Type of each kind of file."""
