"""The slots of a worker: how many actions it may begin."""

from __future__ import annotations

import threading


class Slots:
    """Slots that are free. Threads share them."""

    def __init__(self, total: int) -> None:
        self._free = total
        self._is_closed = False
        self._changed = threading.Condition()

    def take(self, most: int) -> int:
        """Waits for a free slot, and takes all that are free, up to ``most``.

        0: the worker is stopping.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 or self._is_closed)
            taken = 0 if self._is_closed else min(self._free, most)
            self._free -= taken
            return taken

    def give_back(self, count: int) -> None:
        """Gives slots back; a count below 0 takes some without a wait."""
        with self._changed:
            self._free += count
            self._changed.notify_all()

    def close(self) -> None:
        """Has nobody take a slot any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
