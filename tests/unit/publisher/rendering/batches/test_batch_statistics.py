"""Arms side by side, the order of arms, and how far to trust each rate: numbers come from the report, or words do."""

import re
from pathlib import Path

import pytest

from dataset.measures.group import measure_group
from dataset.measures.statistics.evidence import MIN_CASES
from dataset.questions.template import variants_of
from publisher.projection.report import Report
from publisher.rendering.batches.view import BatchView, batch_view
from publisher.rendering.evidence import Evidence, withheld_words
from publisher.rendering.language.message import Sayable
from publisher.rendering.site.build import build_site
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch, write_snapshot
from tests.factories.forgery import rewrite_report
from tests.unit.publisher.rendering.html_page import HtmlPage
from tests.unit.publisher.rendering.test_pages import words


@pytest.fixture(scope="module")
def views(finance_snapshot: Path) -> dict[str, BatchView]:
    return {batch.report.batch_id: batch_view(batch) for batch in Snapshot(finance_snapshot).batches}


def part(site: Path, batch_id: str, start: str, end: str = "</section>") -> HtmlPage:
    """What stands on a batch's page from one string to the next other."""
    markup = (site / f"batches/{batch_id}.html").read_text(encoding="utf-8")
    found = markup.index(start)
    return HtmlPage(markup[found : markup.index(end, found)])


def test_an_arm_of_several_variants_is_measured_as_a_group_is(views: dict[str, BatchView]) -> None:
    report = views["strategies"].report
    arms = [
        (variants, arm)
        for contrast in views["strategies"].contrasts
        for row in contrast.comparisons
        for variants, arm in ((row.measures.baseline, row.baseline), (row.measures.treatment, row.treatment))
    ]
    assert len(arms) == 2 * len(report.contrasts)
    for variants, arm in arms:
        assert [group.variant.id for group in arm.groups if group.variant] == list(variants_of(variants))
        runs = [run for run in report.runs if run.variant_id in variants_of(variants)]
        planned = report.definition.runs_per_group * len(variants_of(variants))
        assert arm.measures == measure_group(planned, sorted(runs, key=lambda run: run.run_id))


def test_an_arm_of_one_variant_has_the_measures_of_its_group(views: dict[str, BatchView]) -> None:
    groups = {group.variant_id: group.measures for group in views["delivery"].report.groups}
    rows = {part.contrast.id: part.comparisons[0] for part in views["delivery"].contrasts}
    assert rows["delivery-en"].baseline.measures == groups["en-scoped-full"]
    assert rows["delivery-en"].treatment.measures == groups["en-search-full"]


def test_an_arm_is_called_by_what_sets_it_apart(views: dict[str, BatchView]) -> None:
    labels = {
        part.contrast.id: (str(part.comparisons[0].baseline.label), str(part.comparisons[0].treatment.label))
        for view in views.values()
        for part in view.contrasts
    }
    assert labels["recent"] == ("full", "recent-n, last 24")
    assert labels["delivery"] == ("tools of the scene", "tools by search")
    assert labels["locale"] == ("English", "Chinese")


def test_the_numbers_of_a_contrast_are_those_of_the_report(finance_site: Path, views: dict[str, BatchView]) -> None:
    report = views["delivery"].report
    assert report.statistics is not None
    for measures, more in zip(report.contrasts, report.statistics.contrasts, strict=True):
        card = part(finance_site, "delivery", f'id="contrast-{measures.id}"')
        assert measures.difference is not None
        wanted = [measures.difference, more.mcnemar_p, more.mcnemar_p_holm, more.permutation_p, more.permutation_p_holm]
        wanted += [value for value in (more.minimum_detectable, more.clustered_stderr) if value is not None]
        assert set(wanted) <= set(card.values("data", "value"))
        text = words(card)
        assert f"Pairs{measures.pairs}of {more.cases} cases Both passed{measures.both_passed}" in text
        assert ("Significant: more than chance." in text) is (more.significant is True)


def test_too_few_pairs_are_said_in_words_and_never_as_a_difference(finance_site: Path) -> None:
    card = part(finance_site, "strategies", 'id="contrast-recent"')
    assert "not enough evidence (6 pairs, 10 needed)" in words(card)
    assert "not enough evidence (one case, 10 needed)" in words(card)
    assert "95 % CI" not in words(card).split("Paired difference")[1]
    assert "p =" not in words(card)


def test_the_pairs_of_a_contrast_of_many_variants_are_listed(finance_site: Path) -> None:
    card = part(finance_site, "strategies", 'id="contrast-budgeted"')
    assert "6 pairs of variants, counted together" in words(card)
    assert re.search(r"zh-full-12k \d of 1 against zh-budgeted-12k \d of 1", words(card))
    assert "#group-careful.zh-budgeted-12k" in card.links


def test_a_grid_is_made_for_each_language_with_strategies_down_and_budgets_across(views: dict[str, BatchView]) -> None:
    (model,) = views["strategies"].models
    assert [str(grid.fixed) for grid in model.grids] == ["English", "Chinese"]
    for grid in model.grids:
        assert (grid.down, grid.across) == ("context strategy", "context budget")
        assert [str(column).split(" tokens")[0] for column in grid.columns] == ["5,000", "12,000", "34,000"]
        assert [str(row.label).split(",")[0] for row in grid.rows] == ["full", "recent-n", "single-summary", "budgeted"]
        for row in grid.rows:
            for column, cell in zip(grid.columns, row.cells, strict=True):
                (group,) = cell
                assert group.variant is not None
                assert str(row.label).startswith(group.variant.context_strategy)
                assert str(column).startswith(f"{group.variant.context_budget:,}")


