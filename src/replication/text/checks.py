"""Find figures and verdicts that are typed by hand in the source of a text.

A text about results is a template (see `replication.text.render`): its figures are references into
the run. A digit outside a reference is an error unless it is of one of the kinds `TYPED`. A
sentence with a word of `VERDICT_WORDS`, or with one of `QUANTIFIERS` and one of `RESULTS`, needs a
reference: one that gives the word or the count, or ``holds(...)``, which stops the rendering if the
sentence is wrong. Rules and terms (`RULES`) are no results.

A section that names the program of its measurements (`PROGRAM`), or whose page names it before the
first section, may give them; its sentences about papers (`OF_PAPERS`) are checked all the same.
"""

import itertools
import re
from collections.abc import Iterator, Mapping

from replication.judge.verdicts import UNEXPLAINED

_HISTORY = r"(?m)^\| *20\d\d-\d\d-\d\d \|.*$"

TYPED: dict[str, str] = {
    "a tolerance of arithmetic, or a size as a power of ten": (
        r"\b1e-\d+\b|\b10[\N{SUPERSCRIPT ZERO}\N{SUPERSCRIPT ONE}\N{SUPERSCRIPT TWO}"
        r"\N{SUPERSCRIPT THREE}\N{SUPERSCRIPT FOUR}-\N{SUPERSCRIPT NINE}]+"
    ),
    "a value of a parameter": (
        r"(?i:\b(?:sigma|theta|phi|alpha|beta|gamma|k|h|l|n|m|p|seed|seeds|power|powers|digits?)\s*"
        r"(?:=|<=|>=|<|>|\N{LESS-THAN OR EQUAL TO}|\N{GREATER-THAN OR EQUAL TO}|of|at|between)?\s*"
        r"-?\d*\.?\d+(?:e-?\d+)?(?:(?:,| and| or| to)\s*-?\d*\.?\d+)*)"
    ),
    "a name of a file or of a version of a program": (
        r"\b[\w.-]*\d[\w.-]*\.(?:csv|md|py|yaml)\b|\b\d+\.\d+\.\d+\b|"
        r"\bCC-[A-Z]+-\d+(?:,? (?:to )?\d{3})*"
    ),
    "a change of the past, with its date: a row of a history": _HISTORY,
    "a day of a date, which belongs to a change or a source": (
        r"\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|"
        r"November|December)\b"
    ),
    "a year, which belongs to a citation or a date": r"\b(?:19|20)\d\d\b(?:-\d\d-\d\d)?",
    "a volume, an issue or an identifier of a publication": (
        r"\b\d+\(\d+\)|\barXiv \d{4}\.\d{4,5}|\bcommit [0-9a-f]{7}\b"
    ),
    "a number of a section, table, figure, equation, theorem or algorithm of a paper": (
        r"(?i:\b(?:sections?|tables?|figs?\.?|figures?|eqs?\.?|equations?|theorems?|algorithms?|"
        r"definitions?|propert(?:y|ies)|appendix|step|steps|case|page|pages|part|line|lines)\s+"
        r"\(?[IVX]*-?[A-Z]?\d+(?:\.\d+)*\)?(?:(?:,| and| to|-|\N{EN DASH})\s*\(?\d+(?:\.\d+)*\)?)*)"
    ),
    "a digit within a name, such as 0-1P, GOODALL3 or k-means++": (
        r"\b0-1P?\b|\b[A-Za-z][A-Za-z_.-]*\d[\w.-]*|\b\d+[A-Za-z_]\w*"
    ),
    "the range of a score": r"\[0, 1\]|\[-1, 1\]|\(0, 1\]",
    "a term of a formula, next to an operator and a letter": (
        r"(?:\d+ ?[-+*/\N{MINUS SIGN}\N{MULTIPLICATION SIGN}] ?"
        r"(?=[(A-Za-z\N{GREEK SMALL LETTER ALPHA}-\N{GREEK SMALL LETTER OMEGA}]))|"
        r"(?:(?<=[)\w])[\N{SUPERSCRIPT TWO}!]? ?"
        r"[-+*/\N{MINUS SIGN}<>=\N{LESS-THAN OR EQUAL TO}] ?\d+(?:\.\d+)?\b)(?! of)"
    ),
    "zero or one as a value of a definition, not as a count": (
        r"(?<![\d.,])[01](?!\d|[.,]\d)(?! (?:of|claims?|numbers?|cells?|scores?|data|papers?|%))"
    ),
    "a quantity of a machine or of time": (
        r"\b\d[\d,.]*\s*(?:to\s*\d[\d,.]*\s*)?(?:cores?|GB|GiB|MB|MiB|kB|bits?|minutes?|seconds?|"
        r"hours?|ms|megabytes)\b"
    ),
    "a version of a program": (
        r"(?:Python|Snakemake|DatGen|pandas|numpy|Weka|MATLAB|R|Java|numba|scikit-learn)\s*"
        r"(?:\N{GREATER-THAN OR EQUAL TO}|>=)?\s*\d+(?:\.\d+)*"
    ),
    "an item of a numbered list": r"(?m:^\s*\d+\. )",
    "a level of a test or an interval, which the protocol sets": r"\b(?:95|5)\s*%|\b0?\.05\b",
    "a row of a table whose head gives a unit of time or memory": (
        r"(?m)^\|[^\n]*\| (?:minutes|seconds|MB|GB) \|\n\|[-:| ]+\|\n(?:\|.*\n?)+"
    ),
}
"""Kinds of digits that may be typed, and why, with their patterns."""

