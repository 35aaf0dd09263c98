from __future__ import annotations

import pytest

from publisher.scanning.rules.hosts import InternalHosts


def hits(text: str) -> list[str]:
    data = text.encode()
    return [data[hit.start : hit.end].decode() for hit in InternalHosts().find(data)]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://git.example.internal/x", "git.example.internal"),
        ("ask NAS-1.LOCAL.", "NAS-1.LOCAL"),
        ("mail bob@mail.corp", "mail.corp"),
        ("服务在db.lan上", "db.lan"),
        ("wiki.intranet:8443", "wiki.intranet"),
        ("api.prod.svc.cluster.local", "api.prod.svc.cluster.local"),
        ("http://db01/status", "db01"),
        ("http://user@db01:80/", "db01"),
        ("postgresql://u:p@pg_main/x", "pg_main"),
        ("看 http://llm:8000。", "llm"),
        ('"ws://gateway"', "gateway"),
    ],
)
def test_internal_name_is_found(text: str, host: str) -> None:
    assert hits(text) == [host]


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8000/v1 http://localhost/",
        "https://example.org/db01",
        "https://user:pw@example.org/",
        "threading.local() settings.local.json .local",
        "local internal corp lan",
        "https://localized.example.com and internal.example.com",
        "the total.Internal rate of return",
        "News Corp. rose 3.2%",
        "tool://fx_rates/1 file:///x glassbench://run/1",
        "http://127.0.0.1:8080/ http://[::1]/",
        "https://domain/api https://HOST/ http://hostname:8080 https://user@example/x",
        "https://exam\u200bple.org/",
        "https://...",
        "https://例子/",
    ],
)
def test_public_and_loopback_names_are_not_flagged(text: str) -> None:
    assert hits(text) == []
