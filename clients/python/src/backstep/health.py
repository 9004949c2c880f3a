"""``/livez`` of a worker."""

from __future__ import annotations

import http.server
import threading
from typing import Callable, Tuple


class Health:
    """Answers ``GET /livez``: 200, or 503 if the worker hears nothing of its gateway."""

    def __init__(self, address: str, is_well: Callable[[], bool]) -> None:
        self._server = http.server.ThreadingHTTPServer(_place(address), _handler(is_well))
        self._server.daemon_threads = True
        name = "backstep-health"
        self._thread = threading.Thread(target=self._server.serve_forever, name=name, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


def _place(address: str) -> Tuple[str, int]:
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        raise ValueError(f"{address!r} is no address to listen on: write 127.0.0.1:8080")
    return host.strip("[]") or "127.0.0.1", int(port)


def _handler(is_well: Callable[[], bool]) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, text = (404, "not found") if self.path != "/livez" else _said(is_well())
            body = (text + "\n").encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: probes come every few seconds."""

    return Handler


def _said(is_well: bool) -> Tuple[int, str]:
    return (200, "ok") if is_well else (503, "no poll has succeeded in three waits")
