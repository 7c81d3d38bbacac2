"""A server of files on this machine that cuts connections, refuses, and answers as it is told."""

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest


@dataclass
class Answer:
    """What a server says about one file.

    Attributes
    ----------
    body : bytes
        The whole file.
    cut : int or None
        Bytes of an answer after which the connection breaks.
    ranges : bool
        Whether parts of a file are given.
    tag : str
        Its ETag; empty for none.
    status : int
        Other than 200, an error.
    headers : dict
        Further ones, or others.
    """

    body: bytes = b""
    cut: int | None = None
    ranges: bool = True
    tag: str = '"1"'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Server(http.server.ThreadingHTTPServer):
    """Serves `answers[name]`, taken in turn, the last again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, list[Answer | bytes | int]] = {}
        self.requests: list[str] = []
        self.ranges: list[str | None] = []
        self.at_once, self.most_at_once = 0, 0
        self.count = threading.Lock()
        self.meeting: threading.Barrier | None = None

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        name = self.path.lstrip("/")
        with self.server.count:
            self.server.requests.append(name)
            self.server.ranges.append(self.headers.get("Range"))
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.at_once, self.server.most_at_once)
            answers = self.server.answers.get(name, [404])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if self.server.meeting is not None:
            self.server.meeting.wait(timeout=10)
        self._answer(_answer(answer))
        with self.server.count:
            self.server.at_once -= 1

    def _answer(self, answer: Answer) -> None:
        if answer.status != 200:
            self.send_error(answer.status)
            return
        start, status = self._start(answer)
        if status == 416:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(answer.body)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(status)
        headers = {"Content-Length": str(len(answer.body) - start)}
        if answer.tag:
            headers["ETag"] = answer.tag
        if status == 206:
            last = len(answer.body) - 1
            headers["Content-Range"] = f"bytes {start}-{last}/{len(answer.body)}"
        for key, value in (headers | answer.headers).items():
            self.send_header(key, value)
        self.end_headers()
        rest = answer.body[start:]
        with suppress(ConnectionError):  # the other side has had enough
            self.wfile.write(rest if answer.cut is None else rest[: answer.cut])
        self.close_connection = True

    def _start(self, answer: Answer) -> tuple[int, int]:
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        wanted = self.headers.get("If-Range", answer.tag)
        if match is None or not answer.ranges or wanted != answer.tag:
            return 0, 200
        start = int(match[1])
        return (start, 206) if start < len(answer.body) else (start, 416)

    def log_message(self, *arguments: object) -> None:
        """Keep the test's output clean."""


def _answer(answer: Answer | bytes | int) -> Answer:
    if isinstance(answer, int):
        return Answer(status=answer)
    return Answer(answer) if isinstance(answer, bytes) else answer


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server, and make downloads try again without pauses."""
    from earnest.datasets import transfer

    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    monkeypatch.setattr(transfer, "PAUSE_S", 0)
    monkeypatch.setattr(transfer, "TIMEOUT_S", 5)
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join(timeout=10)
        assert not thread.is_alive()
