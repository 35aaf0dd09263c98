from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import kingfisher_sdk
import pytest

from publisher.scanning.errors import ScanError
from publisher.scanning.rules import credentials
from publisher.scanning.rules.credentials import CredentialEngine

ENGINE = CredentialEngine()


def hits(data: bytes) -> list[tuple[str, bytes]]:
    return [(hit.rule, data[hit.start : hit.end]) for hit in ENGINE.find(data)]


@pytest.mark.parametrize(
    "around",
    [
        *(b"%b", b"a\x00b %b", b"\x00%b\x00", b"a\xed\xa0\x80b %b", "中文 %b 后".encode(), b"a\r\n\r\n%b\r\n"),
        *(b"x,\n,%b,z", b"\xff\xfe %b", b"\xfe\xff %b", b"\xff\xfe\xfd\xc3 %b \xff"),
    ],
)
def test_credential_is_found_at_its_place_in_any_surroundings(github_token: str, around: bytes) -> None:
    token = github_token.encode()
    assert hits(around % token) == [("SCAN-CRED:github-pat", token)]


@pytest.mark.parametrize("marker", ["gitleaks" + ":allow", "betterleaks" + ":allow", "kingfisher" + ":ignore"])
def test_comment_that_tells_the_engine_to_look_away_is_ignored(github_token: str, marker: str) -> None:
    assert len(hits(f"x = '{github_token}'  # {marker}".encode())) == 1


def test_every_credential_in_one_very_long_line_is_found(github_token: str) -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015" * 2
    text = "A" * 1_000_000 + f" key: {digest} {github_token} " * 400
    assert [secret for _, secret in hits(text.encode())] == [github_token.encode()] * 400


def test_digest_beside_the_word_key_is_no_credential() -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015" * 2
    assert hits(f'cache key: {digest} {{"key":"{digest}","token":"{digest[:40]}"}}'.encode()) == []


def test_engine_faults_become_scan_errors_without_their_text(
    monkeypatch: pytest.MonkeyPatch, github_token: str
) -> None:
    class Failing:
        def scan(self, _: bytes) -> NoReturn:
            raise RuntimeError("the text that was scanned")

    monkeypatch.setattr(credentials, "_engine", Failing)
    with pytest.raises(ScanError) as fault:
        list(ENGINE.find(github_token.encode()))
    assert fault.value.code == "SCAN-ENGINE-001"
    assert "scanned" not in str(fault.value)
    assert fault.value.__cause__ is None


def test_blind_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Blind:
        def scan(self, _: bytes) -> list[kingfisher_sdk.Finding]:
            return []

    monkeypatch.setattr(credentials, "_engine", Blind)
    with pytest.raises(ScanError, match="own sample"):
        CredentialEngine()


def test_random_part_of_a_request_id_is_no_credential() -> None:
    lookalike = "BS" + "Ar4kQz81TnVbYc5RdEe0HgJpUu4Si"
    assert [rule for rule, _ in hits(lookalike.encode())] == ["SCAN-CRED:brave-search-api-key"]
    assert hits(f"chatcmpl-{lookalike}".encode()) == []


def test_request_id_prefix_does_not_shield_a_key_with_a_prefix_of_its_own(github_token: str) -> None:
    assert len(hits(f"chatcmpl-{github_token}".encode())) == 1


def started(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process that makes the engine, which compiles its rules where it finds none in the cache of the user."""
    kept = {name: value for name, value in os.environ.items() if name not in {"HOME", "XDG_CACHE_HOME", "USERPROFILE"}}
    code = "from publisher.scanning.rules.credentials import CredentialEngine; CredentialEngine()"
    return subprocess.Popen([sys.executable, "-c", code], env=kept | environment, stderr=subprocess.PIPE)


@pytest.mark.slow
@pytest.mark.parametrize("has_home", [False, True])
def test_engine_works_where_no_home_can_be_written(tmp_path: Path, *, has_home: bool) -> None:
    (tmp_path / "file").touch()
    with started({"HOME": str(tmp_path / "file" / "home")} if has_home else {}) as process:
        assert process.communicate()[1] == b""
    assert process.returncode == 0


@pytest.mark.slow
def test_two_processes_make_the_cache_of_the_engine_at_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    environment = {"HOME": str(tmp_path), "KF_RULE_CACHE_DIR": str(cache)}
    with started(environment) as first, started(environment) as second:
        assert [first.communicate()[1], second.communicate()[1]] == [b"", b""]
    assert (first.returncode, second.returncode) == (0, 0)
    assert kingfisher_sdk.Rules(cache_dir=cache).cache_status == "loaded"
