"""Find figures and verdicts that are typed by hand in the source of a text.

A text about results is a template (see `replication.text.render`): its figures are references into
the run. A digit outside a reference is an error unless it is of one of the kinds `TYPED`. A
sentence with a word of `VERDICT_WORDS`, or with one of `QUANTIFIERS` and one of `RESULTS`, needs a
reference: one that gives the word or the count, or ``holds(...)``, which stops the rendering if the
sentence is wrong.
"""

import re
from collections.abc import Iterator

TYPED: dict[str, str] = {
    "a year, which belongs to a citation or a date": r"\b(?:19|20)\d\d\b(?:-\d\d-\d\d)?",
    "a number of a section, table, figure, equation, theorem or algorithm of a paper": (
        r"(?i:\b(?:sections?|tables?|figs?\.?|figures?|eqs?\.?|equations?|theorems?|algorithms?|"
        r"definitions?|propert(?:y|ies)|appendix|step|steps|case|page|pages|part|line|lines)\s+"
        r"\(?[IVX]*-?[A-Z]?\d+(?:\.\d+)*\)?(?:(?:,| and| to|-|\N{EN DASH})\s*\(?\d+(?:\.\d+)*\)?)*)"
    ),
    "a digit within a name, such as 0-1P, GOODALL3 or k-means++": (
        r"\b0-1P?\b|\b[A-Za-z][A-Za-z_.-]*\d[\w.-]*|\b\d+[A-Za-z_]\w*"
    ),
    "the range of a score": r"\[0, 1\]|\[-1, 1\]|\(0, 1\]",
    "a value of a parameter": (
        r"(?i:\b(?:sigma|theta|phi|alpha|beta|gamma|k|h|l|n|m|p|seed|seeds|power|powers|digits?)\s*"
        r"(?:=|<=|>=|<|>|\N{LESS-THAN OR EQUAL TO}|\N{GREATER-THAN OR EQUAL TO}|of|at|between)?\s*"
        r"-?\d*\.?\d+(?:e-?\d+)?(?:(?:,| and| or| to)\s*-?\d*\.?\d+)*)"
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
}
"""Kinds of digits that may be typed, and why, with their patterns."""

VERDICT_WORDS = re.compile(
    r"(?i)\b(?:exact(?:ly)?|refuted|confirmed|fragile|robust|significant(?:ly)?|gains|loses|"
    r"unexplained)\b"
)
"""Words that say how numbers or claims fare."""
QUANTIFIERS = re.compile(r"(?i)\b(?:all|none|every|only|always|never|both)\b")
"""Words that count or compare, in a sentence with one of `RESULTS`."""
RESULTS = re.compile(
    r"(?i)\b(?:match(?:es|ed)?|holds?|held|fits?|ahead|better|best|worse|worst|beats?|agrees?|"
    r"differs?|fails?|reproduced?|supports?|supported|replicates?|reached|met)\b"
)
"""Words that say how results compare."""

_CODE = re.compile(
    r"(?ms)^```.*?^```|^ {4,}\S.*?$|`[^`\n]*`|<!--.*?-->|\]\([^)\n]*\)|https?://\S+|\$[^$\n]+\$"
)
"""Parts of Markdown that are no prose: code, comments, targets of links, formulas."""
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

    def blank(match: re.Match[str]) -> str:
        return " " + "\n" * match[0].count("\n")

    def mark(match: re.Match[str]) -> str:
        return _MARK + "\n" * match[0].count("\n")

    return (_TYPST if typst else _CODE).sub(blank, _REFERENCE.sub(mark, source))


def typed_figures(source: str, name: str, typst: bool = False) -> list[str]:
    """Return the places of digits that are typed and of none of the kinds `TYPED`."""
    found = []
    text = prose(source, typst)
    for pattern in TYPED.values():
        text = re.sub(pattern, lambda match: " " + "\n" * match[0].count("\n"), text)
    for i, line in enumerate(text.splitlines(), 1):
        if match := re.search(r"\d[\d,.]*", line):
            found.append(f"{name}:{i}: {match[0]!r} in {_short(source, i)!r}")
    return found


def typed_verdicts(source: str, name: str, typst: bool = False) -> list[str]:
    """Return the sentences that say how results fare without a reference into the run.

    Questions say nothing, and a word in italics is a term that is explained.
    """
    return [
        f"{name}:{i}: {word!r} in {_shortened(sentence)!r}"
        for i, sentence in sentences(prose(source, typst))
        if _MARK not in sentence and (word := _verdict(sentence))
    ]


def _verdict(sentence: str) -> str:
    """Return the word of a sentence that says how results fare; empty without one."""
    if sentence.rstrip("*_)").endswith("?"):
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


def _short(source: str, line: int) -> str:
    return _shortened(source.splitlines()[line - 1].strip())


def _shortened(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:87]}..."
