"""How a command ends: what it returns, and what it raises."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Optional

from .durations import Duration, milliseconds

_CODE = re.compile(r"[A-Z][A-Z0-9_]{0,63}", re.ASCII)


class _Failure(Exception):
    """A failure with a code, which ``catch`` and ``retry`` of flows can name.

    A code has at most 64 capitals, digits and underscores, and begins with a capital. Any other
    one is in the message alone: the failure keeps its kind.
    """

    # Also of a class of the author's that does not call the initializer.
    code: Optional[str] = None

    def __init__(self, message: str = "", *, code: Optional[str] = None) -> None:
        if code is not None and (not isinstance(code, str) or _CODE.fullmatch(code) is None):
            message = f"{code!r} is no code (write capitals, digits and underscores): {message}"
            code = None
        super().__init__(message)
        self.code = code


class TerminalError(_Failure):
    """The attempt failed, and trying again is pointless: the way back begins."""


class RetryableError(_Failure):
    """The attempt failed, and is tried again while the ``retry`` of the flow lasts.

    ``after`` says when; by default the flow does.
    """

    after_ms: Optional[int] = None

    def __init__(
        self,
        message: str = "",
        *,
        code: Optional[str] = None,
        after: Optional[Duration] = None,
    ) -> None:
        super().__init__(message, code=code)
        self.after_ms = None if after is None else milliseconds(after)


class Cancelled(asyncio.CancelledError):
    """The action is called off, or this worker has lost it: stop, and leave things tidy.

    A coroutine gets it at the ``await`` where it stands, and ``ctx.check()`` raises it. As with
    ``asyncio.CancelledError``, ``except Exception`` does not catch it. ``reason`` says who called
    the action off, and why.
    """

    reason: str = ""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class LookAgain:
    """Return value of a command whose work goes on elsewhere. See ``look_again``."""

    after_ms: int


@dataclass(frozen=True)
class CompleteLater:
    """Return value of a command that another system ends. See ``complete_later``."""

    timeout_ms: Optional[int]


def look_again(after: Duration) -> LookAgain:
    """Says that the work was started and is not finished.

    The command is called again after that time, which costs no attempt. Find out by
    ``ctx.idempotency_key`` whether the work was started before.
    """
    return LookAgain(milliseconds(after))


def complete_later(timeout: Duration) -> CompleteLater:
    """Leaves the end of the step to the holder of ``ctx.completion_token``.

    The step waits, and occupies no worker, until the holder reports how the work ended, or
    ``timeout`` is over.
    """
    return CompleteLater(milliseconds(timeout))
