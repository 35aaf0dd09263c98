"""Files that are no policy, made to hang or to crash whoever reads them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.ledger.policy_file import LARGEST_FILE, PolicyFileError, read_policy


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a = " + "[" * 20_000, "nested too deep"),
        ("backlog = " + "9" * 6_000, "too many digits"),
        ("a" + ".a" * 5_000 + " = 1", "unknown setting|nested too deep"),
        ("# " + "x" * LARGEST_FILE, "bytes"),
    ],
    ids=["brackets", "digits", "dots", "large"],
)
def test_a_hostile_file_is_refused_by_name(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(content)
    with pytest.raises(PolicyFileError, match=message):
        read_policy(file)


def test_what_is_no_regular_file_is_never_read(tmp_path: Path) -> None:
    pipe = tmp_path / "policy.toml"
    os.mkfifo(pipe)
    with pytest.raises(PolicyFileError, match="regular file"):
        read_policy(pipe)
