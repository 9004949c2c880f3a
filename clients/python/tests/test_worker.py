from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import datetime
import enum
import io
import logging
import os
import socket
import threading
import time
import unittest
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple
from unittest import mock

from backstep import (
    Cancelled,
    Context,
    RetryableError,
    TerminalError,
    Worker,
    complete_later,
    look_again,
)
from backstep.attempt_log import AttemptLog
from backstep.claims import Claim, Claims
from backstep.item import Item
from backstep.testing import FakeBackstep, FakeTask

Parameters = Dict[str, Any]


@dataclass
class Init:
    cpu: int
    memory: int = 4


class Kind(enum.Enum):
    LARGE = "large"


class Mute(Exception):
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise LookupError


class Unreadable:
    """Looks like a model of Pydantic."""

    def model_dump(self, *, mode: str) -> Any:
        raise Mute


def an_item(**more: Any) -> Item:
    """Makes an item of which only these members count."""
    names = ["claim", "task_id", "flow", "step", "run", "direction", "module", "command"]
    members: Dict[str, Any] = dict.fromkeys(names, "x")
    return Item(**members, **more)


class Gate:
    """Lets a command wait for the test, and the test for the command."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()

    def pass_through(self) -> None:
        self.entered.set()
        assert self.opened.wait(30), "nobody opened the gate"


class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.getLogger("backstep").addHandler(logging.NullHandler())
        logging.getLogger("backstep").propagate = False
        self.fake = FakeBackstep()
        self.addCleanup(self.fake.close)
        self.worker = Worker(module="mysql", slots=2, drain="20s")

    @contextlib.contextmanager
    def running(self) -> Iterator[Any]:
        running = self.worker.start(url=self.fake.url)
        try:
            yield running
        finally:
            running.stop()

    def outcome(self, task: FakeTask) -> Any:
        return task.outcomes[-1][1:]


class ACommand(WorkerTest):
    def test_runs_forward_and_its_undo_gets_what_it_returned(self) -> None:
        seen: List[Any] = []

        @self.worker.command("init_instance")
        def init_instance(p: Init, ctx: Context) -> Parameters:
            seen.append((p, ctx.direction, ctx.attempt, ctx.idempotency_key, ctx.forward_key))
            return {"instance": f"vm-{p.cpu}"}

        @init_instance.undo("clean_instance")
        def clean_instance(p: Parameters, ctx: Context) -> None:
            seen.append((p, ctx.direction, ctx.output, ctx.forward_state, ctx.forward_key))

        with self.running():
            task = self.fake.start(init_instance, {"cpu": 2, "zone": "a"}).wait()
            self.assertEqual((task.status, task.output), ("succeeded", {"instance": "vm-2"}))
            self.assertEqual(task.undo().wait().status, "rolled_back")
        forward, back = f"{task.id}/forward", {"instance": "vm-2"}
        self.assertEqual(seen[0], (Init(2), "normal", 1, forward, None))
        given = {"cpu": 2, "zone": "a", **back}
        self.assertEqual(seen[1], (given, "rollback", back, "succeeded", forward))

    def test_that_is_a_coroutine_runs_as_well(self) -> None:
        threads: List[str] = []

        @self.worker.command("init")
        async def init(p: Init, ctx: Context) -> Parameters:
            await asyncio.sleep(0)
            threads.append(threading.current_thread().name)
            return {"cpu": p.cpu}

        with self.running():
            tasks = [self.fake.start(init, {"cpu": number}).wait() for number in range(3)]
        self.assertEqual([task.output for task in tasks], [{"cpu": n} for n in range(3)])
        self.assertEqual(set(threads), {"backstep-loop"})

    def test_tells_the_gateway_what_its_output_must_fit(self) -> None:
        schema = {"required": ["cpu"]}

        @self.worker.command("init", output=Init)
        def init() -> None: ...

        @self.worker.command("look", output=schema)
        def look() -> None: ...

        self.assertEqual(init.described()["output"]["required"], ["cpu"])
        self.assertEqual(look.described(), {"output": schema})

    def test_is_not_entered_with_wrong_parameters(self) -> None:
        entered: List[int] = []

        @self.worker.command("init")
        def init(p: Init) -> None:
            entered.append(1)

        with self.running():
            task = self.fake.start(init, {"cpu": "two"}).wait()
        self.assertEqual(entered, [])
        told = {"code": "INVALID_PARAMETERS", "message": "cpu: must be an integer"}
        self.assertEqual(self.outcome(task), ("fail", {**told, "retryable": False}))

    def test_ends_as_it_says(self) -> None:
        errors = {
            "terminal": TerminalError("no host", code="QUOTA"),
            "retryable": RetryableError("busy", code="BUSY", after="10ms"),
            "code": TerminalError("no host", code="bad code"),
            "other": KeyError("x"),
            "exit": SystemExit(3),
            "mute": Mute(),
        }

        @self.worker.command("end")
        def end(p: Parameters) -> Any:
            if p["how"] in errors:
                raise errors[p["how"]]
            if p["how"] == "unreadable":
                return Unreadable()
            if p["how"] == "types":
                return {"kind": Kind.LARGE, "pair": (1, Init(2))}
            return {"nan": {"x": float("nan")}, "text": "done", "set": {"x": {1}}}[p["how"]]

        @self.worker.command("soon")
        async def soon(p: Parameters) -> Any:
            return end(p)

        told = {
            "terminal": {"code": "QUOTA", "message": "no host", "retryable": False},
            "retryable": {"code": "BUSY", "message": "busy", "retryable": True, "after": "10ms"},
            "code": {
                "message": "'bad code' is no code "
                "(write capitals, digits and underscores): no host",
                "retryable": False,
            },
            "other": {"message": "KeyError: 'x'", "retryable": True},
            "exit": {"message": "SystemExit: 3", "retryable": True},
            "mute": {"message": "Mute", "retryable": True},
            "unreadable": {
                "code": "INVALID_OUTPUT",
                "message": "the output cannot be read: ",
                "retryable": False,
            },
            "nan": {
                "code": "INVALID_OUTPUT",
                "message": "the output cannot be read: output.x is nan, which JSON has not",
                "retryable": False,
            },
            "text": {
                "code": "INVALID_OUTPUT",
                "message": "the output must be an object, and it is a str",
                "retryable": False,
            },
            "set": {
                "code": "INVALID_OUTPUT",
                "message": "the output cannot be read: output.x is a set, which JSON has not",
                "retryable": False,
            },
        }
        with self.running():
            for how, body in told.items():
                for command in (end, soon):
                    task = self.fake.start(command, {"how": how}, retries=0).wait()
                    self.assertEqual(self.outcome(task), ("fail", body), how)
            output = self.fake.start(end, {"how": "types"}).wait().output
            self.assertEqual(output, {"kind": "large", "pair": [1, {"cpu": 2, "memory": 4}]})

    def test_is_tried_again_and_looks_again(self) -> None:
        calls: List[int] = []

        @self.worker.command("poll")
        def poll(p: Parameters, ctx: Context) -> Any:
            calls.append(ctx.attempt)
            if len(calls) == 1:
                raise RetryableError("not yet")
            return look_again("10ms") if len(calls) < 4 else {"calls": len(calls)}

        with self.running():
            task = self.fake.start(poll).wait()
        self.assertEqual((task.output, calls), ({"calls": 4}, [1, 2, 2, 2]))

    def test_completes_later(self) -> None:
        tokens: List[Any] = []

        @self.worker.command("order")
        def order(p: Parameters, ctx: Context) -> Any:
            tokens.append(ctx.completion_token)
            return complete_later("2h")

        with self.running():
            task = self.fake.start(order)
            task.wait_for("it waits", lambda: task.action.state == "waiting")
            self.assertEqual(self.outcome(task), ("later", {"timeout": "7200000ms"}))
            self.assertEqual(task.complete({"host": "h"}).wait().output, {"host": "h"})
        self.assertEqual(tokens, [f"token-of-{task.id}"])

    def test_that_the_worker_has_not_fails_for_good(self) -> None:
        @self.worker.command("one")
        def one(p: Parameters) -> None: ...

        other = Worker(module="mysql")

        @other.command("two")
        def two(p: Parameters) -> None: ...

        with mock.patch("backstep.protocol._COMMANDS_MAX", -1), self.running():
            task = self.fake.start(two).wait()
        self.assertEqual(self.outcome(task)[1]["code"], "UNKNOWN_COMMAND")


class ACancel(WorkerTest):
    def test_reaches_a_function_that_looks(self) -> None:
        reasons: List[Any] = []

        @self.worker.command("slow")
        def slow(p: Parameters, ctx: Context) -> None:
            assert ctx.cancelled.wait(30)
            reasons.append(ctx.reason)
            ctx.check()

        @slow.undo("unslow")
        def unslow(p: Parameters, ctx: Context) -> None:
            reasons.append(ctx.forward_state)

        with self.running():
            task = self.fake.start(slow).wait_started().cancel("rolled back by ann: too large")
            self.assertEqual(task.wait().status, "rolled_back")
        self.assertEqual(reasons, ["rolled back by ann: too large", "unknown"])
        self.assertEqual(task.outcomes[0][1], "release")

    def test_reaches_a_coroutine_where_it_waits(self) -> None:
        caught: List[Any] = []

        @self.worker.command("slow")
        async def slow(p: Parameters, ctx: Context) -> None:
            try:
                await asyncio.wait_for(asyncio.Event().wait(), 30)
            except Cancelled as error:
                caught.append(error.reason)
                raise

        with self.running():
            task = self.fake.start(slow).wait_started().cancel("not wanted").wait()
        self.assertEqual((caught, task.status), (["not wanted"], "failed"))

    def test_that_a_coroutine_raises_anew_hands_the_action_back(self) -> None:
        @self.worker.command("slow")
        async def slow(p: Parameters, ctx: Context) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise asyncio.CancelledError from None

        with self.running():
            task = self.fake.start(slow).wait_started().cancel("not wanted").wait()
        self.assertEqual(self.outcome(task), ("release", {"reason": "not wanted"}))
        self.assertEqual(task.log, [])

    def test_leaves_time_outs_of_a_coroutine_that_tidies_up_alone(self) -> None:
        caught: List[Any] = []

        @self.worker.command("slow")
        async def slow(p: Parameters, ctx: Context) -> None:
            try:
                await asyncio.Event().wait()
            except Cancelled:
                me = asyncio.current_task()
                assert me is not None
                # As the time-outs of asyncio do.
                asyncio.get_running_loop().call_later(0.01, me.cancel)
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError as error:
                    caught.append(type(error))
                raise

        with self.running():
            task = self.fake.start(slow).wait_started().cancel("not wanted").wait()
        self.assertEqual((caught, task.status), ([asyncio.CancelledError], "failed"))

    def test_that_a_command_does_not_hear_leaves_the_worker_alive(self) -> None:
        gate = Gate()

        @self.worker.command("deaf")
        def deaf(p: Parameters) -> Parameters:
            gate.pass_through()
            return {"late": True}

        @deaf.undo("undo")
        def undo(p: Parameters) -> None: ...

        with self.running():
            task = self.fake.start(deaf)
            assert gate.entered.wait(30)
            task.cancel()
            task.wait_for("it is told", lambda: task.action.told_of_cancel)
            gate.opened.set()
            self.assertEqual(task.wait().status, "rolled_back")

    def test_of_an_attempt_whose_time_is_over_is_a_failure(self) -> None:
        @self.worker.command("slow")
        def slow(p: Parameters, ctx: Context) -> None:
            ctx.deadline = 0.0
            assert ctx.cancelled.wait(30)
            ctx.check()

        with self.running():
            task = self.fake.start(slow, retries=0).wait()
        self.assertEqual(self.outcome(task)[1]["code"], "TIMED_OUT")


class ALostAnswer(WorkerTest):
    def count(self) -> Any:
        starts: List[int] = []

        @self.worker.command("count")
        def count(p: Parameters, ctx: Context) -> Parameters:
            starts.append(ctx.attempt)
            return {"starts": len(starts)}

        return count, starts

    def test_to_a_poll_gives_the_same_items_again(self) -> None:
        count, starts = self.count()
        self.fake.lose_answer("poll", times=2)
        with self.running():
            task = self.fake.start(count).wait()
        self.assertEqual((task.output, starts), ({"starts": 1}, [1]))

    def test_to_an_outcome_has_it_told_again(self) -> None:
        count, starts = self.count()
        self.fake.lose_answer("outcome", times=2)
        with self.running():
            task = self.fake.start(count).wait()
            self.fake.wait_for_requests("outcome", 3)
        self.assertEqual((task.output, starts), ({"starts": 1}, [1]))

    def test_to_a_heartbeat_does_not_end_the_work(self) -> None:
        gate = Gate()

        @self.worker.command("wait")
        def wait(p: Parameters, ctx: Context) -> None:
            gate.pass_through()
            ctx.check()

        with self.running():
            self.fake.lose_answer("heartbeat")
            self.fake.refuse("heartbeat", 500)
            task = self.fake.start(wait)
            self.fake.wait_for_requests("heartbeat", 4)
            gate.opened.set()
            self.assertEqual(task.wait().status, "succeeded")

    def test_of_a_gateway_that_is_overloaded_is_waited_for(self) -> None:
        count, _ = self.count()
        self.fake.refuse("poll", 503)
        self.fake.refuse("poll", 429)
        self.fake.refuse("outcome", 503)
        self.fake.refuse("register", 503)
        with self.running():
            self.assertEqual(self.fake.start(count).wait().status, "succeeded")

    def test_of_a_gateway_that_does_not_know_the_key_is_asked_for_again(self) -> None:
        count, _ = self.count()
        self.fake.refuse("poll", 401)
        self.fake.refuse("outcome", 403)
        with mock.patch("backstep.patience.REFUSED", 0.05), self.running():
            self.assertEqual(self.fake.start(count).wait().status, "succeeded")


class ALease(WorkerTest):
    def test_that_another_has_stops_the_work(self) -> None:
        reasons: List[Any] = []

        @self.worker.command("slow")
        def slow(p: Parameters, ctx: Context) -> Parameters:
            if ctx.fencing_token == 1:
                assert ctx.cancelled.wait(30)
                reasons.append(ctx.reason)
                ctx.check()
            return {"token": ctx.fencing_token}

        with self.running():
            task = self.fake.start(slow).wait_started()
            task.wait_for("it is held", lambda: task.action.is_held)
            task.lose_lease()
            self.assertEqual(task.wait().output, {"token": 2})
        self.assertEqual(reasons, ["the claim is lost: timed_out"])
        # Only what counts is told: a release of what another has is news to nobody.
        self.assertEqual([act for _, act, _ in task.outcomes], ["complete"])

    def test_that_no_gateway_confirms_stops_the_work_after_nine_tenths(self) -> None:
        self.fake.close()
        self.fake = FakeBackstep(lease="300ms")
        self.addCleanup(self.fake.close)
        reasons: List[Any] = []

        @self.worker.command("slow")
        def slow(p: Parameters, ctx: Context) -> None:
            assert ctx.cancelled.wait(30)
            reasons.append(ctx.reason)

        with self.running():
            self.fake.refuse("heartbeat", 500, times=1_000)
            task = self.fake.start(slow).wait_started()
            task.wait_for("it is told", lambda: len(task.outcomes) > 0)
        self.assertRegex(reasons[0], "^the lease of this worker is over")

    def test_is_told_a_last_time_when_three_leases_have_passed(self) -> None:
        self.fake.close()
        self.fake = FakeBackstep(lease="300ms")
        self.addCleanup(self.fake.close)
        starts: List[int] = []
        give = self.worker.command("give")(lambda p, ctx: starts.append(ctx.attempt))
        with self.running():
            self.fake.refuse("outcome", 503, retry_after=3_600)
            self.fake.start(give).wait()
        self.assertEqual(len(starts), 1)

    def test_that_comes_twice_is_carried_out_once(self) -> None:
        gate, starts = Gate(), []

        @self.worker.command("slow")
        def slow(p: Parameters) -> None:
            starts.append(p)
            gate.pass_through()

        with self.running():
            task = self.fake.start(slow).wait_started()
            assert gate.entered.wait(30)
            polls = self.fake.requests["poll"]
            task.repeat()
            self.fake.wait_for_requests("poll", polls + 1)
            gate.opened.set()
            self.assertEqual(task.wait().status, "succeeded")
        self.assertEqual((len(starts), len(task.outcomes)), (1, 1))

    def test_that_comes_after_its_outcome_is_not_carried_out_again(self) -> None:
        item = an_item()
        claims, ended = Claims(), Claim(item, ())
        self.assertTrue(claims.add(ended))
        claims.remove(ended)
        self.assertFalse(claims.add(Claim(item, ())))

    def test_that_must_be_confirmed_is_held_before_the_command_starts(self) -> None:
        held: List[bool] = []

        @self.worker.command("once")
        def once(p: Parameters) -> None:
            held.append(task.action.is_held)

        task = self.fake.start(once, confirm=True)
        self.fake.lose_answer("heartbeat")
        with self.running():
            task.wait()
        self.assertEqual((held, task.status), ([True], "succeeded"))

    def test_that_cannot_be_confirmed_starts_nothing(self) -> None:
        self.fake.close()
        self.fake = FakeBackstep(lease="300ms")
        self.addCleanup(self.fake.close)
        starts: List[int] = []

        @self.worker.command("once")
        def once(p: Parameters) -> None:
            starts.append(1)

        with self.running():
            self.fake.refuse("heartbeat", 500, times=1_000)
            task = self.fake.start(once, confirm=True)
            task.wait_for("it is handed back", lambda: len(task.outcomes) > 0)
        self.assertEqual((starts, task.outcomes[0][1]), ([], "release"))


class TheTimesOfAnItem(unittest.TestCase):
    def claim(self, sent_before: float, lease_ms: int) -> Claim:
        sent = time.monotonic() - sent_before
        item = an_item(sent=sent, lease_ms=lease_ms, attempt_time_left_ms=60_000)
        return Claim(item, [])

    def test_count_from_the_request_however_long_its_poll_waited(self) -> None:
        claim = self.claim(sent_before=20, lease_ms=35_000)
        now = time.monotonic()
        self.assertFalse(claim.is_overdue())
        self.assertAlmostEqual(claim.safe_until() - now, 13.5, delta=1)
        self.assertAlmostEqual(claim.next_beat(60) - now, 5, delta=1)
        self.assertAlmostEqual(claim.context.time_left(), 40, delta=1)

    def test_are_over_where_the_answer_came_too_late(self) -> None:
        self.assertTrue(self.claim(sent_before=20, lease_ms=15_000).is_overdue())


def left_of(before: Set[threading.Thread]) -> List[str]:
    """Names the threads of workers that were not there before."""
    new = set(threading.enumerate()) - before
    return sorted(thread.name for thread in new if thread.name.startswith("backstep"))


def count_files() -> int:
    """Counts the open files of this process, where the system tells."""
    folder = "/proc/self/fd"
    return len(os.listdir(folder)) if os.path.exists(folder) else 0


class AStop(WorkerTest):
    def test_lets_commands_end_and_keeps_them_alive(self) -> None:
        gate = Gate()

        @self.worker.command("wait")
        def wait(p: Parameters, ctx: Context) -> None:
            gate.pass_through()
            ctx.check()

        running = self.worker.start(url=self.fake.url)
        task = self.fake.start(wait)
        assert gate.entered.wait(30)
        stopper = threading.Thread(target=running.stop)
        stopper.start()
        beats = self.fake.requests.get("heartbeat", 0)
        self.fake.wait_for_requests("heartbeat", beats + 3)
        later = self.fake.start(wait)
        gate.opened.set()
        stopper.join(30)
        self.assertEqual((task.status, later.action.attempt), ("succeeded", 0))
        self.assertEqual(self.fake.workers, {})

    def test_hands_back_what_does_not_end(self) -> None:
        gate = Gate()
        self.worker.options.drain = "1ms"

        @self.worker.command("wait")
        def wait(p: Parameters) -> None:
            gate.pass_through()

        with mock.patch("backstep.running._STOP_WITHIN", 0.05), self.running():
            task = self.fake.start(wait)
            assert gate.entered.wait(30)
        told = ("release", {"reason": "the worker is shutting down"})
        self.assertEqual(self.outcome(task), told)
        gate.opened.set()

    def test_hurries_also_when_commands_have_been_called_off(self) -> None:
        gate = Gate()
        self.worker.options.drain = "1ms"
        called_off: List[threading.Event] = []

        @self.worker.command("deaf")
        def deaf(p: Parameters, ctx: Context) -> None:
            called_off.append(ctx.cancelled)
            gate.pass_through()

        running = self.worker.start(url=self.fake.url)
        self.fake.start(deaf)
        assert gate.entered.wait(30)
        stopper = threading.Thread(target=running.stop)
        stopper.start()
        assert called_off[0].wait(30)
        running.hurry()
        stopper.join(5)
        self.assertFalse(stopper.is_alive())
        gate.opened.set()

    def test_leaves_no_threads_and_no_loop(self) -> None:
        deaf = Gate()
        self.worker.options.drain = "1ms"

        @self.worker.command("plain")
        def plain(p: Parameters) -> None: ...

        @self.worker.command("deaf")
        def hear_nothing(p: Parameters) -> None:
            deaf.pass_through()

        @self.worker.command("coroutine")
        async def coroutine(p: Parameters, ctx: Context) -> None:
            asyncio.create_task(asyncio.sleep(60))

        before, threads = count_files(), set(threading.enumerate())
        with mock.patch("backstep.running._HURRY", 0.01):
            with mock.patch("backstep.running._STOP_WITHIN", 0.02), self.running():
                self.fake.start(hear_nothing)
                assert deaf.entered.wait(30)
                for command in (plain, coroutine):
                    self.fake.start(command).wait()
        deaf.opened.set()
        end = time.monotonic() + 30
        while (found := (left_of(threads), count_files())) != ([], before):
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.01)

    def test_waits_for_no_connection_that_is_being_made(self) -> None:
        self.worker.command("one")(lambda p: None)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            running = self.worker.start(url=f"https://127.0.0.1:{silent.getsockname()[1]}")
            connection, _ = silent.accept()
            begun = time.monotonic()
            with connection, mock.patch.object(running, "_say_good_bye"):
                running.stop()
        self.assertLess(time.monotonic() - begun, 10)

    def test_ends_a_poll_that_waits(self) -> None:
        @self.worker.command("one")
        def one(p: Parameters) -> None: ...

        with self.running():
            self.fake.wait_for_requests("poll", 1)
        self.assertEqual(self.fake.requests["poll"], 1)


class WhatAnAttemptSays(WorkerTest):
    def test_is_kept_with_it_without_its_secrets(self) -> None:
        gate = Gate()

        @self.worker.command("make", secrets=["password"])
        def make(p: Parameters, ctx: Context) -> None:
            ctx.log.info("the password is %s", p["password"])
            ctx.progress(140, "half way, " + p["password"], "has " + p["password"])
            gate.pass_through()
            ctx.log.warning("two\nlines")
            raise RuntimeError("not with " + p["password"])

        with self.running():
            task = self.fake.start(make, {"password": "correct-horse"}, retries=0)
            task.wait_for("the log comes", lambda: len(task.log) > 0)
            self.assertEqual(task.log, ["the password is ***"])
            told = {"state": "has____", "percent": 100, "message": "half way, ***"}
            self.assertEqual(task.progress, told)
            gate.opened.set()
            task.wait()
        self.assertEqual(task.log[1:4], ["two", "lines", "the command failed"])
        self.assertEqual(task.log[-1], "RuntimeError: not with ***")
        self.assertEqual(self.outcome(task)[1]["message"], "RuntimeError: not with ***")

    def test_is_told_again_after_a_lost_answer(self) -> None:
        @self.worker.command("say")
        def say(p: Parameters, ctx: Context) -> None:
            ctx.log.info("once")

        self.fake.refuse("outcome", 503)
        with self.running():
            task = self.fake.start(say).wait()
        self.assertEqual(task.log, ["once"])

    def test_loses_the_oldest_lines_where_it_is_long(self) -> None:
        log = AttemptLog(lambda text: text)
        for number in range(3_000):
            log.write(f"line {number}", "info")
        log.write("x" * 10_000)
        report = log.take()
        kept = [line.message for line in report.lines]
        self.assertLessEqual(report.size, 65_536)
        self.assertEqual(len(kept) + report.dropped, 3_001)
        self.assertRegex(kept[-1], r"^x{8000,}\.\.\. \[1,\d+ more bytes\]$")
        self.assertEqual(kept[-2], "line 2999")
        log.write("newer")
        log.put_back(report)
        again = log.take()
        self.assertLessEqual(again.size, 65_536)
        self.assertEqual(again.lines[-1].message, "newer")
        self.assertEqual(len(again.lines) + again.dropped, 3_002)

    def test_may_be_printed(self) -> None:
        from backstep.capture import stdout_captured

        @self.worker.command("print", secrets=["key"])
        def say(p: Parameters) -> None:
            print("hello", p["key"])
            print("end", end="")

        @self.worker.command("print_soon")
        async def say_soon(p: Parameters) -> None:
            await asyncio.sleep(0)
            print("soon")

        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), stdout_captured(), self.running():
            first = self.fake.start(say, {"key": "correct-horse"}).wait()
            second = self.fake.start(say_soon).wait()
        self.assertEqual((first.log, second.log), (["hello ***", "end"], ["soon"]))
        self.assertEqual(shown.getvalue(), "hello ***\nsoon\n")


class AnOutcome(WorkerTest):
    def test_that_is_too_large_for_a_request_fails_for_good(self) -> None:
        @self.worker.command("bulk")
        def bulk(p: Parameters) -> Parameters:
            return {"text": "x" * 1_000}

        self.fake.refuse("outcome", 413)
        with self.running():
            task = self.fake.start(bulk).wait()
        self.assertEqual(self.outcome(task)[1]["code"], "OUTPUT_TOO_LARGE")

    def test_brings_the_next_action_without_a_poll(self) -> None:
        @self.worker.command("one")
        def one(p: Parameters) -> None: ...

        self.worker.options.slots = 1
        tasks = [self.fake.start(one) for _ in range(20)]
        with self.running():
            for task in tasks:
                self.assertEqual(task.wait().status, "succeeded")
        self.assertLess(self.fake.requests["poll"], 5)


class AWorker(WorkerTest):
    def test_tells_what_it_serves(self) -> None:
        @self.worker.command("init", secrets=["password"])
        def init(p: Init) -> None: ...

        @init.undo("clean")
        def clean(p: Init) -> None: ...

        self.worker.options.build = "abc"
        with self.running() as running:
            self.fake.wait_for_requests("register", 1)
            self.fake.start(init, {"cpu": 1}).wait()
            said = self.fake.workers[running.name]
        self.assertEqual((said["slots"], said["build"]), (2, "abc"))
        self.assertRegex(running.name, r"^[A-Za-z0-9._:/-]{1,128}$")
        modules = said["modules"]
        self.assertEqual(modules["mysql"]["init"]["secrets"], ["password"])
        self.assertEqual(modules["mysql"]["init"]["parameters"]["required"], ["cpu"])
        # A way back is read leniently, so no schema may refuse what it gets.
        self.assertEqual(modules["mysql"]["clean"], {})

    def test_says_whether_it_hears_its_gateway(self) -> None:
        import urllib.error
        import urllib.request

        @self.worker.command("one")
        def one(p: Parameters) -> None: ...

        self.worker.options.health = "127.0.0.1:0"
        with self.running() as running:
            address = f"http://127.0.0.1:{running.health_port}/livez"
            with urllib.request.urlopen(address) as answer:
                self.assertEqual(answer.status, 200)
            running._poller._heard = -1e9
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(address)
            self.assertEqual(caught.exception.code, 503)
            caught.exception.close()

    def test_refuses_options_that_are_wrong(self) -> None:
        @self.worker.command("one")
        def one(p: Parameters) -> None: ...

        wrong: List[Tuple[str, Any]] = [
            *[("slots", 0), ("wait", "31s"), ("lease", "1s"), ("health", "there"), ("url", "x")],
            *[("directions", "rollback"), ("directions", ["back"])],
        ]
        for name, value in wrong:
            with mock.patch.object(self.worker.options, name, value):
                with self.assertRaises(ValueError, msg=name):
                    self.worker.start(url=None if name == "url" else self.fake.url)

    def test_refuses_a_type_that_json_has_not_when_it_starts(self) -> None:
        for wrong in (datetime.date, Set[str], Tuple[int, ...], Optional[bytes], List[complex]):
            inner = dataclasses.make_dataclass("Inner", [("value", wrong)])
            outer = dataclasses.make_dataclass("Outer", [("inners", List[inner])])
            for output, parameters in ((None, outer), (outer, dict)):
                worker = Worker(module="shop")

                def act(p: Any) -> None: ...

                act.__annotations__["p"] = parameters
                worker.command("act", output=output)(act)
                if output is not None and wrong == Tuple[int, ...]:
                    worker.start(url=self.fake.url).stop()  # JSON has it as a list.
                    continue
                with self.assertRaisesRegex(TypeError, "shop.act: .* is no type", msg=wrong):
                    worker.start(url=self.fake.url).stop()
        worker = Worker(module="shop")
        worker.command("act", output=int)(lambda p: None)
        with self.assertRaisesRegex(TypeError, "shop.act: .* is no type for an output"):
            worker.start(url=self.fake.url).stop()

    def test_refuses_a_command_twice_and_one_that_takes_too_much(self) -> None:
        @self.worker.command("one")
        def one(p: Parameters) -> None: ...

        with self.assertRaises(ValueError):
            self.worker.command("one")(lambda p: None)
        with self.assertRaises(TypeError):
            self.worker.command("two")(lambda p, ctx, more: None)

    def test_runs_as_many_actions_at_once_as_it_has_slots(self) -> None:
        together = threading.Barrier(2)

        @self.worker.command("meet")
        def meet(p: Parameters) -> None:
            together.wait(30)

        with self.running():
            tasks = [self.fake.start(meet) for _ in range(4)]
            self.assertEqual({task.wait().status for task in tasks}, {"succeeded"})


if __name__ == "__main__":
    unittest.main()
