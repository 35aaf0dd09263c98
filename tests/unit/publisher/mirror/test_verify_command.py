from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from dataset.errors import GlassbenchError
from publisher.cli.commands import mount
from tests.factories import write_snapshot
from tests.factories.logged import OWNER, STRANGER, write_logged_snapshot
from tests.unit.publisher.mirror.mirrors import small_batch


def verify(*arguments: str | Path) -> Result:
    app = typer.Typer()
    mount(app, known_values=lambda _: {})
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


def test_a_sound_site_says_what_was_proved_and_what_was_not(site: Path) -> None:
    done = verify(site)
    assert done.exit_code == 0
    assert "verified: " in done.output
    for told in (
        "release log example.org/releases: 8 entries of 2 releases, root ",
        "releases 1, 2 signed by example.org/releases: a key that comes with the snapshot itself",
        "every number, rank and bar",
        "not checked: whose key that is: get the owner's key from somewhere else and give it with --key",
        "--expected-checkpoint",
    ):
        assert told in done.output


def test_all_that_a_reader_can_bring_along_is_said_to_hold(published: Path, site: Path) -> None:
    kept = published / "snapshot" / "log" / "checkpoints" / "1"
    done = verify(
        site, "--key", str(OWNER.verifier), "--expected-checkpoint", kept, "--previous", published / "snapshot"
    )
    assert done.exit_code == 0
    assert "signed by example.org/releases: a key that you gave" in done.output
    assert "no history was rewritten since" in done.output
    assert "4 run files, 4 the same" in done.output
    assert "--key" not in done.output


def test_a_snapshot_alone_claims_neither_pages_nor_a_log(tmp_path: Path) -> None:
    done = verify(write_snapshot(tmp_path / "s", [small_batch("batch-1")]))
    assert done.exit_code == 0
    assert "rank and bar" not in done.output
    assert "not checked: pages: there are none here" in done.output
    assert "there is no release log" in done.output


def test_unsigned_releases_are_told(tmp_path: Path) -> None:
    write_logged_snapshot(tmp_path / "s", [small_batch("batch-1")])
    assert "not checked: who made release 1: unsigned" in verify(tmp_path / "s").output


def test_a_wrong_key_exits_with_5(site: Path) -> None:
    done = verify(site, "--key", str(STRANGER.verifier))
    assert done.exit_code == 5
    assert "log/checkpoints/1: signed by none of the given keys" in done.output


def test_a_rewritten_history_exits_with_5_and_says_so(published: Path, tmp_path: Path) -> None:
    write_logged_snapshot(tmp_path / "s", [small_batch("batch-2")], signer=OWNER)
    done = verify(tmp_path / "s", "--expected-checkpoint", published / "snapshot" / "log" / "checkpoint")
    assert done.exit_code == 5
    assert "NOT verified: history was rewritten; " in done.output


def test_a_tampered_page_exits_with_5_and_claims_nothing(site: Path) -> None:
    page = site / "index.html"
    page.write_text(page.read_text().replace("</main>", "\x1b[2J</main>"))
    done = verify(site)
    assert done.exit_code == 5
    assert "index.html: line " in done.output
    assert "\x1b" not in done.output
    assert "rank and bar" not in done.output


@pytest.mark.parametrize("tampered", [False, True])
def test_json_says_the_same(site: Path, tampered: bool) -> None:
    if tampered:
        (site / "metrics.html").unlink()
    done = verify(site, "--json")
    body = json.loads(done.stdout)
    assert body["holds"] is not tampered
    assert body["pages"]["hold"] is not tampered
    assert body["log"]["signers"] == ["example.org/releases"]
    assert body["previous"] is None
    assert bool(body["proved"]) is not tampered
    assert body["not_checked"]
    assert [difference["place"] for difference in body["differences"]] == (["metrics.html"] if tampered else [])
    assert done.exit_code == (5 if tampered else 0)


def test_what_cannot_be_used_is_an_error_and_no_verdict(site: Path, tmp_path: Path) -> None:
    done = verify(site, "--previous", tmp_path)
    assert isinstance(done.exception, GlassbenchError)
    assert done.exception.code == "VERIFY-PREVIOUS-001"
    assert done.output == ""
