"""A gateway in the process of a test."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import select
import socket
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union
from urllib.parse import unquote

from ..commands import Command
from ..durations import Duration, milliseconds
from ..item import Json
from ..running import RunningWorker
from ..version import PROTOCOL
from ..worker import Worker
from .fake_tasks import FakeTask, Refused, Step
from .pairs import commands_without_undo

#: How often commands that run are renewed, so that a test need not wait for a cancel.
_HEARTBEAT_MS = 100
#: How often a poll looks whether its client is still there, in seconds.
_LOOK = 0.05

#: The answer to ``GET /v1/work``.
_TERMS: Json = {
    "protocols": [PROTOCOL],
    "limits": {
        "claimsPerPoll": 100,
        "waitMs": 30_000,
        "leaseMs": {"min": 10_000, "default": 30_000, "max": 600_000},
        "logBytes": 65_536,
    },
}
#: The poll of a worker that has sent none.
_NOTHING: Json = {"worker": "", "modules": [], "lease": "30s"}

_OUTCOME = re.compile(r"/v1/work/(?P<claim>[^/:]+):(?P<act>complete|fail|again|later|release)")


@dataclass
class _Fault:
    """Something that goes wrong with the next requests of a kind."""

    kind: str
    times: int
    status: Optional[int] = None
    retry_after: int = 0


class FakeBackstep:
    """Serves worker protocol 1 in the process, with tasks of one step and faults to order.

    Use it in a ``with`` statement. ``lease`` overrides the lease that workers ask for, for tests
    in which a lease ends.
    """

    def __init__(self, *, lease: Optional[Duration] = None) -> None:
        self._lease = None if lease is None else milliseconds(lease) / 1_000
        self._changed = threading.Condition()
        self._tasks: Dict[str, FakeTask] = {}
        self._faults: List[_Fault] = []
        self._polls: Dict[str, List[Tuple[FakeTask, Json]]] = {}
        #: The newest poll of each worker.
        self._orders: Dict[str, Json] = {}
        #: Requests so far, by kind: ``poll``, ``heartbeat``, ``outcome``, ``register``, ``leave``,
        #: and ``describe``, which asks for the bounds of the protocol.
        self.requests: Dict[str, int] = {}
        #: The registrations of workers that have not said good-bye.
        self.workers: Dict[str, Json] = {}
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        run = self._server.serve_forever
        self._thread = threading.Thread(target=run, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FakeBackstep:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._server.server_close()

    @contextlib.contextmanager
    def running(self, worker: Worker) -> Iterator[RunningWorker]:
        """Runs a worker against this gateway.

        Warns of commands that may change something and have no way back in their module.
        """
        for name in commands_without_undo(worker):
            warnings.warn(f"{name} has no undo, and is not read_only", stacklevel=3)
        running = worker.start(url=self.url)
        try:
            yield running
        finally:
            running.stop()

    def start(
        self,
        command: Command[Any],
        parameters: Optional[Json] = None,
        *,
        confirm: bool = False,
        retries: int = 2,
    ) -> FakeTask:
        """Makes a task of one step. Its way back is the first undo that the command declares.

        ``confirm``: as of an action with ``"onCrash": "fail"``.
        """
        declared = command.declaration
        undo = command.undos[0] if command.undos else None
        step = Step(declared.module, declared.name, undo, parameters or {})
        step.confirm, step.retries = confirm, retries
        task = FakeTask(step, self._changed)
        with self._changed:
            self._tasks[task.id] = task
            self._changed.notify_all()
        return task

    def lose_answer(self, kind: str, times: int = 1) -> None:
        """Has the next requests of a kind take effect, and their connections close unanswered."""
        self._add(_Fault(kind, times))

    def refuse(self, kind: str, status: int, *, times: int = 1, retry_after: int = 0) -> None:
        """Has the next requests of a kind refused, without an effect."""
        self._add(_Fault(kind, times, status, retry_after))

    def wait_for_requests(self, kind: str, count: int, timeout: float = 30.0) -> None:
        """Waits until there were so many requests of a kind. Raises ``TimeoutError``."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.requests.get(kind, 0) >= count, timeout):
                raise TimeoutError(f"{self.requests.get(kind, 0)} of {count} requests: {kind}")

    def _add(self, fault: _Fault) -> None:
        with self._changed:
            self._faults.append(fault)

    def _fault(self, kind: str) -> Optional[_Fault]:
        with self._changed:
            self.requests[kind] = self.requests.get(kind, 0) + 1
            self._changed.notify_all()
            fault = next((each for each in self._faults if each.kind == kind), None)
            if fault is not None:
                fault.times -= 1
                if fault.times == 0:
                    self._faults.remove(fault)
            return fault

    def _poll(self, asked: Json, client: socket.socket) -> Json:
        body = _order_by(asked)
        poll_id = body.get("pollId", "")
        known = self._replayed(poll_id, body["worker"])
        if known is not None:
            return {"items": known}
        begin = time.monotonic()
        end = begin + _seconds(body["wait"])
        with self._changed:
            self._orders[body["worker"]] = body
            while True:
                taken = self._taken(body, begin)
                if taken or time.monotonic() >= end or _is_closed(client):
                    break
                self._changed.wait(_LOOK)
            if poll_id:
                self._polls[poll_id] = taken
        return {"items": [item for _, item in taken]}

    def _replayed(self, poll_id: str, worker: str) -> Optional[List[Json]]:
        with self._changed:
            known = self._polls.get(poll_id)
            if known is None:
                return None
            return [i for task, i in known if task.beat(i["claim"], 15.0)["state"] == "held"]

    def _taken(self, body: Json, begin: float) -> List[Tuple[FakeTask, Json]]:
        now = time.monotonic()
        lease = self._lease or _seconds(body["lease"])
        taken: List[Tuple[FakeTask, Json]] = []
        for task in self._tasks.values():
            task.tick(now)
            if len(taken) < body["max"] and task.is_ready(now) and _fits(task, body):
                taken.append((task, task.claim(body["worker"], lease, now - begin)))
        if taken:
            self._changed.notify_all()
        return taken

    def _heartbeat(self, body: Json) -> Json:
        states: List[Json] = []
        with self._changed:
            for beat in body["claims"]:
                task = self._task_of(beat["claim"])
                task.tick(time.monotonic())
                states.append(task.beat(beat["claim"], self._lease or 30.0))
                _keep(task, beat)
            self._changed.notify_all()
        return {"claims": states, "heartbeatMs": _HEARTBEAT_MS}

    def _outcome(self, claim: str, act: str, body: Json) -> Json:
        with self._changed:
            task = self._task_of(claim)
            told = {k: v for k, v in body.items() if k not in ("log", "logDropped", "poll")}
            _keep(task, body)
            worker = task.action.worker
            try:
                task.report(claim, act, told)
                answer: Json = {"taskStatus": task.status}
                if "poll" in body:
                    order = {**self._orders.get(worker, _NOTHING), **body["poll"]}
                    taken = self._taken(order, time.monotonic())
                    answer["items"] = [item for _, item in taken]
                return answer
            finally:
                self._changed.notify_all()

    def _task_of(self, claim: str) -> FakeTask:
        task = self._tasks.get(claim.split(".")[0])
        if task is None:
            raise Refused(403, "WRONG_CLAIM")
        return task

    def _leave(self, worker: str) -> Json:
        with self._changed:
            self.workers.pop(worker, None)
            for task in self._tasks.values():
                if task.action.worker == worker:
                    task.hand_back(task.claim_id())
            self._changed.notify_all()
        return {}

    def _register(self, worker: str, body: Json) -> Json:
        with self._changed:
            self.workers[worker] = body
        return {"heartbeatMs": _HEARTBEAT_MS}

    def _hand_back(self, answer: Json) -> None:
        """Takes back the items of an answer that could not be written."""
        with self._changed:
            for item in answer.get("items", []):
                self._task_of(item["claim"]).hand_back(item["claim"])
            self._changed.notify_all()


