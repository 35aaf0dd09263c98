"""The pages of the leaderboard as they are rendered, in both languages."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from dataset.questions.withholding import Withheld
from publisher.projection.report import Report
from publisher.rendering.boards.columns import COLUMNS
from publisher.rendering.pages.boards import PAGE_ROWS, board_pages
from publisher.rendering.pages.interface import Page
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.site.assets import BOARD_SCRIPT, STYLESHEET, asset_bytes
from publisher.rendering.visible_text import plain
from tests.factories.boards import BoardModel, make_report, many_models, share, site_source
from tests.unit.publisher.rendering.html_page import HtmlPage

Pages = dict[str, str]
Render = Callable[..., Pages]
KINDS_ELSEWHERE = (
    "assets/", "batches/", "codes/", "compare/", "models/", "releases/", "runs/", "data/leaderboard.",
    "architecture.html", "cases.html", "codes.html", "downloads.html", "feed.atom", "metrics.html", "models.html",
    "releases.html", "search.html", "tools.html",
)  # fmt: skip
MODELS = (
    BoardModel(key="best", passes=share(10), tier="flagship", weights="closed", family="alpha"),
    BoardModel(key="unpriced", passes=share(9), cost=None, weights="open", family="beta"),
    BoardModel(key="script", passes=share(5), synthetic=True, family="beta"),
    BoardModel(key="broken", passes=lambda planned: None, cost=None, family="gamma"),
)


@pytest.fixture
def render(tmp_path: Path) -> Render:
    def of(*reports: Report, most: int | None = None) -> Pages:
        source = site_source(tmp_path, reports)
        pages = (page for page in board_pages(source) if isinstance(page, Page))
        return {file.name: file.data.decode() for page in islice(pages, most) for file in rendered(page, source)}

    return of


class Rows(HTMLParser):
    """The cells of the first body of a table, each as its text and the value that it holds, None without one."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, str | None]]] = []
        self._cell: list[str] | None = None
        self._value: str | None = None
        table = re.search(r'<table id="board.*?<tbody>(.*?)</tbody>', markup, re.S)
        assert table is not None
        self.feed(table[1])

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell, self._value = [], None
        if tag == "data":
            self._value = dict(attrs)["value"]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append(("".join(self._cell), self._value))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def board_of(pages: Pages) -> str:
    return next(name for name in pages if re.fullmatch(r"boards/[^/]+\.html", name))


def test_every_order_is_a_page_that_each_head_leads_to(render: Render) -> None:
    pages = render(make_report("batch-1", MODELS))
    front = HtmlPage(pages["index.html"])
    board = board_of(pages)
    for at, column in enumerate(COLUMNS):
        name = board if at == 0 else f"{board.removesuffix('.html')}/by-{column.key}.html"
        assert name in front.links
        values = [row[at + 2][1] for row in Rows(pages[name]).rows]
        known = [float(value) for value in values if value is not None]
        assert values[len(known) :] == [None] * (len(values) - len(known)), name
        assert known == sorted(known, reverse=column.falling), name
        (sorted_by,) = [a for t, a in HtmlPage(pages[name]).elements if t == "th" and "aria-sort" in a]
        assert sorted_by["data-key"] == column.key
        assert sorted_by["aria-sort"] == ("descending" if column.falling else "ascending")


def test_every_link_leads_to_a_page_of_the_family_or_to_a_kind_that_others_make(render: Render) -> None:
    pages = render(make_report("batch-1", MODELS), make_report("batch-2", many_models(3), cases=12))
    for name, markup in pages.items():
        for link in HtmlPage(markup).links:
            target = normpath(join(dirname(name), link.partition("#")[0])) if not link.startswith("#") else name
            assert not target.startswith(".."), (name, link)
            assert target in pages or target.removeprefix("zh/").startswith(KINDS_ELSEWHERE), (name, link)


