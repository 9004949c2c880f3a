"""Workers whose commands, answers and times are not as they should be."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import json
import logging
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Dict, List
from unittest import mock
from urllib.parse import urlencode

from backstep import Context, RetryableError, TerminalError
from backstep.attempt_log import AttemptLog
from backstep.capture import stdout_captured
from backstep.claims import Claim, Claims
from backstep.gateway import Gateway, Request, Token, Unreachable
from backstep.heartbeats import Heartbeats
from backstep.patience import Backoff
from backstep.protocol import Identity
from backstep.testing import FakeBackstep, context
from test_worker import Gate, WorkerTest, an_item

Parameters = Dict[str, Any]


class ATextThatIsNoUnicode(WorkerTest):
    name = b"caf\xe9".decode("utf-8", "surrogateescape")

    def test_reaches_the_gateway_with_a_sign_in_its_place(self) -> None:
        gate = Gate()

        @self.worker.command("find")
        def find(p: Parameters, ctx: Context) -> None:
            ctx.log.info("found %s", self.name)
            ctx.progress(50, self.name)
            gate.pass_through()
            raise RuntimeError(self.name)

        with self.running():
            task = self.fake.start(find, retries=0)
            task.wait_for("it is told", lambda: len(task.log) > 0 and bool(task.progress))
            gate.opened.set()
            task.wait()
        self.assertEqual(task.log[0], "found caf?")
        self.assertEqual(task.progress, {"percent": 50, "message": "caf?"})
        self.assertEqual(self.outcome(task)[1]["message"], "RuntimeError: caf?")

    def test_in_an_output_fails_for_good_and_leaves_the_log_behind(self) -> None:
        @self.worker.command("find")
        def find(p: Parameters, ctx: Context) -> Parameters:
            ctx.log.info("this may be what is refused")
            return {"name": self.name}

        self.fake.refuse("heartbeat", 503, times=1_000)
        with self.running():
            task = self.fake.start(find).wait()
        self.assertEqual((self.outcome(task)[1]["retryable"], task.log), (False, []))


class ARefusedHeartbeat(WorkerTest):
    def test_is_repeated_without_the_lines_that_may_be_at_fault(self) -> None:
        @self.worker.command("say")
        def say(p: Parameters, ctx: Context) -> None:
            self.fake.refuse("heartbeat", 400, times=1_000)
            ctx.log.info("refused")
            self.fake.wait_for_requests("heartbeat", self.fake.requests.get("heartbeat", 0) + 3)
            self.fake._faults.clear()
            ctx.log.info("taken")
            task.wait_for("it is told", lambda: len(task.log) > 0)
            ctx.check()

        task = self.fake.start(say)
        with self.running():
            task.wait()
        self.assertEqual((task.status, task.log), ("succeeded", ["taken"]))


class Mute:
    """A gateway that never answers."""

    def __init__(self) -> None:
        self.token = Token("x")
        self.asked: List[Request] = []

    def send(self, request: Request) -> None:
        self.asked.append(request)
        raise Unreachable("it hangs")


class AHeartbeatThatHangs(WorkerTest):
    def test_does_not_hold_up_the_end_of_the_work(self) -> None:
        self.fake.close()
        self.fake = FakeBackstep(lease="300ms")
        self.addCleanup(self.fake.close)
        ended = threading.Event()
        told: List[bool] = []

        @self.worker.command("slow")
        def slow(p: Parameters, ctx: Context) -> None:
            told.append(ctx.cancelled.wait(15))
            ended.set()

        def hang(body: Any) -> Any:
            ended.wait(30)
            return {}

        names = ("backstep.heartbeats._TIMEOUT", "backstep.heartbeats._TIMEOUT_MIN")
        timeouts = [mock.patch(name, 60.0, create=True) for name in names]
        with timeouts[0], timeouts[1], mock.patch.object(self.fake, "_heartbeat", hang):
            with self.running():
                self.fake.start(slow)
                assert ended.wait(30)
        self.assertTrue(told[0])

    def test_leaves_time_for_others_before_the_lease_is_over(self) -> None:
        gateway: Any = Mute()
        beats = Heartbeats(gateway, Identity("w", 1), Claims())
        claim = Claim(an_item(lease_ms=9_000), ())
        pauses = [beats._beat([claim], Backoff()) for _ in range(20)]
        self.assertLessEqual(max(request.timeout for request in gateway.asked), 3)
        self.assertLessEqual(max(pauses), 3)


class AnAttemptWhoseTimeIsOver(unittest.TestCase):
    def test_is_looked_at_again_when_its_lease_ends(self) -> None:
        claim = Claim(an_item(attempt_time_left_ms=0), ())
        now = time.monotonic()
        claim.expire(now)
        self.assertTrue(claim.context.cancelled.is_set())
        self.assertGreater(claim.safe_until(), now)


class Sold(TerminalError):
    def __init__(self, item: str) -> None:
        self.item = item


class Busy(RetryableError):
    def __init__(self, host: str) -> None:
        self.host = host


class Odd(RetryableError):
    def __init__(self) -> None: ...

    def __getattribute__(self, name: str) -> Any:
        if name == "code":
            raise LookupError
        return super().__getattribute__(name)


class Unwritable:
    def __str__(self) -> str:
        raise LookupError


class AFaultyHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise LookupError


class AnErrorOfTheAuthor(WorkerTest):
    def test_frees_its_slot_though_it_has_not_the_members_of_its_class(self) -> None:
        errors = [Sold("chair"), Busy("h-1"), Odd(), ValueError("x")]

        @self.worker.command("fail")
        def fail(p: Parameters) -> None:
            raise errors[p["which"]]

        @self.worker.command("fail_soon")
        async def fail_soon(p: Parameters) -> None:
            raise errors[p["which"]]

        log = logging.getLogger("backstep")
        log.addHandler(AFaultyHandler(logging.ERROR))
        self.addCleanup(log.removeHandler, log.handlers[-1])
        told = [("chair", False), ("h-1", True), ("Odd", True), ("ValueError: x", True)]
        with self.running():
            for which, (message, is_retryable) in enumerate(told):
                for command in (fail, fail_soon):
                    task = self.fake.start(command, {"which": which}, retries=0).wait()
                    body = {"message": message, "retryable": is_retryable}
                    self.assertEqual(self.outcome(task), ("fail", body))

    def test_frees_its_slot_though_nothing_can_be_told_of_it(self) -> None:
        @self.worker.command("fail")
        async def fail(p: Parameters) -> None:
            raise ValueError

        self.worker.options.slots = 1
        asked = threading.Event()

        def break_down(*_: Any) -> None:
            asked.set()
            raise LookupError

        with self.running() as running:
            with mock.patch("backstep.actions._failed", break_down):
                self.fake.start(fail)
                assert asked.wait(30)
                self.assertTrue(running._claims.wait_empty(10))
            self.assertEqual(self.fake.start(fail, retries=0).wait().status, "failed")


class ARefusedRegistration(WorkerTest):
    def test_is_repeated_before_any_work_is_asked_for_and_said_once_a_minute(self) -> None:
        @self.worker.command("make", secrets=["password"])
        def make(p: Parameters) -> Parameters:
            return {"password": "correct-horse"}

        self.fake.refuse("register", 503, times=1_000_000)
        task = self.fake.start(make)
        with self.assertLogs("backstep.worker", "WARNING") as said, self.running():
            self.fake.wait_for_requests("register", 5)
            self.assertEqual((task.action.state, self.fake.requests.get("poll")), ("queued", None))
            self.fake._faults.clear()
            self.assertEqual(task.wait().status, "succeeded")
        self.assertRegex(" ".join(said.output), "^[^:]*:[^:]*:the gateway refuses to register.*503")
        self.assertEqual(len(said.output), 1)

    def test_that_cannot_be_written_is_tried_again_as_well(self) -> None:
        self.worker.command("make", secrets=["password"])(lambda p: None)
        with mock.patch("backstep.gateway._encoded", side_effect=[TypeError, b"{}", b"{}"]):
            with self.running():
                self.fake.wait_for_requests("poll", 1)
                self.assertEqual(self.fake.requests["register"], 1)


class AGatewayThatWasAway(WorkerTest):
    def test_is_told_again_what_the_worker_serves(self) -> None:
        self.worker.command("make", secrets=["password"])(lambda p: None)
        self.worker.options.wait = "10ms"
        with self.running():
            self.fake.wait_for_requests("poll", 1)
            self.fake.workers.clear()
            self.fake.refuse("poll", 502)
            self.fake.wait_for_requests("register", 2)
            self.fake.wait_for_requests("poll", self.fake.requests["poll"] + 1)
            (told,) = self.fake.workers.values()
        self.assertEqual(told["modules"], {"mysql": {"make": {"secrets": ["password"]}}})


@dataclass
class Order:
    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError("count is below 1")


class AValueErrorOfTheAuthor(WorkerTest):
    def test_is_about_the_parameters_only_where_they_are_read(self) -> None:
        @self.worker.command("order")
        def order(p: Order) -> None:
            raise ValueError("sold out")

        told = {
            0: {
                "code": "INVALID_PARAMETERS",
                "message": "parameters: count is below 1",
                "retryable": False,
            },
            1: {"message": "ValueError: sold out", "retryable": True},
        }
        with self.running():
            for count, body in told.items():
                task = self.fake.start(order, {"count": count}, retries=0).wait()
                self.assertEqual(self.outcome(task), ("fail", body))


class Caller:
    def __call__(self, p: Order) -> Parameters:
        return {"count": p.count + 1}

    async def soon(self, p: Order) -> Parameters:
        return {"count": p.count + 1}


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class AFunctionOfAnotherKind(WorkerTest):
    def test_serves_a_command(self) -> None:
        def add(more: int, p: Order, ctx: Context) -> Parameters:
            return {"count": p.count + more}

        async def add_soon(more: int, p: Order, ctx: Context) -> Parameters:
            return add(more, p, ctx)

        async def not_awaited(p: Order) -> Any:
            return Caller().soon(p)

        functions = {
            "partial": functools.partial(add, 1),
            "partial_soon": functools.partial(add_soon, 1),
            "object": Caller(),
            "method": Caller().soon,
            "wrapped": wrapped(Caller().soon),
            "twice": wrapped(functools.partial(wrapped(add_soon), 1)),
            "not_awaited": not_awaited,
        }
        commands = {name: self.worker.command(name)(each) for name, each in functions.items()}
        with self.running():
            for name, command in commands.items():
                task = self.fake.start(command, {"count": 2}, retries=0).wait()
                self.assertEqual(task.output, {"count": 3}, name)

    def test_is_refused_where_it_could_not_be_called(self) -> None:
        def by_name(p: Parameters, *, ctx: Context) -> None: ...

        def parts(p: Parameters) -> Any:
            yield {}

        wrong: Dict[str, Any] = {
            "functools.wraps": lambda *args, **kwargs: None,
            "by name alone": by_name,
            "a generator": parts,
        }
        for said, function in wrong.items():
            with self.assertRaisesRegex(TypeError, said):
                self.worker.command(said)(function)


class AnEndOfTheEventLoop(WorkerTest):
    def test_by_one_command_leaves_the_others_running(self) -> None:
        @self.worker.command("exit")
        async def leave(p: Parameters) -> Parameters:
            async def inner() -> None:
                sys.exit(3)

            left = asyncio.get_running_loop().create_task(inner())
            await asyncio.sleep(0)
            asyncio.get_running_loop().stop()
            return {"left": type((await asyncio.gather(left, return_exceptions=True))[0]).__name__}

        with self.running():
            tasks = [self.fake.start(leave, retries=0).wait(10) for _ in range(2)]
        self.assertEqual([task.output for task in tasks], [{"left": "SystemExit"}] * 2)


class AnOutputThatJsonHasNot(WorkerTest):
    def test_is_answered_at_once(self) -> None:
        @self.worker.command("count")
        def count(p: Parameters) -> Parameters:
            return {"n": 10**5_000}

        with self.running():
            task = self.fake.start(count).wait(10)
        body = self.outcome(task)[1]
        self.assertEqual((body["code"], body["retryable"]), ("INVALID_OUTPUT", False))
        self.assertRegex(body["message"], "output.n is an integer beyond")

    def test_is_no_sign_that_the_gateway_is_away(self) -> None:
        line = Gateway(self.fake.url, Token()).line()
        with self.assertRaisesRegex(ValueError, "JSON"):
            line.send(Request("PUT", "/v1/workers/w", {"n": float("nan")}))


class APrintingProcess(unittest.TestCase):
    def test_may_have_the_stdout_that_is_captured(self) -> None:
        with tempfile.TemporaryFile("w+") as file:
            with contextlib.redirect_stdout(file), stdout_captured():
                subprocess.run([sys.executable, "-c", "print('x')"], stdout=sys.stdout, check=True)
            file.seek(0)
            self.assertEqual(file.read(), "x\n")


class ACapturedStdout(unittest.TestCase):
    def test_has_what_the_stream_has(self) -> None:
        shown = io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(shown), stdout_captured():
            sys.stdout.buffer.write(b"x\n")
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
            with self.assertRaises(AttributeError):
                sys.stdout.nothing  # type: ignore[attr-defined]
        self.assertEqual(shown.buffer.getvalue(), b"x\n")  # type: ignore[attr-defined]


class AShareOfTheWork(unittest.TestCase):
    def test_is_told_as_the_number_that_it_is(self) -> None:
        log = AttemptLog(lambda text: text)
        for given, told in ((Decimal("5.5"), 5.5), (Fraction(1, 2), 0.5), (-1, 0), (140, 100)):
            log.progress(given, None, None)
            self.assertEqual(json.dumps(log.take().progress), f'{{"percent": {float(told)}}}')

    def test_is_refused_at_the_call_if_it_is_no_number(self) -> None:
        ctx = context()
        for wrong in (True, float("nan"), float("inf"), Decimal("nan"), "half", [1]):
            with self.assertRaises((TypeError, ValueError), msg=wrong):
                ctx.progress(wrong)  # type: ignore[arg-type]


class ALineThatCannotBeWritten(WorkerTest):
    def test_does_not_fail_its_command(self) -> None:
        @self.worker.command("say")
        def say(p: Parameters, ctx: Context) -> None:
            ctx.log.info("made %d", "x")
            ctx.log.info(Unwritable())
            ctx.log.info("done")

        with self.running():
            task = self.fake.start(say).wait()
        said = ["made %d (its values cannot be written: TypeError)"]
        said += ["a line (its values cannot be written: LookupError)", "done"]
        self.assertEqual((task.status, task.log), ("succeeded", said))


class ASecretOfSeveralLines(WorkerTest):
    def test_is_masked_line_by_line(self) -> None:
        @self.worker.command("show", secrets=["key"])
        def show(p: Parameters, ctx: Context) -> None:
            print(p["key"])
            ctx.log.info("all of it: %s", p["key"])
            ctx.log.info("a line: %s", p["key"].splitlines()[1])

        shown = io.StringIO()
        key = "-----BEGIN KEY-----\nMIIEsecretsecret\n-----END KEY-----\n"
        with contextlib.redirect_stdout(shown), stdout_captured(), self.running():
            task = self.fake.start(show, {"key": key}).wait()
        printed = ["***", "***", "***", ""]
        self.assertEqual(task.log, [*printed, "all of it: ***", "a line: ***"])
        self.assertEqual(shown.getvalue().splitlines(), printed)


@dataclass
class Login:
    password: str


class ASecretWithSignsOfItsOwn(WorkerTest):
    def test_is_masked_as_python_and_json_and_addresses_write_it(self) -> None:
        @self.worker.command("log_in", secrets=["password"])
        def log_in(p: Login, ctx: Context) -> None:
            for text in (p, json.dumps(ctx.parameters), urlencode(ctx.parameters)):
                ctx.log.info("%s", text)
            raise RuntimeError(ctx.parameters)

        password = "pa\"ss'wo\\rd-\t\u00e9 9"
        with self.running():
            task = self.fake.start(log_in, {"password": password}, retries=0).wait()
        told = " ".join(task.log) + str(task.failure)
        self.assertEqual(told.count("***"), 5, told)
        self.assertNotIn("rd-", told)


class AWorkerWithoutAFreeSlot(WorkerTest):
    def test_is_as_well_as_its_last_poll_when_a_slot_is_free_again(self) -> None:
        gate = Gate()
        self.worker.command("wait")(lambda p: gate.pass_through())
        self.worker.options.slots = 1
        late = [0.0]
        clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late[0])
        with mock.patch("backstep.polling.time", clock), self.running() as running:
            self.fake.start(self.worker.catalogue.all()[0])
            assert gate.entered.wait(30)
            while not running._poller._waits_for_slot:
                time.sleep(0.01)
            late[0], polls = 3_600.0, self.fake.requests["poll"]
            gate.opened.set()
            self.fake.wait_for_requests("poll", polls + 1)
            self.assertTrue(running.is_well())


class ALogWhoseHandlersRaise(WorkerTest):
    def broken(self) -> logging.Handler:
        handler = logging.NullHandler()
        handler.handle = mock.Mock(side_effect=RuntimeError("the disk is full"))  # type: ignore
        logging.getLogger("backstep").addHandler(handler)
        self.addCleanup(logging.getLogger("backstep").removeHandler, handler)
        return handler

    def test_ends_no_heartbeats(self) -> None:
        gate = Gate()

        @self.worker.command("wait")
        def wait(p: Parameters, ctx: Context) -> None:
            gate.pass_through()

        with self.running():
            self.fake.refuse("heartbeat", 503, times=2)
            self.broken()
            task = self.fake.start(wait)
            self.fake.wait_for_requests("heartbeat", 4)
            gate.opened.set()
            task.wait()

    def test_loses_no_outcome(self) -> None:
        @self.worker.command("give")
        def give(p: Parameters, ctx: Context) -> Parameters:
            return {"given": True}

        with self.running():
            self.fake.refuse("outcome", 503)
            self.broken()
            self.assertEqual(self.fake.start(give).wait().output, {"given": True})
            self.fake.refuse("outcome", 413)
            task = self.fake.start(give).wait()
        self.assertEqual(self.outcome(task)[1]["code"], "OUTPUT_TOO_LARGE")


class AToken(unittest.TestCase):
    def test_is_that_of_its_line(self) -> None:
        with mock.patch.dict("os.environ", {"BACKSTEP_TOKEN": "bk_secret\r\n"}):
            self.assertEqual(Token().value(), "bk_secret")
        self.assertIsNone(Token("\n").value())

    def test_that_no_header_can_carry_is_not_told(self) -> None:
        for token in ("bk_secret\nbk_other", "bk_secr\u00e9t", "bk_secret\u2028"):
            with self.subTest(token), self.assertRaises(Unreachable) as raised:
                Gateway("http://127.0.0.1:9", Token(token + "x")).line()._headers(None)
            self.assertNotIn("bk_", str(raised.exception))


class AnAnswerThatIsNotOfTheGateway(WorkerTest):
    def test_decides_no_outcome(self) -> None:
        @self.worker.command("give")
        def give(p: Parameters, ctx: Context) -> Parameters:
            return {"given": True}

        with self.running():
            for status in (302, 307, 404, 405, 421):
                with self.subTest(status):
                    self.fake.refuse("outcome", status)
                    self.assertEqual(self.fake.start(give).wait(5).output, {"given": True})


class AnEmptyAnswer(WorkerTest):
    def test_that_came_without_a_wait_is_followed_by_a_pause(self) -> None:
        self.worker.command("give")(lambda p: None)
        self.worker.options.wait = "0s"
        pauses: List[float] = []
        with mock.patch.object(Backoff, "next", lambda _: pauses.append(0.2) or 0.2):
            with self.running():
                self.fake.wait_for_requests("poll", 3)
        self.assertGreaterEqual(len(pauses), 2)


class AnAddress(unittest.TestCase):
    def test_whose_port_is_none_is_refused_at_once(self) -> None:
        for address in ("http://localhost:70700", "http://localhost:x"):
            with self.subTest(address), self.assertRaises(ValueError):
                Gateway(address, Token("t"))

    def test_of_ipv6_needs_no_port(self) -> None:
        for scheme, port in (("http", 80), ("https", 443)):
            line = Gateway(f"{scheme}://[::1]", Token("t")).line()
            with mock.patch("socket.create_connection", side_effect=OSError) as connected:
                with self.assertRaises(Unreachable):
                    line.send(Request("GET", "/"))
            self.assertEqual(connected.call_args[0][0], ("::1", port))


if __name__ == "__main__":
    unittest.main()
