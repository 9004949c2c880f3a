"""The one thread that keeps all claims of a worker alive."""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, List, Optional

from . import protocol
from .attempt_log import Report
from .claims import LEASE_OVER, Claim, Claims
from .expiry import Expiry
from .gateway import Gateway, Unreachable
from .own_log import own_log
from .patience import Backoff, SaySometimes, pause_after

#: Until the gateway tells the interval, in seconds.
_INTERVAL = 10.0
#: A claim that is due so soon goes with those that are due now, as a share of the interval.
_TOGETHER = 0.5
#: A heartbeat that takes longer than these or a third of the shortest lease is given up, so that
#: the next one may come through, in seconds.
_TIMEOUT = 10.0
#: It is given this time at least, in seconds.
_TIMEOUT_MIN = 1.0
#: Lines of all attempts that go with one heartbeat, in bytes. More go with the next.
_LOG_BYTES = 65_536
#: The shortest wait before a claim is confirmed once more, in seconds.
_CONFIRM_AGAIN = 0.1


class Heartbeats:
    """Renews claims in one request for all, and tells commands to stop.

    A heartbeat that fails says nothing about who holds a claim: the work goes on, until nine
    tenths of its lease have passed without an answer.
    """

    def __init__(self, gateway: Gateway, identity: protocol.Identity, claims: Claims) -> None:
        self._gateway = gateway
        self._identity = identity
        self._claims = claims
        self._expiry = Expiry(claims)
        self._interval = _INTERVAL
        self._pause_until = 0.0
        self._backoff = Backoff()
        self._sometimes = SaySometimes()
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backstep-heartbeat", daemon=True)

    def start(self) -> None:
        """Starts the threads."""
        self._expiry.start()
        self._thread.start()

    def end(self) -> None:
        """Ends the threads. This is the last thing that a worker does."""
        self._ended.set()
        self._wake.set()
        self._expiry.end()
        self._thread.join(_TIMEOUT)

    def look(self) -> None:
        """Says that there is a new claim."""
        self._expiry.look()
        self._wake.set()

    def every(self, interval_ms: Optional[int]) -> None:
        """Takes over the interval that the gateway tells."""
        if interval_ms is not None and interval_ms > 0:
            self._interval = interval_ms / 1_000
            self._wake.set()

    def confirm(self, claim: Claim) -> bool:
        """Makes sure that the worker holds a claim, before its command does anything.

        False: the gateway did not say so in time.
        """
        backoff = Backoff()
        while not self._ended.is_set() and not claim.context.cancelled.is_set():
            pause = max(_CONFIRM_AGAIN, self._beat([claim], backoff))
            if claim.is_held:
                return not claim.is_lost
            if time.monotonic() + pause >= claim.safe_until():
                return False
            claim.context.cancelled.wait(pause)
        return False

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._wake.wait(self._rest())
                self._wake.clear()
                self._round()
            except Exception:  # Nothing may end the heartbeats of living work.
                own_log.exception("a round of heartbeats failed; the next one follows")
                self._ended.wait(1.0)

    def _rest(self) -> Optional[float]:
        """Gives the seconds until something is due; None: nothing will be."""
        moments = [c.next_beat(self._interval) for c in self._claims.all() if not c.is_lost]
        if not moments:
            return None
        return max(0.0, max(min(moments), self._pause_until) - time.monotonic())

    def _round(self) -> None:
        now = time.monotonic()
        claims = [claim for claim in self._claims.all() if not claim.is_lost]
        if now < self._pause_until or not any(c.next_beat(self._interval) <= now for c in claims):
            return
        soon = now + _TOGETHER * self._interval
        due = [c for c in claims if not c.is_lost and c.next_beat(self._interval) <= soon]
        for first in range(0, len(due), protocol.BEATS_MAX):
            pause = self._beat(due[first : first + protocol.BEATS_MAX], self._backoff)
            self._pause_until = max(self._pause_until, time.monotonic() + pause)

    def _beat(self, claims: List[Claim], backoff: Backoff) -> float:
        """Sends one heartbeat; gives the seconds until another one makes sense after a failure."""
        reports = _taken(claims)
        beats = [{"claim": c.id, **r.members()} for c, r in zip(claims, reports)]
        third = min(claim.lease() for claim in claims) / 3
        timeout = min(max(third, _TIMEOUT_MIN), _TIMEOUT)
        sent = time.monotonic()
        try:
            answer = self._gateway.send(protocol.heartbeat(self._identity, beats, timeout))
        except Unreachable as error:
            _put_back(claims, reports)
            self._sometimes("heartbeats cannot be told, and go on: %s", error)
            return min(backoff.next(), third)
        if answer.status >= 300:
            self._sometimes("heartbeats are refused, and go on: %s", answer)
            if answer.status in (400, 413):
                # The lines may be what is refused, and leases count more than they do.
                return min(backoff.next(), third)
            _put_back(claims, reports)
            self._gateway.token.renew()
            return min(pause_after(answer, backoff), third)
        backoff.reset()
        self.every(answer.body.get("heartbeatMs"))
        _settle(claims, sent, answer.body.get("claims") or [])
        return 0.0


def _taken(claims: List[Claim]) -> List[Report]:
    """Takes what the attempts have to say, as far as one request carries it."""
    left = _LOG_BYTES
    reports: List[Report] = []
    for claim in claims:
        reports.append(claim.log.take(left))
        left -= reports[-1].size
    return reports


def _put_back(claims: List[Claim], reports: List[Report]) -> None:
    for claim, report in zip(claims, reports):
        claim.log.put_back(report)


def _settle(claims: List[Claim], sent: float, states: List[Dict[str, Any]]) -> None:
    """Follows the answer to each claim of a heartbeat that was sent at this moment."""
    told = {state.get("claim"): state for state in states}
    for claim in claims:
        claim.beats(sent)
        _follow(claim, sent, told.get(claim.id, {}))


def _follow(claim: Claim, sent: float, told: Dict[str, Any]) -> None:
    state, reason = told.get("state"), told.get("reason")
    if state == "held":
        claim.hold(sent, told.get("leaseMs"))
    elif state == "cancelled":
        claim.cancel(reason or "the task does not want the action any more")
    elif state == "lost":
        claim.lose(f"the claim is lost: {reason}" if reason else LEASE_OVER)
    elif state == "ended":
        claim.lose("the outcome of the attempt is known already")
