from __future__ import annotations

import pytest

from publisher.scanning.rules.contacts import Contacts
from publisher.scanning.scanner import Scanner, default_scanner


def hits(text: str) -> list[str]:
    data = text.encode()
    return [data[hit.start : hit.end].decode() for hit in Contacts().find(data)]


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("写信给li.wei@mail.cn，谢谢", "li.wei@mail.cn"),
        ("<a.b+c@sub.firm.co.uk>", "a.b+c@sub.firm.co.uk"),
        ("电话13812345678。", "13812345678"),
        ("call +44 20 7946 0958 now", "+44 20 7946 0958"),
        ("(415) 867-5309", "(415) 867-5309"),
        ("138 1234 5678", "138 1234 5678"),
    ],
)
def test_contact_is_found(text: str, contact: str) -> None:
    assert hits(text) == [contact]


@pytest.mark.parametrize(
    "text",
    [
        "a@example.com b@x.test c@host.invalid user@localhost @handle a@b",
        "2026-03-31 600519.SH 1712345678901 13812345678901 0.13812345678 v1.3812345678",
        "212-555-0142 is fiction",
        "sha256:" + "13812345678abcdef",
    ],
)
def test_examples_and_other_numbers_are_no_contacts(text: str) -> None:
    assert hits(text) == []


def test_contacts_are_looked_for_only_where_asked(scanner: Scanner) -> None:
    text = "li.wei@mail.cn"
    assert scanner.scan_text(text, "x") == []
    assert [found.rule for found in default_scanner(contacts=True).scan_text(text, "x")] == ["SCAN-MAIL-001"]
