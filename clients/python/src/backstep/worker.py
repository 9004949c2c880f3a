"""The worker, as its author declares and runs it."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, Optional, Sequence

from . import protocol
from .capture import stdout_captured
from .commands import Catalogue, Command, Declaration, Function
from .durations import Duration, milliseconds, seconds
from .gateway import Gateway, Token
from .own_log import own_log
from .running import RunningWorker, Terms


@dataclass
class Options:
    """How a worker runs. ``python -m backstep worker`` may set each of them.

    ``url``: the gateway; by default ``BACKSTEP_URL``. ``token``: a key with the role ``worker``;
    by default ``BACKSTEP_TOKEN``, or the file that ``BACKSTEP_TOKEN_FILE`` names. ``slots``: how
    many actions run at once, 1 to 1,000. ``wait``: how long a poll waits for an action, at most
    30 s. ``lease``: how soon others take over if this worker dies, 10 s to 10 min. ``drain``: how
    long commands have to end after SIGTERM. ``build``: a name of the code, kept with each attempt.
    ``health``: where ``/livez`` is served, such as ``127.0.0.1:8080``. ``directions``: ``normal``
    or ``rollback``, for a worker that serves only one of them.
    """

    url: Optional[str] = None
    token: Optional[str] = None
    slots: int = 8
    wait: Duration = "20s"
    lease: Duration = "30s"
    drain: Duration = "25s"
    build: Optional[str] = None
    health: Optional[str] = None
    directions: Sequence[str] = ()


class Worker:
    """Commands of one module or of several, and the program that serves them.

    ``Worker("https://backstep.example", module="mysql", slots=8)``: the other arguments are the
    members of ``Options``.
    """

    def __init__(self, url: Optional[str] = None, *, module: str, **options: Any) -> None:
        self.module = module
        self.options: Options = Options(url=url, **options)
        self.catalogue: Catalogue = Catalogue()

    def command(
        self,
        name: str,
        *,
        module: Optional[str] = None,
        output: Any = None,
        secrets: Sequence[str] = (),
        read_only: bool = False,
    ) -> Callable[[Function], Command[Function]]:
        """Declares a command: a function or a coroutine of parameters and ``Context``.

        The type of its first argument is what the parameters are read into. ``output`` is a
        dataclass, a ``TypedDict`` or a JSON Schema that its output must fit. ``secrets`` names the
        members of its output that are secrets. ``read_only``: it changes nothing, so it needs no
        way back.
        """
        declaration = Declaration(module or self.module, name, tuple(secrets), read_only, output)

        def declare(function: Function) -> Command[Function]:
            command = Command(declaration, function, self.catalogue.add)
            self.catalogue.add(command)
            return command

        return declare

    def start(self, *, url: Optional[str] = None) -> RunningWorker:
        """Starts the worker in threads of its own. End it with ``stop()``.

        Raises ``ValueError`` for options that are wrong, and ``TypeError`` for a command whose
        parameters or declared output have a type that JSON has not, such as a ``date``.
        """
        options = self.options
        address = url or options.url or os.environ.get("BACKSTEP_URL")
        if not address:
            raise ValueError("where is the gateway? Give a URL, or set BACKSTEP_URL")
        if not 1 <= options.slots <= 1_000:
            raise ValueError(f"{options.slots} slots: a worker has 1 to 1,000")
        self._check()
        identity = protocol.Identity(protocol.new_worker_id(), options.slots, options.build)
        gateway = Gateway(address, Token(options.token))
        terms = Terms(self._poll_terms(), seconds(options.drain), options.health)
        running = RunningWorker(gateway, identity, self.catalogue, terms)
        running.begin()
        return running

    def run(self, *, capture: Optional[str] = None) -> None:
        """Runs the worker until SIGTERM or SIGINT, then drains it and returns.

        A second signal ends the wait for commands. ``capture="stdout"`` keeps what commands print
        with their attempts. Call it in the main thread.
        """
        if capture not in (None, "stdout"):
            raise ValueError(f"{capture!r} cannot be captured: only stdout can")
        captured = stdout_captured() if capture else contextlib.nullcontext()
        with _logged(), captured, _signals() as stop:
            running = self.start()
            stop.wait()
            stop.when_again(running.hurry)
            own_log.info("worker %s stops, and lets its commands end", running.name)
            running.stop()

    def _poll_terms(self) -> protocol.PollTerms:
        wait, lease = milliseconds(self.options.wait), milliseconds(self.options.lease)
        if wait > 30_000:
            raise ValueError(f"wait is {self.options.wait!r}: a poll waits at most 30s")
        if not 10_000 <= lease <= 600_000:
            raise ValueError(f"lease is {self.options.lease!r}: it is 10s to 10m")
        directions = self.options.directions
        if isinstance(directions, str) or not {"normal", "rollback"}.issuperset(directions):
            raise ValueError(f"directions is {directions!r}: it lists normal or rollback")
        return protocol.PollTerms(
            tuple(self.catalogue.modules),
            tuple(self.catalogue.names),
            wait,
            lease,
            tuple(directions),
        )

    def _check(self) -> None:
        if not self.catalogue.all():
            raise ValueError(f"the worker of {self.module} has no command")
        if len(self.catalogue.modules) > 16:
            raise ValueError("a worker has at most 16 modules")
        for command in self.catalogue.all():
            command.expect_types()


class _Stop:
    """A signal to stop, and what a second one does."""

    def __init__(self) -> None:
        # A handler may run while the same thread is in the queue: this one allows that.
        self._told: "queue.SimpleQueue[int]" = queue.SimpleQueue()
        self._again: Callable[[], None] = lambda: None

    def __call__(self, number: int, frame: Any) -> None:
        self._told.put(number)
        self._again()

    def wait(self) -> None:
        """Waits for the first signal."""
        self._told.get()

    def when_again(self, hurry: Callable[[], None]) -> None:
        """Says what a second signal does."""
        self._again = hurry


@contextlib.contextmanager
def _signals() -> Iterator[_Stop]:
    stop = _Stop()
    before: Dict[int, Any] = {}
    for each in (signal.SIGTERM, signal.SIGINT):
        before[each] = signal.signal(each, stop)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    """Has the lines of ``backstep`` go to stderr, unless the program has a log of its own."""
    logger = logging.getLogger("backstep")
    if logger.hasHandlers():
        yield
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(level or logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Formatter(logging.Formatter):
    """Adds the attempt that a line is about."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        members = (getattr(record, name, None) for name in ("task_id", "run", "attempt"))
        place = " ".join(str(member) for member in members if member is not None)
        return f"{line} [{place}]" if place else line
