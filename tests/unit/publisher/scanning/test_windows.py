from __future__ import annotations

import io
import tracemalloc

import pytest

from publisher.scanning import scanner as scanner_module
from publisher.scanning import windows as windows_module
from publisher.scanning.scanner import Scanner
from publisher.scanning.windows import OVERLAP, WINDOW, windows

PAT = "SCAN-CRED:github-pat"


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> int:
    """Windows of 4,096 bytes that overlap by 1,024; documents above 2,048 bytes are cut."""
    monkeypatch.setattr(windows_module, "WINDOW", 4096)
    monkeypatch.setattr(windows_module, "OVERLAP", 1024)
    monkeypatch.setattr(scanner_module, "LARGEST_WHOLE", 2048)
    return 4096


def scan(scanner: Scanner, data: bytes) -> list[tuple[str, str]]:
    return [(finding.rule, finding.place) for finding in scanner.scan_stream(io.BytesIO(data), "big")]


@pytest.mark.parametrize("filler", [b"x y\n", b"\xe4\xb8\xad ", b"\x00,"])
def test_secret_across_any_boundary_is_found_once(
    scanner: Scanner, github_token: str, small_windows: int, filler: bytes
) -> None:
    secret = github_token.encode()
    for boundary in (2048, small_windows, small_windows + 1024, 2 * small_windows):
        for shift in range(0, len(secret) + 2, 3):
            before = (filler * boundary)[: boundary - shift - 1] + b" "
            found = scan(scanner, before + secret + b" " + filler * 1500)
            assert found == [(PAT, f"big:{1 + before.count(10)}")]


def test_half_a_token_at_a_boundary_is_not_mistaken(scanner: Scanner, small_windows: int) -> None:
    for shift in range(20):
        text = b"v " * ((small_windows - 10 + shift) // 2) + b" 1.3.6.1.4.110.0.0.5.9 " + b"v " * 4000
        assert scan(scanner, text) == []


def test_escaped_secret_in_a_large_json_file_is_found(scanner: Scanner, github_token: str, small_windows: int) -> None:
    spelt = "".join(f"\\u{ord(char):04x}" for char in github_token)
    data = '{"pad":["' + '","'.join(["abc"] * 2000) + f'"],"a":"{spelt}"}}'
    assert scan(scanner, data.encode()) == [(PAT, "big:1")]


def test_windows_cover_every_byte_and_number_their_lines(small_windows: int) -> None:
    data = b"".join(b"line %d\n" % number for number in range(5000))
    seen, numbers = set(), []
    for window in windows(io.BytesIO(data[100:]), data[:100]):
        for at, line in enumerate(window.data.split(b"\n")):
            if line.startswith(b"line ") and line[5:].isdigit():
                numbers.append((int(line[5:]), window.first_line + at))
                seen.add(line)
    assert len(seen) == 5000
    assert [line for number, line in numbers if line != number + 1] == []


def test_memory_stays_flat(scanner: Scanner) -> None:
    class Endless(io.RawIOBase):
        left = 96 * 1024 * 1024

        def read(self, size: int = -1) -> bytes:
            piece = b"plain text 123\n" * 70_000
            piece = piece[: min(size, len(piece), self.left)]
            self.left -= len(piece)
            return piece

    tracemalloc.start()
    try:
        assert list(scanner.scan_stream(Endless(), "big")) == []  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < scanner_module.LARGEST_WHOLE + 20 * (WINDOW + OVERLAP)
