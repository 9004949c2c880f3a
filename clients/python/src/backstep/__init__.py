"""Workers in Python for Backstep: commands that run forward, and their way back."""

from .commands import Command
from .context import Context
from .durations import Duration
from .outcomes import (
    Cancelled,
    CompleteLater,
    LookAgain,
    RetryableError,
    TerminalError,
    complete_later,
    look_again,
)
from .parameters import InvalidParameters
from .running import RunningWorker
from .version import PROTOCOL, VERSION
from .worker import Options, Worker

__version__ = VERSION

__all__ = [
    "PROTOCOL",
    "VERSION",
    "Cancelled",
    "Command",
    "CompleteLater",
    "Context",
    "Duration",
    "InvalidParameters",
    "LookAgain",
    "Options",
    "RetryableError",
    "RunningWorker",
    "TerminalError",
    "Worker",
    "complete_later",
    "look_again",
]
