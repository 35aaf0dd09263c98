"""What stands on the pages of a built site."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.measures.metric import METRICS
from publisher.projection.report import Report
from publisher.rendering.site.build import build_site
from publisher.rendering.visible_text import plain
from tests.factories import make_batch, make_case, write_snapshot
from tests.unit.publisher.rendering.html_page import HtmlPage, read_pages


def read_report(site: Path, batch_id: str) -> Report:
    return Report.model_validate_json((site / f"reports/{batch_id}.json").read_bytes(), strict=True)


def test_every_hostile_text_is_shown_whole_where_it_was_said(
    hostile_site: Path, hostile_pages: dict[str, HtmlPage], hostile_texts: list[str]
) -> None:
    for number, text in enumerate(hostile_texts):
        report = read_report(hostile_site, f"batch-{number}")
        said = plain(text.strip())
        assert said in hostile_pages[f"batches/batch-{number}.html"].text
        assert said in hostile_pages[f"cases/{report.definition.cases[0].id}.html"].text
        for run in report.runs:
            page = hostile_pages[f"runs/{run.run_id}.html"]
            artifact = open_artifact((hostile_site / f"runs/{run.run_id}.json").read_bytes())
            words = [artifact.case.question, artifact.result.final_output]
            words += [check.detail for check in artifact.guardrail_checks]
            words += [step.result for step in artifact.steps if step.kind == "tool" and isinstance(step.result, str)]
            words += [item.text for item in artifact.context.items if isinstance(item.text, str)]
            assert all(plain(word) in page.text for word in words)


def test_an_unknown_cost_is_called_unknown_and_never_zero(site: Path) -> None:
    report = read_report(site, "batch-1")
    assert report.models["careless"].metrics["cost"] is None
    run = next(run for run in report.runs if run.model_key == "careless")
    reason = open_artifact((site / f"runs/{run.run_id}.json").read_bytes()).result.cost_reason
    assert reason
    page = HtmlPage.read(site / f"runs/{run.run_id}.html").text
    assert re.search(rf"Cost\s*unknown\s*{reason}", page)
    assert "0.00 USD" not in (site / "index.html").read_text(encoding="utf-8")


def test_worst_and_best_case_stand_where_runs_are_invalid(site: Path) -> None:
    report = read_report(site, "batch-1")
    text = HtmlPage.read(site / "batches/batch-1.html").text
    assert report.models["careful"].invalid == 1
    assert "worst case 95.8" in text
    assert "best case 100.0" in text


def test_a_contrast_with_few_pairs_shows_no_number(site: Path) -> None:
    page = HtmlPage.read(site / "batches/batch-2.html")
    contrast = read_report(site, "batch-2").contrasts[0]
    assert contrast.pairs < 10
    assert "not enough evidence" in page.text


def test_every_run_of_a_report_has_its_page_and_its_json_byte_for_byte(site: Path, snapshot: Path) -> None:
    for name in ("index.json", "reports/batch-1.json", "reports/batch-2.json"):
        assert (site / name).read_bytes() == (snapshot / name).read_bytes()
    runs = sorted(path.name for path in (snapshot / "runs").iterdir())
    assert runs == sorted(path.name for path in (site / "runs").glob("*.json"))
    for name in runs:
        assert (site / "runs" / name).read_bytes() == (snapshot / "runs" / name).read_bytes()
        assert (site / "runs" / name).with_suffix(".html").is_file()


def test_a_failed_run_shows_its_failed_assertions_first_and_its_correction(site: Path) -> None:
    run = next(run for run in read_report(site, "batch-1").runs if run.verdict == "fail")
    page = HtmlPage.read(site / f"runs/{run.run_id}.html")
    assert page.text.index("✗ fails answer.number.nav") < page.text.index("✓ holds answer.given")
    assert re.search(r"9\.8765\s*→\s*\[unverified figure\]", page.text)
    assert [tag for tag, _ in page.elements].count("del") == 1


def test_a_refused_call_shows_its_code_in_the_timeline(site: Path) -> None:
    run = next(run for run in read_report(site, "batch-1").runs if run.refused_calls)
    page = HtmlPage.read(site / f"runs/{run.run_id}.html")
    assert "G3 ✗ deny" in words(page)
    assert "refused G3-AUTH-001" in words(page)
    assert {"step-0", "step-1", "step-2", "step-3", "assertion-1"} <= set(page.ids)


def test_the_withheld_system_prompt_is_shown_as_its_digest(site: Path) -> None:
    run = read_report(site, "batch-1").runs[0]
    artifact = open_artifact((site / f"runs/{run.run_id}.json").read_bytes())
    assert artifact.context.items[0].text is None
    text = HtmlPage.read(site / f"runs/{run.run_id}.html").text
    assert f"Text withheld; its sha256 is {artifact.context.items[0].sha256}" in text


def test_every_hash_of_a_run_is_on_its_page(site: Path) -> None:
    run = read_report(site, "batch-1").runs[0]
    artifact = open_artifact((site / f"runs/{run.run_id}.json").read_bytes())
    text = HtmlPage.read(site / f"runs/{run.run_id}.html").text
    assert all(value in text for value in (*artifact.digests.values(), *artifact.salts.values()))
    assert artifact.artifact_hash in text


def test_runs_of_a_batch_lead_to_each_other_in_order(site: Path) -> None:
    runs = read_report(site, "batch-2").runs
    for before, after in pairwise(runs):
        assert f"{after.run_id}.html" in HtmlPage.read(site / f"runs/{before.run_id}.html").links
        assert f"{before.run_id}.html" in HtmlPage.read(site / f"runs/{after.run_id}.html").links


@pytest.fixture(scope="module")
def tried_again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a batch whose first run was cancelled, then stopped, then cut off."""
    folder = tmp_path_factory.mktemp("tried")
    batch = make_batch(
        case_ids=("fund-nav", "order-history"),
        model_keys=("careful",),
        scenario=lambda planned: "truncated" if planned.position == 1 else "pass",
        earlier=lambda planned: ("unstarted", "stopped") if planned.position == 1 else (),
    )
    build_site(write_snapshot(folder / "snapshot", [batch]), folder / "site")
    return folder / "site"


