"""The commands of the module `stock`."""

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional

from backstep import Context, TerminalError, Worker
from backstep.barrier import SqlBarrier

worker = Worker(module="stock", slots=4)
file = Path("stock.db")
_local = threading.local()


@dataclass
class Reserve:
    item: str
    count: int


@dataclass
class Send:
    address: str


@worker.command("reserve")
def reserve(p: Reserve, ctx: Context) -> Optional[Dict[str, Any]]:
    """Takes items out of stock: once, however often it is started, and never after `put_back`."""

    def take(cursor: Any) -> Dict[str, Any]:
        if change(cursor, p.item, -p.count) == 0:
            raise TerminalError(f"not enough of {p.item}")
        return {"reserved": p.count}

    return barrier().forward(ctx, take)


@reserve.undo("put_back")
def put_back(p: Reserve, ctx: Context) -> None:
    """Undoes `reserve`. The callback runs only if `reserve` had its effect."""
    barrier().rollback(ctx, lambda cursor, output: change(cursor, p.item, p.count))


@worker.command("send")
def send(p: Send, ctx: Context) -> Dict[str, Any]:
    if p.address == "nowhere":
        raise TerminalError("nobody delivers to nowhere")
    ctx.log.info("sent to %s", p.address)
    return {"sentTo": p.address}


def count_of(item: str) -> int:
    """How many there are."""
    return int(connection().execute("SELECT count FROM stock WHERE item = ?", [item]).fetchone()[0])


def change(cursor: Any, item: str, count: int) -> int:
    """Returns how many rows have changed: none if the count would fall below zero."""
    update = "UPDATE stock SET count = count + ? WHERE item = ? AND count + ? >= 0"
    return int(cursor.execute(update, [count, item, count]).rowcount)


def connection() -> sqlite3.Connection:
    """Gives the connection of this thread: commands run in several."""
    if getattr(_local, "file", None) != file:
        _local.file, _local.connection = file, sqlite3.connect(file, timeout=30)
        _local.connection.executescript(
            """CREATE TABLE IF NOT EXISTS stock (item TEXT PRIMARY KEY, count INTEGER NOT NULL);
            INSERT OR IGNORE INTO stock VALUES ('chair', 100), ('table', 10);"""
        )
        SqlBarrier(_local.connection).prepare()
    found: sqlite3.Connection = _local.connection
    return found


def barrier() -> SqlBarrier:
    """Keeps a mark beside each effect, in the same transaction."""
    return SqlBarrier(connection())
