"""Plots as they stand on the pages of a built site."""

import re
from pathlib import Path

from dataset.artifacts.definition import planned_runs
from publisher.projection.report import Report
from publisher.rendering.batches.view import batch_view
from publisher.rendering.boards.board import boards
from publisher.rendering.language.language import CHINESE, ENGLISH
from publisher.rendering.plots.intervals import intervals
from publisher.rendering.plots.quality_cost import quality_cost
from publisher.rendering.plots.section import batch_plots, board_plots
from publisher.rendering.site.build import build_site
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.rendering.templates.environment import environment_of
from publisher.rendering.visible_text import plain
from tests.factories import SampleBatch, make_batch, write_snapshot
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage
from tests.unit.publisher.rendering.plots.subjects import source, subject

DRAWN = {"line", "rect", "path", "text", "title", "desc", "svg"}


def figures(markup: str) -> list[HtmlPage]:
    return [HtmlPage(found) for found in re.findall(r'<figure class="plot".*?</figure>', markup, re.S)]


def read(site: Path, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


def board_pages_of(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.glob("boards/*.html"))


def board_page(site: Path) -> str:
    return board_pages_of(site)[0]


def test_every_plot_has_a_title_a_description_and_its_numbers_beside_it(site: Path, finance_site: Path) -> None:
    pages = [
        (site, board_page(site)),
        (site, "index.html"),
        (site, "batches/batch-2.html"),
        (finance_site, "batches/strategies.html"),
    ]
    found = [figure for folder, name in pages for figure in figures(read(folder, name))]
    assert len(found) >= 8
    for figure in found:
        tags = [tag for tag, _ in figure.elements]
        drawing = next(attributes for tag, attributes in figure.elements if tag == "svg")
        assert drawing["role"] == "img"
        assert set(str(drawing["aria-labelledby"]).split()) <= set(figure.ids)
        assert {"title", "desc", "details", "table", "figcaption"} <= set(tags)
        assert re.fullmatch(r"0 0 320 \d+", str(drawing["viewbox"]))


def test_no_two_tables_of_a_page_have_one_name(site: Path) -> None:
    for name in (board_page(site), "index.html", "batches/batch-1.html"):
        captions = re.findall(r"<caption[^>]*>(.*?)</caption>", read(site, name))
        assert len(captions) == len(set(captions)) > 2, name


def test_a_drawing_holds_shapes_with_classes_and_nothing_else(site: Path) -> None:
    for drawing in re.findall(r'<svg class="drawing".*?</svg>', read(site, board_page(site)), re.S):
        page = HtmlPage(drawing)
        assert {tag for tag, _ in page.elements} <= DRAWN
        assert not {name for _, name in page.shape} & {"style", "fill", "stroke", "href", "onload"}
        assert all(
            re.fullmatch(r"-?\d+(\.\d)?", found) for found in re.findall(r' (?:x|y|x1|y2|width)="(.*?)"', drawing)
        )


def test_every_kind_that_a_page_can_have_is_drawn_or_says_why(site: Path, finance_site: Path) -> None:
    titles = (
        "Quality against cost",
        "Quality against latency",
        "Intervals side by side",
        "Reliability",
        "Why runs failed",
    )
    board = HtmlPage(read(site, board_page(site))).text
    assert all(title in board for title in titles)
    strategies = read(finance_site, "batches/strategies.html")
    assert "Context strategy against budget: English" in strategies
    assert "each case was tried once" in HtmlPage(strategies).cells
    assert "don&#39;t differ in both context strategy and budget" in read(site, "batches/batch-1.html")


def test_a_plot_has_a_row_for_each_model_with_the_numbers_of_the_report(site: Path) -> None:
    report = Report.model_validate_json((site / "reports/batch-1.json").read_bytes(), strict=True)
    link = f"../batches/batch-1/{report.definition.models[0].key}.html"
    name = next(name for name in board_pages_of(site) if link in read(site, name))
    first = next(f for f in figures(read(site, name)) if "Median latency" in f.text and link in f.links)
    for model in report.definition.models:
        measures = report.models[model.key]
        assert f"../batches/batch-1/{model.key}.html" in first.links
        assert f"{measures.valid} / {measures.planned}" in first.text


def test_hostile_names_are_text_in_every_drawing(hostile_site: Path, hostile_texts: list[str]) -> None:
    for number, text in enumerate(hostile_texts):
        markup = read(hostile_site, f"batches/batch-{number}.html")
        for figure in figures(markup):
            assert not figure.faults, number
            assert not figure.unclosed, number
        whole = figures(markup)[-1]
        assert plain(text.strip()) in whole.text, number


def test_a_hostile_name_is_cut_to_its_label_and_told_whole_beside_it(hostile_texts: list[str]) -> None:
    macro = environment_of(ENGLISH).get_template("plots.html").module.figure_of  # type: ignore[attr-defined]
    plain_shape = HtmlPage(str(macro(intervals(source(subject("a"), subject("b")))[0]))).shape
    for text in hostile_texts:
        unpriced = subject(f"{text} unpriced", cost=None)
        models = source(subject(text, 1, 3), subject(f"{text} again", 2, 3, cost="0.3"), unpriced)
        for drawn in (*intervals(models), *quality_cost(models)):
            page = HtmlPage(str(macro(drawn)))
            assert not page.faults
            assert not page.unclosed
            assert page.text.count(plain(text)) >= 2
        assert HtmlPage(str(macro(intervals(models)[0]))).shape - plain_shape <= {("span", ""), ("span", "class")}


def all_withdrawn(batch: SampleBatch) -> dict[str, str]:
    return {planned.run_id: "a fault of ours" for planned in planned_runs(batch.definition, batch.batch_id)}


def test_a_wholly_withdrawn_batch_is_in_no_plot(tmp_path: Path) -> None:
    stays, gone = make_batch("batch-1"), make_batch("batch-2")
    snapshot = Snapshot(write_released(tmp_path, [stays, gone], Change(withdrawn=all_withdrawn(gone))))
    (board,) = boards(snapshot.batches)
    section = board_plots(board, {batch.report.batch_id: batch.report for batch in snapshot.batches})
    rows = {row.subject.href for plot in section.plots for row in plot.table.rows}
    assert rows == {"batches/batch-1/careful.html", "batches/batch-1/careless.html"}
    (withdrawn,) = [batch for batch in snapshot.batches if batch.withdrawn]
    assert batch_plots(batch_view(withdrawn)) is None


def test_the_page_of_a_wholly_withdrawn_batch_has_no_plots(tmp_path: Path) -> None:
    gone = make_batch("batch-1", case_ids=("fund-nav",))
    write_released(tmp_path / "snapshot", [gone], Change(withdrawn=all_withdrawn(gone)))
    build_site(tmp_path / "snapshot", tmp_path / "site")
    assert "<figure" not in read(tmp_path / "site", "batches/batch-1.html")
    assert "<figure" not in read(tmp_path / "site", "index.html")


def test_a_withdrawn_run_counts_in_no_plot(tmp_path: Path) -> None:
    batch = make_batch("batch-1", scenario=lambda planned: "fail" if planned.position == 1 else "pass")
    first = next(planned_runs(batch.definition, batch.batch_id))
    whole = Snapshot(write_released(tmp_path / "whole", [batch]))
    less = Snapshot(write_released(tmp_path / "less", [batch], Change(withdrawn={first.run_id: "a fault of ours"})))

    def failures(snapshot: Snapshot) -> str:
        section = batch_plots(batch_view(snapshot.batches[0]))
        assert section is not None
        rows = [row for plot in section.plots if str(plot.title) == "Why runs failed" for row in plot.table.rows]
        return next((str(row.cells[2]) for row in rows if row.subject.href == f"#model-{first.model_key}"), "not drawn")

    assert "answer.number 1" in failures(whole)
    assert failures(less) == "not drawn"


def test_the_same_snapshot_gives_the_same_plots(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [make_batch("batch-1", repeats=2)])
    views = [batch_plots(batch_view(Snapshot(tmp_path).batches[0])) for _ in range(2)]
    assert views[0] == views[1]


def test_a_plot_says_its_words_in_the_language_of_its_page() -> None:
    models = source(subject("a"), subject("b", 2, cost="0.3"), subject("unpriced", cost=None))
    macro = environment_of(CHINESE).get_template("plots.html").module.figure_of  # type: ignore[attr-defined]
    page = HtmlPage(str(macro(quality_cost(models)[0])))
    assert "质量与成本" in page.text
    assert "每 100 个任务的成本" in page.text
    assert not re.search(r"[A-Za-z]{4,}", re.sub(r"unpriced|USD", "", page.text))


def test_of_many_models_the_table_of_a_plot_has_every_number_and_no_links() -> None:
    macro = environment_of(ENGLISH).get_template("plots.html").module.figure_of  # type: ignore[attr-defined]
    few = HtmlPage(str(macro(intervals(source(*(subject(f"m{n}") for n in range(40))))[0])))
    many = HtmlPage(str(macro(intervals(source(*(subject(f"m{n}") for n in range(41))))[0])))
    assert len(few.links) == 40
    assert not many.links
    assert [tag for tag, _ in many.elements].count("tr") == 42