def words(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def test_a_superseded_run_keeps_its_page_and_says_what_stands_in_its_stead(tried_again: Path) -> None:
    pages = [HtmlPage.read(tried_again / f"runs/batch-1-0001{end}.html") for end in ("", "-r2", "-r3")]
    assert "Superseded by batch-1-0001-r2" in words(pages[0])
    assert "Supersedes" not in words(pages[0])
    assert "Superseded by batch-1-0001-r3" in words(pages[1])
    assert "Supersedes batch-1-0001, which came out invalid" in words(pages[1])
    assert "Supersedes batch-1-0001-r2" in words(pages[2])
    assert "Superseded" not in words(pages[2])
    assert "BATCH-CANCEL-001 the owner cancelled the batch" in words(pages[0])
    assert "the run ended before its first step" in words(pages[0])
    assert "BATCH-BUDGET-001" in words(pages[1])
    assert "Step 2 · not taken" in words(pages[1])


def test_the_batch_tells_how_many_runs_were_tried_again_and_counts_the_last(tried_again: Path) -> None:
    page = HtmlPage.read(tried_again / "batches/batch-1.html")
    assert "2 invalid runs were tried again and count for nothing here" in words(page)
    assert {"../runs/batch-1-0001.html", "../runs/batch-1-0001-r2.html"} <= set(page.links)
    assert "3 passed, 1 failed, 0 invalid of 4 planned" in words(page)
    assert "2 superseded" in words(HtmlPage.read(tried_again / "releases/1.html"))


def test_only_runs_that_count_are_neighbours(tried_again: Path) -> None:
    following = HtmlPage.read(tried_again / "runs/batch-1-0002.html")
    assert "batch-1-0001-r3.html" in following.links
    assert "batch-1-0001.html" not in following.links
    assert following.values("a", "rel")
    assert not HtmlPage.read(tried_again / "runs/batch-1-0001.html").values("a", "rel")


def test_a_reply_that_was_cut_off_is_a_failure_with_its_reason(tried_again: Path) -> None:
    page = words(HtmlPage.read(tried_again / "runs/batch-1-0001-r3.html"))
    assert "✗ fail output_truncated The output limit cut the last reply off" in page
    assert "Invalid" not in page
    assert "output_truncated" in words(HtmlPage.read(tried_again / "batches/batch-1/careful.html"))


def test_replayed_answers_are_never_shown_as_fresh_ones(tmp_path: Path) -> None:
    batches = [make_batch("batch-1"), make_batch("batch-2", replay_of="batch-1"), make_batch("c", replay_of="d")]
    build_site(write_snapshot(tmp_path / "snapshot", batches), tmp_path / "site")
    for name, page in read_pages(tmp_path / "site").items():
        if name.startswith(("batches/", "runs/")):
            assert ("no model was asked" in words(page)) is ("batch-1" not in name), name
    assert "../batches/batch-1.html" in HtmlPage.read(tmp_path / "site/runs/batch-2-0001.html").links
    assert "d (not in this release)" in words(HtmlPage.read(tmp_path / "site/batches/c.html"))
    assert words(HtmlPage.read(tmp_path / "site/index.html")).count("batch-2 replayed batch-1") == 2
    assert "replayed batch-1" in words(HtmlPage.read(tmp_path / "site/cases/fund-nav.html"))


def test_each_metric_is_defined_once_and_tables_name_it_from_there(site: Path) -> None:
    page = HtmlPage.read(site / "metrics.html")
    assert [i for i in page.ids if i in {metric.id for metric in METRICS}] == [metric.id for metric in METRICS]
    head = (site / "index.html").read_text(encoding="utf-8")
    for metric in METRICS:
        assert metric.formula in page.text
        if f"metrics.html#{metric.id}" in head:
            assert f'title="{metric.description}">{metric.title}</a>' in head


@pytest.mark.parametrize("synthetic", [True, False])
def test_synthetic_runs_are_labelled_on_every_page(tmp_path: Path, synthetic: bool) -> None:
    write_snapshot(tmp_path / "snapshot", [make_batch("batch-1", synthetic=synthetic)])
    build_site(tmp_path / "snapshot", tmp_path / "site")
    for name, page in read_pages(tmp_path / "site").items():
        told = "不说明任何模型的表现" if name.startswith("zh/") else "says nothing about any model"
        assert (told in page.text) is synthetic, name
        if name.startswith(("index", "batches", "runs", "cases/")):
            assert ("synthetic" in page.values("span", "class").__str__()) is synthetic, name


def test_chinese_text_says_that_it_is_chinese(site: Path) -> None:
    run = next(run for run in read_report(site, "batch-1").runs if run.variant_id == "scoped-zh")
    page = HtmlPage.read(site / f"runs/{run.run_id}.html")
    assert "zh" in page.values("div", "lang")
    assert "zh" in HtmlPage.read(site / f"cases/{make_case('fund-nav').question.id}.html").values("div", "lang")
