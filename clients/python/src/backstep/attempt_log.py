"""What an attempt says: lines for its log, and its progress."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    Deque,
    Dict,
    List,
    MutableMapping,
    Optional,
    SupportsFloat,
    Tuple,
)

from .item import Item, Json
from .masking import Mask

#: What the gateway keeps of an attempt, and so the most that one request carries.
_BYTES_MAX = 65_536
#: What the gateway counts for a line besides its text.
_LINE_BYTES = 32
_LINE_MAX = 8_192
_MESSAGE_MAX = 500
_STATE_MAX = 64
_NOT_OF_STATES = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True)
class _Line:
    message: str
    level: Optional[str]
    at: float

    @property
    def size(self) -> int:
        return len(self.message.encode("utf-8")) + _LINE_BYTES


@dataclass(frozen=True)
class Report:
    """Lines and progress on their way to the gateway."""

    lines: Tuple[_Line, ...] = ()
    dropped: int = 0
    progress: Optional[Json] = None

    @property
    def size(self) -> int:
        """The bytes of the lines."""
        return sum(line.size for line in self.lines)

    def members(self) -> Json:
        """Gives the members of a request. Ages count up to now."""
        now = time.monotonic()
        body: Json = {}
        if self.lines:
            body["log"] = [_entry(line, now) for line in self.lines]
        if self.dropped:
            body["logDropped"] = self.dropped
        if self.progress is not None:
            body["progress"] = self.progress
        return body


def _entry(line: _Line, now: float) -> Json:
    level = {} if line.level is None else {"level": line.level}
    return {**level, "message": line.message, "agoMs": max(0, round((now - line.at) * 1_000))}


class AttemptLog:
    """Keeps the newest lines of an attempt until a request takes them. Threads share it."""

    def __init__(self, mask: Mask) -> None:
        self.mask = mask
        self._lock = threading.Lock()
        self._lines: Deque[_Line] = deque()
        self._bytes = 0
        self._dropped = 0
        self._begun = ""
        self._progress: Optional[Json] = None

    def write(self, message: str, level: Optional[str] = None) -> None:
        """Adds a line, whose secrets are masked. ``level`` None: the author gave none."""
        text = well_formed(self.mask(message))
        for part in text.splitlines() or [""]:
            self._add(_Line(_shortened(part), level, time.monotonic()))

    def progress(
        self, percent: Optional[SupportsFloat], message: Optional[str], state: Optional[str]
    ) -> None:
        """Replaces the progress of the attempt. Raises ``TypeError`` and ``ValueError``."""
        said: Json = {}
        if state:
            said["state"] = _NOT_OF_STATES.sub("_", self.mask(state))[:_STATE_MAX]
        if percent is not None:
            said["percent"] = _share(percent)
        if message is not None:
            said["message"] = _clipped(well_formed(self.mask(message)))
        with self._lock:
            self._progress = said

    def feed(self, text: str) -> List[str]:
        """Adds what was printed. Gives the lines that are whole now, with secrets masked."""
        with self._lock:
            *whole, self._begun = (self._begun + text).split("\n")
        for line in whole:
            self.write(line)
        return [self.mask(line) for line in whole]

    def end(self) -> None:
        """Adds what was printed without the end of a line."""
        with self._lock:
            rest, self._begun = self._begun, ""
        if rest:
            self.write(rest)

    def take(self, most: int = _BYTES_MAX) -> Report:
        """Takes the oldest lines that no request has carried so far, up to ``most`` bytes."""
        taken: List[_Line] = []
        with self._lock:
            while self._lines and self._lines[0].size <= most:
                taken.append(self._lines.popleft())
                most -= taken[-1].size
                self._bytes -= taken[-1].size
            report = Report(tuple(taken), self._dropped, self._progress)
            self._dropped = 0
            self._progress = None
        return report

    def put_back(self, report: Report) -> None:
        """Takes back what a request carried that got no answer."""
        with self._lock:
            newer, self._lines = self._lines, deque(report.lines)
            self._lines.extend(newer)
            self._bytes += report.size
            self._dropped += report.dropped
            if self._progress is None:
                self._progress = report.progress
            self._shrink()

    def _add(self, line: _Line) -> None:
        with self._lock:
            self._lines.append(line)
            self._bytes += line.size
            self._shrink()

    def _shrink(self) -> None:
        while self._bytes > _BYTES_MAX:
            self._bytes -= self._lines.popleft().size
            self._dropped += 1


def _share(percent: SupportsFloat) -> float:
    """Gives a percentage as JSON has it. Raises ``TypeError`` and ``ValueError``."""
    if isinstance(percent, bool):
        raise TypeError(f"percent is {percent}: it is a number from 0 to 100")
    number = float(percent)
    if not math.isfinite(number):
        raise ValueError(f"percent is {number}: it is a number from 0 to 100")
    return min(100.0, max(0.0, number))


def well_formed(text: str) -> str:
    """Replaces halves of surrogate pairs, as in names of files: the gateway refuses them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _shortened(text: str) -> str:
    encoded = text.encode("utf-8")
    if len(encoded) <= _LINE_MAX:
        return text
    kept = encoded[: _LINE_MAX - 64].decode("utf-8", "ignore")
    more = len(encoded) - len(kept.encode("utf-8"))
    return f"{kept}... [{more:,} more bytes]"


def _clipped(text: str) -> str:
    return text if len(text) <= _MESSAGE_MAX else text[: _MESSAGE_MAX - 1] + "\u2026"


class _Keeper(logging.Handler):
    """Keeps what a logger writes with the attempt."""

    def __init__(self, log: AttemptLog) -> None:
        super().__init__()
        self._log = log
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._log.write(self.format(record), _level(record.levelno))
        except Exception:  # As logging does: a line that cannot be written ends no attempt.
            self.handleError(record)


def _level(number: int) -> str:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"


class _Masked(logging.Filter):
    """Masks a line before any handler sees it."""

    def __init__(self, mask: Mask) -> None:
        super().__init__()
        self._mask = mask

    def filter(self, record: logging.LogRecord) -> bool:
        text = _said(record)
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        record.msg, record.args = self._mask(text), ()
        record.exc_info = record.exc_text = None
        return True


def _said(record: logging.LogRecord) -> str:
    """Gives the text of a line. One that cannot be written ends nothing, as with ``logging``."""
    try:
        return record.getMessage()
    except Exception as error:
        words = record.msg if isinstance(record.msg, str) else "a line"
        return f"{words} (its values cannot be written: {type(error).__name__})"


if TYPE_CHECKING:
    _Adapter = logging.LoggerAdapter[logging.Logger]
else:  # Python 3.9 and 3.10 have no parameter there.
    _Adapter = logging.LoggerAdapter


class AttemptLogger(_Adapter):
    """The logger of an attempt. Its lines also go where those of ``backstep`` go."""

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> Tuple[Any, MutableMapping[str, Any]]:
        extra: Dict[str, Any] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, {**kwargs, "extra": extra}


def logger_of(item: Item, log: AttemptLog) -> AttemptLogger:
    """Makes the logger of an attempt. Python keeps no reference to it."""
    parent = logging.getLogger("backstep")
    logger = logging.Logger(f"backstep.{item.module}.{item.command}", parent.level or logging.INFO)
    logger.parent = parent
    logger.addFilter(_Masked(log.mask))
    logger.addHandler(_Keeper(log))
    place = {"task_id": item.task_id, "run": item.run, "attempt": item.attempt}
    return AttemptLogger(logger, place)
