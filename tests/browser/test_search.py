"""The search page in a real browser: what it finds, how it is used, and what it never does."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from publisher.search.concepts import concept_counts
from publisher.search.document import SearchDocument, Wording
from publisher.search.terms import TOKEN, tokens
from tests.browser.checked_site import serving
from tests.browser.corpora import hostile_texts
from tests.browser.search_site import SearchSite, showcase, write_search_site
from tests.browser.visit import Visit
from tests.unit.publisher.search.snapshot_documents import documents

pytestmark = pytest.mark.browser

_COMPARED = "compare/english-20261130-ade1e7/models"
LABELLED = {
    "pass rate": ["metrics.html#pass-rate"],
    "pass^k": ["metrics.html#pass-hat-k"],
    "Qwen2.5-Coder 1.5B": ["models/qwen2-5-coder-1-5b.html"],
    "qwen2-5-coder-0-5b": ["models/qwen2-5-coder-0-5b.html"],
    "smollm": ["models/smollm2-135m.html"],
    "gemma 270": ["models/gemma-3-270m.html"],
    "quote_latest": ["tools/quote_latest.html"],
    "tool.must": ["codes/tool.must.html"],
    "output_truncated": ["codes/output_truncated.html"],
    "four prices": ["cases/four-prices-four-calls.html"],
    "manages a fund": ["cases/fund-profile-basics.html"],
    "wishes to sell": ["cases/sell-my-shares.html"],
    "newsletter pasted": ["cases/newsletter-with-false-price.html"],
    "基金由谁管理": ["cases/fund-profile-basics.html"],
    "净值的日": ["cases/nav-on-holiday.html"],
    "要求修改": ["cases/watchlist-note.html"],
    "汇率": ["cases/yen-per-hundred.html", "cases/holding-in-dollars.html"],
    "context-20261130-44bdf4-0055": ["runs/context-20261130-44bdf4-0055.html"],
    "context-20261130-44bdf4": ["batches/context-20261130-44bdf4.html"],
    "refused a tool": ["metrics.html#refused-calls", "codes/G1-VIS-001.html"],
    "calls that were denied": ["metrics.html#refused-calls"],
    "best value": ["index.html"],
    "model made up a number": ["codes/OUT-NUM-001.html"],
    "hallucinated numbers": ["codes/OUT-NUM-001.html"],
    "which model is cheapest": ["index.html"],
    "which model is best value, and how sure can I be?": ["index.html"],
    "download csv": ["downloads.html"],
    "how to cite": ["downloads.html"],
    "bibtex": ["downloads.html"],
    "how to verify": ["architecture.html#how-to-verify"],
    "qwen 1.5b against 0.5b": [f"{_COMPARED}.qwen2-5-coder-0-5b.qwen2-5-coder-1-5b.html"],
    "smollm gemma": [f"{_COMPARED}.gemma-3-270m.smollm2-135m.html"],
    "latency": ["metrics.html#latency-median", "metrics.html#latency-p95"],
    "p95 latency": ["metrics.html#latency-p95"],
    "prompt injection": ["cases/news-with-commands.html", "cases/newsletter-with-false-price.html"],
    "exchange rate": ["tools/fx_rate.html"],
    "下载数据": ["downloads.html"],
    "如何引用": ["downloads.html"],
    "性价比最高": ["index.html"],
    "最好的模型": ["index.html"],
    "哪个模型最便宜": ["index.html"],
    "工具调用被拒绝的运行": ["codes.html"],
    "提示注入": ["cases/news-with-commands.html", "cases/newsletter-with-false-price.html"],
    "模型编造数字": ["codes/OUT-NUM-001.html"],
    "延迟": ["metrics.html#latency-median", "metrics.html#latency-p95"],
    "SmolLM 和 Gemma 对比": [f"{_COMPARED}.gemma-3-270m.smollm2-135m.html"],
}
"""What has to come among the first three, all of it."""


def _made() -> Iterator[SearchDocument]:
    yield from documents(showcase())
    for number, text in enumerate(hostile_texts()):
        wording = Wording(title=f"hostile {number} {text}", text=f"{text} hostile", facts=(text[:60],))
        yield SearchDocument(kind="run", href=f"runs/hostile-{number}.html", wording=wording)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchSite]:
    folder = tmp_path_factory.mktemp("search")
    write_search_site(folder / "below/path", _made())
    with serving(folder) as origin:
        yield SearchSite(directory=folder / "below/path", address=f"{origin}/below/path/")


@pytest.fixture
def visit(browser: Browser, site: SearchSite) -> Callable[..., Visit]:
    def start(scheme: str = "http", **context: Any) -> Visit:
        return Visit(browser, site.root(scheme), **context)

    return start


def _status(page: Page, wanted: str) -> None:
    page.wait_for_function("wanted => document.querySelector('[role=status]').textContent.includes(wanted)", arg=wanted)


def _hrefs(page: Page) -> list[str]:
    return [str(link.get_attribute("href")) for link in page.locator(".results a").all()]


def _places(page: Page, query: str) -> list[str]:
    return list(
        page.evaluate(
            """async query => {
              const index = await glassbenchSearch.open(document.querySelector('[data-search]').dataset.files);
              const { documents } = await glassbenchSearch.find(index, query);
              return Promise.all(documents.slice(0, 20).map(async one => (await glassbenchSearch.row(index, one))[0]));
            }""",
            query,
        )
    )


def test_what_a_reader_looks_for_comes_first(visit: Callable[..., Visit]) -> None:
    with visit("file") as there:
        page = there.open("search.html")
        first = {query: _places(page, query)[:3] for query in LABELLED}
        assert {query: found for query, found in first.items() if not set(LABELLED[query]) <= set(found)} == {}
        assert there.faults == []


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize(("folder", "query", "status"), [("", "net asset value", "results"), ("zh/", "净值", "条结果")])
def test_a_query_in_the_address_is_answered(
    visit: Callable[..., Visit], scheme: str, folder: str, query: str, status: str
) -> None:
    with visit(scheme) as there:
        page = there.open(f"{folder}search.html?q={quote(query)}")
        _status(page, status)
        assert page.locator(".results > li").count() > 10
        assert page.locator(".results mark").count() > 0
        assert there.faults == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_results_lead_to_pages_of_the_same_language(visit: Callable[..., Visit], scheme: str) -> None:
    with visit(scheme) as there:
        page = there.open(f"zh/search.html?q={quote('基金由谁管理')}&kind=case")
        _status(page, "1 条结果")
        link = page.locator(".results a").first
        assert link.inner_text() == "基金由谁管理"
        assert link.evaluate("e => e.href").endswith("/below/path/zh/cases/fund-profile-basics.html")


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_form_of_a_page_leads_to_its_results(visit: Callable[..., Visit], scheme: str) -> None:
    with visit(scheme) as there:
        page = there.open("search.html")
        page.keyboard.type("smollm")
        page.keyboard.press("Enter")
        _status(page, "result")
        assert page.url.endswith("search.html?q=smollm")
        page.goto(page.url)
        _status(page, "result")
        assert page.locator("#search-query").input_value() == "smollm"
        assert there.faults == []


def test_a_word_that_asks_for_nothing_finds_only_by_itself(visit: Callable[..., Visit]) -> None:
    with visit("file") as there:
        page = there.open("search.html")
        assert "architecture.html#how-to-verify" in _places(page, "how to")
        assert all(
            "verify" in place or place in ("releases.html", "downloads.html")
            for place in _places(page, "how to verify")
        )


def test_runs_in_which_a_call_was_refused_are_found_and_say_so(visit: Callable[..., Visit]) -> None:
    with visit("file") as there:
        page = there.open("search.html?q=show+me+one+run+where+a+model+was+refused+a+tool&kind=run")
        _status(page, "results")
        assert page.locator(".results > li").first.locator(".facts-line").inner_text().count("tool call refused") == 1


def test_a_concept_is_the_same_to_the_script(visit: Callable[..., Visit]) -> None:
    texts = [
        *LABELLED,
        "the cost-per-100 isn't a price",
        "cite引用",
        "Ｃｉｔｅ",
        "G3_DENIED_001 denied, DENIAL. 被拒绝",
    ]
    with visit("file") as there:
        found = there.open("search.html").evaluate(
            """async texts => {
              const index = await glassbenchSearch.open('search/');
              return texts.map(text => glassbenchSearch.concepts(index, text));
            }""",
            texts,
        )
    assert found == [list(concept_counts(text).elements()) for text in texts]


def test_a_kind_narrows_and_the_address_keeps_it(visit: Callable[..., Visit]) -> None:
    with visit("file") as there:
        page = there.open("search.html?q=quote_latest")
        _status(page, "results")
        page.get_by_label("Tools").check()
        _status(page, "One result")
        assert "kind=tool" in page.url
        assert _hrefs(page) == ["./tools/quote_latest.html"]
        page.reload()
        _status(page, "One result")


@pytest.mark.parametrize("slashes", ["/", "//"])
def test_a_query_is_taken_back_wherever_a_site_stands(browser: Browser, site: SearchSite, slashes: str) -> None:
    root = site.address.replace("/below", f"{slashes}below")
    with Visit(browser, root) as there:
        page = there.open("search.html?q=quote_latest")
        _status(page, "results")
        page.locator("#search-query").fill("")
        page.wait_for_url(f"{root}search.html")
        assert there.faults == []


def test_more_shows_twenty_more_and_goes_to_them(visit: Callable[..., Visit]) -> None:
    with visit("file") as there:
        page = there.open("search.html?q=price")
        _status(page, "results")
        page.get_by_role("button", name="Show more").click()
        page.wait_for_function("() => document.querySelectorAll('.results > li').length === 40")
        assert page.evaluate("document.activeElement === document.querySelectorAll('.results a')[20]")
        assert "shown=40" in page.url


def test_all_goes_by_keyboard(visit: Callable[..., Visit]) -> None:
    with visit() as there:
        page = there.open("search.html?q=fund")
        _status(page, "results")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search-query"
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement === document.querySelectorAll('.results a')[1]")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement === document.querySelectorAll('.results a')[0]")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "search-query"


def test_words_that_never_stand_together_are_said_to(visit: Callable[..., Visit]) -> None:
    with visit("file") as there:
        page = there.open("search.html?q=smollm2+discordance+newsletter")
        _status(page, "Nothing has all of these words")
        page.fill("#search-query", "zzzzqqqq")
        _status(page, "Nothing found")
        assert page.locator(".results > li").count() == 0


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_hostile_text_is_shown_and_never_run(visit: Callable[..., Visit], scheme: str) -> None:
    with visit(scheme) as there:
        page = there.open("search.html?q=hostile&shown=1000")
        _status(page, "results")
        assert page.locator(".results > li").count() == len(hostile_texts())
        assert page.locator(".results :is(script, img, iframe, style, svg, form, base, meta)").count() == 0
        shown = page.locator(".results").inner_text()
        assert "<script>document.title='owned'</script>" in shown
        assert "[U+202E]" in shown
        for text in ("<script>document.title='owned'</script>", '"><img src=x onerror=alert(1)>', "__proto__"):
            page.fill("#search-query", text)
            page.wait_for_timeout(300)
        assert page.title() == "Search · Glassbench"
        assert there.faults == []


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_without_scripts_the_page_says_so_and_leads_on(visit: Callable[..., Visit], folder: str) -> None:
    with visit("file", java_script_enabled=False) as there:
        page = there.open(f"{folder}search.html")
        assert "JavaScript" in page.locator("[data-without]").inner_text()
        assert page.locator("[data-without] a").evaluate_all("all => all.map(a => a.getAttribute('href'))") == [
            "models.html", "cases.html", "tools.html", "codes.html", "releases.html",
        ]  # fmt: skip
        assert not page.locator("[data-search] form").is_visible()


def test_an_index_that_is_not_there_is_told(visit: Callable[..., Visit]) -> None:
    with visit() as there:
        page = there.page
        page.route("**/search/terms/**", lambda route: route.abort())
        page.goto(f"{there.root}search.html?q=fund")
        _status(page, "couldn't be loaded")


def test_an_index_that_was_published_anew_meanwhile_is_read_anew(visit: Callable[..., Visit], site: SearchSite) -> None:
    """The open page holds the old manifest, and every other file is the new one's."""
    manifest = (site.directory / "search/manifest.js").read_text(encoding="utf-8")
    version = manifest.split('"')[1]
    asked: list[str] = []
    with visit() as there:
        page = there.page

        def answer(route: Any) -> None:
            asked.append(route.request.url)
            text = manifest if "again" in route.request.url else manifest.replace(version, "0" * 16)
            route.fulfill(body=text, content_type="text/javascript")

        page.route("**/search/manifest.js*", answer)
        page.goto(f"{there.root}search.html?q=smollm")
        _status(page, "result")
        assert ["again" in url for url in asked] == [False, True]


