"""The worked example of docs/reference/release-log.md is what the code gives, and its lists are the code's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from dataset.questions.withholding import WITHHELD
from publisher.release_log.entry import LogEntry, ReleaseEntry, read_entry
from publisher.release_log.log import ReleaseLog, extend
from publisher.release_log.merkle import leaf_hash
from tests.factories.release_logs import SIGNER, files_of

PAGE = Path(__file__).parents[4].joinpath("docs/reference/release-log.md").read_text("utf-8")
SHOWN = ["log/key", "log/checkpoints/1", "log/checkpoint", "log/inclusion/demo-0000", "log/consistency/1"]


def block(after: str) -> str:
    """The first block of text behind some words of the page."""
    found = re.search(r"```text\n(.*?)```", PAGE[PAGE.index(after) :], re.DOTALL)
    assert found is not None
    return found.group(1)


def example() -> ReleaseLog:
    releases: list[list[LogEntry]] = [[]]
    for line in block("Seven entries").splitlines():
        entry = read_entry(line.encode())
        releases[-1].append(entry)
        if isinstance(entry, ReleaseEntry):
            releases.append([])
    return extend(None, releases[:-1], SIGNER)


LOG = example()
FILES = files_of(LOG)


@pytest.mark.parametrize("name", SHOWN)
def test_a_file_is_shown_as_the_entries_give_it(name: str) -> None:
    assert block(f"\n`{name}`:\n").encode() == FILES[name]


def test_the_hashes_roots_and_names_are_those_of_the_entries() -> None:
    hashes = [leaf_hash(entry.canonical).hex() for entry in LOG.entries()]
    assert block("Their hashes").splitlines() == [f"{index} {found}" for index, found in enumerate(hashes)]
    assert block("All files").splitlines() == sorted(FILES)
    for size, number in ((4, 1), (7, 2)):
        assert LOG.sizes[number - 1] == size
        assert f"`{LOG.checkpoint(number).root.hex()}`" in PAGE
    assert f"`{FILES['log/tile/entries/000.p/4'][:12].hex(' ')}`" in PAGE
    assert FILES["log/tile/0/000.p/7"].hex() == "".join(hashes)


def test_the_page_lists_every_kind_with_its_keys_and_every_part_that_may_be_revealed() -> None:
    for kind in get_args(LogEntry):
        name = kind.model_fields["kind"].default
        keys = ", ".join(f"`{key}`" for key in kind.model_fields if key != "kind")
        assert f"| `{name}` | {keys} |" in PAGE
    assert ", ".join(f"`{part}`" for part in WITHHELD) in PAGE
