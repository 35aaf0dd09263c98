"""Where in `models.toml` a setting of a model stands, for a message that a person mends it by."""

from __future__ import annotations

import tomllib
from pathlib import Path

from engine.providers.toml_lines import table_lines


def entry_place(file: Path, model_key: str, setting: str) -> str:
    """File and line of a model's setting, or of its entry where it isn't set; else the file alone."""
    try:
        text = file.read_text(encoding="utf-8")
        models = tomllib.loads(text).get("models", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return str(file)
    lines = table_lines(text, ["models"])["models"]
    for model, place in zip(models, lines, strict=False):
        if model.get("key") == model_key:
            return f"{file}:{place.of(setting)}"
    return str(file)