def test_the_script_reads_a_text_as_the_index_does(visit: Callable[..., Visit]) -> None:
    every = "".join(chr(code) for code in range(0x20, 0x30000) if unicodedata.category(chr(code)) not in {"Cs", "Cn"})
    # a separator between them, so that each character is looked at by itself
    texts = [
        *hostile_texts(),
        "; ".join(every),
        "Ｇ３＿ＡＵＴＨ １,234,567.50 Ünïcode 基金净值 ½ ﬁ İstanbul ΛΌΓΟΣ 1,23,456",
    ]
    with visit("file") as there:
        page = there.open("search.html")
        for text in texts:
            found = page.evaluate(
                """async text => {
                  const index = await glassbenchSearch.open('search/');
                  return glassbenchSearch.tokens(index, text);
                }""",
                text,
            )
            assert json.dumps(found) == json.dumps(tokens(text)), TOKEN


def test_a_query_loads_few_and_small_files(visit: Callable[..., Visit], site: SearchSite) -> None:
    with visit() as there:
        names: list[str] = []
        there.page.on("request", lambda request: names.append(request.url.split("?")[0].split("/below/path/")[1]))
        there.open("search.html?q=quote_latest")
        _status(there.page, "results")
        sizes = {name: (site.directory / name).stat().st_size for name in names if name.startswith("search/")}
        assert max(sizes.values()) <= 30_000
        assert len([name for name in sizes if name.startswith("search/terms/")]) <= 6


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("folder", ["", "zh/"])
def test_axe_finds_nothing_on_a_page_of_results(visit: Callable[..., Visit], theme: str, folder: str) -> None:
    with visit(color_scheme=theme, bypass_csp=True, viewport={"width": 360, "height": 800}) as there:
        page = there.open(f"{folder}search.html?q=quote_latest")
        page.wait_for_selector(".results > li")
        found: Any = Axe().run(page)
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found.response["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
