"""The local server over a real loopback socket."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.rendering.errors import ServeError
from publisher.rendering.site.assets import ICON, SCRIPTS, STYLESHEET, asset_name
from publisher.rendering.site.build import build_site
from publisher.rendering.site.serve import HEADERS, make_server, serve
from tests.factories import make_batch, write_snapshot

LOG_FILES = ("log/checkpoint", "log/inclusion/batch-1-0001", "log/tile/0/000.p/7", "log/tile/entries/x001/002")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    write_snapshot(folder / "snapshot", [make_batch("batch-1", model_keys=("careful",))])
    build_site(folder / "snapshot", folder / "site")
    for name in LOG_FILES:
        (folder / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "site" / name).write_bytes(b"\x00" if "tile" in name else b"text\n")
    (folder / "secret.txt").write_text("not yours")
    (folder / "site/runs/link.html").symlink_to(folder / "secret.txt")
    return folder / "site"


@pytest.fixture(scope="module")
def port(site: Path) -> Iterator[int]:
    with make_server(site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def ask(port: int, path: str, method: str = "GET") -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=False)
        connection.endheaders()
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html?x=1", "text/html; charset=utf-8"),
        ("/runs/batch-1-0001.json", "application/json"),
        (f"/{asset_name(STYLESHEET)}", "text/css; charset=utf-8"),
        (f"/{asset_name(ICON)}", "image/svg+xml"),
        (f"/{asset_name(SCRIPTS[0])}", "text/javascript; charset=utf-8"),
        ("/data/runs.csv", "text/csv; charset=utf-8"),
        ("/data/glassbench.tar", "application/x-tar"),
        ("/feed.atom", "application/atom+xml"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/citations/release-1.bib", "text/plain; charset=utf-8"),
        ("/log/checkpoint", "text/plain; charset=utf-8"),
        ("/log/inclusion/batch-1-0001", "text/plain; charset=utf-8"),
        ("/log/tile/0/000.p/7", "application/octet-stream"),
        ("/log/tile/entries/x001/002", "application/octet-stream"),
    ],
)
def test_a_file_comes_with_its_type_and_every_header(port: int, site: Path, path: str, content_type: str) -> None:
    answer, body = ask(port, path)
    assert answer.status == 200
    assert answer.getheader("Content-Type") == content_type
    assert {name: answer.getheader(name) for name in HEADERS} == HEADERS
    assert "frame-ancestors 'none'" in HEADERS["Content-Security-Policy"]
    name = path.split("?")[0].strip("/") or "index.html"
    assert body == (site / name).read_bytes()


def test_head_gives_the_headers_alone(port: int, site: Path) -> None:
    answer, body = ask(port, f"/{asset_name(STYLESHEET)}", "HEAD")
    assert answer.getheader("Content-Length") == str((site / asset_name(STYLESHEET)).stat().st_size)
    assert body == b""


@pytest.mark.parametrize(
    "path",
    [
        "/runs/",
        "/runs",
        "/runs/nothing.html",
        "/.glassbench-site",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/runs/link.html",
        "/index.html/",
        "/a%00b",
        "/%ff",
        "/" + "a" * 5000,
    ],
)
def test_what_is_no_page_gives_the_404_page_and_never_a_listing(port: int, path: str) -> None:
    answer, body = ask(port, path)
    assert answer.status == 404
    assert answer.getheader("Content-Type") == "text/html; charset=utf-8"
    assert b"There is no page under this address" in body
    assert b"not yours" not in body


def test_the_404_page_finds_its_stylesheet_from_any_depth(port: int) -> None:
    assert f'href="{asset_name(STYLESHEET)}"'.encode() in ask(port, "/nothing")[1]
    assert f'href="../../{asset_name(STYLESHEET)}"'.encode() in ask(port, "/a/b/nothing")[1]
    assert b'href="#main"' in ask(port, "/a/b/nothing")[1]


def test_another_method_is_refused(port: int) -> None:
    assert ask(port, "/", "POST")[0].status == 501


def test_a_directory_that_holds_a_site_leads_to_its_first_page(site: Path) -> None:
    with make_server(site.parent) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        answer, _ = ask(server.server_port, "//site")
        assert (answer.status, answer.getheader("Location")) == (301, "site/")
        assert ask(server.server_port, "/site/")[0].status == 200
        server.shutdown()
        thread.join()


def test_a_taken_port_is_an_error_with_a_way_out(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ServeError, match="is in use") as caught:
            make_server(site, port=taken.getsockname()[1])
    assert (caught.value.code, bool(caught.value.hint)) == ("SITE-SERVE-001", True)


def test_a_missing_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ServeError) as caught:
        make_server(tmp_path / "nowhere")
    assert caught.value.code == "SITE-SERVE-002"


def test_the_server_listens_on_the_loopback_alone_by_default(site: Path) -> None:
    with make_server(site) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_serving_tells_its_address_once_it_listens(site: Path) -> None:
    class HeardError(Exception):
        pass

    def open_first_page(address: str) -> None:
        assert address.startswith("http://127.0.0.1:")
        with socket.create_connection(("127.0.0.1", int(address.rstrip("/").rsplit(":", 1)[1])), timeout=10):
            raise HeardError

    with pytest.raises(HeardError):
        serve(site, port=0, ready=open_first_page)
