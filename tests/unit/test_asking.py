"""What a command says to the process that runs its step."""

import os

from hypothesis import given
from hypothesis import strategies as st

from replication import asking

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.lists(WORDS, max_size=6), st.dictionaries(WORDS.filter(lambda w: "=" not in w), WORDS))
def test_words_arrive_as_they_were_said(arguments, settings):
    words = [str(len(arguments)), *arguments, "/a folder", *map("=".join, settings.items())]
    said = b"\0".join(map(os.fsencode, words))
    assert asking.read(said) == (arguments, "/a folder", settings)


def test_names_that_are_no_text_arrive(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OWN", os.fsdecode(b"\xff=\n"))
    arguments = ["step", "", os.fsdecode(b"\xfe name")]
    read, folder, settings = asking.read(asking._words(arguments))
    assert (read, folder) == (arguments, str(tmp_path))
    assert settings == dict(os.environ)
