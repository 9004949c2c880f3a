"""Turns what a command returned or raised into the outcome that is told."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import math
import sys
from dataclasses import dataclass
from typing import Any, Optional

from .attempt_log import well_formed
from .claims import TIME_OVER, Claim
from .item import Json
from .outcomes import Cancelled, CompleteLater, LookAgain, RetryableError, TerminalError
from .parameters import InvalidParameters

#: The gateway takes no longer message.
_MESSAGE_BYTES = 8_192


@dataclass(frozen=True)
class Outcome:
    """The end of an attempt: the act of the protocol, and its members."""

    act: str
    body: Json


def failure(message: str, *, code: Optional[str] = None, retryable: bool = False) -> Outcome:
    """Makes the outcome of an attempt that failed."""
    named = {} if code is None else {"code": code}
    return Outcome("fail", {**named, "message": _cut(message), "retryable": retryable})


def outcome_of_value(value: Any) -> Outcome:
    """Gives the outcome of a command that returned this value. Never raises."""
    if isinstance(value, LookAgain):
        return Outcome("again", {"after": f"{value.after_ms}ms"})
    if isinstance(value, CompleteLater):
        return Outcome("later", {"timeout": f"{value.timeout_ms}ms"})
    if value is None:
        return Outcome("complete", {})
    try:
        output = _plain(value, "output")
    except Exception as error:  # A type of the author's may raise anything.
        return failure(f"the output cannot be read: {_text_of(error)}", code="INVALID_OUTPUT")
    if not isinstance(output, dict):
        kind = type(value).__name__
        message = f"the output must be an object, and it is a {kind}"
        return failure(message, code="INVALID_OUTPUT")
    return Outcome("complete", {"output": output})


def is_unforeseen(error: BaseException, claim: Claim) -> bool:
    """Says whether the author of a command did not mean to raise this error."""
    if isinstance(error, asyncio.CancelledError):
        return claim.context.reason is None
    return not isinstance(error, (InvalidParameters, TerminalError, RetryableError))


def outcome_of_error(error: BaseException, claim: Claim) -> Outcome:
    """Gives the outcome of a command that raised this error. Its message is masked."""
    text = claim.log.mask(_text_of(error))
    said = text or type(error).__name__
    if isinstance(error, InvalidParameters):
        return failure(said, code="INVALID_PARAMETERS")
    if isinstance(error, TerminalError):
        return failure(said, code=error.code)
    if isinstance(error, RetryableError):
        told = failure(said, code=error.code, retryable=True)
        after = {} if error.after_ms is None else {"after": f"{error.after_ms}ms"}
        return Outcome("fail", {**told.body, **after})
    if isinstance(error, asyncio.CancelledError) and claim.context.reason is not None:
        # One that the command raised anew tells no reason.
        reason = error.reason if isinstance(error, Cancelled) else claim.context.reason
        if reason == TIME_OVER:
            return failure(reason, code="TIMED_OUT", retryable=True)
        # How far the command got is not known, which is what a release says.
        return Outcome("release", {"reason": _cut(claim.log.mask(reason))})
    return failure(f"{type(error).__name__}: {text}" if text else said, retryable=True)


def _text_of(error: BaseException) -> str:
    """Gives the text of an error; empty if the error cannot tell it."""
    try:
        return str(error)
    except Exception:
        return ""


def _cut(message: str) -> str:
    message = well_formed(message)
    encoded = message.encode("utf-8")
    if len(encoded) <= _MESSAGE_BYTES:
        return message
    return encoded[: _MESSAGE_BYTES - 3].decode("utf-8", "ignore") + "\u2026"


def _plain(value: Any, place: str) -> Any:
    """Gives a value as JSON has it. What JSON would drop or replace is refused."""
    if isinstance(value, enum.Enum):
        return _plain(value.value, place)
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if abs(value) > sys.float_info.max:
            raise ValueError(f"{place} is an integer beyond the numbers of JSON")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{place} is {value}, which JSON has not")
        return value
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump(mode="json"), place)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {_name(name, place): _plain(each, f"{place}.{name}") for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, f"{place}[{index}]") for index, each in enumerate(value)]
    raise TypeError(f"{place} is a {type(value).__name__}, which JSON has not")


def _name(name: Any, place: str) -> str:
    if isinstance(name, str):
        return name
    raise TypeError(f"{place} has the name {name!r}, which is no text")