def _read(text: bytes) -> Json:
    body: Json = json.loads(text) if text else {}
    try:
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(400, "INVALID_REQUEST", detail="half of a surrogate pair") from None
    return body


def _order_by(asked: Json) -> Json:
    """Gives a poll with the members that it may leave out. Raises ``Refused``."""
    if "worker" not in asked or ("module" in asked) == ("modules" in asked):
        raise Refused(400, "INVALID_REQUEST", detail="send worker, and either modules or module")
    modules = asked["modules"] if "modules" in asked else [asked["module"]]
    return {"max": 1, "wait": "20s", "lease": "30s", **asked, "modules": modules}


def _seconds(given: Union[str, int]) -> float:
    """Reads a time of a request: a text, or whole milliseconds."""
    return (given if isinstance(given, int) else milliseconds(given)) / 1_000


def _fits(task: FakeTask, body: Json) -> bool:
    if task.step.module not in body["modules"]:
        return False
    if task.action.direction not in body.get("directions", (task.action.direction,)):
        return False
    return "commands" not in body or task.action.command in body["commands"]


def _keep(task: FakeTask, body: Json) -> None:
    for entry in body.get("log", []):
        task.log.append(entry if isinstance(entry, str) else entry["message"])
    if "progress" in body:
        task.progress = body["progress"]


