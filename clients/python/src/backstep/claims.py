"""The actions that a worker holds, and their leases."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Collection, Deque, Dict, List, Optional

from .attempt_log import AttemptLog
from .context import Context
from .item import Item
from .masking import mask_of

#: The share of a lease after which work stops that no gateway has confirmed.
_SAFE = 0.9
#: Until its first heartbeat, a claim lasts no longer than this, in seconds.
_DELIVERED_MAX = 15.0
#: Ended claims that are known: more than a worker ends while an answer is on its way.
_ENDED_MAX = 1_000

#: The reasons that a command is told if the gateway tells none.
LEASE_OVER = "the lease of this worker is over: the gateway has not answered for too long"
SHUTDOWN = "the worker is shutting down"
TIME_OVER = "the time of the attempt is over"


class Claim:
    """An action in hand. Moments are those of ``time.monotonic()``."""

    def __init__(self, item: Item, secret_names: Collection[str]) -> None:
        self.item = item
        self.log: AttemptLog = AttemptLog(mask_of(item, secret_names))
        self.context: Context = Context(item, self.log)
        #: The gateway has answered a heartbeat with ``held``.
        self.is_held: bool = False
        #: The gateway does not count this worker as the holder any more.
        self.is_lost: bool = False
        self._lock = threading.Lock()
        self._beaten = time.monotonic()
        end = item.sent + item.lease_ms / 1_000
        self._lease = max(0.0, min(end - self._beaten, _DELIVERED_MAX))
        self._safe_until = end - (1 - _SAFE) * self._lease

    @property
    def id(self) -> str:
        """The text by which the gateway knows the claim."""
        return self.item.claim

    def lease(self) -> float:
        """Gives the length of the lease in seconds, as it was given last."""
        return self._lease

    def next_beat(self, interval: float) -> float:
        """Gives the moment of the next heartbeat."""
        return self._beaten + min(interval, self.lease() / 3)

    def is_overdue(self) -> bool:
        """Says whether the answer took so long that the lease must be confirmed first."""
        return time.monotonic() >= self._safe_until

    def safe_until(self) -> float:
        """Gives the moment at which the work stops unless the gateway confirms the lease."""
        # Work that was told to stop is not told again at the deadline.
        if self.context.cancelled.is_set():
            return self._safe_until
        return min(self._safe_until, self.context.deadline)

    def beats(self, sent: float) -> None:
        """Notes that a heartbeat was sent."""
        self._beaten = sent

    def hold(self, sent: float, lease_ms: Optional[int]) -> None:
        """Notes the answer ``held`` to a heartbeat that was sent at this moment."""
        with self._lock:
            if lease_ms is not None:
                self._lease = lease_ms / 1_000
            self.is_held = True
            self._safe_until = max(self._safe_until, sent + _SAFE * self._lease)

    def lose(self, reason: str) -> None:
        """Notes that another may hold the action now."""
        self.is_lost = True
        self.context._cancel(reason)

    def cancel(self, reason: str) -> None:
        """Tells the command to stop. The claim is still this worker's."""
        self.context._cancel(reason)

    def expire(self, now: float) -> None:
        """Stops the work if the lease or the time of the attempt is over."""
        if now >= self._safe_until:
            self.lose(LEASE_OVER)
        elif now >= self.context.deadline:
            self.cancel(TIME_OVER)


class Claims:
    """All claims of a worker. Threads share it."""

    def __init__(self) -> None:
        self._claims: Dict[str, Claim] = {}
        self._ended: Deque[str] = deque(maxlen=_ENDED_MAX)
        self._changed = threading.Condition()

    def add(self, claim: Claim) -> bool:
        """Adds a claim; False: the worker has it already, or had it."""
        with self._changed:
            if claim.id in self._claims or claim.id in self._ended:
                return False
            self._claims[claim.id] = claim
            self._changed.notify_all()
            return True

    def remove(self, claim: Claim) -> bool:
        """Removes a claim whose outcome was told; False: it was removed before."""
        with self._changed:
            was_there = self._claims.pop(claim.id, None) is not None
            self._ended.append(claim.id)
            self._changed.notify_all()
            return was_there

    def all(self) -> List[Claim]:
        """Gives all claims."""
        with self._changed:
            return list(self._claims.values())

    def wait_empty(self, timeout: Optional[float]) -> bool:
        """Waits until there is no claim; False: the time was over before."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._claims, timeout)
