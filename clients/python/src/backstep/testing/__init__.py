"""Tests of commands: contexts, the contract of a way back, and a gateway in the process."""

from .fake import FakeBackstep
from .fake_tasks import FakeTask
from .pairs import cancel, commands_without_undo, context, undo_contract

__all__ = [
    "FakeBackstep",
    "FakeTask",
    "cancel",
    "commands_without_undo",
    "context",
    "undo_contract",
]