PROGRAM = re.compile(
    r"benchmarks/\w+\.(?:py|json)|`make bench`|tests/peers/run\.py|tools/licences\.py|"
    r"results/full/benchmarks"
)
"""Programs that measure the library or the machine: no run records what they find."""
FROZEN = ("This page is a protocol.", "[Keep a Changelog]")
"""Mark a page that says nothing of this run: a protocol, whose hash a test compares and which was
fixed before its results were known; and the history of the versions."""
OF_PAPERS = re.compile(
    r"(?i)\b(?:printed|print|claims?|verdicts?|reproduced?|findings?|authors?|tables? [IVX\d]|"
    r"fig\.)"
)
"""Words of a sentence about a paper."""
RULES: dict[str, str] = {
    "a change of the past, with its date: a row of a history": _HISTORY,
    "a head of a table": r"(?m)^\|[^\n]*\|\n(?=\|[-:| ]+\|$)",
    "a term of a glossary": r"(?m)^[^\n:]+\n(?=: )",
    "a name of a picture": r"(?s)!\[[^\]]*\]",
    "an exact computation, not agreement with print": (
        r"(?i)\bhow exactly\b|\bexactly (?:one|half|as|when)\b|"
        r"\bexact (?:columns?|neighbours|arithmetic|factors|ties|ones|distances?|counts|sums?)\b"
    ),
}
"""Kinds of text that may have words of verdicts, and their patterns."""
_CONDITION = re.compile(r"(?i)\b(?:if|whether)\b")
"""Words of a rule, which says when a verdict is given and not that it is."""

VERDICT_WORDS = re.compile(
    r"(?i)\b(?:exact(?:ly)?|refuted|confirmed|fragile|robust|significant(?:ly)?|gains|loses|"
    r"unexplained)\b"
)
"""Words that say how numbers or claims fare."""
QUANTIFIERS = re.compile(r"(?i)\b(?:all|none|every|only|always|never|both)\b")
"""Words that count or compare, in a sentence with one of `RESULTS`."""
RESULTS = re.compile(
    r"(?i)\b(?:match(?:es|ed)?|holds?|held|fits?|ahead|better|best|worse|worst|beats?|agrees?|"
    r"differs?|fails?|reproduced?|supports?|supported|replicates?|reached|met|nearer)\b"
)
"""Words that say how results compare."""

_TRIED = re.compile(r"`make tried NAME=\w+`|\([A-Z][\w ]+\)|\(bandwidths\)")
"""The program or the table of what was tried for a difference."""

_CODE = re.compile(
    r"(?ms)<!-- \w+ -->\n.*?<!-- end -->|^```.*?^```|^ {4,}\S.*?$|`[^`\n]*`|<!--.*?-->|"
    r"\]\([^)\n]*\)|https?://\S+|\$[^$\n]+\$"
)
"""Parts of Markdown that are no prose: those that a program writes between two comments, code,
comments, targets of links, formulas."""
_TYPST = re.compile(
    r"(?m)^#(?:import|show) .*$|^\s*//.*$|`[^`\n]*`|@[\w-]+|<[\w-]+>|#picture\([^)]*\)"
    r"|\bhead: \([^)]*\)|\b(?:left|width|columns): (?:\([^)]*\)|[\w%]+)|\$[^$\n]+\$"
)
_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n(?=[-*|] )")
"""End of a sentence, of a paragraph, or of an item of a list."""
_REFERENCE = re.compile(r"(?s)\{\{.*?\}\}|\{%.*?%\}")
_MARK = "\N{WHITE SQUARE}"
"""Stands for a reference."""


