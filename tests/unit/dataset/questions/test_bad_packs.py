"""Each folder of `tests/data/packs/bad` lays one defect over the minimal pack; `expected.yaml` says what is found."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

from dataset.measures.metric import METRIC_BY_ID
from dataset.questions.pack_files import MAX_FILE_BYTES
from dataset.questions.pack_reader import PackReading, read_pack

PACKS = Path(__file__).parents[3] / "data" / "packs"
DEFECTS = sorted(path.name for path in (PACKS / "bad").iterdir())


def read(directory: Path) -> PackReading:
    return read_pack(directory, known_metrics=METRIC_BY_ID)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    shutil.copytree(PACKS / "minimal", tmp_path / "pack")
    return tmp_path / "pack"


def test_minimal_pack_has_no_fault(pack: Path) -> None:
    reading = read(pack)

    assert reading.faults == ()
    assert reading.pack is not None
    assert reading.pack.golds.keys() == reading.pack.questions.keys() == {"dollar-rate"}
    assert len(reading.pack.fixtures.fixtures) == 4
    assert all(frozen.intact for frozen in reading.pack.fixtures.fixtures.values())
    assert reading.pack.prompts["clerk", 1].text.en.startswith("<!-- glassbench:system-prompt clerk v1 en -->\n")


@pytest.mark.parametrize("defect", DEFECTS)
def test_defect_gives_exactly_its_faults(defect: str, pack: Path) -> None:
    expected = yaml.safe_load((PACKS / "bad" / defect / "expected.yaml").read_text())
    overlay = PACKS / "bad" / defect / "files"
    if overlay.exists():
        shutil.copytree(overlay, pack, dirs_exist_ok=True)
    for file in expected.get("remove", ()):
        (pack / file).unlink()

    reading = read(pack)

    found = [{"code": f.code, "file": f.file, "line": f.line, "path": f.path} for f in reading.faults]
    assert found == expected["faults"], [str(fault) for fault in reading.faults]
    assert all(fault.message for fault in reading.faults)
    assert reading.pack is None


def test_template_over_all_cases_of_a_pack_without_any_is_a_fault(pack: Path) -> None:
    shutil.rmtree(pack / "cases")
    template = pack / "templates" / "all.yaml"
    template.write_text(template.read_text().replace("cases: [dollar-rate]", "cases: all"))

    found = [(fault.code, fault.path) for fault in read(pack).faults if fault.file == "templates/all.yaml"]

    assert found == [("PACK-REF-004", "cases")]


def only_fault(pack: Path) -> tuple[str, str]:
    reading = read(pack)
    assert reading.pack is None
    assert len(reading.faults) == 1, [str(fault) for fault in reading.faults]
    return reading.faults[0].code, reading.faults[0].file


def test_link_out_of_the_pack_is_refused_and_not_read(pack: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text((pack / "tools" / "rate.yaml").read_text())
    (pack / "tools" / "rate.yaml").unlink()
    (pack / "tools" / "rate.yaml").symlink_to(outside)

    assert only_fault(pack) == ("PACK-FILE-006", "tools/rate.yaml")


def test_link_to_a_directory_outside_is_refused(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (pack / "notes").symlink_to(tmp_path / "elsewhere")

    assert only_fault(pack) == ("PACK-FILE-006", "notes")


def test_link_inside_the_pack_is_read(pack: Path) -> None:
    (pack / "variants.yaml").rename(pack / "templates" / "variants.txt")
    (pack / "variants.yaml").symlink_to("templates/variants.txt")

    assert only_fault(pack) == ("PACK-FILE-007", "templates/variants.txt")


def test_huge_file_is_refused(pack: Path) -> None:
    (pack / "variants.yaml").write_bytes(b"#" * (MAX_FILE_BYTES + 1))

    assert only_fault(pack) == ("PACK-FILE-005", "variants.yaml")


def test_pipe_is_refused_without_waiting_for_it(pack: Path) -> None:
    (pack / "variants.yaml").unlink()
    os.mkfifo(pack / "variants.yaml")

    assert only_fault(pack) == ("PACK-FILE-001", "variants.yaml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_unreadable_file_is_a_fault(pack: Path) -> None:
    (pack / "variants.yaml").chmod(0)

    assert only_fault(pack) == ("PACK-FILE-001", "variants.yaml")


def test_missing_directory_is_faults_not_a_crash(tmp_path: Path) -> None:
    reading = read(tmp_path / "nowhere")

    assert {fault.code for fault in reading.faults} == {"PACK-FILE-001"}


def test_unknown_metric_passes_where_metrics_are_not_checked(pack: Path) -> None:
    template = pack / "templates" / "all.yaml"
    template.write_text(template.read_text().replace("pass-rate", "made-up"))

    assert read_pack(pack).faults == ()
