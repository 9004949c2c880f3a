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

#: How long tasks that commands left behind have to end, in seconds.
_TIDY = 1.0

#: Work for a thread of the pool.
Work = Callable[[], None]

#: Gets what a coroutine returned, or what it raised.
Ended = Callable[[Any, Optional[BaseException]], None]


class ThreadPool:
    """Threads that are started when there is work, up to a number.

    They end with the process at the latest: a command that hears nothing must not keep it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._work: "queue.SimpleQueue[Optional[Work]]" = queue.SimpleQueue()
        self._threads = 0
        self._unfinished = 0
        self._is_ended = False

    def submit(self, work: Work) -> None:
        """Has work done by the next thread that is free; after the end, by this one."""
        with self._lock:
            is_ended = self._is_ended
            self._unfinished += 1
            needs_thread = not is_ended and self._threads < min(self._unfinished, self._most)
            if needs_thread:
                self._threads += 1
            name = f"backstep-{self._threads}"
        if is_ended:
            self._do(work)
            return
        self._work.put(work)
        if needs_thread:
            threading.Thread(target=self._run, name=name, daemon=True).start()

    def end(self) -> None:
        """Ends the threads: those that are busy, when their work is done."""
        with self._lock:
            self._is_ended = True
            threads = self._threads
        for _ in range(threads):
            self._work.put(None)

    def _run(self) -> None:
        while True:
            work = self._work.get()
            if work is None:
                return
            self._do(work)

    def _do(self, work: Work) -> None:
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
        # The loop itself would let go of a task that waits.
        self._tasks: Set["asyncio.Task[None]"] = set()
        self._is_ending = False

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
            self._tasks.add(task)
            task.add_done_callback(self._forget)
            context._when_cancelled(lambda: loop.call_soon_threadsafe(task.cancel))

        loop.call_soon_threadsafe(begin)

    def end(self) -> None:
        """Ends the loop, when the commands in it have ended."""
        with self._lock:
            loop = self._loop

        def end() -> None:
            self._is_ending = True
            self._stop_if_over()

        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(end)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._keep_running, args=(self._loop,), name="backstep-loop", daemon=True
                ).start()
            return self._loop

    def _keep_running(self, loop: asyncio.AbstractEventLoop) -> None:
        """Runs the loop. A ``SystemExit`` in any task ends a run, and other commands need it."""
        while not self._is_over():
            try:
                loop.run_forever()
            except BaseException:
                own_log.exception("a command ended the event loop, which goes on")
        try:
            loop.run_until_complete(_tidied())
        except BaseException:
            own_log.exception("a task that a command left behind could not be ended")
        loop.close()

    def _forget(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._stop_if_over()

    def _stop_if_over(self) -> None:
        if self._loop is not None and self._is_over():
            self._loop.stop()

    def _is_over(self) -> bool:
        return self._is_ending and not self._tasks


async def _tidied() -> None:
    """Ends what commands have left in the loop, as ``asyncio.run`` does."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_TIDY)
    await asyncio.get_running_loop().shutdown_asyncgens()


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