def _is_closed(client: socket.socket) -> bool:
    readable, _, _ = select.select([client], [], [], 0)
    return bool(readable) and client.recv(1, socket.MSG_PEEK) == b""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Passes over connections that break: a worker that stops breaks its own."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler_of(fake: FakeBackstep) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            if self.path == "/v1/work":
                self._serve("describe", lambda _: _TERMS)
            else:
                self._answer(404, {"code": "NOT_FOUND"})

        def do_PUT(self) -> None:
            worker = unquote(self.path[len("/v1/workers/") :])
            self._serve("register", lambda body: fake._register(worker, body))

        def do_DELETE(self) -> None:
            worker = unquote(self.path[len("/v1/workers/") :])
            self._serve("leave", lambda _: fake._leave(worker))

        def do_POST(self) -> None:
            found = _OUTCOME.fullmatch(self.path)
            if self.path == "/v1/work:poll":
                self._serve("poll", lambda body: fake._poll(body, self.connection))
            elif self.path == "/v1/work:heartbeat":
                self._serve("heartbeat", fake._heartbeat)
            elif found is not None:
                claim, act = unquote(found["claim"]), found["act"]
                self._serve("outcome", lambda body: fake._outcome(claim, act, body))
            else:
                self._answer(404, {"code": "NOT_FOUND"})

        def _serve(self, kind: str, act: Any) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            text = self.rfile.read(length)
            if len(text) < length:  # The client has gone.
                self.close_connection = True
                return
            if self.headers.get("Backstep-Worker-Protocol") != str(PROTOCOL):
                self._answer(400, {"code": "PROTOCOL_UNSUPPORTED", "supported": [PROTOCOL]})
                return
            fault = fake._fault(kind)
            if fault is not None and fault.status is not None:
                self._answer(fault.status, {"code": "REFUSED"}, str(fault.retry_after))
                return
            try:
                answer = act(_read(text))
            except Refused as refused:
                self._answer(refused.status, {"code": refused.code, **refused.members})
                return
            if fault is not None:
                self.close_connection = True
            elif _is_closed(self.connection):
                fake._hand_back(answer)
            else:
                self._answer(200, answer)

        def _answer(self, status: int, body: Json, retry_after: Optional[str] = None) -> None:
            text = json.dumps({**body, "later": "a member that clients do not know"}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            if retry_after is not None:
                self.send_header("Retry-After", retry_after)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the test says what went wrong."""

    return Handler