def prose(source: str, typst: bool = False) -> str:
    """Return the prose of a template, line by line, with a mark for each reference."""

    def mark(match: re.Match[str]) -> str:
        return _MARK + "\n" * match[0].count("\n")

    return (_TYPST if typst else _CODE).sub(_blank, _REFERENCE.sub(mark, source))


def typed_figures(source: str, name: str, typst: bool = False) -> list[str]:
    """Return the places of digits that are typed and of none of the kinds `TYPED`."""
    found: list[str] = []
    if any(mark in source for mark in FROZEN):
        return found
    text = prose(source, typst)
    measured = measurements(source)
    for pattern in TYPED.values():
        text = re.sub(pattern, _blank, text)
    for i, line in enumerate(text.splitlines(), 1):
        match = re.search(r"\d[\d,.]*", line)
        if match and (i not in measured or OF_PAPERS.search(line)):
            found.append(f"{name}:{i}: {match[0]!r} in {_short(source, i)!r}")
    return found


def typed_verdicts(source: str, name: str, typst: bool = False) -> list[str]:
    """Return the sentences that say how results fare without a reference into the run.

    Questions say nothing, and a word in italics is a term that is explained.
    """
    if any(mark in source for mark in FROZEN):
        return []
    text = prose(source, typst)
    measured = measurements(source)
    for pattern in RULES.values():
        text = re.sub(pattern, _blank, text)
    return [
        f"{name}:{i}: {word!r} in {_shortened(sentence)!r}"
        for i, sentence in sentences(text)
        if _MARK not in sentence
        and (i not in measured or OF_PAPERS.search(sentence))
        and (word := _verdict(sentence))
    ]


def typed_in_note(note: Mapping[str, str], name: str) -> list[str]:
    """Return what is typed in a note on printed numbers; see `typed_figures`, `typed_verdicts`.

    A note is shown next to a row of the run and cannot refer to it: it has no figures. A condition
    under ``holds`` stands for the references of its verdicts. *Unexplained* names the program or
    the table of what was tried.
    """
    text = note["text"]
    found = typed_figures(text, name)
    if text.startswith(UNEXPLAINED):
        if not _TRIED.search(text):
            found.append(f"{name}: {text!r} names no `make tried NAME=...` and no table")
        text = text.removeprefix(UNEXPLAINED)
    return found + ([] if note.get("holds") else typed_verdicts(text, name))


def measurements(source: str) -> frozenset[int]:
    """Return the lines of the sections that name the program of their measurements."""
    lines = source.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("## ")]
    lead = PROGRAM.search("\n".join(lines[: heads[0] if heads else None])) is not None
    found: set[int] = set()
    for start, end in itertools.pairwise([0, *heads, len(lines)]):
        if lead or PROGRAM.search("\n".join(lines[start:end])):
            found.update(range(start + 1, end + 1))
    return frozenset(found)


def _verdict(sentence: str) -> str:
    """Return the word of a sentence that says how results fare; empty without one."""
    if sentence.rstrip("*_)").endswith("?") or _CONDITION.search(sentence):
        return ""
    plain = re.sub(r"(?<![*\w])[*_][^*_]+[*_](?![*\w])", " ", sentence)
    if match := VERDICT_WORDS.search(plain):
        return match[0]
    match = QUANTIFIERS.search(plain)
    return match[0] if match and RESULTS.search(plain) else ""


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with the number of its first line."""
    start = 0
    ends = [match.span() for match in _END.finditer(text)]
    for end, after in [*ends, (len(text), len(text))]:
        part = text[start:end]
        if words := part.split():
            lead = start + len(part) - len(part.lstrip())
            yield 1 + text.count("\n", 0, lead), " ".join(words)
        start = after


def _blank(match: re.Match[str]) -> str:
    """Return empty text of as many lines."""
    return " " + "\n" * match[0].count("\n")


def _short(source: str, line: int) -> str:
    return _shortened(source.splitlines()[line - 1].strip())


def _shortened(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:87]}..."
