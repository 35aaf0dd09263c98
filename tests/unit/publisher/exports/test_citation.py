from __future__ import annotations

import re
from pathlib import Path

import pytest

from publisher.exports.citation import citations, latex
from tests.factories import make_batch, write_snapshot
from tests.factories.logged import OWNER
from tests.unit.publisher.exports.exported import URL, source_of

ENTRY = re.compile(r"@misc\{[a-z0-9-]+,\n(  [a-z]+ = (\{.*\}|[a-z]{3}),\n)+\}\n")
COMMANDS = re.compile(
    r"\\(textbackslash|textbraceleft|textbraceright|textasciicircum|textasciitilde|textless|textgreater|textbar"
    r"|textquotedbl)\{\}|\\[$&%#_]"
)


def test_every_release_has_both_forms_and_each_key_once(changed_site: dict[str, bytes]) -> None:
    keys = set()
    for number in range(1, 5):
        bibtex = changed_site[f"citations/release-{number}.bib"].decode()
        assert ENTRY.fullmatch(bibtex)
        assert f"version = {{{number}}}" in bibtex
        assert f"{URL}releases.html#release-{number}" in changed_site[f"citations/release-{number}.txt"].decode()
        keys.add(bibtex.split("{")[1].split(",")[0])
    assert len(keys) == 4


def test_a_signed_release_names_its_signer_and_what_the_log_fixed(changed: Path) -> None:
    citation = next(iter(citations(source_of(changed))))
    logged = source_of(changed).snapshot.log
    assert logged is not None
    assert citation.authors == (OWNER.name,)
    assert f"author = {{{{{latex(OWNER.name)}}}}}" in citation.bibtex
    assert logged.releases[-1].root_hex in citation.bibtex
    assert logged.releases[-1].root_hex in citation.words


def test_an_unsigned_release_claims_no_author(unlogged: Path) -> None:
    for citation in citations(source_of(unlogged)):
        assert "author" not in citation.bibtex
        assert citation.words.endswith("Not signed.")


def test_the_citation_of_a_release_stays_when_others_follow(tmp_path: Path) -> None:
    first, second = make_batch("batch-1"), make_batch("batch-2")
    before = list(citations(source_of(write_snapshot(tmp_path / "one", [first]))))
    after = list(citations(source_of(write_snapshot(tmp_path / "two", [first, second]))))
    assert after[-1] == before[0]
    assert len(after) == 2


def test_hostile_titles_leave_no_command_and_no_brace_in_bibtex(hostile_exports: dict[str, bytes]) -> None:
    entries = [data.decode() for name, data in hostile_exports.items() if name.endswith(".bib")]
    assert len(entries) > 30
    for entry in entries:
        assert ENTRY.fullmatch(entry), entry
        title = re.search(r"  title = \{\{(.*)\}\},\n", entry)
        assert title is not None
        assert not re.search(r"[\\{}$&%#_^~<>|\"]", COMMANDS.sub("", title[1])), entry


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50 % of {a}\\b", r"50 \% of \textbraceleft{}a\textbraceright{}\textbackslash{}b"),
        ("a_b & $c", r"a\_b \& \$c"),
        ("two\n lines", "two lines"),
        ("中文", "中文"),
    ],
)
def test_latex_shows_the_text_as_it_is(text: str, escaped: str) -> None:
    assert latex(text) == escaped
