from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from publisher.exports.badge import badge, badge_name
from publisher.rendering.visible_text import plain
from tests.unit.publisher.exports.exported import source_of

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {f"{SVG}{tag}" for tag in ("svg", "title", "desc", "rect", "text")}


def badges(site: dict[str, bytes]) -> dict[str, ElementTree.Element]:
    return {name: ElementTree.fromstring(data) for name, data in site.items() if name.startswith("badges/")}


def test_every_row_of_every_board_has_a_badge_with_title_and_description(changed_site: dict[str, bytes]) -> None:
    found = badges(changed_site)
    assert set(found) == {"badges/batch-1/careful.svg", "badges/batch-2/careful.svg"}
    for root in found.values():
        assert root.findtext(f"{SVG}title")
        assert root.findtext(f"{SVG}desc")
        assert root.get("role") == "img"
        labels = str(root.get("aria-labelledby")).split()
        assert labels == [
            part.get("id") for part in (root.find(f"{SVG}title"), root.find(f"{SVG}desc")) if part is not None
        ]


def test_a_badge_says_the_rate_its_interval_and_the_valid_runs(unlogged: Path) -> None:
    source = source_of(unlogged)
    row = source.boards[0].rows[0]
    text = " ".join(ElementTree.fromstring(badge(row, 2)).itertext())
    assert row.bar is not None
    assert f"{row.measures.valid} / {row.measures.planned} valid" in text
    assert text.count("%") >= 6
    assert row.model.display_name in text


def test_a_script_is_called_synthetic(unlogged_site: dict[str, bytes]) -> None:
    texts = {name: " ".join(root.itertext()) for name, root in badges(unlogged_site).items()}
    assert {name: "(synthetic)" in text for name, text in texts.items()} == {
        name: name.startswith("badges/batch-2/") for name in texts
    }


def test_a_model_without_a_valid_run_has_no_rate(unlogged: Path) -> None:
    row = source_of(unlogged).boards[0].rows[0]
    nothing = row.measures.model_copy(
        update={
            "valid": 0,
            "pass_rate_low": None,
            "pass_rate_high": None,
            "metrics": {**row.measures.metrics, "pass-rate": None},
        }
    )
    text = " ".join(ElementTree.fromstring(badge(replace(row, measures=nothing), 1)).itertext())
    assert "unknown, 0 / " in text
    assert "0.0" not in text


def test_hostile_names_add_nothing_that_is_fetched_or_run(
    hostile_exports: dict[str, bytes], hostile_texts: list[str]
) -> None:
    found = badges(hostile_exports)
    assert len(found) == len(hostile_texts)
    for root in found.values():
        assert {part.tag for part in root.iter()} <= ALLOWED
        for part in root.iter():
            assert not {name for name in part.attrib if name.startswith("on") or "href" in name or name == "style"}
            assert "url(" not in " ".join(part.attrib.values())
        text = "".join(root.itertext())
        assert text == plain(text)
        assert int(str(root.get("width"))) < 1_200


def test_names_of_badges_never_meet(unlogged: Path) -> None:
    names = [badge_name(row) for board in source_of(unlogged).boards for row in board.rows]
    assert len(names) == len(set(names)) == 4