def test_a_cell_of_a_grid_leads_to_its_runs_and_tells_its_context_tokens(
    finance_site: Path, views: dict[str, BatchView]
) -> None:
    table = part(finance_site, "strategies", '<table id="grid-careful-1">', "</table>")
    groups = [group for group in views["strategies"].groups if group.variant and group.variant.locale == "en"]
    assert len(groups) == 12
    for group in groups:
        assert f"#{group.anchor}" in table.links
        tokens = group.measures.metrics["context-tokens"]  # null where no context fits the budget
        assert tokens is None or tokens in table.values("data", "value")
    assert "1 / 1 valid" in words(table)


def test_variants_that_differ_in_one_axis_get_no_grid(site: Path) -> None:
    assert "grid-" not in (site / "batches/batch-1.html").read_text(encoding="utf-8")


def test_the_order_of_arms_is_told_in_ranges_of_ranks(finance_site: Path, views: dict[str, BatchView]) -> None:
    (ranking,) = views["delivery"].rankings
    table = part(finance_site, "delivery", '<table id="ranking-1">', "</table>")
    for row in ranking.rows:
        low, high = row.entry.rank_low, row.entry.rank_high
        assert row.rank == (str(low) if low == high else f"{low}–{high}")
        assert f"{row.rank}{row.entry.id}" in words(table)
    assert "all tied (24), no two share enough cases for a test" in words(
        HtmlPage.read(finance_site / "batches/strategies.html")
    )


def test_errors_and_intervals_are_those_of_the_report(finance_site: Path, views: dict[str, BatchView]) -> None:
    report = views["delivery"].report
    assert report.statistics is not None
    table = part(finance_site, "delivery", '<table id="spread">', "</table>")
    shown = table.values("data", "value")
    for rate in [report.statistics.models[0].rate, *(group.rate for group in report.statistics.groups)]:
        assert rate.cases == MIN_CASES
        for value in (rate.stderr, rate.clustered_stderr, rate.case_mean.mean):
            assert value is None or value in shown
        if rate.bootstrap_low is not None:
            assert f"{rate.bootstrap_low}/{rate.bootstrap_high}" in shown


def test_a_statistic_that_no_group_has_is_named_once_with_its_reason(finance_site: Path) -> None:
    table = part(finance_site, "strategies", '<h2 id="spread-title">')
    assert words(table).count("fewer than 10 cases") == 1
    assert "Standard error, cases, 95 % interval, cases redrawn: withheld for every row, because of" in words(table)
    assert "error: not enough evidence (one case, 10 needed)" in words(table)


def test_repeats_are_told_as_pass_at_k_and_pass_hat_k(tmp_path: Path) -> None:
    batch = make_batch("batch-1", model_keys=("careful",), repeats=3, scenario=lambda _: "pass")
    build_site(write_snapshot(tmp_path / "snapshot", [batch]), tmp_path / "site")
    text = words(part(tmp_path / "site", "batch-1", '<table id="spread">', "</table>"))
    assert "pass@k k = 2pass^k k = 2pass@k k = 3pass^k k = 3" in text
    assert batch.report.statistics is not None
    assert batch.report.statistics.models[0].rate.repeats[2].pass_hat_k == "1.0000"


def test_a_report_from_before_statistics_shows_its_numbers_and_no_others(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "snapshot", [make_batch("batch-1", case_ids=[f"c-{n}" for n in range(12)])])
    build_site(tmp_path / "snapshot", tmp_path / "new")
    rewrite_report(tmp_path / "snapshot", _before_statistics)
    build_site(tmp_path / "snapshot", tmp_path / "old")
    new, old = (HtmlPage.read(tmp_path / name / "batches/batch-1.html") for name in ("new", "old"))
    assert {"order-title", "spread-title"} <= set(new.ids)
    assert not {"order-title", "spread-title"} & set(old.ids)
    assert "Exact p" in new.text
    assert "Exact p" not in old.text
    report = Report.model_validate_json((tmp_path / "old/reports/batch-1.json").read_bytes(), strict=True)
    assert report.contrasts[0].difference in old.values("data", "value")
    assert set(old.values("data", "value")) <= set(new.values("data", "value"))


def _before_statistics(report: Report) -> Report:
    return report.model_copy(update={"statistics": None})


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (withheld_words("too-few-pairs", Evidence(pairs=3)), "not enough evidence (3 pairs, 10 needed)"),
        (withheld_words("too-few-pairs", Evidence(pairs=1)), "not enough evidence (one pair, 10 needed)"),
        (withheld_words("too-few-cases", Evidence(pairs=18, cases=3)), "not enough evidence (3 cases, 10 needed)"),
        (withheld_words("too-few-runs", Evidence(runs=0)), "not enough evidence (0 valid runs, 10 needed)"),
        (withheld_words("too-few-cases", Evidence()), "not enough evidence: fewer than 10 cases"),
        (withheld_words("no-valid-run", Evidence(pairs=3)), "no valid run"),
        (withheld_words(None, Evidence()), "not enough evidence"),
    ],
)
def test_a_withheld_number_says_what_it_would_need(found: Sayable, expected: str) -> None:
    assert str(found) == expected
