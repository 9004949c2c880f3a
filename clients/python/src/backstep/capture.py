"""Keeps what commands print."""

from __future__ import annotations

import contextlib
import contextvars
import io
import sys
from typing import Any, Iterator, Optional, TextIO

from .attempt_log import AttemptLog

#: The log of the attempt that the current thread or coroutine serves.
_current: contextvars.ContextVar[Optional[AttemptLog]] = contextvars.ContextVar(
    "backstep_attempt_log", default=None
)


@contextlib.contextmanager
def lines_to(log: AttemptLog) -> Iterator[None]:
    """Says whose lines are printed. Coroutines that begin meanwhile inherit it."""
    token = _current.set(log)
    try:
        yield
    finally:
        _current.reset(token)


class CapturedStream(io.TextIOBase):
    """A stream whose lines also go to the attempt that writes them, with secrets masked."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes a text. A line reaches the attempt once it is whole."""
        log = _current.get()
        if log is None:
            self.stream.write(text)
            return len(text)
        whole = log.feed(text)
        if whole:
            self.stream.write("\n".join(whole) + "\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """Gives what else the stream has, such as its ``buffer``, which passes the attempt by."""
        return getattr(self.stream, name)

    def flush(self) -> None:
        """Passes on what was written."""
        self.stream.flush()

    def fileno(self) -> int:
        """Gives the file of the stream. A process that writes to it passes the attempt by."""
        return self.stream.fileno()

    def isatty(self) -> bool:
        """Says whether a person sees the stream."""
        return self.stream.isatty()

    def writable(self) -> bool:
        """Says that it can be written to."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self.stream.encoding


@contextlib.contextmanager
def stdout_captured() -> Iterator[None]:
    """Has what commands print go to their attempts, and as before to stdout."""
    before = sys.stdout
    sys.stdout = CapturedStream(before)
    try:
        yield
    finally:
        sys.stdout = before
