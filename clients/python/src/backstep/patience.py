"""How long a client waits before it asks again."""

from __future__ import annotations

import random
import threading
import time
from typing import Optional

from .gateway import Answer
from .own_log import own_log

#: After a request that a key does not allow, in seconds.
REFUSED = 30.0
#: Answers of the gateway that decide. Others come from what stands before it: a proxy that has no
#: gateway at the moment answers 404, or leads elsewhere.
_DECISIONS = (400, 401, 403, 409, 410, 413, 422)
_FIRST = 0.1
_LONGEST = 30.0
#: One line of the log in this time says that the gateway refuses.
_SILENCE = 60.0


class Backoff:
    """Waits of 0.1 s that double up to 30 s, with full jitter. A success begins at the first."""

    def __init__(self, chance: Optional[random.Random] = None) -> None:
        self._chance = chance or random.Random()
        self._longest = _FIRST

    def next(self) -> float:
        """Gives the seconds to wait after one more failure."""
        wait = self._chance.uniform(0, self._longest)
        self._longest = min(_LONGEST, 2 * self._longest)
        return wait

    def jittered(self, seconds: float) -> float:
        """Gives a wait that the gateway asked for, and a share of it at random."""
        return seconds + self._chance.uniform(0, seconds)

    def reset(self) -> None:
        """Begins with the shortest wait."""
        self._longest = _FIRST


def pause_after(answer: Answer, backoff: Backoff) -> float:
    """Gives the seconds to wait after an answer that is not 2xx, before the request is repeated."""
    if answer.status in (429, 503):
        asked = answer.retry_after
        return backoff.next() if asked is None else backoff.jittered(asked)
    return REFUSED if answer.status in _DECISIONS else backoff.next()


def is_passing(answer: Answer) -> bool:
    """Says whether the same request may be taken later."""
    if answer.status in (401, 403):
        return answer.code != "WRONG_CLAIM"
    return answer.status >= 300 and answer.status not in _DECISIONS


class SaySometimes:
    """Writes a warning at most once a minute. Several threads may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0

    def __call__(self, message: str, *values: object) -> None:
        """Writes the warning, unless one was written less than a minute ago."""
        now = time.monotonic()
        with self._lock:
            if now < self._next:
                return
            self._next = now + _SILENCE
        own_log.warning(message, *values)
