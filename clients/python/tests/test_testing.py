from __future__ import annotations

import contextlib
import functools
import http.client
import json
import unittest
import warnings
from typing import Any, Dict, List, Optional, Set, Tuple

from backstep import Cancelled, Context, Worker, look_again
from backstep.testing import (
    FakeBackstep,
    cancel,
    commands_without_undo,
    context,
    undo_contract,
)

Parameters = Dict[str, Any]


class Cloud:
    """Machines by the key that they were asked for with. Keys that are over make none."""

    def __init__(self) -> None:
        self.machines: Dict[str, str] = {}
        self.over: Set[str] = set()

    def create(self, key: str) -> str:
        if key in self.over:
            raise RuntimeError("that order was cancelled")
        return self.machines.setdefault(key, f"vm-{len(self.machines)}")

    def delete(self, key: Optional[str]) -> None:
        assert key is not None
        self.over.add(key)
        self.machines.pop(key, None)


class TheContractOfAnUndo(unittest.TestCase):
    def setUp(self) -> None:
        self.cloud = Cloud()
        self.worker = Worker(module="cloud")

    def broken(self, forward: Any, back: Any) -> str:
        command = self.worker.command("init")(forward)
        undo = command.undo("clean")(back)
        try:
            undo_contract(command, undo, lambda: self.cloud.machines)
        except AssertionError as error:
            return str(error)
        return ""

    def test_holds_for_a_pair_that_goes_by_the_key(self) -> None:
        def init(p: Parameters, ctx: Context) -> Parameters:
            return {"instance": self.cloud.create(ctx.idempotency_key)}

        def clean(p: Parameters, ctx: Context) -> None:
            self.cloud.delete(ctx.forward_key)

        self.assertEqual(self.broken(init, clean), "")

    def test_holds_for_a_command_that_looks_again(self) -> None:
        seen: Set[Any] = set()

        def init(p: Parameters, ctx: Context) -> Any:
            machine = self.cloud.create(ctx.idempotency_key)
            if machine not in seen:
                seen.add(machine)
                return look_again("10s")
            return {"instance": machine}

        def clean(p: Parameters, ctx: Context) -> None:
            self.cloud.delete(ctx.forward_key)

        self.assertEqual(self.broken(init, clean), "")

    def test_finds_a_command_that_looks_again_for_ever(self) -> None:
        broken = self.broken(lambda p, ctx: look_again("1s"), lambda p, ctx: None)
        self.assertIn("it wants to look again", broken)

    def test_holds_for_coroutines(self) -> None:
        async def init(p: Parameters, ctx: Context) -> Parameters:
            return {"instance": self.cloud.create(ctx.idempotency_key)}

        @functools.wraps(init)
        def wrapped(p: Parameters, ctx: Context) -> Any:
            return init(p, ctx)

        async def clean(p: Parameters, ctx: Context) -> None:
            self.cloud.delete(ctx.forward_key)

        self.assertEqual(self.broken(wrapped, clean), "")

    def test_finds_an_effect_at_each_start(self) -> None:
        def init(p: Parameters, ctx: Context) -> Parameters:
            key = f"{ctx.idempotency_key}/{len(self.cloud.machines)}"
            return {"instance": self.cloud.create(key)}

        said = self.broken(init, lambda p: None)
        self.assertIn("a second start changes nothing", said)
        self.assertIn("undo takes back what the command did", said)

    def test_finds_an_undo_that_needs_the_output(self) -> None:
        def init(p: Parameters, ctx: Context) -> Parameters:
            self.cloud.create(ctx.idempotency_key)
            return {"key": ctx.idempotency_key}

        said = self.broken(init, lambda p: self.cloud.delete(p["key"]))
        self.assertIn("undo without an effect succeeds: KeyError", said)

    def test_finds_an_effect_that_comes_after_the_undo(self) -> None:
        def init(p: Parameters, ctx: Context) -> Parameters:
            return {"instance": self.cloud.machines.setdefault(ctx.idempotency_key, "vm")}

        def clean(p: Parameters, ctx: Context) -> None:
            self.cloud.machines.pop(str(ctx.forward_key), None)

        self.assertIn("a start after the undo changes nothing", self.broken(init, clean))

    def test_finds_an_effect_whose_undo_came_first(self) -> None:
        undone: List[str] = []

        def init(p: Parameters, ctx: Context) -> Parameters:
            assert ctx.idempotency_key not in undone
            return {"instance": self.cloud.create(ctx.idempotency_key)}

        def clean(p: Parameters, ctx: Context) -> None:
            if self.cloud.machines.pop(str(ctx.forward_key), None) is not None:
                undone.append(str(ctx.forward_key))

        self.assertRegex(self.broken(init, clean), "^[^-]*- a first start that comes after[^\n]*$")

    def test_names_commands_that_nothing_undoes(self) -> None:
        self.worker.command("look", read_only=True)(lambda p: None)
        self.worker.command("make", module="other")(lambda p: None)
        self.worker.command("init")(lambda p: None).undo("clean")(lambda p: None)
        self.assertEqual(commands_without_undo(self.worker), ["other.make"])
        with FakeBackstep() as fake, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with fake.running(self.worker):
                pass
        said = [str(each.message) for each in caught if "undo" in str(each.message)]
        self.assertEqual(said, ["other.make has no undo, and is not read_only"])


