"""Workers whose commands, answers and times are not as they should be."""

from __future__ import annotations

import unittest
from typing import Any, Dict

from backstep import Context
from test_worker import Gate, WorkerTest

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


if __name__ == "__main__":
    unittest.main()
