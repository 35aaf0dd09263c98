from __future__ import annotations

import re
from pathlib import Path

import pytest

from dataset.version import installed_version
from publisher.mirror import mirror, pages
from publisher.mirror.pages import is_site, page_findings
from publisher.rendering.site.directory import MARKER
from tests.unit.publisher.mirror.mirrors import messages, places, verified

RUN = "batch-1-0001"
OF_EVERY_RUN = (
    f"runs/{RUN}.html",
    "SHA256SUMS",
    "codes.html",
    "codes/",
    "croissant.json",
    "data/glassbench.tar",
    "downloads.html",
    "search/",
    "tools.html",
    "tools/",
)
"""How the files begin that the first run goes into, and no other run's page does."""


def all_pages(site: Path) -> list[str]:
    return sorted(str(page.relative_to(site)) for page in site.rglob("*.html"))


def stylesheet(site: Path) -> str:
    return str(next(site.rglob("*.css")).relative_to(site))


def change_digit(page: Path) -> tuple[int, str]:
    """Raises one digit of the page's main part by one; its line and what stands there now."""
    text = page.read_text()
    start = text.index("<main")
    found = re.search(r">[^<>]*?\d", text[start:])
    assert found is not None
    at = start + found.end() - 1
    changed = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
    page.write_text(changed)
    return changed[:at].count("\n") + 1, changed.splitlines()[changed[:at].count("\n")]


def test_the_pages_of_a_site_hold_and_are_counted(site: Path) -> None:
    found = verified(site)
    assert found.differences == ()
    assert found.pages is not None
    assert found.pages.pages == len(all_pages(site))
    assert found.pages.assets >= 2
    assert found.pages.hold


def test_a_snapshot_alone_has_no_pages_and_none_are_claimed(snapshot: Path) -> None:
    found = verified(snapshot)
    assert found.holds
    assert found.pages is None


def test_a_mirror_without_the_marker_of_the_build_is_a_site(site: Path) -> None:
    (site / MARKER).unlink()
    found = verified(site)
    assert found.holds
    assert found.pages is not None


@pytest.mark.parametrize("page", ["index.html", "batches/batch-1.html", "cases/fund-nav.html", f"runs/{RUN}.html"])
def test_one_changed_digit_is_named_with_its_page_and_line(site: Path, page: str) -> None:
    line, text = change_digit(site / page)
    (difference,) = verified(site).differences
    assert difference.place == page
    assert difference.message.startswith(f"line {line} ")
    assert difference.observed.strip("…") in text
    assert difference.expected != difference.observed


def test_a_page_cut_short_is_named_with_the_line_that_lacks(site: Path) -> None:
    page = site / "metrics.html"
    page.write_bytes(page.read_bytes()[: page.read_bytes().rindex(b"\n</body>")])
    (difference,) = verified(site).differences
    assert (difference.place, difference.observed) == ("metrics.html", "no such line")


def test_two_pages_that_changed_places_are_both_named(site: Path) -> None:
    left, right = (site / "runs" / f"batch-1-000{n}.html" for n in (1, 2))
    kept = left.read_bytes()
    left.write_bytes(right.read_bytes())
    right.write_bytes(kept)
    assert places(verified(site)) == ["runs/batch-1-0001.html", "runs/batch-1-0002.html"]


def test_each_missing_page_is_named_the_first_one_too(site: Path) -> None:
    names = ["index.html", f"runs/{RUN}.html", stylesheet(site)]
    for name in names:
        (site / name).unlink()
    assert sorted(places(verified(site))) == sorted(names)


def test_a_changed_asset_is_named(site: Path) -> None:
    style = site / stylesheet(site)
    style.write_text(style.read_text() + "main { display: none }\n")
    assert places(verified(site)) == [stylesheet(site)]


def test_every_file_too_many_is_named_wherever_it_stands(site: Path) -> None:
    (site / "assets" / "deep").mkdir(parents=True)
    (site / "assets" / "deep" / "more.js").write_text("x")
    (site / "runs" / "batch-9-0001.html").write_text("x")
    (site / "runs" / "batch-9-0001.json").write_text("{}")
    assert sorted(places(verified(site))) == ["assets/deep/more.js", "runs/batch-9-0001.html", "runs/batch-9-0001.json"]


def test_a_name_that_takes_anothers_place_where_case_makes_no_difference_is_told(site: Path) -> None:
    for name in (f"runs/{RUN.upper()}.json", f"runs/{RUN.upper()}.html", "INDEX.html"):
        (site / name).write_text("x")
    found = verified(site)
    assert len(found.differences) == 3
    for twin in (f"runs/{RUN}.json", f"runs/{RUN}.html", "index.html"):
        assert f"takes the place of {twin} " in messages(found)


