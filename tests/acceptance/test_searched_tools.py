"""Scoped against searched tools through the installed command: the contrast runs, is published and verified."""

from __future__ import annotations

from pathlib import Path

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from dataset.canonical import read_canonical
from tests.factories.command import Glassbench
from tests.factories.finance import FINANCE


def test_the_contrast_of_deliveries_is_published_with_its_catalogue_and_verified(
    empty_database_url: str, home: Path, tmp_path: Path
) -> None:
    command = Glassbench(home=home, database_url=empty_database_url)
    snapshot = tmp_path / "showcase-data"
    command.json("db", "upgrade")
    command.json("pack", "import", FINANCE)
    created = command.json("batch", "create", "--template", "contrast", "--model", "scripted-careful")
    command.run("batch", "run", created["batch_id"])
    command.json("publish", created["batch_id"], "--to", snapshot)
    assert command.json("verify", snapshot)["differences"] == []

    report = read_canonical((snapshot / "reports" / f"{created['batch_id']}.json").read_bytes())
    arms = {variant["id"]: variant["tool_delivery"] for variant in report["variants"]}
    assert sorted(set(arms.values())) == ["scoped", "search"]
    assert len(report["catalogue"]["tools"]) > 10
    artifacts = [open_artifact(path.read_bytes()) for path in sorted((snapshot / "runs").iterdir())]
    searched = [artifact for artifact in artifacts if arms[artifact.case.variant_id] == "search"]
    assert len(searched) == len(artifacts) / 2 > 0
    assert all(_names(artifact)[0] == ["tool_search"] for artifact in searched)
    assert max(len(_names(artifact)[-1]) for artifact in searched) > 2
    passed = {delivery: _passed(artifacts, arms, delivery) for delivery in ("scoped", "search")}
    assert passed["scoped"] == passed["search"]


def _names(artifact: Artifact) -> list[list[str]]:
    return [[tool.name for tool in loaded.tools] for loaded in artifact.visible_tools]


def _passed(artifacts: list[Artifact], arms: dict[str, str], delivery: str) -> set[tuple[str, str]]:
    """The cases that passed under a delivery, by language."""
    return {
        (artifact.case.case_id, artifact.case.locale)
        for artifact in artifacts
        if arms[artifact.case.variant_id] == delivery and artifact.judgment.verdict == "pass"
    }
