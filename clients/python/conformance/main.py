"""The commands that every client of Backstep is tried with."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from backstep import (  # noqa: E402 - from the sources beside it
    Context,
    RetryableError,
    TerminalError,
    Worker,
    complete_later,
    look_again,
)

FOLDER = Path(os.environ["CONFORMANCE_DIR"])
JOURNAL = FOLDER / "journal.jsonl"

worker = Worker(
    module=os.environ["CONFORMANCE_MODULE"],
    slots=int(os.environ.get("CONFORMANCE_SLOTS", "4")),
    lease=os.environ.get("CONFORMANCE_LEASE", "10s"),
)

Parameters = Dict[str, Any]


def note(event: str, command: str, ctx: Context, **more: Any) -> None:
    """Appends a line to the journal with one write."""
    line = {
        "event": event,
        "command": command,
        "taskId": ctx.task_id,
        "step": ctx.step,
        "run": ctx.run,
        "direction": ctx.direction,
        "attempt": ctx.attempt,
        "idempotencyKey": ctx.idempotency_key,
        "forwardKey": ctx.forward_key,
        "fencingToken": ctx.fencing_token,
        **more,
    }
    file = os.open(JOURNAL, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, (json.dumps(line) + "\n").encode())
    finally:
        os.close(file)


def starts(ctx: Context) -> int:
    """Counts how often this action has started."""
    lines = map(json.loads, JOURNAL.read_text().splitlines())
    mine = (each for each in lines if each["idempotencyKey"] == ctx.idempotency_key)
    return sum(1 for each in mine if each["event"] == "started")


def end_cancelled(command: str, ctx: Context) -> None:
    """Ends as a command does that is called off."""
    note("cancelled", command, ctx, reason=ctx.reason)
    ctx.check()


def wait_for_gate(gate: str, command: str, ctx: Context) -> None:
    """Waits for a file, or for a cancel."""
    while not (FOLDER / gate).exists():
        if ctx.cancelled.wait(0.05):
            end_cancelled(command, ctx)


@worker.command("give")
def give(p: Parameters, ctx: Context) -> Parameters:
    note("started", "give", ctx)
    note("ended", "give", ctx)
    return dict(p["output"])


HOST = {
    "properties": {"host": {"type": "string"}},
    "required": ["host"],
    "additionalProperties": False,
}


@worker.command("declared", output=HOST)
def declared(p: Parameters, ctx: Context) -> Parameters:
    note("started", "declared", ctx)
    note("ended", "declared", ctx)
    return dict(p["output"])


@give.undo("undo")
def undo(p: Parameters, ctx: Context) -> None:
    note("started", "undo", ctx)
    note("undone", "undo", ctx, forwardState=ctx.forward_state, forwardOutput=ctx.output)


@worker.command("fail")
def fail(p: Parameters, ctx: Context) -> None:
    note("started", "fail", ctx)
    note("ended", "fail", ctx)
    if p["kind"] == "terminal":
        raise TerminalError(p["message"], code=p.get("code"))
    if p["kind"] == "retryable":
        raise RetryableError(p["message"], code=p.get("code"), after=p.get("after"))
    raise RuntimeError(p["message"])


@worker.command("flaky")
def flaky(p: Parameters, ctx: Context) -> Parameters:
    note("started", "flaky", ctx)
    note("ended", "flaky", ctx)
    if ctx.attempt <= p["failures"]:
        raise RetryableError("not yet", after=p.get("after"))
    return {"attempt": ctx.attempt}


@worker.command("again")
def again(p: Parameters, ctx: Context) -> Any:
    note("started", "again", ctx)
    calls = starts(ctx)
    note("ended", "again", ctx)
    return look_again(p["after"]) if calls <= p["times"] else {"calls": calls}


@worker.command("later")
def later(p: Parameters, ctx: Context) -> Any:
    note("started", "later", ctx)
    note("token", "later", ctx, completionToken=ctx.completion_token)
    note("ended", "later", ctx)
    return complete_later(p["timeout"])


@worker.command("slow")
def slow(p: Parameters, ctx: Context) -> Parameters:
    note("started", "slow", ctx)
    if ctx.cancelled.wait(p["ms"] / 1_000):
        end_cancelled("slow", ctx)
    note("ended", "slow", ctx)
    return {"ms": p["ms"]}


@worker.command("wait")
def wait(p: Parameters, ctx: Context) -> Parameters:
    note("started", "wait", ctx)
    wait_for_gate(p["gate"], "wait", ctx)
    note("ended", "wait", ctx)
    return {"gate": p["gate"]}


@worker.command("deaf")
def deaf(p: Parameters, ctx: Context) -> Parameters:
    note("started", "deaf", ctx)
    while not (FOLDER / p["gate"]).exists():
        time.sleep(0.05)
    note("ended", "deaf", ctx)
    return {"gate": p["gate"]}


@worker.command("crash")
def crash(p: Parameters, ctx: Context) -> Parameters:
    note("started", "crash", ctx)
    count = starts(ctx)
    if count <= p["times"]:
        os.kill(os.getpid(), signal.SIGKILL)
    note("ended", "crash", ctx)
    return {"starts": count}


@dataclass
class Typed:
    """Parameters that are checked."""

    cpu: int
    memory: int = 4


@worker.command("typed")
def typed(p: Typed, ctx: Context) -> Typed:
    note("started", "typed", ctx)
    note("ended", "typed", ctx)
    return p


@worker.command("say")
def say(p: Parameters, ctx: Context) -> None:
    note("started", "say", ctx)
    for line in p["lines"]:
        ctx.log.info("%s", line)
    note("ended", "say", ctx)


@worker.command("progress")
def progress(p: Parameters, ctx: Context) -> Parameters:
    note("started", "progress", ctx)
    ctx.progress(p["percent"], p["message"], p["state"])
    wait_for_gate(p["gate"], "progress", ctx)
    note("ended", "progress", ctx)
    return {"gate": p["gate"]}


@worker.command("secret", secrets=["password"])
def secret(p: Parameters, ctx: Context) -> Parameters:
    note("started", "secret", ctx)
    note("ended", "secret", ctx)
    return {"user": "admin", "password": "correct-horse-battery"}


@worker.command("use_secret")
def use_secret(p: Parameters, ctx: Context) -> Parameters:
    note("started", "use_secret", ctx)
    ctx.log.info("the password is %s", p["password"])
    note("ended", "use_secret", ctx)
    return {"length": len(p["password"])}


@worker.command("bulk")
def bulk(p: Parameters, ctx: Context) -> Parameters:
    note("started", "bulk", ctx)
    note("ended", "bulk", ctx)
    return {"text": "x" * p["bytes"]}


@worker.command("results")
def results(p: Parameters, ctx: Context) -> Parameters:
    note("started", "results", ctx)
    note("ended", "results", ctx)
    return {"results": ctx.results, "labels": dict(ctx.labels)}


if __name__ == "__main__":
    worker.run()
