from __future__ import annotations

import pytest

from publisher.exports.address import SiteAddressError, read_site_address, site_address


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://example.org", "https://example.org/"),
        ("https://example.org/a/b", "https://example.org/a/b/"),
        ("http://localhost:8000/", "http://localhost:8000/"),
        ("https://[::1]:8443/x/", "https://[::1]:8443/x/"),
    ],
)
def test_an_address_ends_with_a_slash(given: str, url: str) -> None:
    address = site_address(given)
    assert address.url == url
    assert address.of("index.html") == f"{url}index.html"
    assert read_site_address(address.canonical) == address


@pytest.mark.parametrize(
    "given",
    [
        "",
        "example.org",
        "/results",
        "ftp://example.org/",
        "javascript:alert(1)",
        "https://user:word@example.org/",
        "https://example.org/?q=1",
        "https://example.org/#top",
        "https://example.org/a b",
        'https://example.org/"><script>',
        "https://example.org/}{",
        "https://example.org/a/../b",
        "https://example.org/%2e%2e/",
        "https://example.org/a/%2E/b",
        "https://example.org/a/.%2e",
        "https://example.org/\n",
        "https://example.org//",
        "https://" + "a" * 1_000 + ".org",
    ],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(SiteAddressError) as caught:
        site_address(given)
    assert caught.value.code == "SITE-URL-001"
    assert caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b'{"schema":"glassbench.site-address/1"}',
        b'{"schema":"glassbench.site-address/1","url":"https://example.org"}',
        b'{"schema":"glassbench.site-address/1", "url":"https://example.org/"}',
        b'{"schema":"glassbench.site-address/1","url":"https://example.org/a/../"}',
        b'{"schema":"glassbench.site-address/1","url":"https://example.org/a/%2e%2E/"}',
        b'{"schema":"glassbench.site-address/1","url":"javascript:x"}',
        b'{"more":1,"schema":"glassbench.site-address/1","url":"https://example.org/"}',
        b"\xff",
    ],
)
def test_a_file_that_no_build_wrote_is_refused(data: bytes) -> None:
    with pytest.raises(SiteAddressError):
        read_site_address(data)
