"""``python -m backstep worker mymodule:worker``."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from dataclasses import fields
from typing import List, Optional

from .supervisor import supervise
from .version import VERSION
from .worker import Options, Worker

#: The exit code of wrong usage, as of all commands of Backstep.
_USAGE = 2


class _WrongUsage(Exception):
    """One sentence for the person who typed the command."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line. Gives the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(given)
    try:
        if options.processes < 1:
            raise _WrongUsage(f"{options.processes} processes: there is at least one")
        if options.processes > 1 and options.health is not None:
            raise _WrongUsage("several processes cannot listen on one address: leave out --health")
        if options.processes > 1 or options.reload:
            return supervise(_child_of(given), options.processes, reload=options.reload)
        _run(options)
    except (_WrongUsage, ValueError, TypeError) as error:
        print(f"backstep: {error}", file=sys.stderr)
        return _USAGE
    return 0


def _parser() -> argparse.ArgumentParser:
    # Names are written out, so that those of the parent can be told from those of its processes.
    parser = argparse.ArgumentParser(prog="python -m backstep", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="what", required=True, metavar="worker")
    words = "runs a worker until SIGTERM or SIGINT"
    worker = commands.add_parser("worker", help=words, allow_abbrev=False)
    worker.add_argument("place", metavar="MODULE:NAME", help="where the Worker is: app:worker")
    worker.add_argument("--url", help="the gateway; by default BACKSTEP_URL, or as in the code")
    worker.add_argument("--slots", type=int, help="actions at a time, in each process")
    worker.add_argument("--wait", help="how long a poll waits: 20s")
    worker.add_argument("--lease", help="how soon others take over if this worker dies: 30s")
    worker.add_argument("--drain", help="how long commands have to end after SIGTERM: 25s")
    worker.add_argument("--build", help="a name of the code, kept with each attempt")
    worker.add_argument("--health", help="where /livez is served: 127.0.0.1:8080")
    worker.add_argument("--capture", choices=["stdout"], help="keep what commands print")
    worker.add_argument("--processes", type=int, default=1, help="each is a worker of its own")
    worker.add_argument("--reload", action="store_true", help="start again when code changes")
    return parser


def _run(options: argparse.Namespace) -> None:
    worker = _load(options.place)
    for each in fields(Options):
        value = getattr(options, each.name, None)
        if value is not None:
            setattr(worker.options, each.name, value)
    worker.run(capture=options.capture)


def _load(place: str) -> Worker:
    module_name, colon, name = place.partition(":")
    if not colon:
        raise _WrongUsage(f"{place!r} names no worker: write MODULE:NAME")
    sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise
        raise _WrongUsage(f"there is no module {error.name} here") from None
    worker = getattr(module, name, None)
    if not isinstance(worker, Worker):
        raise _WrongUsage(f"{place} is no Worker")
    return worker


def _child_of(given: List[str]) -> List[str]:
    """Gives the command of one process: the same, for itself alone."""
    kept: List[str] = []
    words = iter(given)
    for word in words:
        if word == "--processes":
            next(words, None)
        elif word != "--reload" and not word.startswith("--processes="):
            kept.append(word)
    return [sys.executable, "-m", "backstep", *kept]


if __name__ == "__main__":
    sys.exit(main())
