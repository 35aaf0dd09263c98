"""Hosts are told the same everywhere: by `serve`, by `_headers`, by the examples, and by the how-to."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from publisher.rendering.site.hosting import (
    CONTENT_SECURITY_POLICY,
    HEADERS_FILE,
    KEPT,
    LOG_TYPE,
    MEDIA_TYPES,
    OTHER_TYPE,
    SECURITY_HEADERS,
    headers_file,
    media_type,
)
from tests.factories.release_logs import files_of, log_of

DOCS = Path(__file__).resolve().parents[5] / "docs"


def example(name: str) -> str:
    return (DOCS / "hosting" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [example("nginx.conf"), example("Caddyfile"), headers_file().decode()])
def test_each_host_sends_every_security_header_and_every_rule_of_the_cache(text: str) -> None:
    for name, value in SECURITY_HEADERS.items():
        assert re.search(rf'{name}:? "?{re.escape(value)}"?', text), name
    for folder, rule in KEPT.items():
        assert folder in text
        assert rule in text


def test_the_policy_of_a_host_is_that_of_the_pages_and_forbids_framing() -> None:
    assert SECURITY_HEADERS["Content-Security-Policy"] == f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'"


def test_serving_needs_no_templates() -> None:
    command = "import sys, publisher.rendering.site.serve; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0


def test_nginx_knows_every_media_type() -> None:
    listed = {
        f".{suffix}": media
        for media, suffixes in re.findall(r"^ {8}([\w.+-]+/[\w.+-]+) ([\w ]+);$", example("nginx.conf"), re.M)
        for suffix in suffixes.split()
    }
    assert listed == {suffix: media.partition(";")[0] for suffix, media in MEDIA_TYPES.items()}


def test_caddy_names_the_types_that_it_wouldnt_guess() -> None:
    for suffix in (".atom", ".parquet"):
        assert MEDIA_TYPES[suffix] in example("Caddyfile")
    assert LOG_TYPE in example("Caddyfile")


def test_rules_of_headers_never_overlap_in_what_they_set() -> None:
    rules = re.split(r"^(?=/)", headers_file().decode(), flags=re.M)[1:]
    assert rules[0].startswith("/*\n")
    assert "Cache-Control" not in rules[0]
    assert "  Content-Type:" not in rules[0]
    assert HEADERS_FILE == "_headers"


def test_the_workflow_verifies_before_and_after_it_builds() -> None:
    workflow = yaml.safe_load(example("github-pages.yml"))
    runs = [step["run"] for step in workflow["jobs"]["build"]["steps"] if "run" in step]
    assert [command.split()[1] for command in runs[1:]] == ["verify", "site", "verify"]
    assert workflow["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}


@pytest.mark.parametrize(
    ("name", "media"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("zh/runs/a-0001.html", "text/html; charset=utf-8"),
        ("runs/a-0001.json", "application/json"),
        ("assets/style.0123456789.css", "text/css; charset=utf-8"),
        ("search/terms/1.js", "text/javascript; charset=utf-8"),
        ("data/runs.parquet", "application/vnd.apache.parquet"),
        ("cards/index.png", "image/png"),
        ("log/checkpoint", LOG_TYPE),
        ("log/inclusion/a-0001", LOG_TYPE),
        ("log/tile/0/000.p/7", OTHER_TYPE),
        ("log/tile/entries/x001/002", OTHER_TYPE),
        ("SHA256SUMS", OTHER_TYPE),
    ],
)
def test_each_file_has_its_type(name: str, media: str) -> None:
    assert media_type(name) == media


def test_every_file_of_a_log_but_its_tiles_is_told_to_be_text() -> None:
    rules = re.findall(rf"^/(log/\S+)\n  Content-Type: {LOG_TYPE}$", headers_file().decode(), re.M)
    names = files_of(log_of(2, 300, 1))
    assert {name.split("/")[1] for name in names} == {
        "checkpoint", "checkpoints", "consistency", "inclusion", "key", "tile"
    }  # fmt: skip
    for name in names:
        is_text = not name.startswith("log/tile/")
        assert any(fnmatchcase(name, rule) for rule in rules) == is_text, name
        assert media_type(name) == (LOG_TYPE if is_text else OTHER_TYPE), name


def test_the_how_to_tells_each_header_and_rule() -> None:
    text = (DOCS / "how-to/host-the-site.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in SECURITY_HEADERS)
    assert all(rule in text and folder in text for folder, rule in KEPT.items())