def test_every_page_is_well_formed_and_has_no_style_of_its_own(render: Render) -> None:
    pages = render(make_report("batch-1", MODELS), make_report("batch-2", many_models(41), cases=12))
    assert any(name.endswith("/plots.html") for name in pages)
    assert any(name.endswith("/categories.html") for name in pages)
    for name, markup in pages.items():
        page = HtmlPage(markup)
        assert not page.faults, name
        assert not page.unclosed, name
        assert len(page.ids) == len(set(page.ids)), name
        assert [tag for tag, _ in page.elements].count("h1") == 1, name
        assert not {a for _, a in page.shape if a == "style" or a.startswith("on")}, name
        captions = re.findall(r"<caption[^>]*>(.*?)</caption>", markup)
        assert len(captions) == len(set(captions)), name


def test_the_numbers_of_a_row_are_those_of_the_report(render: Render) -> None:
    report = make_report("batch-1", MODELS)
    pages = render(report)
    rows = {row[1][0]: row for row in Rows(pages["index.html"]).rows}
    measures = report.models["unpriced"]
    row = next(cells for name, cells in rows.items() if name.startswith("Model unpriced"))
    assert [value for _, value in row[2:5]] == [measures.metrics["pass-rate"], measures.metrics["valid-rate"], None]
    assert row[4][0] == "unknown"
    assert row[3][0].startswith("20 / 20")
    corrections = measures.metrics["corrections"]
    assert [value for _, value in row[5:11]] == ["1000.00", "1000", "1200.00", "90.00", "2.00", corrections]


def test_a_row_opens_to_its_reasons_which_lead_to_their_codes(render: Render) -> None:
    pages = render(make_report("batch-1", MODELS))
    details = re.findall(r"<details><summary>(.*?)</summary><ul>(.*?)</ul></details>", pages["index.html"])
    told = {HtmlPage(summary).text: HtmlPage(reasons) for summary, reasons in details}
    assert set(told) == {"2 failed", "10 failed", "20 invalid"}
    assert told["2 failed"].links[:2] == ["codes/answer.number.html", "codes/tool.must.html"]
    assert told["2 failed"].links[-1] == "batches/batch-1/unpriced.html"
    assert "answer.number 2" in told["2 failed"].text
    assert told["20 invalid"].links[0] == "codes/provider_5xx.html"


def test_a_script_and_missing_runs_are_marked(render: Render) -> None:
    pages = render(
        make_report("batch-1", MODELS, missing=lambda run: (run.model_key, run.case_id) == ("best", "case-3"))
    )
    markup = pages["index.html"]
    assert markup.count("badge synthetic") >= 1
    assert re.search(r"18 / 20</data>\s*<span class=\"sub\">[\d.]+\u00a0% – [\d.]+\u00a0%</span>", markup)


def test_a_withdrawn_batch_stays_in_the_table_and_one_that_was_all_of_its_board_on_the_front_page(
    render: Render,
) -> None:
    gone = make_report("batch-2", MODELS[:1], withdrawn=lambda run: True)
    alone = make_report("batch-3", MODELS[1:2], cases=11, withdrawn=lambda run: True)
    some = make_report("batch-1", MODELS[:2], withdrawn=lambda run: run.position == 1)
    pages = render(some, gone, alone)
    for name in ("index.html", board_of(pages)):
        row = re.search(r'<tr class="gone">.*?</tr>', pages[name], re.S)
        assert row is not None
        assert "Model best" in row[0]
        assert "a fault of ours" in row[0]
    section = pages["index.html"].partition('id="withdrawn"')[2]
    assert "batch-3" in section
    assert 'badge withdrawn">withdrawn</span> 1' in pages["index.html"]


def test_withheld_cases_are_told_and_their_categories_are_not(render: Render) -> None:
    parts: tuple[Withheld, ...] = ("case", "judgment", "output_checks")
    pages = render(make_report("batch-1", MODELS, withheld={1: parts, 6: parts}))
    board = board_of(pages)
    assert "Tools in order" not in "".join(pages.values())
    assert "The questions of 2 cases are withheld" in pages[board]
    assert 'badge withheld">withheld</span><span class="sub">2 cases' in pages[board]


