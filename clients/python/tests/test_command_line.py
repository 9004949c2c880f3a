from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, List
from unittest import mock

from backstep import Worker
from backstep.__main__ import main
from backstep.testing import FakeBackstep

CODE = """
from backstep import Worker
worker = Worker(module="m")

@worker.command("say")
def say(p, ctx):
    print("printed")
    return {"version": VERSION, "pid": __import__("os").getpid()}

@worker.command("wait")
def wait(p, ctx):
    ctx.cancelled.wait(p["seconds"])

@worker.command("die")
def die(p, ctx):
    if ctx.attempt == 1:
        __import__("os").kill(__import__("os").getpid(), 9)
"""


@unittest.skipIf(os.name == "nt", "signals are those of POSIX")
class TheCommand(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write(1)
        self.fake = FakeBackstep()
        self.addCleanup(self.fake.close)
        names = Worker(module="m")
        self.say = names.command("say")(lambda p: None)
        self.wait = names.command("wait")(lambda p: None)
        self.die = names.command("die")(lambda p: None)

    def write(self, version: int) -> None:
        (self.folder / "app.py").write_text(f"VERSION = {version}\n{CODE}")

    def begin(self, *more: str) -> Any:
        command: List[str] = [sys.executable, "-m", "backstep", "worker", "app:worker"]
        process = subprocess.Popen(
            [*command, "--url", self.fake.url, *more],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_runs_a_worker_until_it_is_told_to_stop(self) -> None:
        process = self.begin("--slots", "3", "--capture", "stdout")
        task = self.fake.start(self.say).wait()
        self.assertEqual(task.log, ["printed"])
        waiting = self.fake.start(self.wait, {"seconds": 1})
        waiting.wait_for("it is held", lambda: waiting.action.is_held)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (0, "printed\n"), err)
        self.assertEqual(waiting.status, "succeeded")
        self.assertRegex(err, "INFO backstep.worker: worker .* has stopped")

    def test_calls_commands_off_at_a_second_signal(self) -> None:
        process = self.begin()
        task = self.fake.start(self.wait, {"seconds": 30})
        task.wait_for("it is held", lambda: task.action.is_held)
        process.send_signal(signal.SIGINT)
        self.assertIn("lets its commands end", self.read_until(process, "lets its commands end"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual((process.returncode, task.outcomes[0][1]), (0, "complete"))

    def test_runs_several_processes_and_starts_again_what_dies(self) -> None:
        process = self.begin("--processes", "2")
        self.fake.wait_for_requests("register", 2)
        self.fake.start(self.die).wait_started()
        self.fake.wait_for_requests("register", 3)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("a worker ended with -9: starting again", err)

    def test_starts_again_when_the_code_changes(self) -> None:
        process = self.begin("--reload")
        self.assertEqual(self.version(), 1)
        self.write(22)
        self.fake.wait_for_requests("register", 2)
        self.assertEqual(self.version(), 22)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)

    def test_says_in_one_sentence_what_is_wrong(self) -> None:
        wrong = {
            "app": "'app' names no worker: write MODULE:NAME",
            "nothing:worker": "there is no module nothing here",
            "app:say": "app:say is no Worker",
            "app:worker": "'ftp://x' is no address: write https://host or http://host:port",
        }
        for place, said in wrong.items():
            command = [sys.executable, "-m", "backstep", "worker", place, "--url", "ftp://x"]
            ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stderr), (2, f"backstep: {said}\n"))

    def test_refuses_what_its_processes_could_not_do(self) -> None:
        wrong = {
            "--process=2": "unrecognized arguments: --process=2",
            "--processes=2 --health=127.0.0.1:0": "several processes cannot listen on one address",
        }
        for options, said in wrong.items():
            err = io.StringIO()
            with contextlib.redirect_stderr(err), mock.patch("backstep.__main__.supervise") as run:
                try:
                    code: Any = main(["worker", "app:worker", *options.split()])
                except SystemExit as error:
                    code = error.code
            self.assertEqual((code, run.called), (2, False), options)
            self.assertIn(said, err.getvalue())

    def version(self) -> Any:
        output = self.fake.start(self.say).wait().output
        assert output is not None
        return output["version"]

    @staticmethod
    def read_until(process: Any, words: str) -> str:
        read = ""
        for line in process.stderr:
            read += line
            if words in line:
                break
        return read


if __name__ == "__main__":
    unittest.main()
