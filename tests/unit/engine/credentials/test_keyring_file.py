"""The key ring's file: made once, whole or not at all, and readable by its owner alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.credentials.errors import KeyringError
from engine.credentials.keyring import Keyring, new_ring_key
from engine.credentials.keyring_file import add_ring_key, ensure_keyring, keyring_path, read_keyring


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keyring.json"


def test_a_ring_is_made_once_with_mode_0600_and_read_again(path: Path) -> None:
    old = os.umask(0)
    try:
        ring, created = ensure_keyring(path)
    finally:
        os.umask(old)
    assert created
    assert path.stat().st_mode & 0o777 == 0o600
    assert ensure_keyring(path) == (ring, False)
    assert len(ring.active.secret) == 32


def test_of_many_makers_at_once_one_makes_and_all_have_the_same(path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: ensure_keyring(path), range(64)))
    assert sum(created for _, created in found) == 1
    assert {ring for ring, _ in found} == {read_keyring(path)}


def test_a_new_ring_key_is_active_and_the_old_one_stays(path: Path) -> None:
    first, _ = ensure_keyring(path)
    second = add_ring_key(path)
    assert second == read_keyring(path)
    assert second.keys[:-1] == first.keys
    assert second.active != first.active
    assert path.stat().st_mode & 0o777 == 0o600


def test_keys_added_at_once_are_all_kept(path: Path) -> None:
    ensure_keyring(path)
    with ThreadPoolExecutor(8) as pool:
        added = [ring.active for ring in pool.map(lambda _: add_ring_key(path), range(16))]
    assert set(added) < set(read_keyring(path).keys)


def test_a_ring_has_no_representation_that_shows_a_key() -> None:
    ring = Keyring(keys=(new_ring_key(),))
    assert repr(ring.active.secret)[2:-1] not in repr(ring)
    assert "secret" not in repr(ring)


def test_a_missing_ring_is_named_with_its_mend(path: Path) -> None:
    with pytest.raises(KeyringError, match=re.escape(str(path))) as refused:
        read_keyring(path)
    assert refused.value.code == "CRED-RING-001"
    assert "credential set" in refused.value.hint


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o644])
def test_a_ring_that_others_may_read_or_write_is_refused(path: Path, mode: int) -> None:
    ensure_keyring(path)
    path.chmod(mode)
    for act in (read_keyring, ensure_keyring, add_ring_key):
        with pytest.raises(KeyringError) as refused:
            act(path)
        assert refused.value.code == "CRED-RING-002"


@pytest.mark.parametrize("kind", ["link", "dangling link", "directory", "pipe"])
def test_what_is_no_file_of_its_own_is_refused(path: Path, kind: str) -> None:
    real = path.with_name("elsewhere.json")
    if kind == "link":
        ensure_keyring(real)
        path.symlink_to(real)
    elif kind == "dangling link":
        path.symlink_to(real)
    elif kind == "directory":
        path.mkdir(mode=0o700)
    else:
        os.mkfifo(path, 0o600)
    for act in (read_keyring, ensure_keyring):
        with pytest.raises(KeyringError) as refused:
            act(path)
        assert refused.value.code == "CRED-RING-002"
    assert not (kind == "dangling link" and real.exists())


def test_a_ring_of_another_user_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_keyring(path)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(KeyringError, match="another user"):
        read_keyring(path)


GOOD = Keyring(keys=(new_ring_key(), new_ring_key()))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        GOOD.to_bytes()[:-20],
        GOOD.to_bytes().replace(b"keyring/1", b"keyring/2"),
        GOOD.to_bytes().replace(b'"active":"' + GOOD.active.id.encode(), b'"active":"' + GOOD.keys[0].id.encode()),
        GOOD.to_bytes().replace(GOOD.keys[0].id.encode(), GOOD.active.id.encode()),
        re.sub(rb'"secret":"....', b'"secret":"', GOOD.to_bytes()),
        Keyring(keys=GOOD.keys).to_bytes() + b"x",
        b"\xff" * 40,
        b"0" * (1 << 20) + b"0",
    ],
    ids=[
        *("empty", "no-fields", "cut-off", "another-schema", "first-key-active", "an-id-twice", "a-short-key"),
        *("trailing-bytes", "no-text", "too-large"),
    ],
)
def test_what_is_no_ring_is_refused_without_quoting_it(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.chmod(0o600)
    with pytest.raises(KeyringError) as refused:
        read_keyring(path)
    assert refused.value.code == "CRED-RING-003"
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KeyringError) as refused:
        ensure_keyring(tmp_path / "file" / "keyring.json")
    assert refused.value.code == "CRED-RING-004"


def test_the_place_can_be_chosen(tmp_path: Path) -> None:
    assert keyring_path({}, tmp_path) == tmp_path / "keyring.json"
    assert keyring_path({"GLASSBENCH_KEYRING": str(tmp_path / "x")}, Path("/nowhere")) == tmp_path / "x"


_MAKER = """
import sys
from pathlib import Path
from engine.credentials.keyring_file import add_ring_key, ensure_keyring
path = Path(sys.argv[1])
print("ready", flush=True)
ensure_keyring(path)
while True:
    add_ring_key(path)
"""


@pytest.mark.parametrize("trial", range(5))
def test_a_maker_killed_at_any_moment_leaves_a_whole_ring_or_none(path: Path, trial: int) -> None:
    maker = subprocess.Popen([sys.executable, "-c", _MAKER, str(path)], stdout=subprocess.PIPE)
    assert maker.stdout is not None
    maker.stdout.readline()
    with pytest.raises(subprocess.TimeoutExpired):
        maker.wait(timeout=0.003 * trial)
    maker.send_signal(signal.SIGKILL)
    maker.wait()
    maker.stdout.close()
    before = read_keyring(path).keys if path.exists() else ()
    ring, _ = ensure_keyring(path)
    assert ring.keys[: len(before)] == before
    assert add_ring_key(path).keys[:-1] == ring.keys
    assert {found.name for found in path.parent.iterdir()} == {"keyring.json", "keyring.json.lock"}


@pytest.mark.parametrize("left", [b"", GOOD.to_bytes()[:50]], ids=["empty", "half"])
def test_what_a_killed_maker_left_is_cleared_away_and_never_read(path: Path, left: bytes) -> None:
    (path.parent / "keyring.json.new").write_bytes(left)
    ring, created = ensure_keyring(path)
    assert created
    assert read_keyring(path) == ring
    assert not (path.parent / "keyring.json.new").exists()
