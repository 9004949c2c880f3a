"""The thread that registers a worker and asks for work."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass
from typing import Callable, Optional

from . import protocol
from .commands import Catalogue
from .gateway import Answer, Gateway, Request, Unreachable
from .item import Item
from .own_log import own_log
from .patience import Backoff, SaySometimes, pause_after
from .slots import Slots

#: The gateway gives the same answer to a poll for this time, in seconds.
_REPEATABLE = 60.0
#: An empty answer that comes sooner is no wait, in seconds: to ask on at once would never pause.
_SOON = 0.05
#: The longest pause after such an answer, in seconds: work may be there any moment.
_EMPTY = 1.0
#: While an operator has this worker drain and the gateway names no time, in seconds.
_DRAINING = 5.0
#: The longest wait for the thread at the end, in seconds.
_JOIN = 1.0
#: A worker whose polls have failed for so many waits is deaf.
_WAITS = 3


@dataclass
class _Poll:
    """A poll that is repeated until it is answered, or the gateway has forgotten it."""

    most: int
    id: str
    sent: float


@dataclass(frozen=True)
class Hands:
    """What the answers of the gateway are handed to."""

    begin: Callable[[Item], None]
    #: Gets the interval of heartbeats, in milliseconds.
    every: Callable[[Optional[int]], None]


class Poller:
    """Polls for as many actions as there are free slots: one request for all modules."""

    def __init__(
        self,
        gateway: Gateway,
        identity: protocol.Identity,
        catalogue: Catalogue,
        terms: protocol.PollTerms,
        slots: Slots,
        hands: Hands,
    ) -> None:
        self._token = gateway.token
        self._line = gateway.line()
        self._identity = identity
        self._registration = protocol.registration(identity, catalogue.described())
        self._terms = terms
        self._slots = slots
        self._hands = hands
        self._backoff = Backoff()
        self._sometimes = SaySometimes()
        self._stopping = threading.Event()
        self._heard = time.monotonic()
        self._waits_for_slot = False
        self._is_draining = False
        self._is_registered = False
        self._thread = threading.Thread(target=self._run, name="backstep-poll", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the poll that waits, and sends none any more. The gateway passes its items on."""
        self._stopping.set()
        self._slots.close()
        self._line.cut()
        # A connection that is being made cannot be cut, and sends nothing once it is there.
        self._thread.join(_JOIN)

    def is_deaf(self) -> bool:
        """Says whether no poll has succeeded in three waits although there were free slots."""
        if self._waits_for_slot or self._stopping.is_set():
            return False
        wait = max(self._terms.wait_ms / 1_000, 1.0)
        return time.monotonic() - self._heard > _WAITS * wait

    def _run(self) -> None:
        try:
            self._ask()
        finally:
            self._line.close()

    def _ask(self) -> None:
        while not self._stopping.is_set():
            begun = time.monotonic()
            self._waits_for_slot = True
            most = self._slots.take(protocol.POLL_MAX)
            # While no slot is free no poll can succeed.
            self._heard += time.monotonic() - begun
            self._waits_for_slot = False
            if most == 0:
                return
            taken = 0
            try:
                self._register()
                taken = self._poll(most)
            except Exception:  # Nothing may make a worker deaf for ever.
                own_log.exception("a poll failed; the next one follows")
                self._stopping.wait(self._backoff.next())
            self._slots.give_back(most - taken)

    def _register(self) -> None:
        """Tells what this worker serves, until the gateway has taken note.

        Only then does it know which members of outputs are secrets.
        """
        while not (self._is_registered or self._stopping.is_set()):
            answer = self._send(self._registration, "to register this worker")
            if answer is not None:
                self._is_registered = True
                self._hands.every(answer.body.get("heartbeatMs"))

    def _poll(self, most: int) -> int:
        """Polls until there is an answer; gives the number of items that were begun."""
        poll = _Poll(most, str(uuid.uuid4()), time.monotonic())
        while not self._stopping.is_set():
            if time.monotonic() - poll.sent >= _REPEATABLE:
                poll = _Poll(most, str(uuid.uuid4()), time.monotonic())
            sent = time.monotonic()
            request = protocol.poll(self._identity, self._terms, most, poll.id)
            answer = self._send(request, "to give work")
            if answer is not None:
                return self._take(answer, sent)
            # One that was away for long, or has another store, has forgotten this worker.
            self._is_registered = False
            self._register()
        return 0

    def _send(self, request: Request, wanted: str) -> Optional[Answer]:
        """Sends a request; None: it was refused or unanswered, and it is time for another try."""
        try:
            answer = self._line.send(request)
        except Unreachable as error:
            if not self._stopping.is_set():
                self._sometimes("the gateway cannot be reached: %s", error)
                self._stopping.wait(self._backoff.next())
            return None
        if answer.status < 300:
            return answer
        self._sometimes("the gateway refuses %s: %s", wanted, answer)
        self._token.renew()
        self._stopping.wait(pause_after(answer, self._backoff))
        return None

    def _take(self, answer: Answer, sent: float) -> int:
        self._heard = time.monotonic()
        items = protocol.items_of(answer.body, sent)
        for item in items:
            self._hands.begin(item)
        is_of_use = bool(items) or self._heard - sent >= _SOON
        if is_of_use:
            self._backoff.reset()
        if not self._heed(answer) and not is_of_use:
            self._stopping.wait(min(_EMPTY, self._backoff.next()))
        return len(items)

    def _heed(self, answer: Answer) -> bool:
        """Waits as long as an answer asks for; False: it asks for no wait."""
        is_draining = bool(answer.body.get("drain"))
        if is_draining != self._is_draining:
            own_log.info("an operator has this worker %s", "drain" if is_draining else "go on")
        self._is_draining = is_draining
        asked = answer.body.get("retryAfterMs")
        wait = _DRAINING if asked is None and is_draining else (asked or 0) / 1_000
        self._stopping.wait(wait)
        return wait > 0
