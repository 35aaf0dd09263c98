from __future__ import annotations

import json

import pytest

from publisher.scanning.finding import mask
from publisher.scanning.place import Place, json_places, line_places


@pytest.mark.parametrize("indent", [None, 2])
def test_every_string_and_key_has_its_pointer(indent: int | None) -> None:
    document = {"a": ["x0", {"b,": "x1", "c\n": [[], ["x2"]]}], "d": 17, "e": {}, "f": "x3"}
    data = json.dumps(document, indent=indent).encode()
    offsets = [data.index(b"x%d" % number) for number in range(4)]
    told = [place.told("f", ()) for place in json_places(data, offsets)]
    assert told == ["f#/a/0", "f#/a/1/b,", "f#/a/1/c\\n/1/0", "f#/f"]


def test_key_with_an_offset_in_it_is_told_as_one_and_masked() -> None:
    data = b'{"plain":{"a secret name":[1,"x"]}}'
    places = [place.told("f", ()) for place in json_places(data, [data.index(b"secret"), data.index(b'"x"')])]
    assert places == [f"f#/plain/{mask('a secret name')} (key)", f"f#/plain/{mask('a secret name')}/1"]


def test_offsets_outside_of_strings_belong_to_what_is_open() -> None:
    assert [place.pointer for place in json_places(b'{"a":[10,20]}  ', [9, 15])] == [("a", "1"), ()]


def test_depth_is_no_matter() -> None:
    data = b"[" * 5000 + b'"x"' + b"]" * 5000
    (place,) = json_places(data, [5001])
    assert place.pointer == ("0",) * 5000


def test_lines_are_counted_from_the_first() -> None:
    assert [place.told("f", ()) for place in line_places(b"a\nb\nc", [0, 2, 2, 4], 5)] == ["f:5", "f:6", "f:6", "f:7"]


def test_place_conceals_a_secret_even_where_the_pointer_escapes_it() -> None:
    secret = "se/cr~et" * 2
    place = Place((f"x{secret}y",), 0).told(f"dir/{secret}.json", {secret})
    assert secret not in place
    assert secret.replace("~", "~0").replace("/", "~1") not in place
