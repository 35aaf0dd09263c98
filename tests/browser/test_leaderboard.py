"""The leaderboard as readers use it: with a script and without, by pointer and by key, from a server and a disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page

from publisher.rendering.pages.boards import board_pages
from publisher.rendering.pages.interface import Page as SitePage
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.site.assets import asset_files
from tests.browser.checked_site import serving
from tests.browser.visit import SUB_PATH, Visit
from tests.factories.boards import BoardModel, make_report, share, site_source

Open = Callable[..., Page]
HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'"
MARKED = HOSTILE.replace("\u202e", "[U+202E]")
MODELS = (
    BoardModel(key="alpha", name="Zeta 9", passes=share(9), cost="0.03", family="A", weights="open"),
    BoardModel(key="beta", name="Eta 10", passes=share(7), cost=None, family="B", weights="closed"),
    BoardModel(key="gamma", name="Eta 9", passes=share(4), cost="0.001", family="A"),
    BoardModel(key="delta", name=HOSTILE, passes=lambda planned: None, cost="0.2", family=HOSTILE),
)


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of the leaderboard alone, in a folder of a server."""
    folder = tmp_path_factory.mktemp("leaderboard")
    source = site_source(folder / "snapshot", [make_report("batch-1", MODELS)])
    pages = [page for page in board_pages(source) if isinstance(page, SitePage)]
    files = [(file.name, file.data) for page in pages for file in rendered(page, source)]
    for name, data in (*files, *asset_files()):
        path = folder / "served" / SUB_PATH / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "served"


@pytest.fixture(scope="module")
def origin(parent: Path) -> Iterator[str]:
    with serving(parent) as address:
        yield address


@pytest.fixture(params=["http", "file"])
def board(request: pytest.FixtureRequest, browser: Browser, parent: Path, origin: str) -> Iterator[Open]:
    """Opens a page; at the end nothing must have gone wrong on the way."""
    root = f"{origin}/{SUB_PATH}/" if request.param == "http" else (parent / SUB_PATH).as_uri() + "/"
    visits = []

    def open_page(name: str = "index.html", **context: object) -> Page:
        visits.append(Visit(browser, root, **context))
        return visits[-1].open(name)

    yield open_page
    for visit in visits:
        visit.__exit__(None, None, None)
        assert not visit.faults


def names(page: Page) -> list[str]:
    """The names in the rows that are shown, in their order."""
    found: list[str] = page.locator("table.board tbody tr:not([hidden]) > th > a").all_inner_texts()
    return found


def query(page: Page) -> str:
    return page.url.partition("?")[2]


def head(page: Page, key: str) -> Locator:
    return page.locator(f'th[data-key="{key}"]')


def sorted_by(page: Page) -> list[str]:
    """Which heads say that the rows are sorted by them."""
    found: list[str] = page.locator("table.board th[aria-sort]").evaluate_all(
        "heads => heads.map(head => `${head.dataset.key} ${head.ariaSort}`)"
    )
    return found


def test_a_head_sorts_either_way_with_the_unknown_last_and_the_address_says_so(board: Open) -> None:
    page = board()
    assert names(page) == ["Zeta 9", "Eta 10", "Eta 9", MARKED]
    head(page, "cost").locator("a").click()
    assert names(page) == ["Eta 9", "Zeta 9", MARKED, "Eta 10"]
    assert query(page) == "sort=cost"
    assert head(page, "cost").get_attribute("aria-sort") == "ascending"
    assert head(page, "rate").get_attribute("aria-sort") is None
    head(page, "cost").locator("a").click()
    assert names(page) == [MARKED, "Zeta 9", "Eta 9", "Eta 10"]
    assert query(page) == "sort=-cost"
    assert head(page, "cost").get_attribute("aria-sort") == "descending"
    head(page, "rate").locator("a").click()
    assert query(page) == "sort=-rate"
    assert names(page)[-1] == MARKED
    head(page, "rate").locator("a").click()
    assert names(page) == ["Eta 9", "Eta 10", "Zeta 9", MARKED]


def test_back_undoes_what_was_chosen_last(board: Open) -> None:
    page = board()
    head(page, "cost").locator("a").click()
    page.locator("select[name=family]").select_option("A")
    assert names(page) == ["Eta 9", "Zeta 9"]
    page.go_back()
    assert names(page) == ["Eta 9", "Zeta 9", MARKED, "Eta 10"]
    assert page.locator("select[name=family]").input_value() == ""
    page.go_back()
    assert names(page)[0] == "Zeta 9"
    assert sorted_by(page) == ["rate descending"]
    page.go_forward()
    assert sorted_by(page) == ["cost ascending"]


def test_back_leaves_columns_away_as_opening_the_page_does(board: Open) -> None:
    page = board()
    page.locator("#choose summary").click()
    page.locator("input[value=cost]").uncheck()
    page.goto(page.url.partition("?")[0], wait_until="networkidle")
    head(page, "steps").locator("a").click()
    assert not head(page, "cost").is_visible()
    page.go_back()
    assert query(page) == ""
    assert sorted_by(page) == ["rate descending"]
    assert not head(page, "cost").is_visible()
    page.reload(wait_until="networkidle")
    assert not head(page, "cost").is_visible()


def test_putting_columns_away_is_no_step_back(board: Open) -> None:
    page = board()
    head(page, "cost").locator("a").click()
    page.locator("#choose summary").click()
    page.locator("input[value=steps]").uncheck()
    assert query(page) == "sort=cost&hide=steps"
    page.go_back()
    assert query(page) == ""
    assert not head(page, "steps").is_visible()


