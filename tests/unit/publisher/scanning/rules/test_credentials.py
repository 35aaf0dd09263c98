from __future__ import annotations

import os
from typing import NoReturn

import betterleaks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.errors import ScanError
from publisher.scanning.passage import FORMS, Form
from publisher.scanning.rules import credentials
from publisher.scanning.rules.credentials import CredentialEngine

ENGINE = CredentialEngine()


def hits(text: str, form: Form = "prose") -> list[tuple[str, str]]:
    return [(hit.rule, text[hit.start : hit.end]) for hit in ENGINE.find(text, form)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "around",
    ["{}", "a\x00b {}", "\x00{}\x00", "a\ud800b {}", "中文 {} 后", "a\r\n\r\n{}\r\n", "x,y\n\n,{},z", "𝄞 {}"],
)
def test_credential_is_found_at_its_place_in_any_surroundings(github_token: str, around: str, form: Form) -> None:
    assert hits(around.format(github_token), form) == [("SCAN-CRED:github-pat", github_token)]


@pytest.mark.parametrize("marker", ["gitleaks" + ":allow", "betterleaks" + ":allow", "GITLEAKS" + ":allow"])
def test_comment_that_tells_the_engine_to_look_away_is_ignored(github_token: str, marker: str) -> None:
    assert hits(f"x = '{github_token}'  # {marker}") == [("SCAN-CRED:github-pat", github_token)]


def test_credential_at_the_end_of_a_very_long_line_is_found(github_token: str) -> None:
    text = "A" * 3_000_000 + " " + github_token
    assert hits(text) == [("SCAN-CRED:github-pat", github_token)]


@given(st.text("ab=:,; \n\x01中", min_size=0, max_size=12), st.integers(0, 600))
def test_cutting_long_lines_moves_no_character(piece: str, times: int) -> None:
    text = piece * times
    cut = credentials._with_short_lines(text)
    assert len(cut) == len(text)
    assert all(now in (was, "\n") for was, now in zip(text, cut, strict=True))


def test_every_credential_in_one_long_line_is_found(github_token: str) -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015" * 2
    text = f"key: {digest} {github_token} " * 400
    assert [text[hit.start : hit.end] for hit in ENGINE.find(text, "prose")] == [github_token] * 400


def test_digest_beside_the_word_key_is_no_credential() -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015" * 2
    assert hits(f"cache key: {digest}") == []
    assert hits(f'{{"key":"{digest}","token":"{digest[:40]}"}}', "notation") == []


def test_random_value_beside_the_word_key_is_found_in_prose_only() -> None:
    value = "q7Zp" + "W2xL9vTb4RmK8sYd" + "0HcN6gFj"
    assert [rule for rule, _ in hits(f"key = {value}")] == ["SCAN-CRED:generic-api-key"]
    assert hits(f'{{"key":"{value}"}}', "notation") == []


def test_engine_faults_become_scan_errors_without_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise betterleaks.BetterleaksError("the text that was scanned")

    engine = CredentialEngine()
    monkeypatch.setattr(betterleaks, "scan_string", fail)
    with pytest.raises(ScanError) as fault:
        list(engine.find("x", "prose"))
    assert fault.value.code == "SCAN-ENGINE-001"
    assert "scanned" not in str(fault.value)
    assert fault.value.__cause__ is None


def test_blind_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(betterleaks, "scan_string", lambda *_: [])
    with pytest.raises(ScanError, match="own sample"):
        CredentialEngine()


def test_engine_carried_over_a_fork_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = CredentialEngine()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(ScanError) as fault:
        list(engine.find("x", "prose"))
    assert fault.value.code == "SCAN-ENGINE-002"


def test_random_part_of_a_request_id_is_no_credential() -> None:
    lookalike = "BS" + "Ar4kQz81TnVbYc5RdEe0HgJpUu4Si"
    assert [rule for rule, _ in hits(lookalike)] == ["SCAN-CRED:brave-search-api-key"]
    assert hits(f"chatcmpl-{lookalike}") == []


def test_request_id_prefix_does_not_shield_a_key_with_a_prefix_of_its_own(github_token: str) -> None:
    assert hits(f"chatcmpl-{github_token}") == [("SCAN-CRED:github-pat", github_token)]
