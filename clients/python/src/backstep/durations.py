"""Durations, as flows write them: ``500ms``, ``30s``, ``5m``, ``2h``, ``1d``, or seconds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Union

#: A text such as ``30s``, a number of seconds, or a ``timedelta``.
Duration = Union[str, int, float, timedelta]

_WRITTEN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)?", re.ASCII)
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_MOST = 365 * _UNITS["d"]


def milliseconds(duration: Duration) -> int:
    """Gives a duration in whole milliseconds, at most a year. Raises ``ValueError``."""
    if isinstance(duration, timedelta):
        exact = duration.total_seconds() * 1_000
    elif isinstance(duration, str):
        exact = _read(duration)
    else:
        exact = duration * 1_000.0
    if not 0 <= exact <= _MOST:
        raise ValueError(f"{duration!r} is no duration between 0 and 365d")
    return round(exact)


def seconds(duration: Duration) -> float:
    """Gives a duration in seconds. Raises ``ValueError``."""
    return milliseconds(duration) / 1_000


def _read(text: str) -> float:
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no duration: write 500ms, 30s, 5m, 2h or 1d")
    return float(found[1]) * _UNITS[found[2] or "s"]
