"""Files that are written by programs are what the programs write."""

from email.message import Message

import config_readme
import environment
import licences
from kit import ROOT


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_environment_has_the_versions_of_the_lock():
    text = environment.environment(read("pyproject.toml"), read("requirements.lock"))
    assert read("environment.yml") == text, "run `make lock`"


def test_every_direct_dependency_is_pinned_once():
    pins = [line[4:] for line in read("environment.yml").splitlines() if line.startswith("  - ")]
    pins = [pin for pin in pins if "=" in pin]
    names = [pin.rpartition("::")[2].partition("=")[0] for pin in pins]
    assert len(names) == len(set(names))
    assert {"python", "snakemake", "numpy", "pytest"} <= set(names)


def test_the_page_of_a_registry_is_no_home_page():
    about = Message()
    about["Name"] = "x"
    about["Project-URL"] = "Homepage, https://registry.example/project/x/"
    about["Project-URL"] = "Source, https://example.org/x"
    assert licences._home(about) == "https://example.org/x"


def test_config_readme_describes_every_key():
    text = config_readme.readme()
    assert read("config/README.md") == text, "run tools/config_readme.py"
    assert "|  |" not in text, "a key without a description"
    for name, schema in config_readme.schemas().items():
        assert read(f"config/schema/{name}") == schema, "run tools/config_readme.py"
