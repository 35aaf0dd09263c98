from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.layers.substitution import Substitution

GROWING = Substitution(re.compile(rb"[abc]"), lambda match: {b"a": b"", b"b": b"BBB", b"c": b"C"}[match[0]])


@given(st.text("abcxyz", max_size=30).map(str.encode))
def test_every_byte_leads_back_to_what_it_was_made_of(data: bytes) -> None:
    made = GROWING.apply(data)
    back = [GROWING.origin(data, at) for at in range(len(made))]
    assert back == sorted(back)
    assert [data[at : at + 1].upper() for at in back] == [made[at : at + 1].upper() for at in range(len(made))]