def test_a_linked_page_is_refused_even_to_the_right_bytes(site: Path, tmp_path: Path) -> None:
    (site / "index.html").rename(tmp_path / "index.html")
    (site / "index.html").symlink_to(tmp_path / "index.html")
    assert "index.html: a symbolic link" in messages(verified(site))


def test_a_swapped_run_file_is_named_among_the_pages(site: Path) -> None:
    one, other = (site / "runs" / f"batch-1-000{n}.json" for n in (1, 2))
    one.write_bytes(other.read_bytes())
    assert f"runs/{RUN}.json#/run_id" in places(verified(site))


def test_a_broken_run_keeps_no_other_page_from_being_compared(site: Path) -> None:
    whole = verified(site).pages
    run = site / "runs" / f"{RUN}.json"
    run.write_bytes(run.read_bytes().replace(b'"passed":true', b'"passed":false', 1))
    change_digit(site / "runs" / "batch-2-0002.html")
    found = verified(site)
    first = f"beside/batch-2-0001.{RUN}.html"  # of the pages that can't be made, the one that stands first is named
    assert set(places(found)) == {f"runs/{RUN}.json", first, "runs/batch-2-0002.html"}
    (told,) = [d for d in found.differences if d.message.startswith("not compared")]
    assert told.place == first
    assert f"made from runs/{RUN}.json, which can't be rendered" in told.message
    assert whole is not None
    assert found.pages is not None
    assert found.pages.finished
    assert not found.pages.hold
    uncompared = set(found.pages.uncompared)
    names = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    assert uncompared == {name for name in names if name.removeprefix("zh/").startswith((*OF_EVERY_RUN, first))}
    assert {"search/manifest.js", "zh/tools/fund_nav.html", "codes.html"} <= uncompared
    assert found.pages.pages + found.pages.assets + len(uncompared) == whole.pages + whole.assets


def test_a_broken_file_of_the_log_keeps_no_page_from_being_compared(site: Path) -> None:
    tile = next(path for path in sorted((site / "log" / "tile").rglob("*")) if path.is_file())
    tile.write_bytes(tile.read_bytes()[::-1])
    change_digit(site / "runs" / "batch-2-0002.html")
    found = verified(site)
    assert "runs/batch-2-0002.html" in places(found)
    assert found.pages is not None
    assert "can't be made again" not in messages(found)


def test_pages_that_cannot_be_made_again_are_not_claimed(site: Path) -> None:
    (site / "index.json").write_bytes(b"{}")
    found = verified(site)
    assert found.pages is not None
    assert not found.pages.hold
    assert "can't be made again" in messages(found)


def test_a_fault_in_rendering_is_a_difference_not_an_error(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "site_files", lambda snapshot, address: 1 // 0)
    found = page_findings(site)
    assert not found.hold
    assert "ZeroDivisionError" in str(found.differences[0])


def as_another_version(page: Path) -> None:
    name = f"glassbench {installed_version()}"
    page.write_text(page.read_text().replace(f'content="{name}"', 'content="glassbench 9.9.9"'))


def test_pages_of_another_version_are_told_as_such_and_never_as_checked(site: Path) -> None:
    for name in all_pages(site):
        as_another_version(site / name)
    found = verified(site)
    assert found.pages is not None
    assert not found.pages.hold
    (difference,) = found.differences
    assert (difference.expected, difference.observed) == (f"glassbench {installed_version()}", "glassbench 9.9.9")
    assert "not checked" in difference.message
    assert f" {len(all_pages(site))} pages" in difference.message


def test_a_page_that_does_not_say_who_made_it_is_named_with_its_line(site: Path) -> None:
    page = site / "index.html"
    page.write_text(re.sub(r'<meta name="generator"[^>]*>\n', "", page.read_text()))
    (difference,) = verified(site).differences
    assert difference.message.startswith("line ")


@pytest.mark.parametrize("name", [MARKER, "index.html", "batches", "cases"])
def test_anything_that_only_a_site_has_makes_a_site(tmp_path: Path, name: str) -> None:
    assert not is_site(tmp_path)
    (tmp_path / name).mkdir()
    assert is_site(tmp_path)


def test_two_workers_find_the_same_in_the_same_order(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "_WORTH_WORKERS", 1)
    change_digit(site / "index.html")
    (site / "runs" / f"{RUN}.json").unlink()
    (site / "runs" / "batch-1-0002.json").write_bytes((site / "runs" / "batch-2-0001.json").read_bytes())
    alone = verified(site)
    assert len(alone.differences) > 3
    assert verified(site, workers=2) == alone
