"""An action as a poll hands it out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional

#: An object of JSON.
Json = Dict[str, Any]


@dataclass(frozen=True)
class Item:
    """An action that this worker claimed.

    Times are durations in milliseconds from ``sent``: the moment, on ``time.monotonic()``, at
    which the request was sent that the item answers.
    """

    claim: str
    task_id: str
    flow: str
    step: str
    run: str
    direction: str
    module: str
    command: str
    parameters: Json = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    results: Json = field(default_factory=dict)
    attempt: int = 1
    idempotency_key: str = ""
    forward_key: Optional[str] = None
    forward_state: Optional[str] = None
    forward_output: Optional[Json] = None
    fencing_token: int = 1
    completion_token: Optional[str] = None
    lease_ms: int = 15_000
    time_left_ms: Optional[int] = None
    attempt_time_left_ms: Optional[int] = None
    confirm: bool = False
    traceparent: Optional[str] = None
    sent: float = field(default_factory=time.monotonic)

    @property
    def is_undo(self) -> bool:
        """Whether this is a step back."""
        return self.direction == "rollback"

    @classmethod
    def read(cls, body: Mapping[str, Any], sent: float) -> Item:
        """Reads an item of an answer, whose unknown members are ignored.

        Raises ``KeyError`` if a member is missing that the worker cannot do without.
        """
        forward = body.get("forward") or {}
        return cls(
            claim=body["claim"],
            task_id=body["taskId"],
            flow=body.get("flow", ""),
            step=body["step"],
            run=body["run"],
            direction=body["direction"],
            module=body["module"],
            command=body["command"],
            parameters=body.get("parameters") or {},
            labels=body.get("labels") or {},
            results=body.get("results") or {},
            attempt=body.get("attempt", 1),
            idempotency_key=body["idempotencyKey"],
            forward_key=body.get("forwardKey") if body["direction"] == "rollback" else None,
            forward_state=forward.get("state"),
            forward_output=forward.get("output"),
            fencing_token=body["fencingToken"],
            completion_token=body.get("completionToken"),
            lease_ms=body["leaseMs"],
            time_left_ms=body.get("timeLeftMs"),
            attempt_time_left_ms=body.get("attemptTimeLeftMs"),
            confirm=bool(body.get("confirm", False)),
            traceparent=body.get("traceparent"),
            sent=sent + body.get("waitedMs", 0) / 1_000,
        )
