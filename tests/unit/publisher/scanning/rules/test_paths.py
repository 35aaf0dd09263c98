from __future__ import annotations

import pytest

from publisher.scanning.rules.paths import LocalPaths

ADMIN = "/ro" + "ot"
TEMPORARY = "/tm" + "p/"


def hits(text: str) -> list[str]:
    data = text.encode()
    return [data[hit.start : hit.end].decode() for hit in LocalPaths().find(data)]


@pytest.mark.parametrize(
    "path",
    [
        "/home/alice",
        "/home/alice.b",
        "/Users/Bob",
        "/mnt/c/Users/bob",
        f"{ADMIN}/.ssh",
        "C:\\Users\\Carol",
        "c:/Users/carol",
        "D:\\\\Users\\\\dave",
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "{}/x", "open '{}/x'", "目录{}/x", "PATH=/usr/bin:{}/bin", "({}/x)", "\n{}/x"]
)
def test_home_path_is_found(path: str, around: str) -> None:
    assert path in hits(around.format(path))


@pytest.mark.parametrize(
    "path",
    [
        TEMPORARY + "report-1.json",
        "/var" + TEMPORARY + "x",
        "/private" + TEMPORARY + "x",
        "/var/folders/zz/abc",
        "/dev/shm/pool",
        "C:\\Temp\\x",
        "c:\\Windows\\Temp\\x.log",
    ],
)
@pytest.mark.parametrize("around", ["{}", "open '{}'", "目录{}", "({})", "\n{}"])
def test_temporary_path_is_found(path: str, around: str) -> None:
    assert path in hits(around.format(path))


def test_file_url_is_found() -> None:
    assert hits("file:///home/alice/x") == ["/home/alice"]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/home/x https://example.org:8080/Users/y",
        "app/home/x ./home/x ../Users/x ~/home/x",
        "/home/$USER/x /home/<user>/x /home/{name} /Users/%USER%",
        "/home /home/ /Users/ /usr/home2/x",
        f"{TEMPORARY} and {TEMPORARY[:-1]} and https://example.org{TEMPORARY}x and app{TEMPORARY}x",
        "C:\\Template\\x C:\\Temp",
        f"{ADMIN} and {ADMIN}/ and https://example.org{ADMIN}/x",
        "C:\\Windows\\Users.txt",
        "C:\\Users\\%USERNAME%\\x",
    ],
)
def test_web_paths_and_placeholders_are_not_flagged(text: str) -> None:
    assert hits(text) == []
