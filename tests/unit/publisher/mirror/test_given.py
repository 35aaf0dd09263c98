from __future__ import annotations

import os
from pathlib import Path

import pytest

from publisher.mirror.errors import GivenError
from publisher.mirror.given import Given, read_given
from tests.factories.logged import OWNER, STRANGER


def given(*keys: str, checkpoint: Path | None = None) -> Given:
    return read_given(keys=keys, checkpoint=checkpoint, previous=None)


def test_keys_are_taken_as_text_and_from_files_each_once(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"{OWNER.verifier}\n{STRANGER.verifier}\n")
    assert given(str(OWNER.verifier), str(file)).keys == (OWNER.verifier, STRANGER.verifier)


@pytest.mark.parametrize("text", ["", "nothing", f"{OWNER.verifier}x", "a+b+c", "x" * 5000, "a\x00b"])
def test_what_is_neither_a_key_nor_a_file_is_refused(text: str) -> None:
    with pytest.raises(GivenError) as error:
        given(text)
    assert error.value.code == "VERIFY-KEY-001"


@pytest.mark.parametrize("content", [b"", b"\xff", b"nothing\n", str(OWNER.verifier).encode()])
def test_a_file_without_keys_one_a_line_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "keys"
    file.write_bytes(content)
    with pytest.raises(GivenError):
        given(str(file))


def test_a_signing_key_is_refused_and_never_quoted(tmp_path: Path) -> None:
    secret = OWNER.private_text()
    file = tmp_path / "key"
    file.write_text(secret + "\n")
    for text in (secret, str(file)):
        with pytest.raises(GivenError) as error:
            given(text)
        assert secret[-20:] not in f"{error.value} {error.value.hint}"


def test_a_checkpoint_is_taken_signed_or_bare(published: Path, tmp_path: Path) -> None:
    kept = published / "snapshot" / "log" / "checkpoint"
    assert given(checkpoint=kept).checkpoint == kept.read_bytes()
    bare = tmp_path / "bare"
    bare.write_bytes(kept.read_bytes().partition(b"\n\n")[0] + b"\n")
    assert given(checkpoint=bare).checkpoint == bare.read_bytes()


@pytest.mark.parametrize("content", [b"", b"\xff", b"one\ntwo\n", b"{}", b"a\n-1\nb\n"])
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "checkpoint"
    file.write_bytes(content)
    with pytest.raises(GivenError) as error:
        given(checkpoint=file)
    assert error.value.code == "VERIFY-CHECKPOINT-001"


@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "device", "nothing", "huge"])
def test_what_is_no_regular_file_of_a_note_is_refused_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "kept"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "link":
            file.symlink_to(tmp_path / "elsewhere")
        case "folder":
            file.mkdir()
        case "device":
            file = Path("/dev/zero")
        case "huge":
            file.touch()
            os.truncate(file, 1 << 40)
    with pytest.raises(GivenError) as error:
        given(checkpoint=file)
    assert error.value.code == "VERIFY-CHECKPOINT-001"
    assert "can't be read: " in error.value.message
    with pytest.raises(GivenError) as error:
        given(str(file))
    assert error.value.code == "VERIFY-KEY-001"
