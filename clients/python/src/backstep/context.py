"""The second argument of a command: the attempt that it serves."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Mapping, Optional, SupportsFloat

from .attempt_log import AttemptLog, AttemptLogger, logger_of
from .item import Item, Json
from .outcomes import Cancelled

#: A day, in seconds: the time left of an attempt that has no limit.
_LONG = 86_400.0


class Context:
    """One attempt of one action. Threads of a command may share it."""

    def __init__(self, item: Item, log: AttemptLog) -> None:
        self._item = item
        self._lines = log
        self._reason: Optional[str] = None
        self._lock = threading.Lock()
        self._on_cancel: Optional[Callable[[], None]] = None
        limits = (item.time_left_ms, item.attempt_time_left_ms)
        left = [limit / 1_000 for limit in limits if limit is not None]
        #: The end of the attempt's time on ``time.monotonic()``.
        self.deadline: float = item.sent + min(left, default=_LONG)
        #: Set when the action is called off, or this worker has lost it.
        self.cancelled: threading.Event = threading.Event()
        #: Writes to the log of the attempt, and where the lines of ``backstep`` go. Secrets that
        #: the attempt was given are masked.
        self.log: AttemptLogger = logger_of(item, log)

    @property
    def task_id(self) -> str:
        """The task."""
        return self._item.task_id

    @property
    def flow(self) -> str:
        """The name of the task's flow."""
        return self._item.flow

    @property
    def step(self) -> str:
        """The name of the step."""
        return self._item.step

    @property
    def run(self) -> str:
        """The id of the step's run, unique in the task: ``pay``, ``pay~2`` after a reset."""
        return self._item.run

    @property
    def direction(self) -> str:
        """``normal`` or ``rollback``."""
        return self._item.direction

    @property
    def attempt(self) -> int:
        """1 for the first attempt."""
        return self._item.attempt

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this action; another one after a reset of the step."""
        return self._item.idempotency_key

    @property
    def forward_key(self) -> Optional[str]:
        """On the way back: the ``idempotency_key`` of the forward action."""
        return self._item.forward_key

    @property
    def fencing_token(self) -> int:
        """A number that grows with every claim. Refuse one below the highest that you have seen."""
        return self._item.fencing_token

    @property
    def forward_state(self) -> Optional[str]:
        """On the way back: ``succeeded``, ``failed`` or ``unknown``."""
        return self._item.forward_state

    @property
    def output(self) -> Optional[Json]:
        """On the way back: the output of the forward action; None: there is or is known none."""
        return self._item.forward_output

    @property
    def results(self) -> Json:
        """The outputs of the earlier steps, by the names of these."""
        return self._item.results

    @property
    def parameters(self) -> Json:
        """All parameters, unchecked."""
        return self._item.parameters

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of the task."""
        return self._item.labels

    @property
    def traceparent(self) -> Optional[str]:
        """The W3C trace context for outgoing calls."""
        return self._item.traceparent

    @property
    def completion_token(self) -> Optional[str]:
        """Lets another system report the end, once the command returned ``complete_later``."""
        return self._item.completion_token

    @property
    def reason(self) -> Optional[str]:
        """Why the action was called off; None: it was not."""
        return self._reason

    def time_left(self) -> float:
        """Gives the seconds left of this attempt, at least 0, for the time-outs of calls."""
        return max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raises ``Cancelled`` if the action is called off or lost."""
        if self._reason is not None:
            raise Cancelled(self._reason)

    def progress(
        self,
        percent: Optional[SupportsFloat] = None,
        message: Optional[str] = None,
        state: Optional[str] = None,
    ) -> None:
        """Shows how far the work is. The newest report goes with the next heartbeat.

        ``percent`` is 0 to 100: a ``bool`` or what is no finite number raises ``TypeError`` or
        ``ValueError``. ``message`` has at most 500 characters. ``state`` is a name of your own,
        such as ``copying``: at most 64 of ``A-Z a-z 0-9 . _ -``; others become ``_``.
        """
        self._lines.progress(percent, message, state)

    def _cancel(self, reason: str) -> None:
        """Calls the action off, once."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            told = self._on_cancel
        self.cancelled.set()
        if told is not None:
            told()

    def _when_cancelled(self, tell: Callable[[], Any]) -> None:
        """Has ``tell`` called at the cancel: at once if that has been."""
        with self._lock:
            self._on_cancel = tell
            is_over = self._reason is not None
        if is_over:
            tell()
