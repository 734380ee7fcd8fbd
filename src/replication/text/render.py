"""Render texts with Jinja over the view of a run.

What stands between ``{{`` and ``}}`` is an expression over `replication.text.view.View`. The
environment is a sandbox, since texts of the configuration are data.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from replication.errors import UserError
from replication.text.view import View
from replication.text.words import FORMATS, whole


class Verbatim(str):
    """Text in the language of a template, which is not escaped again."""

    __slots__ = ()


@dataclass(frozen=True)
class Language:
    """Language of a template.

    Attributes
    ----------
    escape : callable
        Makes plain text of the run a text of the language.
    table : callable
        Makes rows of texts, the first one the head, a table of the language: the filter ``table``.
    """

    escape: Callable[[str], str]
    table: Callable[[Sequence[Sequence[str]]], str]


def _markdown_table(rows: Sequence[Sequence[str]]) -> Verbatim:
    head, *body = rows
    lines = [f"| {' | '.join(row)} |" for row in (head, *body)]
    return Verbatim("\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]]))


def _typst_table(rows: Sequence[Sequence[str]]) -> Verbatim:
    """Return rows as an array of arrays of strings."""
    lines = ["(" + "".join(f"{json.dumps(cell)}, " for cell in row) + ")" for row in rows]
    return Verbatim("(" + "".join(f"{line}, " for line in lines) + ")")


def _typst_escape(text: str) -> str:
    return re.sub(r"([\\#*_@$<>`~\[\]])", r"\\\1", text)


MARKDOWN = Language(lambda text: text, _markdown_table)
TYPST = Language(_typst_escape, _typst_table)


def environment(view: View, language: Language = MARKDOWN) -> ImmutableSandboxedEnvironment:
    """Return the environment of the templates that speak of a run."""

    def text(value: Any) -> Any:
        """Return what stands in the place of a reference: a text, or a count with commas."""
        if isinstance(value, Verbatim | jinja2.Undefined):
            return value
        return language.escape(value if isinstance(value, str) else whole(value))

    made = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
        # in Typst `{` and `#` stand next to each other
        comment_start_string="{##",
        comment_end_string="##}",
        finalize=text,
    )
    filters: Mapping[str, Callable[..., str]] = {**FORMATS, "table": language.table}
    made.globals |= view.names()
    made.filters |= filters
    return made


def rendered(source: str, view: View, name: str, language: Language = MARKDOWN, **more: Any) -> str:
    """Return a text with its references replaced; `more` are further names that it can use.

    Raises `UserError` that names the text, and the reference that has no value.
    """
    try:
        return environment(view, language).from_string(source).render(more)
    except jinja2.TemplateSyntaxError as error:
        raise UserError(f"{name}:{error.lineno}: {error.message}") from error
    except (UserError, jinja2.TemplateError, ValueError, TypeError, ZeroDivisionError) as error:
        raise UserError(f"{name}{_line(error)}: {error}") from error


def stated(source: str, view: View, name: str) -> str:
    """Return a text as `rendered`, or, if the run has not all that it refers to, what is missing.

    For texts of a configuration next to a run that may be smaller than the one they speak of.
    """
    try:
        return rendered(source, view, name)
    except UserError as error:
        return f"Not part of this run ({error})."


def _line(error: BaseException) -> str:
    """Return ``:line`` of the template that failed; empty if it is unknown."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            found = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return found
