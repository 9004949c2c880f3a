"""Tasks of one step, as ``FakeBackstep`` keeps them."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Tuple

from ..item import Json

#: Statuses in which a task does nothing by itself.
RESTING = ("succeeded", "failed", "rolled_back", "rollback_failed")


class Refused(Exception):
    """A request is refused: its status, its code, and more members of the problem."""

    def __init__(self, status: int, code: str, **members: object) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.members = members


@dataclass
class Step:
    """What a task does: a command and its way back, by name."""

    module: str
    command: str
    undo: Optional[str] = None
    parameters: Json = field(default_factory=dict)
    labels: Dict[str, str] = field(default_factory=dict)
    confirm: bool = False
    retries: int = 2


@dataclass
class Action:
    """One direction of a task."""

    direction: str
    command: str
    key: str
    state: str = "queued"
    attempt: int = 0
    token: int = 0
    not_before: float = 0.0
    worker: str = ""
    until: float = 0.0
    is_held: bool = False
    told_of_cancel: bool = False


class FakeTask:
    """A task of one step and, perhaps, its way back. ``FakeBackstep.start`` makes it."""

    _ids = itertools.count(1)

    def __init__(self, step: Step, changed: threading.Condition) -> None:
        self.step = step
        self.id: str = f"task-{next(self._ids)}"
        #: ``running``, ``rolling_back``, or one of the statuses of rest.
        self.status: str = "running"
        #: The output of the command.
        self.output: Optional[Json] = None
        #: The newest ``:fail``, with ``code`` and ``message``.
        self.failure: Optional[Json] = None
        #: All outcomes that were told: direction, act, and members.
        self.outcomes: List[Tuple[str, str, Json]] = []
        #: The log of all attempts.
        self.log: List[str] = []
        #: The newest progress.
        self.progress: Optional[Json] = None
        self.cancel_reason: Optional[str] = None
        self.forward_state: str = "unknown"
        self.action: Action = Action("normal", step.command, f"{self.id}/forward")
        self.forward_token: int = 0
        self._changed = changed
        self._ended: Dict[str, Tuple[str, Json]] = {}
        self._lost: Dict[str, str] = {}
        self._is_repeated = False

    def wait(self, timeout: float = 30.0) -> FakeTask:
        """Waits until the task rests. Raises ``TimeoutError``."""
        return self.wait_for("it rests", lambda: self.status in RESTING, timeout)

    def wait_started(self, timeout: float = 30.0) -> FakeTask:
        """Waits until a worker has the action. Raises ``TimeoutError``."""
        return self.wait_for("it starts", lambda: self.action.state == "claimed", timeout)

    def wait_for(self, what: str, is_so: Callable[[], bool], timeout: float = 30.0) -> FakeTask:
        """Waits until a condition holds. Raises ``TimeoutError``."""
        with self._changed:
            if not self._changed.wait_for(is_so, timeout):
                raise TimeoutError(f"{self.id} is {self.status} after {timeout} s, until {what}")
        return self

    def undo(self) -> FakeTask:
        """Has a task that succeeded go back."""
        with self._changed:
            if self.status != "succeeded":
                raise ValueError(f"{self.id} is {self.status}: only what succeeded is undone")
            self._go_back()
            self._changed.notify_all()
        return self

    def cancel(self, reason: str = "rolled back by a test") -> FakeTask:
        """Calls a running task off. The next heartbeat tells, and the way back begins after it."""
        with self._changed:
            self.status = "rolling_back"
            self.cancel_reason = reason
            if self.action.state != "claimed":
                self._go_back()
            self._changed.notify_all()
        return self

    def lose_lease(self, reason: str = "timed_out") -> FakeTask:
        """Ends the lease of the worker that has the action, which is handed out once more."""
        with self._changed:
            self._end_lease(reason)
            self._changed.notify_all()
        return self

    def repeat(self) -> FakeTask:
        """Has the next poll get the item once more that a worker has, with the same claim."""
        with self._changed:
            self._expect_claimed()
            self._is_repeated = True
            self._changed.notify_all()
        return self

    def complete(self, output: Optional[Json] = None) -> FakeTask:
        """Completes a step that ``complete_later`` left to another system."""
        with self._changed:
            if self.action.state != "waiting":
                raise ValueError(f"{self.id} waits for no completion")
            self._succeed(output)
            self._changed.notify_all()
        return self

    # What follows is called with the lock held.

    def claim_id(self) -> str:
        """Gives the text of the present claim."""
        return f"{self.id}.{self.action.direction}.{self.action.token}"

    def tick(self, now: float) -> None:
        """Ends a lease whose time is over."""
        if self.action.state == "claimed" and now >= self.action.until:
            self._end_lease("timed_out")

    def is_ready(self, now: float) -> bool:
        """Says whether the action may be handed out."""
        if self.action.state == "claimed":
            return self._is_repeated
        return self.action.state == "queued" and now >= self.action.not_before

    def claim(self, worker: str, lease: float, waited: float) -> Json:
        """Hands the action out to a poll that has waited this many seconds; gives the item."""
        action = self.action
        is_repeated, self._is_repeated = self._is_repeated, False
        if is_repeated and action.state == "claimed":
            left = action.until - time.monotonic()
            return {**self._item(left), "waitedMs": round(waited * 1_000)}
        action.state, action.worker = "claimed", worker
        action.is_held = action.told_of_cancel = False
        action.attempt += 1
        self.forward_token += 1
        action.token = self.forward_token
        first = min(lease, 15.0)
        action.until = time.monotonic() + first
        return {**self._item(first), "waitedMs": round(waited * 1_000)}

    def beat(self, claim: str, lease: float) -> Json:
        """Renews the claim; gives its state."""
        if claim in self._ended:
            return {"claim": claim, "state": "ended"}
        if not self._has(claim):
            reason = self._lost.get(claim, "superseded")
            return {"claim": claim, "state": "lost", "reason": reason}
        if self.cancel_reason is not None and self.action.direction == "normal":
            return self._tell_of_cancel(claim)
        self.action.is_held = True
        self.action.until = time.monotonic() + lease
        return {"claim": claim, "state": "held", "leaseMs": round(lease * 1_000)}

    def report(self, claim: str, act: str, body: Json) -> bool:
        """Takes an outcome; True: it is the repetition of one that was told. Raises ``Refused``."""
        told = (act, body)
        if claim in self._ended:
            if self._ended[claim] == told:
                return True
            raise Refused(409, "OUTCOME_DIFFERS")
        self.outcomes.append((claim.split(".")[1], act, body))
        if not self._has(claim):
            reason = self._lost.get(claim, "superseded")
            raise Refused(409, "LEASE_LOST", reason=reason, recorded=True)
        self._ended[claim] = told
        self._follow(act, body)
        return False

    def hand_back(self, claim: str) -> None:
        """Queues the action again, as if nobody had got it."""
        if self._has(claim):
            self.action.attempt -= 1
            self._queue()

    def _has(self, claim: str) -> bool:
        return self.action.state == "claimed" and claim == self.claim_id()

    def _tell_of_cancel(self, claim: str) -> Json:
        left = self.action.until - time.monotonic()
        if not self.action.told_of_cancel:
            left = min(left, 10.0)
            self.action.until = time.monotonic() + left
            self.action.told_of_cancel = True
        told = {"claim": claim, "state": "cancelled", "reason": self.cancel_reason}
        return {**told, "leaseMs": round(left * 1_000), "stopWithinMs": 10_000}

    def _follow(self, act: str, body: Json) -> None:
        if act == "release":
            self.action.attempt -= 1
            self._queue()
        elif act == "complete":
            self._succeed(body.get("output"))
        elif act == "again":
            self.action.attempt -= 1
            self._queue(_seconds(body["after"]))
        elif act == "later":
            self.action.state = "waiting"
        else:
            self._fail(body)

    def _succeed(self, output: Optional[Json]) -> None:
        self.action.state = "ended"
        if self.action.direction == "rollback":
            self.status = "rolled_back"
            return
        self.output, self.forward_state = output, "succeeded"
        if self.cancel_reason is None:
            self.status = "succeeded"
        else:
            self._go_back()

    def _fail(self, body: Json) -> None:
        self.failure = body
        if body["retryable"] and self.action.attempt <= self.step.retries:
            self._queue(_seconds(body.get("after", "0s")))
        elif self.action.direction == "rollback":
            self.action.state, self.status = "ended", "rollback_failed"
        elif body.get("code") == "INVALID_PARAMETERS":
            self.action.state, self.status = "ended", "failed"
        else:
            self.forward_state = "failed"
            self._go_back()

    def _expect_claimed(self) -> None:
        if self.action.state != "claimed":
            raise ValueError(f"no worker has the action of {self.id}")

    def _end_lease(self, reason: str) -> None:
        self._expect_claimed()
        self._lost[self.claim_id()] = reason
        if not self.action.is_held:
            self.action.attempt -= 1
        self._queue()

    def _queue(self, after: float = 0.0) -> None:
        if self.cancel_reason is not None and self.action.direction == "normal":
            self._go_back()
            return
        self.action.state = "queued"
        self.action.not_before = time.monotonic() + after

    def _go_back(self) -> None:
        if self.step.undo is None:
            self.action.state, self.status = "ended", "failed"
            return
        self.status = "rolling_back"
        self.action = Action("rollback", self.step.undo, f"{self.id}/back")

    def _item(self, lease: float) -> Json:
        step, action = self.step, self.action
        is_undo = action.direction == "rollback"
        item: Json = {
            "claim": self.claim_id(),
            "taskId": self.id,
            "flow": "fake",
            "step": step.command,
            "run": step.command,
            "direction": action.direction,
            "module": step.module,
            "command": action.command,
            "parameters": {**step.parameters, **((is_undo and self.output) or {})},
            "labels": step.labels,
            "results": {},
            "attempt": action.attempt,
            "idempotencyKey": action.key,
            "forwardKey": f"{self.id}/forward",
            "fencingToken": action.token,
            "completionToken": f"token-of-{self.id}",
            "leaseMs": round(lease * 1_000),
            "timeLeftMs": 300_000,
            "attemptTimeLeftMs": 300_000,
            "confirm": step.confirm,
            "traceparent": None,
        }
        if is_undo:
            item["forward"] = {"state": self.forward_state, "output": self.output}
        return item


def _seconds(text: str) -> float:
    return float(text[:-2]) / 1_000 if text.endswith("ms") else float(text.rstrip("s"))
