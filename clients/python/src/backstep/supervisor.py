"""Keeps processes of a worker running: several of them, or one whose code changes."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .patience import Backoff

#: How often the code is looked at, and processes that ended are started again, in seconds.
_LOOK = 0.5
#: A process that lived for so long has worked: the next one starts at once. In seconds.
_WORKED = 10.0
#: Folders whose code is not the author's.
_FOREIGN = {"site-packages", "node_modules", "__pycache__"}


def supervise(command: List[str], count: int, *, reload: bool) -> int:
    """Runs processes until SIGTERM or SIGINT, which they get as well. Gives the exit code.

    A process that ends by itself is started again. With ``reload``, all are when a file of Python
    in the present folder changes.
    """
    told: "queue.SimpleQueue[int]" = queue.SimpleQueue()

    def handle(number: int, frame: Any) -> None:
        told.put(number)

    before = [(each, signal.signal(each, handle)) for each in (signal.SIGTERM, signal.SIGINT)]
    children = [_Child(command) for _ in range(count)]
    try:
        return _watch(children, told, _Files(Path.cwd()) if reload else None)
    finally:
        for child in children:
            child.end(signal.SIGKILL)
        for each, handler in before:
            signal.signal(each, handler)


def _watch(children: List[_Child], told: "queue.SimpleQueue[int]", files: Optional[_Files]) -> int:
    while True:
        try:
            return _stop(children, told, told.get(timeout=_LOOK))
        except queue.Empty:
            pass
        if files is not None and files.have_changed():
            print("backstep: the code has changed: starting again", file=sys.stderr)
            for child in children:
                child.end(signal.SIGTERM)
        for child in children:
            child.keep()


def _stop(children: List[_Child], told: "queue.SimpleQueue[int]", number: int) -> int:
    """Has all processes stop. Further signals reach them too."""
    threads = [threading.Thread(target=child.process.wait) for child in children]
    for thread in threads:
        thread.start()
    for child in children:
        child.tell(number)
    while any(thread.is_alive() for thread in threads):
        try:
            again = told.get(timeout=_LOOK / 10)
        except queue.Empty:
            continue
        for child in children:
            child.tell(again)
    codes = [int(child.process.returncode) for child in children]
    return max(code if code >= 0 else 128 - code for code in codes)


class _Child:
    """A process that is started again when it has ended."""

    def __init__(self, command: List[str]) -> None:
        self._command = command
        self._backoff = Backoff()
        self._not_before = 0.0
        self._start()

    def keep(self) -> None:
        """Starts the process again if it has ended and it is time."""
        if self.process.poll() is None:
            return
        now = time.monotonic()
        if self._not_before == 0.0:
            if now - self._started >= _WORKED:
                self._backoff.reset()
            self._not_before = now + self._backoff.next()
            code = self.process.returncode
            print(f"backstep: a worker ended with {code}: starting again", file=sys.stderr)
        if now >= self._not_before:
            self._start()

    def tell(self, number: int) -> None:
        """Passes a signal on."""
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self, number: int) -> None:
        """Ends the process, and waits for that."""
        self.tell(number)
        self.process.wait()

    def _start(self) -> None:
        self._not_before = 0.0
        self._started = time.monotonic()
        # In a group of its own, so that Ctrl-C reaches it once: from here.
        self.process = subprocess.Popen(self._command, start_new_session=True)


class _Files:
    """The code of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = self._times()

    def have_changed(self) -> bool:
        """Says whether a file has changed since the last call."""
        before, self._seen = self._seen, self._times()
        return before != self._seen

    def _times(self) -> Dict[Path, float]:
        return dict(_times_in(self._folder))


def _times_in(folder: Path) -> Iterator[Tuple[Path, float]]:
    try:
        for each in sorted(folder.iterdir()):
            if each.is_dir() and not each.is_symlink():
                if each.name not in _FOREIGN and not each.name.startswith("."):
                    if not (each / "pyvenv.cfg").exists():
                        yield from _times_in(each)
            elif each.suffix == ".py":
                yield each, each.stat().st_mtime
    except FileNotFoundError:
        return  # It is being written just now: the next look sees it.
