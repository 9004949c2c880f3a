"""The requests of worker protocol 1."""

from __future__ import annotations

import os
import re
import secrets
import socket
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple
from urllib.parse import quote

from .gateway import SDK, Request
from .item import Item, Json

#: More claims do not go into one heartbeat.
BEATS_MAX = 100
#: More items do not come with one poll.
POLL_MAX = 100
#: With more names a poll asks for all commands of its modules.
_COMMANDS_MAX = 200


def new_worker_id() -> str:
    """Makes the name of a worker, which is new with each start."""
    host = re.sub(r"[^A-Za-z0-9._:/-]", "-", socket.gethostname(), flags=re.ASCII)[:64]
    return f"{host or 'worker'}/{os.getpid()}/{secrets.token_hex(4)}"


@dataclass(frozen=True)
class Identity:
    """What a worker says of itself."""

    worker: str
    slots: int
    build: Optional[str] = None

    @property
    def path(self) -> str:
        """The path of the worker's registration."""
        return f"/v1/workers/{quote(self.worker, safe='')}"


@dataclass(frozen=True)
class PollTerms:
    """What a worker asks for with each poll. Times are milliseconds."""

    modules: Tuple[str, ...]
    commands: Tuple[str, ...]
    wait_ms: int
    lease_ms: int
    directions: Tuple[str, ...] = ()


def registration(identity: Identity, modules: Json) -> Request:
    """Registers a worker with its commands."""
    said: Json = {
        "modules": modules,
        "slots": identity.slots,
        "host": socket.gethostname(),
        "sdk": SDK,
    }
    if identity.build is not None:
        said["build"] = identity.build
    return Request("PUT", identity.path, said)


def farewell(identity: Identity) -> Request:
    """Says good-bye, which hands all claims back."""
    return Request("DELETE", identity.path, timeout=10)


def poll(identity: Identity, terms: PollTerms, most: int, poll_id: str) -> Request:
    """Asks for up to ``most`` actions."""
    body: Json = {
        "worker": identity.worker,
        "modules": list(terms.modules),
        "max": most,
        "wait": f"{terms.wait_ms}ms",
        "lease": f"{terms.lease_ms}ms",
        "pollId": poll_id,
    }
    if len(terms.commands) <= _COMMANDS_MAX:
        body["commands"] = list(terms.commands)
    if terms.directions:
        body["directions"] = list(terms.directions)
    if identity.build is not None:
        body["build"] = identity.build
    # A socket that gives up with the wait would lose an answer that is on its way.
    return Request("POST", "/v1/work:poll", body, timeout=terms.wait_ms / 1_000 + 10)


def heartbeat(identity: Identity, claims: List[Json], timeout: float) -> Request:
    """Renews claims: ``{claim, progress?, log?}`` of each."""
    body = {"worker": identity.worker, "claims": claims}
    return Request("POST", "/v1/work:heartbeat", body, timeout)


def outcome(item: Item, act: str, body: Json) -> Request:
    """Tells how an attempt ended: ``complete``, ``fail``, ``again``, ``later`` or ``release``."""
    return Request("POST", f"/v1/work/{quote(item.claim, safe='')}:{act}", body)


def items_of(body: Json, sent: float) -> List[Item]:
    """Gives the items of an answer to a request that was sent at this moment."""
    listed: List[Any] = body.get("items") or []
    return [Item.read(each, sent) for each in listed]
