"""Social cards are the same bytes everywhere, valid, small, and never break whatever they are asked to say."""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from publisher.rendering.bars import Bar
from publisher.rendering.cards import palette
from publisher.rendering.cards.card import Card, CardFigure
from publisher.rendering.cards.composition import BAND_HEIGHT, BAR_HEIGHT, BAR_TOP, MARGIN, ROOM, card_png

FIGURE = CardFigure(
    value="64.2 %",
    label="of cases passed; 95 % interval 55.1–72.3 %",
    bar=Bar(at="64.2", low="55.1", width="17.2"),
)
MODEL = Card(
    kicker="Model · Finance board",
    title="Qwen3 Next 80B A3B Instruct",
    fallback_title="qwen3-next",
    figure=FIGURE,
    facts=("rank 2–4 of 12", "120 of 120 runs valid"),
    marks=frozenset({"synthetic", "not_signed"}),
)
SITE = Card(kicker="Public evidence", title="Every number, and the run behind it", fallback_title="Glassbench")
HOSTILE = (
    "",
    " ",
    "o",
    "W" * 5000,
    "i" * 5000,
    "-" * 300,
    "\x00\x1b[31m\u202e\u200b\ufeff\U000e0041",
    "<script>alert(1)</script>",
    "مرحبا بالعالم",
    "通义千问",
    "👩‍👩‍👧‍👦" * 40,
    "Z̸̡̢͎̟a͠l̷g̵o" * 50,
    "\ud800".encode("utf-8", "replace").decode(),
    "a b " * 400,
    "\n\r\t line\u2028breaks",
)


def decoded(picture: bytes) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """The pixels and the palette of a PNG file, read by the rules of the format alone."""
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(picture):
        size, kind = int.from_bytes(picture[at : at + 4], "big"), picture[at + 4 : at + 8]
        body = picture[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + body) == int.from_bytes(picture[at + 8 + size : at + 12 + size], "big")
        chunks.append((kind, body))
        at += 12 + size
    assert [kind for kind, _ in chunks] == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    header, colours, stream, _ = (body for _, body in chunks)
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    assert (width, height, header[8:]) == (1200, 630, b"\x08\x03\x00\x00\x00")
    rows = np.frombuffer(zlib.decompress(stream), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    triples = [(colours[k], colours[k + 1], colours[k + 2]) for k in range(0, len(colours), 3)]
    assert rows.max() < len(triples) <= 256
    return rows[:, 1:], triples


@pytest.mark.parametrize(
    ("card", "digest"),
    [
        (MODEL, "e648a465a2d3f3a3b068433ac918dc3afd1024860b8a1f0ec048d8f960ee257f"),
        (SITE, "26c3f321b8f0bd78f3200484d493f4748a42196d73386e21fd477dd75968a737"),
    ],
    ids=["model", "site"],
)
def test_a_card_has_the_same_bytes_on_every_machine(card: Card, digest: str) -> None:
    assert hashlib.sha256(card_png(card)).hexdigest() == digest


def test_a_card_is_a_valid_and_small_picture() -> None:
    for card in (MODEL, SITE):
        picture = card_png(card)
        decoded(picture)
        assert len(picture) < 25_000


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_in_any_place_gives_a_valid_picture(text: str) -> None:
    figure = CardFigure(value=text, label=text, bar=FIGURE.bar)
    picture = card_png(Card(kicker=text, title=text, fallback_title=text, figure=figure, facts=(text, text)))
    decoded(picture)
    assert len(picture) < 65_000


def test_a_title_without_glyphs_gives_way_to_the_fallback() -> None:
    assert card_png(replace(MODEL, title="通义千问")) == card_png(replace(MODEL, title="qwen3-next"))
    assert card_png(replace(MODEL, title="通义", fallback_title="千问问")) != card_png(
        replace(MODEL, title="", fallback_title="")
    )


def test_an_unseen_character_of_a_title_is_named() -> None:
    assert card_png(replace(MODEL, title="a\u202eb")) == card_png(replace(MODEL, title="a[U+202E]b"))


def test_a_long_title_is_cut_with_an_ellipsis_and_leaves_the_figure_alone() -> None:
    long, longer = (decoded(card_png(replace(MODEL, title="model " * count)))[0] for count in (60, 61))
    assert np.array_equal(long, longer)
    usual = decoded(card_png(MODEL))[0]
    assert np.array_equal(long[360:], usual[360:])


@pytest.mark.parametrize(
    ("bar", "ends"),
    [
        (Bar(at="64.2", low="55.1", width="17.2"), (581, 762)),
        (Bar(at="0.0", low="0.0", width="12.1"), (0, 127)),
        (Bar(at="100.0", low="88.0", width="12.0"), (929, ROOM - 1)),
        (Bar(at="100.0", low="100.0", width="0.0"), (ROOM - 6, ROOM - 1)),
    ],
    ids=["within", "nothing", "everything", "no-width"],
)
def test_the_bar_shows_the_interval_where_it_stands(bar: Bar, ends: tuple[int, int]) -> None:
    pixels, _ = decoded(card_png(replace(MODEL, figure=replace(FIGURE, bar=bar))))
    row = pixels[BAR_TOP + BAR_HEIGHT // 2]
    shown = np.flatnonzero(np.isin(row, [palette.interval(), palette.solid("accent")])) - MARGIN
    assert (shown[0], shown[-1]) == pytest.approx(ends, abs=1)
    assert (row[:MARGIN] == 0).all()
    assert (row[MARGIN + ROOM :] == 0).all()


def test_without_an_interval_no_bar_is_drawn() -> None:
    pixels, _ = decoded(card_png(replace(MODEL, figure=replace(FIGURE, bar=None))))
    assert not (pixels == palette.interval()).any()
    assert not (pixels == palette.line()).any()


def test_every_mark_changes_the_foot_of_the_card() -> None:
    feet = {
        decoded(card_png(replace(MODEL, marks=frozenset(marks))))[0][-BAND_HEIGHT:].tobytes()
        for marks in (
            (),
            ("withdrawn",),
            ("not_published",),
            ("synthetic",),
            ("not_signed",),
            ("synthetic", "not_signed"),
        )
    }
    assert len(feet) == 6


def test_colours_are_those_of_the_style_sheet() -> None:
    light = files("site_templates").joinpath("styles/tokens.css").read_text("utf-8").split("}", 1)[0]
    tokens = dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", light))
    assert {name: tokens[name] for name in palette.TOKENS} == palette.TOKENS
