import json
import os
import time
import uuid
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
from backstep_client import AuthenticatedClient, Client
from backstep_client.api.tasks import (
    approve_task,
    create_task,
    get_task,
    list_events,
    list_tasks,
    signal_task,
    terminate_task,
)
from backstep_client.models import (
    Approval,
    CreatedTask,
    CreateTask,
    CreateTaskLabels,
    CreateTaskParameters,
    Events,
    Judge,
    Problem,
    Reason,
    Signal,
    SignalPayload,
    Task,
    TaskPage,
)
from backstep_client.types import UNSET, Response, Unset

T = TypeVar("T")

url = os.environ.get("BACKSTEP_URL", "http://127.0.0.1:7070")
key = os.environ.get("BACKSTEP_KEY")
# Longer than a request may wait.
limit = httpx.Timeout(60)
client = AuthenticatedClient(url, key, timeout=limit) if key else Client(url, timeout=limit)


class ProblemError(Exception):
    """An answer that is a problem: `problem.code` says which."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.detail}")
        self.problem = problem


def ask(kind: type[T], request: Callable[[], Response[Any]]) -> T:
    """The data of an answer, which is of this kind.

    Asks again after a 429, a 503 or a lost connection, five times at most.
    """
    for left in range(5, -1, -1):
        pause = 1.0
        try:
            answer = request()
        except (httpx.TransportError, json.JSONDecodeError):
            # No answer, or one of a proxy, which is no JSON.
            if left == 0:
                raise
        else:
            if isinstance(answer.parsed, kind):
                return answer.parsed
            if not isinstance(answer.parsed, Problem):
                raise RuntimeError(f"{answer.status_code}: {answer.content!r}")
            if answer.status_code not in (429, 503) or left == 0:
                raise ProblemError(answer.parsed)
            pause = float(answer.headers.get("retry-after", pause))
        time.sleep(pause)
    raise AssertionError("the last round returns or raises")


def start(body: CreateTask, key: str, wait: str = "0s") -> CreatedTask:
    """Starts a task. With the same key it is the same task, however often this is called."""
    return ask(
        CreatedTask,
        lambda: create_task.sync_detailed(client=client, body=body, wait=wait, idempotency_key=key),
    )


def run(body: CreateTask, key: str) -> CreatedTask:
    """Starts a task and waits until it has ended, or stands still until a person acts."""
    while True:
        task = start(body, key, "30s")
        if task.status not in ("not_started", "running", "rolling_back"):
            return task


def approval_of(task_id: str) -> Approval:
    """The approval that a task waits for, as soon as it waits for one."""
    while True:
        task = ask(Task, lambda: get_task.sync_detailed(task_id, client=client))
        if task.approvals:
            return task.approvals[0]
        time.sleep(0.5)


def tasks_with(label: str) -> list[str]:
    """The ids of all tasks with a label, page by page."""
    ids: list[str] = []
    cursor: str | Unset = UNSET
    while True:
        page = ask(
            TaskPage,
            lambda: list_tasks.sync_detailed(client=client, label=[label], limit=2, cursor=cursor),
        )
        ids += [task.task_id for task in page.items]
        if page.page.next_cursor is None:
            return ids
        cursor = page.page.next_cursor


def json_of(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def main() -> None:
    order = str(uuid.uuid4())
    labels = CreateTaskLabels.from_dict({"order": order})

    # A task with parameters, to its end.
    size = CreateTaskParameters.from_dict({"size": 3})
    chosen = run(CreateTask("lab-choice", parameters=size, labels=labels), f"{order}/choice")
    print(f"lab-choice: {chosen.status}, output {json_of(chosen.output)}")

    # Its journal.
    events = ask(Events, lambda: list_events.sync_detailed(chosen.task_id, client=client)).items
    print(f"events: from {events[0].kind} to {events[-1].kind}")

    # A person says yes.
    what = CreateTaskParameters.from_dict({"what": "the price list"})
    draft = CreateTask("lab-approve", parameters=what, labels=labels)
    asking = start(draft, f"{order}/approve").task_id
    approval = approval_of(asking)
    yes = Judge(approval.step, "The prices are right.")
    ask(
        Task,
        lambda: approve_task.sync_detailed(
            asking, client=client, body=yes, idempotency_key=f"{order}/yes"
        ),
    )
    print(f"{approval.title} {run(draft, f'{order}/approve').status}")

    # A signal, which the step may wait for already, or later.
    waiting = CreateTask("lab-wait", labels=labels)
    told = start(waiting, f"{order}/signal").task_id
    paid = Signal("go", payload=SignalPayload.from_dict({"paid": 12.5}), key=f"{order}/paid")
    ask(Task, lambda: signal_task.sync_detailed(told, client=client, body=paid))
    heard = run(waiting, f"{order}/signal")
    print(f"lab-wait: {heard.status}, output {json_of(heard.output)}")

    # A task that is stopped for good.
    stopped = start(waiting, f"{order}/stop").task_id
    reason = Reason("The order was cancelled.")
    ended = ask(
        Task,
        lambda: terminate_task.sync_detailed(
            stopped, client=client, body=reason, idempotency_key=f"{order}/no"
        ),
    )
    print(f"lab-wait: {ended.status}")

    print(f"tasks of the order: {len(tasks_with(f'order={order}'))}")

    # A request that is refused.
    try:
        start(CreateTask("no-such-flow"), f"{order}/none")
    except ProblemError as error:
        print(f"no-such-flow: {error.problem.code}")


main()