@pytest.mark.parametrize("slashes", ["/", "//", "///"])
def test_a_choice_is_taken_back_wherever_a_site_stands(browser: Browser, origin: str, slashes: str) -> None:
    with Visit(browser, f"{origin}{slashes}{SUB_PATH}/") as visit:
        page = visit.open("index.html#choose")
        page.locator("select[name=family]").select_option("A")
        assert page.url == f"{origin}{slashes}{SUB_PATH}/index.html?family=A#choose"
        page.locator("select[name=family]").select_option("")
        assert page.url == f"{origin}{slashes}{SUB_PATH}/index.html#choose"
        assert len(names(page)) == 4
        assert visit.faults == []


def test_an_address_that_was_shared_shows_the_same(board: Open) -> None:
    page = board("index.html?sort=-latency&family=A&weights=open&hide=steps,cost&model=zeta")
    assert names(page) == ["Zeta 9"]
    assert page.locator("select[name=family]").input_value() == "A"
    assert page.locator("input[name=model]").input_value() == "zeta"
    assert not head(page, "cost").is_visible()
    assert head(page, "latency").is_visible()


def test_what_an_address_makes_up_changes_nothing(board: Open) -> None:
    page = board("index.html?sort=nothing&hide=rate,valid,name&release=%3Cscript%3E")
    assert len(names(page)) == 4
    assert head(page, "rate").is_visible()
    assert head(page, "rate").get_attribute("aria-sort") == "descending"


def test_a_choice_hides_rows_and_says_how_many_and_keeps_every_place(board: Open) -> None:
    page = board()
    before = page.locator("table.board tbody tr > td:first-child").all_inner_texts()
    page.locator("select[name=weights]").select_option("closed")
    assert names(page) == ["Eta 10"]
    assert page.locator("output").inner_text() == "1 of 4 shown. Places and numbers are those among all."
    assert page.locator("table.board tbody tr > td:first-child").all_inner_texts() == before
    page.locator("select[name=weights]").select_option("-")
    assert names(page) == ["Eta 9", MARKED]
    page.locator("select[name=family]").select_option(MARKED)
    assert names(page) == [MARKED]
    page.locator("input[name=model]").fill("nobody")
    assert names(page) == []


def test_names_are_sorted_as_people_do(board: Open) -> None:
    page = board()
    page.locator("th[data-key=name] button").click()
    assert names(page) == [MARKED, "Eta 9", "Eta 10", "Zeta 9"]


def test_columns_that_a_reader_put_away_stay_away(board: Open) -> None:
    page = board()
    page.locator("#choose summary").click()
    page.locator("input[value=cost]").uncheck()
    assert query(page) == "hide=cost"
    assert not head(page, "cost").is_visible()
    cells = page.locator("table.board tbody tr").first.locator("> *:visible")
    assert cells.count() == 11
    page.goto(page.url.partition("?")[0], wait_until="networkidle")
    assert not head(page, "cost").is_visible()
    page.locator("#choose summary").click()
    page.locator("input[value=cost]").check()
    page.goto(page.url.partition("?")[0], wait_until="networkidle")
    assert head(page, "cost").is_visible()


def test_all_of_it_works_by_key(board: Open) -> None:
    page = board()
    head(page, "p95").locator("a").focus()
    page.keyboard.press("Enter")
    assert query(page) == "sort=p95"
    page.locator("table.board summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("table.board details[open] a").first.is_visible()
    page.locator("select[name=family]").focus()
    page.keyboard.press("ArrowDown")
    assert "family=" in query(page)


def test_without_a_script_every_order_is_a_link_away_and_nothing_is_offered_that_cant_work(board: Open) -> None:
    page = board(java_script_enabled=False)
    assert not page.locator("#choose").is_visible()
    head(page, "cost").locator("a").click()
    assert page.url.endswith("/by-cost.html")
    assert names(page) == ["Eta 9", "Zeta 9", MARKED, "Eta 10"]
    page.get_by_role("link", name="Asked in Chinese").click()
    assert names(page)[0] == "Zeta 9"
    assert page.get_by_text("measured over these runs alone").is_visible()


def test_a_part_is_sorted_in_place(board: Open) -> None:
    page = board("index.html")
    page.locator("h2 a").first.click()
    page.get_by_role("link", name="Asked in English").click()
    page.locator("th[data-key=cost] button").click()
    assert names(page) == ["Eta 9", "Zeta 9", MARKED, "Eta 10"]
    assert page.url.endswith("/language-en.html?sort=cost")


def test_the_chinese_page_says_what_is_shown_in_chinese(board: Open) -> None:
    page = board("zh/index.html")
    page.locator("select[name=family]").select_option("A")
    assert page.locator("output").inner_text() == "显示 4 个中的 2 个。名次与数字均基于全部模型。"


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_itself_never_scrolls_sideways(board: Open, width: int) -> None:
    page = board(viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("h2 a").first.click()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("board", ["http"], indirect=True)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_with_all_that_opens_open(board: Open, theme: str) -> None:
    page = board(color_scheme=theme, bypass_csp=True)
    page.locator("h2 a").first.click()
    page.wait_for_load_state("networkidle")
    for name in (page.url, page.get_by_role("link", name="Single tool").first.evaluate("link => link.href")):
        page.goto(name, wait_until="networkidle")
        page.evaluate("for (const found of document.querySelectorAll('details')) found.open = true")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
