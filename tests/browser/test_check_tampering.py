"""A run whose file or page somebody changed: the page itself tells which part."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.canonical import canonical_bytes
from publisher.rendering.site.build import build_site
from tests.browser.checked_site import LAST, LINES, OWNER, RUN, WITHDRAWN, WITHHELD, CheckedSite, serving
from tests.browser.corpora import hostile_texts
from tests.browser.panel import Panel
from tests.browser.tampering import read, with_changed_section
from tests.browser.visit import Visit
from tests.factories import make_batch
from tests.factories.command import Glassbench
from tests.factories.logged import write_logged_snapshot

pytestmark = pytest.mark.browser

SPOILED: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: b" " + data,
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data + b"\n",
    lambda data: data.replace(b'"attempt":1', b'"attempt":1.0'),
    lambda data: data.replace(b'"attempt":1', b'"attempt":-0'),
    lambda data: data.replace(b'"attempt":1', b'"attempt":9007199254740993'),
    lambda data: data.replace(b'"attempt":1', b'"attempt":1e400'),
    lambda data: data.replace(b'"attempt":1', b'"attempt":1,"attempt":1'),
    lambda data: data.replace(b'"attempt":1', b'"attempt":NaN'),
    lambda data: data.replace(b'"attempt":1', b'"\\ud800":1'),
    lambda data: data.replace(b'"attempt":1', b'"attempt":' + b"[" * 2000 + b"]" * 2000),
    lambda data: data.replace(b'"attempt":1', b'"\xff":1'),
    lambda data: data[:-1],
    lambda data: b"",
    lambda data: b"null",
    lambda data: b"[]",
    lambda data: b"{}",
    lambda data: b'{"schema":"constructor"}',
    lambda data: b"<!doctype html><title>owned</title>",
    lambda data: b"[" * 200_000,
    lambda data: data.replace(b'"digests":{', b'"digests":5,"x":{'),
    lambda data: data.replace(b'"salts":{', b'"salts":null,"x":{'),
)
"""Files that aren't canonical JSON of a run, each in its own way."""


def test_a_changed_section_is_named_with_what_file_and_page_say_of_it(checked: CheckedSite, panel: Panel) -> None:
    data = checked.run()
    for name in SECTION_NAMES:
        outcome = panel.check_run(with_changed_section(data, name))
        digest = read(data)["digests"][name]
        assert outcome.failing[0] == f"section {name}"
        # the batch that a run names is part of its entry in the log
        assert set(outcome.failing[1:]) <= ({"log entry", "latest log"} if name == "provenance" else set())
        assert outcome.result.startswith(
            f"Run {RUN}: {len(outcome.failing)} of {len(LINES)} checks fail: section {name}"
        )
        said = f'but the file says "{digest}" and the page says "{digest}"'
        assert outcome.text(f"section {name}").endswith(said)


def test_a_digest_made_again_is_caught_by_page_and_hash(checked: CheckedSite, panel: Panel) -> None:
    data = checked.run()
    for name in SECTION_NAMES:
        outcome = panel.check_run(with_changed_section(data, name, digest=True))
        assert outcome.failing[:3] == [f"section {name}", "artifact hash", "log entry"]
        said = outcome.text(f"section {name}")
        assert said.endswith(f'but the page says "{read(data)["digests"][name]}"')
        assert 'the file says "' in outcome.text("artifact hash")


def test_a_hash_made_again_is_caught_by_page_and_log(checked: CheckedSite, panel: Panel) -> None:
    data = checked.run()
    for name in SECTION_NAMES:
        outcome = panel.check_run(with_changed_section(data, name, digest=True, whole=True))
        assert outcome.failing[:3] == [f"section {name}", "artifact hash", "log entry"]
        assert "the file says" not in outcome.text("artifact hash")
        assert "its proof isn't one of this run with this hash" in outcome.text("log entry")


def test_a_page_made_again_with_its_file_is_caught_by_the_log_alone(checked: CheckedSite, panel: Panel) -> None:
    changed = with_changed_section(checked.run(), "steps", digest=True, whole=True)
    panel.show_instead("digest", "steps", read(changed)["digests"]["steps"])
    panel.show_instead("hash", RUN, read(changed)["artifact_hash"])
    assert panel.check_run(changed).failing == ["log entry"]


@pytest.mark.parametrize(
    ("attribute", "name", "subject"), [("digest", "steps", "section steps"), ("hash", RUN, "artifact hash")]
)
def test_a_changed_page_is_named_and_the_log_still_holds(panel: Panel, attribute: str, name: str, subject: str) -> None:
    panel.show_instead(attribute, name, "0" * 64)
    outcome = panel.check()
    assert outcome.failing == [subject]
    assert outcome.text(subject).endswith(f'but the page says "{"0" * 64}"')


