"""Where commands run: a pool of threads, and one event loop."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import queue
import threading
import types
from typing import Any, Awaitable, Callable, Coroutine, Generator, Optional, Set

from .context import Context
from .outcomes import Cancelled
from .own_log import own_log

#: Work for a thread of the pool.
Work = Callable[[], None]

#: Gets what a coroutine returned, or what it raised.
Ended = Callable[[Any, Optional[BaseException]], None]


class ThreadPool:
    """Threads that are started when there is work, up to a number.

    They end with the process: a command that hears nothing must not keep it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._work: "queue.SimpleQueue[Work]" = queue.SimpleQueue()
        self._threads = 0
        self._unfinished = 0

    def submit(self, work: Work) -> None:
        """Has work done by the next thread that is free."""
        with self._lock:
            self._unfinished += 1
            needs_thread = self._threads < min(self._unfinished, self._most)
            if needs_thread:
                self._threads += 1
            name = f"backstep-{self._threads}"
        self._work.put(work)
        if needs_thread:
            threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while True:
            work = self._work.get()
            try:
                # What a command sets in its context must not reach the next one.
                contextvars.Context().run(work)
            except BaseException:
                own_log.exception("a thread of the worker failed, and goes on")
            with self._lock:
                self._unfinished -= 1


class EventLoop:
    """The loop in which all coroutines of a worker run, in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._tasks: Set["asyncio.Task[None]"] = set()

    def start(
        self,
        command: Awaitable[Any],
        context: Context,
        ended: Ended,
    ) -> None:
        """Runs a command to its end, and calls ``ended`` in the loop."""
        loop = self._running()

        def begin() -> None:
            task = loop.create_task(_to_its_end(command, context, ended))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            context._when_cancelled(lambda: loop.call_soon_threadsafe(task.cancel))

        # The loop itself would let go of a task that waits.
        tasks = self._tasks

        loop.call_soon_threadsafe(begin)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=_keep_running, args=(self._loop,), name="backstep-loop", daemon=True
                ).start()
            return self._loop


def _keep_running(loop: asyncio.AbstractEventLoop) -> None:
    """Runs a loop. A ``SystemExit`` in any of its tasks ends a run, and other commands need it."""
    while not loop.is_closed():
        try:
            loop.run_forever()
        except BaseException:
            own_log.exception("a command ended the event loop, which goes on")


async def awaited(value: Any) -> Any:
    """Awaits a value, and what that gives: not every decorator awaits what it wraps."""
    while inspect.isawaitable(value):
        value = await value
    return value


async def _to_its_end(command: Awaitable[Any], context: Context, ended: Ended) -> None:
    """Runs a command. No error of it may end the loop, which serves others too."""
    try:
        value = await _with_reason(awaited(command), context)
    except BaseException as error:
        ended(None, error)
    else:
        ended(value, None)


@types.coroutine
def _with_reason(command: Coroutine[Any, Any, Any], context: Context) -> Generator[Any, Any, Any]:
    """Passes on what a coroutine waits for; a cancel reaches it as ``Cancelled``, once.

    What cancels it later is a time-out of its own, over what it does to leave things tidy.
    """
    is_told = False
    step = _sender(command, None)
    while True:
        try:
            awaited = step()
        except StopIteration as done:
            return done.value
        try:
            value = yield awaited
        except asyncio.CancelledError as error:
            if context.reason is None or is_told:
                step = _thrower(command, error)
            else:
                is_told = True
                step = _thrower(command, Cancelled(context.reason))
        except BaseException as error:
            step = _thrower(command, error)
        else:
            step = _sender(command, value)


def _thrower(command: Coroutine[Any, Any, Any], error: BaseException) -> Callable[[], Any]:
    return lambda: command.throw(error)


def _sender(command: Coroutine[Any, Any, Any], value: Any) -> Callable[[], Any]:
    return lambda: command.send(value)
