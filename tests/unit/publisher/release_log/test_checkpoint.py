"""Checkpoints, with the published example of C2SP tlog-checkpoint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.release_log.checkpoint import Checkpoint, read_checkpoint
from publisher.release_log.errors import MalformedError
from tests.factories.release_logs import SIGNER

PUBLISHED = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
)
ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="


def test_the_published_checkpoint_is_read_and_written_to_the_byte() -> None:
    found = read_checkpoint(PUBLISHED.encode())
    assert (found.checkpoint.origin, found.checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert found.checkpoint.text() == found.note.text
    assert found.signatures[0].key_id == "033de0ae"
    assert found.data() == PUBLISHED.encode()


@given(size=st.integers(0, 2**63 - 1), root=st.binary(min_size=32, max_size=32), is_signed=st.booleans())
def test_a_checkpoint_reads_back(size: int, root: bytes, is_signed: bool) -> None:
    checkpoint = Checkpoint(origin="example.org/bench", size=size, root=root)
    data = checkpoint.data(SIGNER if is_signed else None)
    found = read_checkpoint(data)
    assert found.checkpoint == checkpoint
    assert found.data() == data
    assert found.note.signers([SIGNER.verifier]) == ((SIGNER.verifier,) if is_signed else ())


def test_an_unsigned_checkpoint_is_its_text_alone() -> None:
    assert Checkpoint(origin="o", size=0, root=bytes(32)).data(None) == b"o\n0\n" + b"A" * 43 + b"=\n"


def test_extension_lines_are_passed_over() -> None:
    assert read_checkpoint(f"o\n1\n{ROOT}\nmore\n".encode()).checkpoint.size == 1


@pytest.mark.parametrize(
    ("defect", "text"),
    [
        ("two lines", "o\n1\n"),
        ("no origin", f"\n1\n{ROOT}\n"),
        ("leading zero", f"o\n01\n{ROOT}\n"),
        ("sign", f"o\n+1\n{ROOT}\n"),
        ("minus", f"o\n-1\n{ROOT}\n"),
        ("space", f"o\n 1\n{ROOT}\n"),
        ("Arabic digit", f"o\n١\n{ROOT}\n"),
        ("underscore", f"o\n1_0\n{ROOT}\n"),
        ("beyond 63 bits", f"o\n{2**63}\n{ROOT}\n"),
        ("huge", f"o\n{'9' * 5000}\n{ROOT}\n"),
        ("root of 31 bytes", f"o\n1\n{'A' * 42}==\n"),
        ("no padding", f"o\n1\n{ROOT[:-1]}\n"),
        ("bits behind the last byte", f"o\n1\n{ROOT[:-2]}J=\n"),
        ("hexadecimal root", f"o\n1\n{'00' * 32}\n"),
        ("no newline at the end", f"o\n1\n{ROOT}"),
        ("CRLF", f"o\r\n1\r\n{ROOT}\r\n"),
        ("NUL", f"o\x00\n1\n{ROOT}\n"),
        ("an empty line at the end", f"o\n1\n{ROOT}\n\n"),
        ("an empty line within", f"o\n\n1\n{ROOT}\n\n— a AAAAAAA=\n"),
        ("nothing", ""),
    ],
)
def test_a_malformed_checkpoint_is_refused(defect: str, text: str) -> None:
    with pytest.raises(MalformedError):
        read_checkpoint(text.encode())