def test_a_changed_salt_names_its_section(checked: CheckedSite, panel: Panel) -> None:
    run = read(checked.run())
    run["salts"]["context"] = "00" * 16
    assert panel.check_run(canonical_bytes(run)).failing == ["section context"]
    run["salts"]["context"] = "00"
    outcome = panel.check_run(canonical_bytes(run))
    assert outcome.text("section context") == "the file has no salt of 16 bytes for it"


def test_a_section_that_was_taken_out_is_missing_and_not_withheld(checked: CheckedSite, panel: Panel) -> None:
    run = read(checked.run())
    del run["steps"]
    assert panel.check_run(canonical_bytes(run)).failing == ["section steps"]
    del run["salts"]["steps"]
    outcome = panel.check_run(canonical_bytes(run))
    assert outcome.failing == ["section steps"]
    assert outcome.text("section steps") == "it is missing from the file, and isn't withheld"


def test_a_withheld_section_with_another_digest_is_no_longer_the_one_that_was_committed(
    checked: CheckedSite, site: Visit
) -> None:
    panel = Panel(site, WITHHELD)
    run = read(checked.run(WITHHELD))
    run["digests"]["steps"] = "0" * 64
    outcome = panel.check_run(canonical_bytes(run))
    assert outcome.failing == ["section steps", "artifact hash", "log entry"]
    assert "the page says" in outcome.text("section steps")


def test_a_withdrawn_run_with_another_hash_is_caught(checked: CheckedSite, site: Visit) -> None:
    panel = Panel(site, WITHDRAWN)
    run = {**read(checked.run(WITHDRAWN)), "artifact_hash": "0" * 64}
    assert panel.check_run(canonical_bytes(run)).failing == ["artifact hash", "log entry"]


def test_what_no_digest_covers_is_told(checked: CheckedSite, panel: Panel) -> None:
    for place in ((), ("salts",), ("digests",)):
        run = read(checked.run())
        inner = run
        for name in place:
            inner = inner[name]
        inner["__proto__"] = "a note"
        outcome = panel.check_run(canonical_bytes(run))
        assert outcome.text(f"runs/{RUN}.json") == "it holds something that no digest covers"


def test_a_spoiled_file_fails_in_words_and_throws_nothing(checked: CheckedSite, site: Visit, panel: Panel) -> None:
    data = checked.run()
    for number, spoil in enumerate(SPOILED):
        assert spoil(data) != data, number
        outcome = panel.check_run(spoil(data))
        assert outcome.failing[0] == f"runs/{RUN}.json", number
    assert site.faults == []


def test_the_file_of_another_run_is_told_as_such(checked: CheckedSite, panel: Panel) -> None:
    outcome = panel.check_run(checked.run(LAST))
    assert outcome.text(f"runs/{RUN}.json") == f'it is of run "{LAST}", not of {RUN}'


def test_names_out_of_a_hostile_file_are_shown_in_plain_characters(site: Visit, panel: Panel) -> None:
    for text in hostile_texts():
        outcome = panel.check_run(json.dumps({"schema": "glassbench.run/1", "run_id": text}).encode())
        assert outcome.failing[0] == f"runs/{RUN}.json"
        assert all(line.text.isascii() and line.text.isprintable() for line in outcome.lines)
    assert panel.page.title() != "owned"
    assert panel.page.locator(".check li *:not(span.verdict)").count() == 0
    assert site.faults == []


def test_a_copy_that_was_tampered_with_is_caught_by_page_and_command_each_naming_run_and_section(
    browser: Browser, tmp_path: Path
) -> None:
    write_logged_snapshot(tmp_path / "snapshot", [make_batch("first", case_ids=["fund-nav"])], signer=OWNER)
    copy = tmp_path / "copy"
    build_site(tmp_path / "snapshot", copy)
    file = copy / f"runs/{RUN}.json"
    file.write_bytes(with_changed_section(file.read_bytes(), "steps"))
    with serving(copy) as origin, Visit(browser, f"{origin}/") as site:
        outcome = Panel(site, RUN).check()
    assert outcome.failing == ["section steps"]
    assert outcome.result == f"Run {RUN}: 1 of {len(LINES)} checks fail: section steps."
    said = Glassbench(home=tmp_path).run("verify", copy, code=5)
    assert f"runs/{RUN}.json: section steps: digest differs" in said.out + said.err
