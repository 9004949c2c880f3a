"""Tests of a command together with its way back."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import itertools
from typing import Any, Callable, Dict, List, Optional

from ..attempt_log import AttemptLog
from ..commands import Command
from ..context import Context
from ..item import Item, Json
from ..results import outcome_of_value
from ..threads import awaited
from ..worker import Worker

_numbers = itertools.count(1)

#: A command that has no end after so many looks in a row has none.
_LOOKS = 1_000

#: Gives what is to be compared: the rows, the machines, the files that a command changes.
World = Callable[[], Any]


def context(direction: str = "normal", **members: Any) -> Context:
    """Makes the context of an attempt.

    The members are those of ``Context``, such as ``parameters``, ``attempt``, ``fencing_token``,
    ``idempotency_key`` and, on the way back, ``output``, ``forward_state`` and ``forward_key``.
    ``time_left`` is a number of seconds.
    """
    number = next(_numbers)
    is_undo = direction == "rollback"
    renamed = {"output": "forward_output"}
    given = {renamed.get(name, name): value for name, value in members.items()}
    seconds = given.pop("time_left", None)
    if seconds is not None:
        given["attempt_time_left_ms"] = round(seconds * 1_000)
    defaults: Dict[str, Any] = {
        "claim": f"claim-{number}",
        "task_id": f"task-{number}",
        "flow": "test",
        "step": "step",
        "run": "step",
        "module": "test",
        "command": "test",
        "idempotency_key": f"key-{number}",
        "forward_key": f"key-of-forward-{number}" if is_undo else None,
        "forward_state": "succeeded" if is_undo else None,
    }
    item = Item(**{**defaults, **given, "direction": direction})
    return Context(item, AttemptLog(lambda text: text))


def cancel(ctx: Context, reason: str = "called off by a test") -> None:
    """Calls the action of a context off."""
    ctx._cancel(reason)


def undo_contract(
    command: Command[Any],
    undo: Command[Any],
    world: World,
    parameters: Optional[Json] = None,
) -> None:
    """Tries a command and its way back in the orders in which Backstep may start them.

    ``world()`` gives what the pair changes, in a form that compares. Forward is run twice, undo
    twice, undo without forward, forward after undo, and undo after a death between the effect and
    its report. Raises ``AssertionError`` with each rule that does not hold.
    """
    trial = _Trial(command, undo, world, dict(parameters or {}))
    trial.run()
    if trial.broken:
        rules = "\n".join(f"- {rule}" for rule in trial.broken)
        raise AssertionError(f"{command.declaration.name} and its undo:\n{rules}")


def commands_without_undo(worker: Worker) -> List[str]:
    """Names the commands that may change something and have no way back in their module."""
    commands = worker.catalogue.all()
    modules_with_undo = {c.declaration.module for c in commands if c.is_undo}
    return [
        f"{c.declaration.module}.{c.declaration.name}"
        for c in commands
        if not (c.is_undo or c.undos or c.declaration.read_only)
        and c.declaration.module not in modules_with_undo
    ]


class _Run:
    """One run of a step in a task of its own."""

    def __init__(self, command: Command[Any], undo: Command[Any], parameters: Json) -> None:
        self._command = command
        self._undo = undo
        self._parameters = parameters
        self._number = next(_numbers)
        self._token = 0

    def forward(self, token: Optional[int] = None) -> Optional[Json]:
        """Starts the command once more; gives its output."""
        members = self._members(token)
        ctx = context(parameters=self._parameters, **members)
        return self._call(self._command, self._parameters, ctx)

    def back(self, output: Optional[Json], state: str) -> None:
        """Starts the way back once more."""
        parameters = {**self._parameters, **(output or {})}
        members = {**self._members(None), "idempotency_key": f"back-{self._number}"}
        key = f"forward-{self._number}"
        ctx = context(
            "rollback",
            parameters=parameters,
            output=output,
            forward_state=state,
            forward_key=key,
            **members,
        )
        self._call(self._undo, parameters, ctx)

    def _members(self, token: Optional[int]) -> Dict[str, Any]:
        if token is None:
            self._token += 1
            token = self._token
        key = f"forward-{self._number}"
        return {"task_id": f"trial-{self._number}", "fencing_token": token, "idempotency_key": key}

    @staticmethod
    def _call(command: Command[Any], parameters: Json, ctx: Context) -> Optional[Json]:
        """Calls a command to its end: again as long as it wants to look again."""
        for _ in range(_LOOKS):
            value = command.invoke(
                command.read(parameters, lenient=ctx.direction == "rollback"), ctx
            )
            if inspect.isawaitable(value):
                value = asyncio.run(awaited(value))
            outcome = outcome_of_value(value)
            if outcome.act == "fail":
                raise AssertionError(outcome.body["message"])
            if outcome.act != "again":
                output: Optional[Json] = outcome.body.get("output")
                return output
        raise AssertionError(f"it wants to look again after {_LOOKS} looks")


class _Trial:
    def __init__(
        self, command: Command[Any], undo: Command[Any], world: World, parameters: Json
    ) -> None:
        self._begin: Callable[[], _Run] = lambda: _Run(command, undo, parameters)
        # What it gives may be the very thing that the pair changes.
        self._world: World = lambda: copy.deepcopy(world())
        self.broken: List[str] = []

    def run(self) -> None:
        """Tries all orders."""
        self._try(self._twice, "forward twice and undo twice succeed")
        self._try(self._without_forward, "undo without an effect succeeds")
        self._try(self._forward_after_undo, "undo of a start that nobody knows of succeeds")
        self._try(self._late_forward, "undo before its forward succeeds")
        self._try(self._death, "undo succeeds without the output")

    def _twice(self) -> None:
        clean, run = self._world(), self._begin()
        output = run.forward()
        changed = self._world()
        self._expect(run.forward() == output, "a second start returns the first output")
        self._same(changed, "a second start changes nothing")
        run.back(output, "succeeded")
        self._same(clean, "undo takes back what the command did")
        run.back(output, "succeeded")
        self._same(clean, "a second undo changes nothing")

    def _without_forward(self) -> None:
        clean, run = self._world(), self._begin()
        run.back(None, "unknown")
        self._same(clean, "undo without an effect changes nothing")

    def _forward_after_undo(self) -> None:
        clean, run = self._world(), self._begin()
        run.forward(token=1)
        run._token = 1
        run.back(None, "unknown")
        with contextlib.suppress(Exception):  # To refuse is one way to change nothing.
            run.forward(token=1)
        self._same(clean, "a start after the undo changes nothing")

    def _late_forward(self) -> None:
        clean, run = self._world(), self._begin()
        run._token = 1  # The start with this token is on its way, and comes after the undo.
        run.back(None, "unknown")
        with contextlib.suppress(Exception):
            run.forward(token=1)
        self._same(clean, "a first start that comes after the undo changes nothing")

    def _death(self) -> None:
        clean, run = self._world(), self._begin()
        run.forward()  # The worker dies before it reports, so nobody knows the output.
        run.back(None, "unknown")
        self._same(clean, "undo takes back an effect of which no output is known")

    def _same(self, before: Any, rule: str) -> None:
        now = self._world()
        self._expect(now == before, f"{rule}: {now!r}, and it was {before!r}")

    def _try(self, act: Callable[[], None], rule: str) -> None:
        try:
            act()
        except Exception as error:
            self.broken.append(f"{rule}: {type(error).__name__}: {error}")

    def _expect(self, holds: bool, rule: str) -> None:
        if not holds:
            self.broken.append(rule)
