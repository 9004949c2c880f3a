"""A worker that runs."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Optional

from . import protocol
from .actions import Actions, Parts
from .claims import SHUTDOWN, Claims
from .commands import Catalogue
from .gateway import Gateway, Unreachable
from .health import Health
from .heartbeats import Heartbeats
from .own_log import own_log
from .polling import Hands, Poller
from .reports import Reporter
from .slots import Slots

#: How long commands have to stop once they are told to, in seconds: the gateway's own default.
_STOP_WITHIN = 10.0
#: The same after a second signal.
_HURRY = 1.0


@dataclass(frozen=True)
class Terms:
    """How a worker runs. ``drain`` is the seconds that commands have after a stop."""

    poll: protocol.PollTerms
    drain: float
    health: Optional[str] = None


class RunningWorker:
    """A worker between its start and its end. ``Worker.start`` makes it."""

    def __init__(
        self, gateway: Gateway, identity: protocol.Identity, catalogue: Catalogue, terms: Terms
    ) -> None:
        self._gateway = gateway
        self._identity = identity
        self._terms = terms
        self._stopping = threading.Event()
        self._hurry = threading.Event()
        self._ended = threading.Event()
        self._stop_lock = threading.Lock()
        self._claims = Claims()
        self._heartbeats = Heartbeats(gateway, identity, self._claims)
        self._reporter = Reporter(gateway, self._ended)
        slots = Slots(identity.slots)
        parts = Parts(
            catalogue, self._claims, self._heartbeats, self._reporter, slots, self._stopping
        )
        self._actions = Actions(parts, identity.slots)
        hands = Hands(self._actions.begin, self._heartbeats.every)
        self._poller = Poller(gateway, identity, catalogue, terms.poll, slots, hands)
        self._health = None if terms.health is None else Health(terms.health, self.is_well)

    @property
    def name(self) -> str:
        """The name of this worker, as ``backstep executor list`` shows it."""
        return self._identity.worker

    @property
    def health_port(self) -> Optional[int]:
        """The port of ``/livez``, if there is one."""
        return None if self._health is None else self._health.port

    def begin(self) -> None:
        """Starts the threads."""
        own_log.info("worker %s begins, with %d slots", self.name, self._identity.slots)
        self._heartbeats.start()
        self._poller.start()

    def is_well(self) -> bool:
        """Says whether polls succeed."""
        return not self._poller.is_deaf()

    def stop(self) -> None:
        """Stops the worker, and returns when it has stopped.

        It polls no more. Commands have the time of ``drain`` to end. Then they are told to stop,
        and 10 s later what still runs is handed back. Heartbeats go on until the last claim has
        ended. Safe to call twice.
        """
        with self._stop_lock:
            if not self._ended.is_set():
                self._drain()

    def hurry(self) -> None:
        """Has a stop wait no longer for commands."""
        self._hurry.set()

    def _drain(self) -> None:
        self._stopping.set()
        self._poller.stop()
        if not self._wait_for_claims(self._terms.drain):
            for claim in self._claims.all():
                claim.cancel(SHUTDOWN)
            if not self._wait_for_claims(_STOP_WITHIN - _HURRY):
                self._claims.wait_empty(_HURRY)
        for claim in self._claims.all():
            if not self._reporter.release(claim, SHUTDOWN):
                break  # Each of the others would wait as long, and the good-bye hands all back.
        self._ended.set()
        self._heartbeats.end()
        self._actions.end()
        self._say_good_bye()
        if self._health is not None:
            self._health.close()
        self._gateway.close()
        own_log.info("worker %s has stopped", self.name)

    def _wait_for_claims(self, seconds: float) -> bool:
        """Waits until no claim is left; False: the time is over, or somebody is in a hurry."""
        end = time.monotonic() + seconds
        while not self._hurry.is_set():
            left = end - time.monotonic()
            if self._claims.wait_empty(max(0.0, min(left, 0.2))):
                return True
            if left <= 0:
                return False
        return self._claims.wait_empty(0)

    def _say_good_bye(self) -> None:
        try:
            self._gateway.send(protocol.farewell(self._identity))
        except Unreachable as error:
            own_log.warning("the gateway heard no good-bye: %s", error)
