"""A refusal says in which line it is mended."""

from __future__ import annotations

from pathlib import Path

from engine.preflight.entry_place import entry_place

FILE = """# mine
[[models]]
key = "a"

[[models]]
key = "b"
model_id_status = "unverified"
"""


def test_the_setting_is_named_by_its_line_or_else_the_entry(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(FILE)
    assert entry_place(file, "b", "model_id_status") == f"{file}:7"
    assert entry_place(file, "a", "model_id_status") == f"{file}:2"


def test_a_file_that_changed_meanwhile_is_named_without_a_line(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    assert entry_place(file, "a", "key") == str(file)
    file.write_text("[[models")
    assert entry_place(file, "a", "key") == str(file)
    file.write_text(FILE)
    assert entry_place(file, "c", "key") == str(file)
