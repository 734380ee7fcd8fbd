"""Write config/README.md: every key of the configuration, from the schemas that check it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

FILES = {
    "config": "config.yaml",
    "datasets": "datasets.yaml",
    "measures": "measures.yaml",
    "algorithms": "algorithms.yaml",
    "readings": "readings.yaml",
    "paper": "papers/&lt;paper&gt;.yaml",
    "what_if": "what-if/&lt;name&gt;.yaml",
}
HEAD = """# Configuration

Written by `make docs` from `workflow/schemas`, which every run checks these files against: a
mistake ends the run with one line that names the file, the key, the value and the remedy.
Keys that must be there are **bold**; `<id>` stands for a name that you choose, `[]` for the
entries of a list.
"""


def readme(schemas: Path) -> str:
    """Text of config/README.md."""
    parts = [HEAD]
    for name, file in FILES.items():
        schema = yaml.safe_load((schemas / f"{name}.schema.yaml").read_text(encoding="utf-8"))
        rows = "\n".join(_rows(schema, schema, ""))
        parts.append(
            f"## {file}\n\n{_line(schema)}\n\n| key | holds | meaning |\n|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def _rows(schema: dict, top: dict, prefix: str) -> Iterator[str]:
    required = schema.get("required", [])
    children = list(schema.get("properties", {}).items())
    children += [("<id>", child) for child in schema.get("patternProperties", {}).values()]
    for key, child in children:
        child = _resolved(child, top)
        mark = "**" if key in required else ""
        yield f"| {mark}`{prefix}{key}`{mark} | {_holds(child, top)} | {_line(child)} |"
        yield from _rows(child, top, f"{prefix}{key}.")
        items = _resolved(child.get("items", {}), top)
        yield from _rows(items, top, f"{prefix}{key}[].")


def _resolved(schema: dict, top: dict) -> dict:
    if "$ref" not in schema:
        return schema
    target = top
    for part in schema["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**_resolved(target, top), **{k: v for k, v in schema.items() if k != "$ref"}}


def _holds(schema: dict, top: dict) -> str:
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if "oneOf" in schema:
        return " or ".join(_holds(_resolved(part, top), top) for part in schema["oneOf"])
    names = {"object": "map", "array": "list", "string": "text", "integer": "whole number"}
    kind = names.get(schema.get("type"), schema.get("type", "anything"))
    if kind == "list":
        items = _resolved(schema.get("items", {}), top)
        return f"list of {_holds(items, top)}" if {"type", "enum"} & set(items) else "list"
    return {"boolean": "true or false"}.get(kind, kind)


def _line(schema: dict) -> str:
    text = " ".join(schema.get("description", "").split()).replace("|", "\\|")
    return text.replace("<", "&lt;").replace(">", "&gt;")


if __name__ == "__main__":
    sys.stdout.write(readme(Path(sys.argv[1])))
