"""An export that was changed in any way doesn't verify, and the fault names file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset.canonical import canonical_bytes
from engine.audit.check import MOST_FAULTS, Checked, ExportMissingError, check_export
from engine.audit.lines import FIRST_LINK, line_bytes, link
from tests.factories.ledger_lines import UNUSED, attempt, event, export_of


def faults(found: Checked) -> list[str]:
    return [str(fault) for fault in found.faults]


def rewritten(path: Path, change: Callable[[list[bytes]], object]) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))


def edit(lines: list[bytes], number: int, old: bytes, new: bytes) -> None:
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new)


def test_what_was_written_verifies(tmp_path: Path) -> None:
    found = check_export(export_of(tmp_path / "out"))
    assert (faults(found), found.events, found.attempts) == ([], 3, 3)


def test_an_empty_export_verifies(tmp_path: Path) -> None:
    assert faults(check_export(export_of(tmp_path / "out", told=[], tried=[]))) == []


def test_a_directory_without_a_manifest_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(ExportMissingError):
        check_export(tmp_path)
    with pytest.raises(ExportMissingError):
        check_export(tmp_path / "not-there")


@pytest.mark.parametrize("file", ["events.jsonl", "attempts.jsonl"])
@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: edit(lines, 2, b'"b1"', b'"b2"'), 2),
        (lambda lines: lines.pop(1), 2),
        (lambda lines: lines.insert(1, lines[0]), 2),
        (lambda lines: lines.reverse(), 1),
        (lambda lines: edit(lines, 3, b'{"chain"', b'{ "chain"'), 3),
        (lambda lines: edit(lines, 3, b"\n", b""), 3),
        (lambda lines: edit(lines, 2, b'"chain":"', b'"chain":"0'), 2),
        (lambda lines: edit(lines, 3, b'"chain":"', b'"chain":"g'), 3),
        (lambda lines: lines.__setitem__(1, b"[]\n"), 2),
        (lambda lines: lines.__setitem__(1, b"\n"), 2),
        (lambda lines: lines.__setitem__(1, b"\xff\n"), 2),
        (lambda lines: lines.__setitem__(1, b'{"chain":7,"record":{}}\n'), 2),
    ],
    ids=[
        *(
            "changed",
            "taken-away",
            "doubled",
            "reversed",
            "another-spelling",
            "cut-off",
            "another-link",
            "last-link-no-link",
            "no-object",
        ),
        *("blank", "no-text", "no-link"),
    ],
)
def test_a_changed_line_is_named(tmp_path: Path, file: str, change: Callable[[list[bytes]], object], line: int) -> None:
    directory = export_of(tmp_path / "out")
    rewritten(directory / file, change)
    found = faults(check_export(directory))
    assert any(fault.startswith(f"{file}:{line}: ") for fault in found), found
    assert any(fault.startswith(f"{file}: the manifest says sha256") for fault in found), found


def test_lines_cut_off_at_the_end_are_found(tmp_path: Path) -> None:
    directory = export_of(tmp_path / "out")
    rewritten(directory / "events.jsonl", lambda lines: lines.pop())
    found = faults(check_export(directory))
    assert "events.jsonl: the manifest says lines 3, the file has 2" in found
    assert "manifest.json: events: the numbers or kinds aren't those of the file" in found


def _forged(directory: Path, file: str, records: list[dict[str, Any]]) -> None:
    """Writes other records with a chain and hashes that fit: what somebody with the code would do."""
    content: dict[str, Any] = {"told" if file == "events.jsonl" else "tried": records}
    other = export_of(directory.with_name("forged"), **content)
    (other / file).replace(directory / file)
    forged = json.loads((other / "manifest.json").read_bytes())["files"][file]
    manifest = json.loads((directory / "manifest.json").read_bytes())
    manifest["files"][file] = forged
    (directory / "manifest.json").write_bytes(canonical_bytes(manifest))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"payload_hash": "0" * 64}, "payload"),
        ({"expires_at": "2026-03-02T03:04:05.000001Z"}, "expires before"),
        ({"retention": "security"}, "expires before"),
        ({"kind": "party_started"}, "kind"),
        ({"number": 1}, "stands behind event 1"),
        ({"number": 0}, "number"),
        ({"key": "batch_started:b1:1"}, "stands twice"),
        ({"occurred_at": "2026-02-30T03:04:05.000001Z"}, "calendar"),
        ({"occurred_at": "2026-01-02 03:04:05"}, "occurred_at"),
        ({"extra": 1}, "extra"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_an_event_that_breaks_a_rule_is_named_even_where_every_hash_fits(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    directory = export_of(tmp_path / "out")
    _forged(directory, "events.jsonl", [event(1), {**event(2), **changes}, event(4)])
    found = [fault for fault in faults(check_export(directory)) if fault.startswith("events.jsonl:2: ")]
    assert any(message in fault for fault in found), found


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"call_key": "call-00001"}, "stands twice"),
        ({"call_key": "call-00000"}, "stands too late"),
        ({"state": "reserved", **UNUSED}, "is reserved and was marked as sent"),
        ({"state": "reserved", **UNUSED, "sent_at": None}, "is reserved and has ended"),
        ({"state": "send_started", **UNUSED}, "is send_started and has ended"),
        ({"state": "send_started", **UNUSED, "sent_at": None, "ended_at": None}, "was not marked as sent"),
        ({"sent_at": None}, "is settled_actual and was not marked as sent"),
        ({"ended_at": None}, "is settled_actual and has not ended"),
        ({"actual_input": None}, "without the tokens"),
        ({"state": "settled_conservative"}, "says what it used"),
        ({"state": "released_pre_send", **UNUSED}, "is released_pre_send and was marked as sent"),
        ({"state": "released_pre_send", **UNUSED, "sent_at": None, "status": 200}, "has a status"),
        ({"ended_at": "2026-01-02T03:04:05.000001Z"}, "in this order"),
        ({"sent_at": "2026-01-02T03:04:05.000000Z"}, "in this order"),
        ({"currency": None}, "without a currency"),
        ({"actual_charge": "-1"}, "below zero"),
        ({"actual_charge": "1e3"}, "actual_charge"),
        ({"reserved_input": -1}, "reserved_input"),
        ({"state": "lost"}, "state"),
        ({"request_digest": "none"}, "request_digest"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value.replace(" ", "-"),
)
def test_an_attempt_that_breaks_the_state_machine_is_named_even_where_every_hash_fits(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    directory = export_of(tmp_path / "out")
    body = {**attempt(1), **attempt(2, **changes)}
    lines, chain = [], FIRST_LINK
    for record in (attempt(1), body, attempt(3)):
        data = canonical_bytes(record)
        chain = link(chain, data)
        lines.append(line_bytes(chain, data))
    (directory / "attempts.jsonl").write_bytes(b"".join(lines))
    found = [fault for fault in faults(check_export(directory)) if fault.startswith("attempts.jsonl:2: ")]
    assert any(message in fault for fault in found), found


@pytest.mark.parametrize(
    "record",
    [
        attempt(2, state="reserved", **UNUSED, sent_at=None, ended_at=None),
        attempt(2, state="send_started", **UNUSED, ended_at=None),
        attempt(2, state="settled_conservative", **UNUSED, code="outcome_unknown"),
        attempt(2, state="released_pre_send", **UNUSED, sent_at=None),
        attempt(2, actual_cost=None, actual_charge=None, currency=None, reserved_cost=None),
    ],
    ids=["reserved", "sent", "conservative", "released", "unpriced"],
)
def test_every_state_that_the_ledger_knows_verifies(tmp_path: Path, record: dict[str, Any]) -> None:
    assert faults(check_export(export_of(tmp_path / "out", tried=[attempt(1), record]))) == []


def test_a_sum_that_is_not_that_of_the_attempts_names_its_scope(tmp_path: Path) -> None:
    directory = export_of(tmp_path / "out")
    _forged(directory, "attempts.jsonl", [attempt(1), attempt(2, actual_charge="0.1"), attempt(3)])
    assert faults(check_export(directory)) == [
        f"manifest.json: totals of {scope}: not those of the file"
        for scope in ("batch b1", "global", "model small", "provider cloud")
    ]


def test_an_archived_event_that_had_not_expired_is_named(tmp_path: Path) -> None:
    young = event(2, occurred_at="2026-04-30T00:00:00.000000Z", expires_at="2026-08-30T00:00:00.000000Z")
    found = faults(check_export(export_of(tmp_path / "out", archive=True, told=[event(1), young])))
    assert found == ["events.jsonl:2: was archived before it expired"]


@pytest.mark.parametrize("harm", ["missing", "link", "extra", "directory"])
def test_files_are_those_of_the_manifest_and_no_links(tmp_path: Path, harm: str) -> None:
    directory = export_of(tmp_path / "out")
    path = directory / "attempts.jsonl"
    if harm == "extra":
        (directory / "notes.txt").touch()
    elif harm == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.unlink()
        if harm == "directory":
            path.mkdir()
    found = faults(check_export(directory))
    assert any(fault.startswith("notes.txt: " if harm == "extra" else "attempts.jsonl: ") for fault in found), found


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.pop("events"),
        lambda body: body.update(format="glassbench-ledger-export/2"),
        lambda body: body.update(more=1),
        lambda body: body["files"].pop("events.jsonl"),
        lambda body: body.update(totals=None),
        lambda body: body["events"].update(last_number=9),
        lambda body: body["events"]["by_kind"].update(batch_started=2),
        lambda body: body["totals"].pop(),
        lambda body: body["files"]["events.jsonl"].update(bytes=1),
    ],
)
def test_a_changed_manifest_does_not_verify(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    directory = export_of(tmp_path / "out")
    body = json.loads((directory / "manifest.json").read_bytes())
    change(body)
    (directory / "manifest.json").write_bytes(canonical_bytes(body))
    assert faults(check_export(directory))


@pytest.mark.parametrize("data", [b"", b"{}", b"{ }", b"\xff", b'{"a":1,"a":1}'])
def test_a_manifest_that_cannot_be_read_is_a_fault(tmp_path: Path, data: bytes) -> None:
    directory = export_of(tmp_path / "out")
    (directory / "manifest.json").write_bytes(data)
    assert all(fault.startswith("manifest.json: ") for fault in faults(check_export(directory)))
    assert faults(check_export(directory))


def test_many_faults_are_counted_and_the_first_ones_named(tmp_path: Path) -> None:
    directory = export_of(tmp_path / "out")
    (directory / "events.jsonl").write_bytes(b"\n" * (MOST_FAULTS * 2))
    found = check_export(directory)
    assert len(found.faults) == MOST_FAULTS
    assert found.fault_count > MOST_FAULTS * 2
