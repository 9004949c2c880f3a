"""HTTP to the gateway: kept connections, answers, and tokens."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Union
from urllib.parse import urlsplit

from .item import Json
from .version import PROTOCOL, VERSION

#: The name of this client, as executors are listed with it.
SDK = f"python/{VERSION}"

_Connection = Union[http.client.HTTPConnection, http.client.HTTPSConnection]


class Unreachable(Exception):
    """There was no answer, or none that a gateway gives."""


@dataclass(frozen=True)
class Request:
    """A request. ``timeout`` is the seconds that the socket may stay silent."""

    method: str
    path: str
    body: Optional[Json] = None
    timeout: float = 30.0


@dataclass(frozen=True)
class Answer:
    """An answer of the gateway."""

    status: int
    body: Json = field(default_factory=dict)
    retry_after: Optional[float] = None

    @property
    def code(self) -> str:
        """The code of a problem."""
        return str(self.body.get("code", ""))

    def __str__(self) -> str:
        detail = self.body.get("detail") or self.body.get("title") or ""
        return " ".join(filter(None, (str(self.status), self.code, str(detail))))


class Token:
    """The key that requests carry. One in a file is read again after a refusal."""

    def __init__(self, given: Optional[str] = None) -> None:
        self._given = given
        self._read: Optional[str] = None

    def value(self) -> Optional[str]:
        """Gives the token; None: requests carry none. Raises ``Unreachable``."""
        if self._read is None:
            found = self._given or os.environ.get("BACKSTEP_TOKEN") or self._of_file()
            # A line often ends with what an editor or ``echo`` has put there.
            text = found.strip()
            # The library would tell the whole header, and the log would have the token.
            if not (text.isascii() and text.isprintable()):
                raise Unreachable("the token has characters that no header can carry")
            self._read = text
        return self._read or None

    def renew(self) -> None:
        """Has the token read again."""
        self._read = None

    @staticmethod
    def _of_file() -> str:
        path = os.environ.get("BACKSTEP_TOKEN_FILE")
        try:
            return Path(path).read_text(encoding="utf-8") if path else ""
        except OSError as error:
            raise Unreachable(f"the token cannot be read: {error}") from error


class Line:
    """A connection that is kept between requests. One thread uses it; any thread may cut it."""

    def __init__(self, url: str, token: Token) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url!r} is no address: write https://host or http://host:port")
        self._parts = parts
        # Reading a port that is none raises.
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._token = token
        self._connection: Optional[_Connection] = None
        self._is_cut = False

    def send(self, request: Request) -> Answer:
        """Sends a request. Raises ``Unreachable``.

        A kept connection may have been closed meanwhile. All requests of a worker may be sent
        twice, so such a one is sent again.
        """
        was_kept = self._connection is not None
        # What cannot be written is a fault of this side, which no repetition mends.
        body = None if request.body is None else _encoded(request.body)
        try:
            return self._exchange(request, body)
        except (ConnectionError, http.client.RemoteDisconnected) as error:
            self.close()
            if not was_kept or self._is_cut:
                raise Unreachable(_words(error)) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_words(error)) from error
        return self.send(request)

    def cut(self) -> None:
        """Ends the line for good, and the request that waits on it."""
        self._is_cut = True
        open_socket = getattr(self._connection, "sock", None)
        if open_socket is not None:
            with contextlib.suppress(OSError):  # It may be closed already.
                open_socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes the connection. The next request opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _exchange(self, request: Request, body: Optional[bytes]) -> Answer:
        connection = self._open(request.timeout)
        path = self._parts.path.rstrip("/") + request.path
        connection.request(request.method, path, body, self._headers(body))
        response = connection.getresponse()
        text = response.read()
        if response.will_close:
            self.close()
        return _answer_of(response, text)

    def _open(self, timeout: float) -> _Connection:
        if self._connection is None:
            self._connection = self._connect(timeout)
        # Looked at once there is a connection: from here on, a cut finds it.
        if self._is_cut:
            raise Unreachable("the worker is stopping")
        if self._connection.sock is not None:
            self._connection.sock.settimeout(timeout)
        return self._connection

    def _connect(self, timeout: float) -> _Connection:
        # The library takes the end of an IPv6 address for a port if there is none.
        host, port = self._parts.hostname or "", self._port
        if self._parts.scheme == "https":
            context = ssl.create_default_context()
            connection: _Connection = http.client.HTTPSConnection(
                host, port, timeout=timeout, context=context
            )
        else:
            connection = http.client.HTTPConnection(host, port, timeout=timeout)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _headers(self, body: Optional[bytes]) -> Dict[str, str]:
        headers = {
            "Accept": "application/json",
            "Backstep-Worker-Protocol": str(PROTOCOL),
            "User-Agent": f"backstep-{SDK}",
        }
        token = self._token.value()
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        return headers


class Gateway:
    """The gateway, as many threads talk to it."""

    def __init__(self, url: str, token: Token) -> None:
        self._url = url
        self.token = token
        self._lock = threading.Lock()
        self._idle: List[Line] = []
        self.line()  # An address that cannot be read is told now.

    def line(self) -> Line:
        """Makes a line of its own, for a request that waits."""
        return Line(self._url, self.token)

    def send(self, request: Request) -> Answer:
        """Sends a request on a line that nobody uses. Raises ``Unreachable``."""
        with self._lock:
            line = self._idle.pop() if self._idle else self.line()
        answer = line.send(request)
        with self._lock:
            self._idle.append(line)
        return answer

    def close(self) -> None:
        """Closes the lines that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            line.close()


def _encoded(body: Json) -> bytes:
    text = json.dumps(body, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate has no bytes; JSON writes it as an escape.
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(body, allow_nan=False, separators=(",", ":")).encode("ascii")


def _answer_of(response: http.client.HTTPResponse, text: bytes) -> Answer:
    kind = response.headers.get_content_type()
    is_json = kind == "application/json" or kind.endswith("+json")
    body = json.loads(text) if text and is_json else {}
    if response.status < 300 and text and not is_json:
        raise ValueError(f"the answer is {kind}, so no gateway gave it")
    return Answer(response.status, body if isinstance(body, dict) else {}, _wait(response))


def _wait(response: http.client.HTTPResponse) -> Optional[float]:
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else None


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
