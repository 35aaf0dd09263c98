"""The server behind `--metrics-port`, on real sockets."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine.monitoring import probe_server as module
from engine.monitoring.probe_server import Answer, ProbeAddressError, probe_server

GATE = threading.Event()


def held() -> Answer:
    GATE.wait(30)
    return Answer(body=b"late\n")


@pytest.fixture
def place() -> Iterator[tuple[str, int]]:
    GATE.clear()
    answers = {
        "/live": lambda: Answer(body=b"live\n"),
        "/ready": lambda: Answer(body=b"not yet\n", status=503),
        "/metrics": held,
    }
    with probe_server("127.0.0.1", 0, answers) as found:
        yield found
        GATE.set()


def ask(place: tuple[str, int], path: str, method: str = "GET") -> tuple[int, str]:
    with closing(http.client.HTTPConnection(*place, timeout=30)) as connection:
        connection.request(method, path)
        found = connection.getresponse()
        return found.status, found.read().decode()


def raw(place: tuple[str, int], data: bytes) -> bytes:
    with closing(socket.create_connection(place, timeout=30)) as connection:
        connection.sendall(data)
        found = b""
        while part := connection.recv(65536):
            found += part
    return found


def test_each_path_gives_its_answer_with_its_status(place: tuple[str, int]) -> None:
    assert ask(place, "/live") == (200, "live\n")
    assert ask(place, "/live?verbose=1") == (200, "live\n")
    assert ask(place, "/ready") == (503, "not yet\n")


@pytest.mark.parametrize("path", ["/", "/metrics/", "/live/../ready", "/LIVE", "/secret-of-somebody"])
def test_any_other_path_is_not_there_and_nothing_of_it_comes_back(place: tuple[str, int], path: str) -> None:
    assert ask(place, path) == (404, "there is /metrics, /live and /ready\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_any_other_method_is_refused(place: tuple[str, int], method: str) -> None:
    assert ask(place, "/live", method) == (405, "GET is all there is\n")


def test_head_is_refused_without_a_body(place: tuple[str, int]) -> None:
    assert ask(place, "/live", "HEAD") == (405, "")


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense <marker>\r\n\r\n",
        b"GET /live HTTP/9.9 marker\r\n\r\n",
        b"GET /" + b"marker" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /live HTTP/1.1\r\n" + b"X-Marker: marker\r\n" * 200 + b"\r\n",
        b"GET /live HTTP/1.1\r\nX: " + b"marker" * 20_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_answered_in_our_own_words(place: tuple[str, int], data: bytes) -> None:
    try:
        found = raw(place, data)
    except ConnectionResetError:  # it was refused before all of it was read
        found = b""
    assert b"marker" not in found
    assert b" 200 " not in found
    assert ask(place, "/live") == (200, "live\n")


def test_a_slow_answer_holds_up_no_other(place: tuple[str, int]) -> None:
    with closing(http.client.HTTPConnection(*place, timeout=30)) as slow:
        slow.request("GET", "/metrics")
        assert ask(place, "/live") == (200, "live\n")
        GATE.set()
        assert slow.getresponse().read() == b"late\n"


def test_more_connections_than_allowed_are_closed_at_once(
    place: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 2)
    held_open = [socket.create_connection(place, timeout=30) for _ in range(2)]
    try:
        for connection in held_open:
            connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        assert raw(place, b"") == b""
    finally:
        GATE.set()
        for connection in held_open:
            connection.close()


def test_a_client_that_dribbles_is_cut_off(place: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_SECONDS", 0.0)
    with closing(socket.create_connection(place, timeout=30)) as connection:
        connection.sendall(b"GET /li")
        assert connection.recv(100) == b""


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(place: tuple[str, int]) -> None:
    with (
        pytest.raises(
            ProbeAddressError, match=r"can't listen on 127\.0\.0\.1 port \d+: Address already in use"
        ) as told,
        probe_server(*place, {}),
    ):
        pass
    assert "--metrics-port" in told.value.hint


@pytest.mark.parametrize("host", ["999.0.0.1", "no such host.invalid"])
def test_a_host_that_is_not_here_is_an_error_of_ours(host: str) -> None:
    with pytest.raises(ProbeAddressError), probe_server(host, 0, {}):
        pass
