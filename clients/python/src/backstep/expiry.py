"""The thread that stops the work of claims whose time is over."""

from __future__ import annotations

import threading
import time

from .claims import Claims
from .own_log import own_log

#: How often claims are looked at, at least: a command may change its deadline. In seconds.
_LOOK = 1.0


class Expiry:
    """Stops work in time. It never waits for the gateway, which may let a heartbeat hang."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backstep-expiry", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def end(self) -> None:
        """Ends the thread."""
        self._ended.set()
        self._wake.set()

    def look(self) -> None:
        """Says that there is a new claim."""
        self._wake.set()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                claims = [claim for claim in self._claims.all() if not claim.is_lost]
                for claim in claims:
                    claim.expire(time.monotonic())
                ends = [claim.safe_until() - time.monotonic() for claim in claims]
                self._wake.wait(min(_LOOK, max(0.0, min(ends))) if ends else None)
                self._wake.clear()
            except Exception:  # Nothing may let work go on for ever.
                own_log.exception("claims could not be looked at; the next look follows")
                self._ended.wait(_LOOK)
