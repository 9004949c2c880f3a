"""Tells outcomes until they are answered."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import List, Optional, Tuple

from . import protocol
from .attempt_log import Report
from .claims import Claim
from .gateway import Answer, Gateway, Unreachable
from .item import Item, Json
from .own_log import own_log
from .patience import Backoff, SaySometimes, is_passing, pause_after
from .results import Outcome, failure

#: An outcome is repeated for so many leases.
_LEASES = 3


@dataclass(frozen=True)
class _Try:
    """A report on its way, and the moment at which it is given up."""

    claim: Claim
    act: str
    body: Json
    until: float
    #: Whether the log of the attempt goes with it.
    has_log: bool = True


class Reporter:
    """Tells the outcomes of a worker. Threads share it."""

    def __init__(self, gateway: Gateway, ended: threading.Event) -> None:
        self._gateway = gateway
        self._ended = ended
        self._sometimes = SaySometimes()

    def report(self, claim: Claim, outcome: Outcome, *, wants_next: bool) -> List[Item]:
        """Tells an outcome, and gives the next items if the gateway has some.

        An outcome that the gateway will never take, such as an output that is too large for a
        request, is replaced by a failure for good, so that the step does not start for ever.
        """
        answer, sent = self._repeat(self._attempt(claim, outcome, wants_next))
        if answer is not None and answer.status in (400, 413) and outcome.act != "release":
            own_log.error("%s: the outcome was refused: %s", _place(claim), answer)
            replaced = self._attempt(claim, _refused(answer), wants_next)
            # The lines may be what was refused.
            answer, sent = self._repeat(replace(replaced, has_log=False))
        if answer is None or answer.status >= 300:
            self._say(claim, answer)
            return []
        return protocol.items_of(answer.body, sent)

    def release(self, claim: Claim, reason: str) -> bool:
        """Hands a claim back, in one try: it is the last thing that a worker does.

        False: the gateway did not answer.
        """
        outcome = Outcome("release", {"reason": reason})
        try:
            self._send(self._attempt(claim, outcome, False))
        except Unreachable as error:
            own_log.warning("%s could not be handed back: %s", _place(claim), error)
            return False
        return True

    def _attempt(self, claim: Claim, outcome: Outcome, wants_next: bool) -> _Try:
        more = {"poll": {"max": 1}} if wants_next else {}
        until = time.monotonic() + _LEASES * claim.lease()
        return _Try(claim, outcome.act, {**outcome.body, **more}, until)

    def _repeat(self, attempt: _Try) -> Tuple[Optional[Answer], float]:
        """Gives the answer, if there is one, and the moment at which its request was sent."""
        backoff = Backoff()
        sent = 0.0
        while not self._ended.is_set():
            sent = time.monotonic()
            try:
                answer = self._send(attempt)
                if not is_passing(answer):
                    return answer, sent
                pause, why = pause_after(answer, backoff), str(answer)
                self._gateway.token.renew()
            except Unreachable as error:
                pause, why = backoff.next(), str(error)
            left = attempt.until - time.monotonic()
            if left <= 0:
                own_log.error("%s: the outcome could not be told: %s", _place(attempt.claim), why)
                return None, sent
            self._sometimes("outcomes cannot be told, and are repeated: %s", why)
            # The last try comes at the end of the time: the pauses before it may have grown long.
            self._ended.wait(min(pause, left))
        return None, sent

    def _send(self, attempt: _Try) -> Answer:
        attempt.claim.log.end()
        report = attempt.claim.log.take() if attempt.has_log else Report()
        body = {**attempt.body, **report.members()}
        body.pop("progress", None)  # The progress of an attempt ends with it.
        try:
            request = protocol.outcome(attempt.claim.item, attempt.act, body)
            answer = self._gateway.send(request)
        except Unreachable:
            attempt.claim.log.put_back(report)
            raise
        if answer.status >= 300:
            attempt.claim.log.put_back(report)
        return answer

    def _say(self, claim: Claim, answer: Optional[Answer]) -> None:
        if answer is None:
            return
        reason = answer.body.get("reason")
        why = f"{answer} ({reason})" if reason else str(answer)
        own_log.warning("%s: the outcome does not count: %s", _place(claim), why)


def _refused(answer: Answer) -> Outcome:
    if answer.status == 413:
        return failure("the output is larger than a request may be", code="OUTPUT_TOO_LARGE")
    return failure(f"the gateway refused the outcome: {answer}")


def _place(claim: Claim) -> str:
    item = claim.item
    return f"task {item.task_id}, {item.run}, attempt {item.attempt} ({item.module}.{item.command})"
