"""Keeps the effects of commands in a database right: once, fenced, undone, never after the undo.

The barrier stores a mark with the effect, in the same transaction. Its table is that of Backstep's
barriers in TypeScript, so that commands in both languages may share a database.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
import time
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Protocol, Tuple, TypeVar

from .item import Json
from .results import outcome_of_value

#: Does what a command is for, with a cursor. Its output is an object, or None.
Effect = Callable[[Any], Optional[Json]]

#: Takes an effect back, with a cursor and the output of the effect.
Undo = Callable[[Any, Optional[Json]], object]

Result = TypeVar("Result")


class StaleToken(Exception):
    """An attempt with a newer fencing token has been here: this one may do nothing any more."""


class Superseded(Exception):
    """The way back of this step came first: an effect now would never be undone."""


class Attempt(Protocol):
    """The members of a ``Context`` that a barrier reads."""

    @property
    def task_id(self) -> str:
        """The task."""
        ...

    @property
    def run(self) -> str:
        """The run of the step."""
        ...

    @property
    def fencing_token(self) -> int:
        """The number that grows with every claim."""
        ...


class _Mark(NamedTuple):
    token: int
    state: str
    output: Optional[Json]


class SqlBarrier:
    """The barrier of commands whose effects are rows of the same database.

    ``connection`` is one of DB-API 2.0 that nobody uses at the same time: sqlite3, psycopg,
    mysqlclient, PyMySQL and their like. ``schema`` names the schema of the table in MySQL and
    MariaDB, where TypeScript's barrier has one of its own. ``driver`` names the module of the
    driver, such as ``psycopg``, if the connection is wrapped. Effects must not commit.
    """

    def __init__(
        self, connection: Any, *, schema: Optional[str] = None, driver: Optional[str] = None
    ) -> None:
        self._connection = connection
        self._sql = _dialect_of(driver or type(connection).__module__, schema)

    def prepare(self) -> None:
        """Makes the table where it is missing."""
        cursor = self._connection.cursor()
        for statement in self._sql.create:
            cursor.execute(statement)
        self._connection.commit()
        cursor.close()

    def forward(self, ctx: Attempt, effect: Effect) -> Optional[Json]:
        """Has an effect once, and gives its output, also when it is started again.

        Raises ``StaleToken`` and ``Superseded``; do not catch them. What the effect raises is
        passed on, and nothing of it stays.
        """
        try:
            return self._transact(lambda cursor: self._apply(cursor, ctx, effect))
        except (StaleToken, Superseded):
            raise
        except BaseException:
            # The effect is gone; its token still counts against older attempts.
            with contextlib.suppress(Exception):
                self._transact(lambda cursor: self._see(cursor, ctx))
            raise

    def rollback(self, ctx: Attempt, undo: Undo) -> None:
        """Takes the effect back once. ``undo`` is called only if there was one.

        An effect that comes later is refused. Raises ``StaleToken``; do not catch it.
        """

        def work(cursor: Any) -> None:
            mark = self._locked(cursor, ctx)
            _refuse_stale(mark, ctx)
            if mark.state == "undone":
                return
            self._put(cursor, ctx, ("undone", None))
            # An open mark is an attempt that left nothing: its transaction never was.
            if mark.state in ("applied", "undoing"):
                undo(cursor, mark.output)

        self._transact(work)

    def _apply(self, cursor: Any, ctx: Attempt, effect: Effect) -> Optional[Json]:
        mark = self._locked(cursor, ctx)
        if mark.state in ("undone", "undoing"):
            raise Superseded(f"step {ctx.run} of task {ctx.task_id} was rolled back")
        _refuse_stale(mark, ctx)
        if mark.state == "applied":
            return mark.output
        output = _stored(effect(cursor))
        self._put(cursor, ctx, ("applied", output))
        return output

    def _locked(self, cursor: Any, ctx: Attempt) -> _Mark:
        """Gives the mark of a run, locked until the transaction ends; a new one is open."""
        key = self._sql.key(ctx)
        values = (*key, ctx.task_id, ctx.run, ctx.fencing_token, "open", None, _now())
        cursor.execute(self._sql.ensure, values[-self._sql.columns :])
        cursor.execute(self._sql.find, key or (ctx.task_id, ctx.run))
        token, state, output = _in_order(cursor.fetchone())
        return _Mark(int(token), str(state), None if output is None else json.loads(output))

    def _put(self, cursor: Any, ctx: Attempt, told: Tuple[str, Optional[Json]]) -> None:
        state, output = told
        text = None if output is None else _text_of(output)
        token = ctx.fencing_token
        key = self._sql.key(ctx) or (ctx.task_id, ctx.run)
        cursor.execute(self._sql.put, (token, token, state, text, _now(), *key))

    def _see(self, cursor: Any, ctx: Attempt) -> None:
        mark = self._locked(cursor, ctx)
        if mark.token < ctx.fencing_token:
            key = self._sql.key(ctx) or (ctx.task_id, ctx.run)
            cursor.execute(self._sql.see, (ctx.fencing_token, *key))

    def _transact(self, work: Callable[[Any], Result]) -> Result:
        cursor = self._connection.cursor()
        try:
            self._sql.begin(self._connection, cursor)
            result = work(cursor)
            self._sql.commit(self._connection, cursor)
            return result
        except BaseException:
            self._sql.roll_back(self._connection, cursor)
            raise
        finally:
            cursor.close()


def _refuse_stale(mark: _Mark, ctx: Attempt) -> None:
    if ctx.fencing_token < mark.token:
        raise StaleToken(f"fencing token {ctx.fencing_token} is older than {mark.token}")


def _in_order(row: Any) -> Iterable[Any]:
    """Gives the columns of a mark. A connection may have its rows by name, as its author likes."""
    return [row[name] for name in ("token", "state", "output")] if isinstance(row, dict) else row


def _stored(output: Any) -> Optional[Json]:
    """Gives an output as it is kept. Raises ``TypeError`` for one that JSON would alter."""
    outcome = outcome_of_value(output)
    if outcome.act != "complete":
        raise TypeError(outcome.body.get("message", "an effect returns an object or None"))
    kept: Optional[Json] = outcome.body.get("output")
    return kept


def _text_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _now() -> int:
    return round(time.time() * 1_000)


class _Dialect:
    """The statements of a database, with question marks for values until the driver is known."""

    #: Creates the table.
    create: List[str]
    #: Inserts an open mark unless there is one.
    ensure: str
    find: str
    put: str
    see: str
    #: How many values ``ensure`` takes.
    columns = 6

    def key(self, ctx: Attempt) -> Tuple[str, ...]:
        """Gives the key of a mark beside task and run; nothing: these two are the key."""
        return ()

    def begin(self, connection: Any, cursor: Any) -> None:
        """Begins a transaction, where the driver does not do so by itself."""

    def commit(self, connection: Any, cursor: Any) -> None:
        """Ends a transaction that counts."""
        connection.commit()

    def roll_back(self, connection: Any, cursor: Any) -> None:
        """Ends a transaction of which nothing stays."""
        connection.rollback()

    def for_driver(self, paramstyle: str) -> _Dialect:
        """Writes the statements as a driver wants them."""
        for name in ("ensure", "find", "put", "see"):
            setattr(self, name, _with_places(getattr(self, name), paramstyle))
        return self


class _Standard(_Dialect):
    """SQLite and PostgreSQL, whose key is task and run."""

    create = [
        """CREATE TABLE IF NOT EXISTS barrier (
          task_id TEXT NOT NULL,
          run TEXT NOT NULL,
          token BIGINT NOT NULL,
          state TEXT NOT NULL CHECK (state IN ('open', 'applied', 'undoing', 'undone')),
          output TEXT,
          touched_at BIGINT NOT NULL,
          PRIMARY KEY (task_id, run)
        )""",
        "CREATE INDEX IF NOT EXISTS barrier_touched ON barrier (touched_at)",
    ]
    ensure = """INSERT INTO barrier (task_id, run, token, state, output, touched_at)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (task_id, run) DO NOTHING"""
    find = "SELECT token, state, output FROM barrier WHERE task_id = ? AND run = ?"
    put = """UPDATE barrier SET token = CASE WHEN token > ? THEN token ELSE ? END, state = ?,
        output = COALESCE(?, output), touched_at = ? WHERE task_id = ? AND run = ?"""
    see = "UPDATE barrier SET token = ? WHERE task_id = ? AND run = ?"


class _Postgres(_Standard):
    find = _Standard.find + " FOR UPDATE"

    def begin(self, connection: Any, cursor: Any) -> None:
        if getattr(connection, "autocommit", False):
            raise ValueError("a barrier needs a connection without autocommit")


class _Sqlite(_Standard):
    create = [statement.replace("BIGINT", "INTEGER") for statement in _Standard.create]

    def begin(self, connection: Any, cursor: Any) -> None:
        # A connection with autocommit=False is in a transaction at all times.
        if getattr(connection, "autocommit", None) is not False:
            cursor.execute("BEGIN IMMEDIATE")

    def commit(self, connection: Any, cursor: Any) -> None:
        if getattr(connection, "autocommit", None) is True:
            cursor.execute("COMMIT")  # The method of such a connection does nothing.
        else:
            connection.commit()

    def roll_back(self, connection: Any, cursor: Any) -> None:
        if getattr(connection, "autocommit", None) is not True:
            connection.rollback()
        elif connection.in_transaction:
            cursor.execute("ROLLBACK")


class _Mysql(_Dialect):
    columns = 7

    def __init__(self, schema: Optional[str]) -> None:
        if schema is not None and re.fullmatch(r"\w+", schema, re.ASCII) is None:
            raise ValueError(f"{schema!r} is no name of a schema")
        table = "barrier" if schema is None else f"`{schema}`.barrier"
        schemas = [] if schema is None else [f"CREATE DATABASE IF NOT EXISTS `{schema}`"]
        self.create = [
            *schemas,
            f"""CREATE TABLE IF NOT EXISTS {table} (
              id CHAR(64) CHARACTER SET ascii NOT NULL PRIMARY KEY,
              task_id TEXT NOT NULL,
              run TEXT NOT NULL,
              token BIGINT NOT NULL,
              state VARCHAR(8) CHARACTER SET ascii NOT NULL,
              output MEDIUMTEXT,
              touched_at BIGINT NOT NULL,
              KEY barrier_touched (touched_at)
            ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4""",
        ]
        # INSERT IGNORE would share the lock of a row, and deadlock at the next statement.
        self.ensure = f"""INSERT INTO {table}
            (id, task_id, run, token, state, output, touched_at) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON DUPLICATE KEY UPDATE id = id"""
        self.find = f"SELECT token, state, output FROM {table} WHERE id = ? FOR UPDATE"
        self.put = f"""UPDATE {table} SET token = CASE WHEN token > ? THEN token ELSE ? END,
            state = ?, output = COALESCE(?, output), touched_at = ? WHERE id = ?"""
        self.see = f"UPDATE {table} SET token = ? WHERE id = ?"

    def key(self, ctx: Attempt) -> Tuple[str, ...]:
        # Ids of tasks and of runs may be longer than a key, and differ by case alone.
        text = _text_of([ctx.task_id, ctx.run])
        return (hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),)

    def begin(self, connection: Any, cursor: Any) -> None:
        cursor.execute("START TRANSACTION")


def _dialect_of(driver: str, schema: Optional[str]) -> _Dialect:
    package = driver.split(".")[0]
    style = getattr(sys.modules.get(package), "paramstyle", "format")
    if package in ("sqlite3", "pysqlite3"):
        return _Sqlite().for_driver(style)
    if package in ("MySQLdb", "pymysql", "mysql", "mariadb", "asyncmy"):
        style = "qmark" if package == "mariadb" else "format"
        return _Mysql(schema).for_driver(style)
    if package.startswith(("psycopg", "pg8000")):
        return _Postgres().for_driver(style)
    raise TypeError(f"{package} is no known driver: name the one below it with driver=")


def _with_places(statement: str, paramstyle: str) -> str:
    if paramstyle == "qmark":
        return statement
    if paramstyle in ("format", "pyformat"):
        return statement.replace("?", "%s")
    numbers = iter(range(1, 100))
    return re.sub(r"\?", lambda _: f":{next(numbers)}", statement)
