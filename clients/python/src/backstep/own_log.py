"""The log of the worker itself."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    _Adapter = logging.LoggerAdapter[logging.Logger]
else:  # Python 3.9 and 3.10 have no parameter there.
    _Adapter = logging.LoggerAdapter


class OwnLog(_Adapter):
    """Writes lines that end nothing.

    Handlers and filters are the author's and may raise, and the threads of a worker outlive that:
    without them, claims that nobody renews are lost.
    """

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Writes a line if it can be written."""
        with contextlib.suppress(Exception):
            super().log(level, msg, *args, **kwargs)


own_log = OwnLog(logging.getLogger("backstep.worker"), {})