class AFakeGateway(unittest.TestCase):
    def setUp(self) -> None:
        self.fake = FakeBackstep()
        self.addCleanup(self.fake.close)

    def ask(self, method: str, path: str, body: Optional[Parameters] = None) -> Tuple[int, Any]:
        connection = http.client.HTTPConnection(self.fake.url[len("http://") :], timeout=30)
        with contextlib.closing(connection):
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Backstep-Worker-Protocol": "1"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def test_tells_the_protocols_and_their_bounds(self) -> None:
        status, terms = self.ask("GET", "/v1/work")
        self.assertEqual((status, terms["protocols"]), (200, [1]))
        self.assertEqual(terms["limits"]["waitMs"], 30_000)

    def test_takes_a_poll_with_the_members_that_it_must_have(self) -> None:
        command = Worker(module="shop").command("charge")(lambda p: None)
        least: List[Parameters] = [{"module": "shop"}, {"modules": ["shop"]}]
        for more in (*least, {"module": "shop", "wait": 0, "lease": 10_000}):
            task = self.fake.start(command)
            status, answer = self.ask("POST", "/v1/work:poll", {"worker": "w", **more})
            taken = [item["taskId"] for item in answer["items"]]
            self.assertEqual((status, taken), (200, [task.id]), more)
        for wrong in ({"worker": "w"}, {"module": "shop"}, {"worker": "w", **least[0], **least[1]}):
            status, answer = self.ask("POST", "/v1/work:poll", wrong)
            self.assertEqual((status, answer["code"]), (400, "INVALID_REQUEST"), wrong)

    def test_hands_out_actions_of_the_directions_that_are_asked_for(self) -> None:
        command = Worker(module="shop").command("charge")(lambda p: None)
        command.undo("refund")(lambda p: None)
        task = self.fake.start(command)
        undos = {"worker": "back", "module": "shop", "directions": ["rollback"], "wait": "0s"}
        self.assertEqual(self.ask("POST", "/v1/work:poll", undos)[1]["items"], [])
        forward = {"worker": "forth", "module": "shop", "directions": ["normal"]}
        _, answer = self.ask("POST", "/v1/work:poll", forward)
        claim = answer["items"][0]["claim"]
        self.ask("POST", f"/v1/work/{claim}:complete", {})
        task.undo()
        _, answer = self.ask("POST", "/v1/work:poll", undos)
        self.fake.start(command)
        done = f"/v1/work/{answer['items'][0]['claim']}:complete"
        # The next items are those that the newest poll of the worker has asked for.
        self.assertEqual(self.ask("POST", done, {"poll": {"max": 1}})[1]["items"], [])


class AContext(unittest.TestCase):
    def test_has_what_the_test_says(self) -> None:
        ctx = context("rollback", output={"a": 1}, fencing_token=7, time_left=5, labels={"x": "y"})
        self.assertEqual((ctx.direction, ctx.output, ctx.fencing_token), ("rollback", {"a": 1}, 7))
        self.assertTrue(4 < ctx.time_left() <= 5)
        self.assertEqual(ctx.labels, {"x": "y"})
        self.assertRegex(str(ctx.forward_key), "^key-of-forward-")

    def test_can_be_called_off(self) -> None:
        ctx = context()
        ctx.check()
        cancel(ctx, "ann says so")
        with self.assertRaises(Cancelled) as caught:
            ctx.check()
        self.assertEqual(caught.exception.reason, "ann says so")


if __name__ == "__main__":
    unittest.main()
