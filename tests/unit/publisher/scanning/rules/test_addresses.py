from __future__ import annotations

import pytest

from publisher.scanning.rules.addresses import PrivateAddresses


def hits(text: str) -> list[str]:
    data = text.encode()
    return [data[hit.start : hit.end].decode() for hit in PrivateAddresses().find(data)]


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.5",
        "10.255.255.255",
        "172.16.0.1",
        "172.31.255.254",
        "192.168.1.1",
        "100.64.0.1",
        "100.127.9.9",
        "169.254.169.254",
        "fd00::1",
        "fc00:12ab::9",
        "fe80::1",
        "FEBF:0:0:0:1:2:3:4",
    ],
)
@pytest.mark.parametrize("around", ["{}", "see {}.", "地址{}端口", "[{}]:8080", "http://{}/x", "a={};", '"{}"', "{}/8"])
def test_private_address_is_found_in_any_surroundings(address: str, around: str) -> None:
    assert hits(around.format(address)) == [address]


def test_address_with_port_is_found() -> None:
    assert hits("10.0.0.5:8080 and ::ffff:10.0.0.6") == ["10.0.0.5", "10.0.0.6"]


@pytest.mark.parametrize(
    "text",
    [
        "version 10.2.3",
        "v10.0.0.1",
        "1.3.6.1.4.1.10.0.0.5",
        "10.0.0.5.7",
        "10.0.19045.1",
        "110.0.0.5",
        "10.0.0.256",
        "10.25 and 192.168",
        "172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 11.0.0.1 192.169.0.1 169.253.0.1",
        "127.0.0.1 ::1 0.0.0.0 8.8.8.8",
        "10,000.50 元，10.0%",
        "face:b00c feed:beef fd12:zz",
        "sha256:fd00aa11bb22",
        "2001:db8::1",
        "fade::1",
        "at 10:10:10.100",
    ],
)
def test_versions_decimals_and_public_addresses_are_not_flagged(text: str) -> None:
    assert hits(text) == []
