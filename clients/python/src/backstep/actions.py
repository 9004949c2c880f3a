"""Runs the actions that a worker claimed, from the claim to the outcome."""

from __future__ import annotations

import contextlib
import inspect
import threading
from dataclasses import dataclass
from typing import Any, List, Optional

from . import capture
from .claims import SHUTDOWN, Claim, Claims
from .commands import Catalogue, Command
from .heartbeats import Heartbeats
from .item import Item
from .outcomes import TerminalError
from .own_log import own_log
from .reports import Reporter
from .results import Outcome, failure, is_unforeseen, outcome_of_error, outcome_of_value
from .slots import Slots
from .threads import EventLoop, ThreadPool, Work


@dataclass(frozen=True)
class Parts:
    """What a running worker is made of, as its actions use it."""

    catalogue: Catalogue
    claims: Claims
    heartbeats: Heartbeats
    reporter: Reporter
    slots: Slots
    stopping: threading.Event


class Actions:
    """Runs each item in a slot: functions in threads, coroutines in one loop."""

    def __init__(self, parts: Parts, slots: int) -> None:
        self._parts = parts
        self._pool = ThreadPool(slots)
        self._loop = EventLoop()

    def begin(self, item: Item) -> None:
        """Begins with an item, for which a slot is taken. It is given back at the end."""
        self._pool.submit(lambda: self._serve(item))

    def end(self) -> None:
        """Ends the threads, when the commands in them have ended."""
        self._pool.end()
        self._loop.end()

    def _serve(self, item: Item) -> None:
        claim = Claim(item, self._parts.catalogue.secret_names)
        if not self._parts.claims.add(claim):
            self._parts.slots.give_back(1)  # The answer came twice.
        else:
            self._guard(claim, lambda: self._begin(claim))

    def _guard(self, claim: Claim, act: Work) -> None:
        """Does a part of an action. Its slot is free again if that fails."""
        try:
            act()
        except BaseException:
            self._leave(claim)
            raise

    def _begin(self, claim: Claim) -> None:
        if self._parts.stopping.is_set():
            self._parts.reporter.release(claim, SHUTDOWN)
            self._leave(claim)
        else:
            self._parts.heartbeats.look()
            self._start(claim)

    def _start(self, claim: Claim) -> None:
        item = claim.item
        needs_answer = item.confirm or claim.is_overdue()
        if needs_answer and not self._parts.heartbeats.confirm(claim):
            own_log.warning(
                "task %s, %s: not started: the claim is not held", item.task_id, item.run
            )
            self._tell(claim, Outcome("release", {"reason": "the claim was not confirmed"}))
            return
        command = self._parts.catalogue.find(item.module, item.command)
        if command is None:
            unknown = f"this worker has no command {item.module}.{item.command}"
            self._tell(claim, failure(unknown, code="UNKNOWN_COMMAND"))
            return
        with capture.lines_to(claim.log):
            self._call(command, claim)

    def _call(self, command: Command[Any], claim: Claim) -> None:
        """Calls a command. An awaitable ends elsewhere, in the loop."""
        try:
            parameters = command.read(claim.item.parameters, lenient=claim.item.is_undo)
            value = command.invoke(parameters, claim.context)
            if not inspect.isawaitable(value):
                outcome: Optional[Outcome] = outcome_of_value(value)
            else:
                outcome = None
                self._loop.start(value, claim.context, self._ender(claim))
        except BaseException as error:  # SystemExit of a command must not end its thread.
            outcome = _failed(claim, error)
        if outcome is not None:
            self._tell(claim, outcome)

    def _ender(self, claim: Claim) -> Any:
        def tell(value: Any, error: Optional[BaseException]) -> None:
            self._tell(claim, outcome_of_value(value) if error is None else _failed(claim, error))

        def ended(value: Any, error: Optional[BaseException]) -> None:
            self._pool.submit(lambda: self._guard(claim, lambda: tell(value, error)))

        return ended

    def _tell(self, claim: Claim, outcome: Outcome) -> None:
        """Tells an outcome. The slot goes to the next action that the answer brings."""
        wants_next = not self._parts.stopping.is_set()
        items: List[Item] = []
        try:
            # The release of a claim that another holds would be news to nobody.
            if not (claim.is_lost and outcome.act == "release"):
                items = self._parts.reporter.report(claim, outcome, wants_next=wants_next)
        except Exception:
            own_log.exception("task %s: the outcome could not be told", claim.item.task_id)
        self._leave(claim, len(items))
        for item in items:
            self.begin(item)

    def _leave(self, claim: Claim, followers: int = 0) -> None:
        """Lets go of a claim. Its slot is free again, or that of the first that follows."""
        if self._parts.claims.remove(claim):
            self._parts.slots.give_back(1 - followers)


def _failed(claim: Claim, error: BaseException) -> Outcome:
    # The members of an error, and the handlers of the log, are the author's and may raise.
    outcome = failure(type(error).__name__, retryable=not isinstance(error, TerminalError))
    with contextlib.suppress(Exception):
        outcome = outcome_of_error(error, claim)
        if is_unforeseen(error, claim):
            claim.context.log.error("the command failed", exc_info=error)
    return outcome
