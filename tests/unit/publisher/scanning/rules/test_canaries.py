from __future__ import annotations

from base64 import b64encode

import pytest

from publisher.scanning.errors import ScanError
from publisher.scanning.scanner import default_scanner

CANARY = "canary-7f3a 金丝雀"


@pytest.mark.parametrize("text", [CANARY, f"x{CANARY}y", b64encode(f"see {CANARY} there, twelve".encode()).decode()])
def test_canary_is_found_plain_and_encoded(text: str) -> None:
    found = default_scanner(canaries=[f" {CANARY}\n"]).scan_text(text, "x")
    assert [finding.rule for finding in found] == ["SCAN-CANARY-001"]
    assert CANARY not in str(found)


def test_short_canary_is_refused() -> None:
    with pytest.raises(ScanError) as fault:
        default_scanner(canaries=["long enough", "short"])
    assert fault.value.code == "SCAN-VALUE-001"
