"""Hosts are told the same everywhere: by `serve`, by `_headers`, by the examples, and by the how-to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from publisher.rendering.environment import CONTENT_SECURITY_POLICY
from publisher.rendering.hosting import (
    HEADERS_FILE,
    KEPT,
    LOG_TYPE,
    MEDIA_TYPES,
    OTHER_TYPE,
    REVALIDATED,
    SECURITY_HEADERS,
    cache_control,
    headers_file,
    media_type,
)

DOCS = Path(__file__).resolve().parents[4] / "docs"


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
    ("name", "media", "cache"),
    [
        ("index.html", "text/html; charset=utf-8", REVALIDATED),
        ("zh/runs/a-0001.html", "text/html; charset=utf-8", REVALIDATED),
        ("runs/a-0001.json", "application/json", REVALIDATED),
        ("assets/style.0123456789.css", "text/css; charset=utf-8", KEPT["assets/"]),
        ("search/terms/1.js", "text/javascript; charset=utf-8", REVALIDATED),
        ("data/runs.parquet", "application/vnd.apache.parquet", REVALIDATED),
        ("cards/index.png", "image/png", REVALIDATED),
        ("log/checkpoint", LOG_TYPE, REVALIDATED),
        ("log/inclusion/a-0001", LOG_TYPE, REVALIDATED),
        ("log/tile/0/000.p/7", OTHER_TYPE, KEPT["log/tile/"]),
        ("log/tile/entries/x001/002", OTHER_TYPE, KEPT["log/tile/"]),
        ("SHA256SUMS", OTHER_TYPE, REVALIDATED),
    ],
)
def test_each_file_has_its_type_and_its_time(name: str, media: str, cache: str) -> None:
    assert (media_type(name), cache_control(name)) == (media, cache)


def test_the_how_to_tells_each_header_and_rule() -> None:
    text = (DOCS / "how-to/host-the-site.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in SECURITY_HEADERS)
    assert all(rule in text and folder in text for folder, rule in KEPT.items())
