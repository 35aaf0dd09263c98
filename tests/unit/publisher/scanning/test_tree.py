from __future__ import annotations

import json
import os
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from publisher.scanning.errors import ScanError
from publisher.scanning.scanner import Scanner


def rules(scanner: Scanner, path: Path) -> list[tuple[str, str]]:
    return [(finding.rule, finding.place.removeprefix(f"{path}/")) for finding in scanner.scan_path(path)]


def test_files_are_scanned_in_the_order_of_their_names(scanner: Scanner, tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a.txt", "a/b/c.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("10.0.0.5")
    assert [place for _, place in rules(scanner, tmp_path)] == ["a/b/c.json:1", "a/z.txt:1", "a.txt:1", "b.txt:1"]


def test_single_file_is_scanned(scanner: Scanner, tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("10.0.0.5")
    assert [finding.place for finding in scanner.scan_path(file)] == [f"{file}:1"]


def test_missing_path_is_an_error_that_names_it(scanner: Scanner, tmp_path: Path) -> None:
    with pytest.raises(ScanError, match=r"absent\.txt") as fault:
        list(scanner.scan_path(tmp_path / "absent.txt"))
    assert fault.value.code == "SCAN-READ-001"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser can read everything")
def test_unreadable_file_is_an_error_that_names_it(scanner: Scanner, tmp_path: Path) -> None:
    (tmp_path / "closed.txt").touch(mode=0)
    with pytest.raises(ScanError, match=r"closed\.txt"):
        list(scanner.scan_path(tmp_path))


def test_pipe_inside_a_tree_is_an_error_not_a_hang(scanner: Scanner, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ScanError, match="pipe"):
        list(scanner.scan_path(tmp_path))


def test_link_inside_the_tree_is_not_read_twice(scanner: Scanner, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("10.0.0.5")
    (tmp_path / "b.txt").symlink_to("a.txt")
    (tmp_path / "loop").symlink_to(".")
    assert rules(scanner, tmp_path) == [("SCAN-ADDR-001", "a.txt:1")]


def test_link_out_of_the_tree_is_a_finding_and_not_followed(scanner: Scanner, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("10.0.0.5")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "out").symlink_to("../outside.txt")
    (tree / "nowhere").symlink_to("absent")
    assert rules(scanner, tree) == [("SCAN-LINK-001", "nowhere"), ("SCAN-LINK-001", "out")]


def test_names_are_scanned_from_the_root_on(scanner: Scanner, tmp_path: Path, github_token: str) -> None:
    root = tmp_path / "nas.internal"
    (root / github_token).mkdir(parents=True)
    (root / github_token / "x.txt").write_text("nothing")
    (root / github_token / "out").symlink_to("/")
    found = list(scanner.scan_path(root))
    assert {finding.rule for finding in found} == {"SCAN-CRED:github-pat", "SCAN-LINK-001"}
    assert github_token not in "".join(repr(finding) for finding in found)


def test_findings_keep_the_order_of_many_files_and_every_file_is_counted(scanner: Scanner, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}.txt").write_text("10.0.0.5" if number % 3 == 0 else "nothing")
    told: list[tuple[int, int]] = []
    found = list(scanner.scan_path(tmp_path, lambda *, files, size: told.append((files, size))))
    assert [Path(finding.place).name for finding in found] == [f"{number:03}.txt:1" for number in range(0, 300, 3)]
    assert len(told) > 1
    assert [sum(column) for column in zip(*told, strict=True)] == [300, 100 * 8 + 200 * 7]


def test_files_looked_through_together_have_the_findings_of_each_alone(
    scanner: Scanner, tmp_path: Path, github_token: str
) -> None:
    plain = "plain prose, and more of it. " * 2000
    hidden = b64encode(quote(b64encode(f"see {github_token} there".encode()).decode(), safe="%").encode()).decode()
    files = {
        "01 last bytes.txt": plain + github_token,
        "02 empty.txt": "",
        "03 first bytes.txt": github_token + plain,
        "04 clean.json": json.dumps({"a": plain + "\n"}),
        "05 two strings.json": json.dumps([plain, github_token[:17], github_token[17:]]),
        "06 depth three.json": json.dumps({"a": f'{plain}\n"{hidden}"'}),
        f"07 {github_token}.txt": plain,
        "08 half.txt": github_token[:17],
        "09 other half.txt": github_token[17:],
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [(finding.rule, finding.excerpt) for finding in scanner.scan_path(tmp_path)]
    alone = [scanner.scan_bytes(text.encode(), name) for name, text in files.items()]
    assert found == [(finding.rule, finding.excerpt) for each in alone for finding in each]
    assert [len(each) for each in alone] == [1, 0, 1, 0, 1, 1, 1, 0, 0]