def test_parts_are_pages_with_their_own_intervals_and_places(render: Render) -> None:
    half = BoardModel(key="half", passes=lambda run: run.variant_id == "scoped-en")
    pages = render(make_report("batch-1", [half, MODELS[0]]))
    board = board_of(pages).removesuffix(".html")
    english, chinese = (Rows(pages[f"{board}/language-{code}.html"]).rows for code in ("en", "zh"))
    assert [row[2][1] for row in english] == ["1.0000", "1.0000"]
    assert [row[2][1] for row in chinese] == ["1.0000", "0.0000"]
    assert [row[0][0] for row in english] == ["1–2", "1–2"]
    assert [row[0][0] for row in chinese] == ["1", "2"]
    assert "72.2\u00a0% – 100.0\u00a0%" in english[0][2][0]


def test_each_page_says_how_its_own_ranks_came_about(render: Render) -> None:
    pages = render(make_report("batch-1", many_models(3)))
    board = board_of(pages).removesuffix(".html")
    assert "All 3 pairs are tested" in pages[f"{board}.html"]
    assert "All 3 pairs are tested" in pages[f"{board}/language-en.html"]


def test_a_part_of_too_many_models_says_that_it_has_no_ranks(render: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publisher.rendering.boards.board._MOST_ROWS_TESTED", 2)
    pages = render(make_report("batch-1", many_models(3)))
    board = board_of(pages).removesuffix(".html")
    untested = "So many rows aren't tested against one another: no ranks."
    assert untested not in pages[f"{board}.html"]
    assert untested in pages[f"{board}/language-en.html"]
    assert {row[0][0] for row in Rows(pages[f"{board}/language-en.html"]).rows} == {"–"}


def test_choices_stand_hidden_until_a_script_shows_them_and_hold_only_what_tells_rows_apart(render: Render) -> None:
    markup = render(make_report("batch-1", MODELS))["index.html"]
    assert re.search(r'<fieldset id="choose" class="choose" hidden>', markup)
    page = HtmlPage(markup)
    assert page.values("select", "name") == ["family", "tier", "weights"]
    assert page.values("option", "value") == [
        "", "alpha", "beta", "gamma", "", "flagship", "-", "", "open", "closed", "-"
    ]  # fmt: skip
    assert {"alpha", "beta", "gamma"} == set(page.values("tr", "data-family"))
    assert not page.values("tr", "data-release")


def test_chinese_pages_say_everything_in_chinese(render: Render) -> None:
    names = [BoardModel(key=model.key, name="名", passes=model.passes, cost=model.cost) for model in MODELS]
    report = make_report("batch-1", names)
    pages = render(report)
    ours = r"名|USD|token|pp|CI|Rank|contrast|batch|case|scoped|fixed|rules|provider|answer|tool|family|must|number|CSV"
    for name, markup in pages.items():
        if not name.startswith("zh/"):
            continue
        main = re.search(r"<main.*?</main>", markup, re.S)
        assert main is not None
        words = set(re.findall(r"[A-Za-z]{3,}", HtmlPage(main[0]).text))
        assert not {w for w in words if not re.match(ours, w)} - {"min", "JSON", "Parquet", "Holm", "pass", "UTC"}, name


def test_hostile_names_are_text_everywhere(render: Render, hostile_texts: list[str]) -> None:
    plain_shape = set().union(*(HtmlPage(m).shape for m in render(make_report("batch-1", many_models(12))).values()))
    for at in range(0, len(hostile_texts), 12):
        models = [
            BoardModel(
                key=f"model-{number}",
                name=text or "empty",
                family=text or "empty",
                passes=share(number % 11),
                cost=f"0.{number + 1}",
            )
            for number, text in enumerate(hostile_texts[at : at + 12])
        ]
        for name, markup in render(make_report("batch-1", models)).items():
            page = HtmlPage(markup)
            assert not page.faults + page.unclosed, name
            assert page.shape - plain_shape <= {("span", ""), ("span", "class")}, name
        front = HtmlPage(render(make_report("batch-1", models), most=1)["index.html"]).text
        assert all(plain(model.name.strip()) in front for model in models)


def transferred(*data: bytes) -> int:
    return sum(len(gzip.compress(one, compresslevel=6, mtime=0)) for one in data)


def test_the_leaderboard_of_thirty_models_is_light(render: Render) -> None:
    pages = render(make_report("batch-1", many_models(30), cases=20))
    for name in ("index.html", "zh/index.html", board_of(pages)):
        page = pages[name].encode()
        assert transferred(page, asset_bytes(STYLESHEET), asset_bytes(BOARD_SCRIPT)) < 60_000, name
    assert len(Rows(pages["index.html"]).rows) == 30


def test_of_two_hundred_models_all_stand_on_one_page_and_none_is_heavy(render: Render) -> None:
    pages = render(make_report("batch-1", many_models(200), variants=make_report("b", MODELS).variants[:1]))
    assert max(len(markup.encode()) for markup in pages.values()) < 300_000
    assert len(Rows(pages[board_of(pages)]).rows) == 200
    assert "data-whole" in pages[board_of(pages)]
    assert len(Rows(pages["index.html"]).rows) == 30
    assert "data-whole" not in pages["index.html"]
    assert 'id="choose"' not in pages["index.html"]
    assert "170 more models" in pages["index.html"]


def test_more_rows_than_a_page_holds_stand_on_several_each_in_its_order(
    render: Render, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("publisher.rendering.pages.boards.PAGE_ROWS", 5)
    pages = render(make_report("batch-1", many_models(12)))
    board = board_of(pages).removesuffix(".html")
    names = [f"{board}.html", f"{board}.2.html", f"{board}.3.html"]
    rows = [row for name in names for row in Rows(pages[name]).rows]
    assert [len(Rows(pages[name]).rows) for name in names] == [5, 5, 2]
    assert [float(row[2][1] or 0) for row in rows] == sorted((float(row[2][1] or 0) for row in rows), reverse=True)
    assert f"{board}/by-cost.3.html" in pages
    assert all("data-whole" not in pages[name] and 'id="choose"' not in pages[name] for name in names)
    assert PAGE_ROWS == 200


def test_many_boards_share_the_front_page(render: Render) -> None:
    reports = [make_report(f"batch-{n}", many_models(4), cases=3 + n, categories=("no-tool",)) for n in range(40)]
    markup = render(*reports, most=1)["index.html"]
    assert len(markup.encode()) < 300_000
    assert len(re.findall(r'<h2 id="board-', markup)) == 40
    assert markup.count('<dl class="answer">') == 40


def test_a_board_is_made_anew_only_where_what_it_shows_changed(tmp_path: Path) -> None:
    def keys(folder: str, *reports: Report) -> list[str]:
        source = site_source(tmp_path / folder, reports)
        return [board_pages.key(source, job) for job in board_pages.jobs(source)]

    first, second = make_report("batch-1", MODELS), make_report("batch-2", MODELS, cases=11)
    changed = make_report("batch-2", MODELS[:2], cases=11)
    before, after = keys("before", first, second), keys("after", first, changed)
    assert before == keys("again", first, second)
    assert [one == other for one, other in zip(before, after, strict=True)].count(True) == 1
    assert before[0] != after[0]


def test_an_older_version_of_a_board_stands_last_and_names_the_newer_one(render: Render) -> None:
    old, new = make_report("batch-1", MODELS), make_report("batch-2", MODELS[:2])
    definition = new.definition
    template = definition.template.model_copy(update={"version": definition.template.version + 1})
    new = new.model_copy(
        update={"definition": definition.model_copy(update={"template": template, "template_hash": "f" * 64})}
    )
    page = " ".join(HtmlPage(render(old, new, most=1)["index.html"]).text.split())
    name = f"{template.id}@{template.version}"
    assert f"Superseded by {name} . Not the same there: template; so" in page.replace(f"by {name}.", f"by {name} .")
    assert page.index(name) < page.index(f"{template.id}@{definition.template.version}")
    assert page.count("Superseded by") == 1


def test_the_front_page_leads_to_comparisons_and_to_downloads(render: Render) -> None:
    front = HtmlPage(render(make_report("batch-1", MODELS), most=1)["index.html"])
    assert "downloads.html" in front.links
    assert any(link.startswith("boards/") and link.endswith("#pairs") for link in front.links)
    alone = HtmlPage(render(make_report("batch-1", MODELS[:1]), most=1)["index.html"])
    assert "compare/batch-1/index.html" in alone.links
