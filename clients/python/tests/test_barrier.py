from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import unittest
from contextlib import closing
from typing import Any, Callable, Dict, List, Optional
from urllib.parse import unquote, urlsplit

from backstep import Context
from backstep.barrier import SqlBarrier, StaleToken, Superseded
from backstep.testing import context


def attempt(token: int, run: str = "s", task: str = "t") -> Context:
    return context(fencing_token=token, run=run, task_id=task)


def apply(cursor: Any) -> Dict[str, Any]:
    cursor.execute("INSERT INTO effect (n) VALUES (1)")
    return {"n": 1}


def revert(cursor: Any, output: Any) -> None:
    cursor.execute("DELETE FROM effect WHERE n = 1")


class BarrierContract:
    """The rules of every barrier, as those in TypeScript are tried."""

    connect: Callable[[], Any]
    barrier: SqlBarrier
    connection: Any
    assertEqual: Callable[..., None]
    assertRaises: Callable[..., Any]

    def begin(self) -> None:
        self.connection = self.connect()
        self.barrier = SqlBarrier(self.connection)
        self.barrier.prepare()
        self.barrier.prepare()
        cursor = self.connection.cursor()
        cursor.execute("CREATE TABLE effect (n INTEGER)")
        self.connection.commit()

    def count(self) -> int:
        cursor = self.connection.cursor()
        cursor.execute("SELECT COUNT(*) FROM effect")
        found = int(cursor.fetchone()[0])
        self.connection.commit()
        return found

    def test_an_effect_happens_and_its_output_is_given_back(self) -> None:
        self.assertEqual(self.barrier.forward(attempt(1), apply), {"n": 1})
        self.assertEqual(self.count(), 1)

    def test_a_repetition_gives_the_first_output_and_has_no_effect(self) -> None:
        self.barrier.forward(attempt(1), apply)
        for token in (1, 2, 5):
            again = self.barrier.forward(attempt(token), lambda cursor: {"n": 2})
            self.assertEqual(again, {"n": 1})
        self.assertEqual(self.count(), 1)

    def test_an_effect_that_fails_passes_its_error_on_and_can_be_tried_again(self) -> None:
        def fail(cursor: Any) -> None:
            apply(cursor)
            raise RuntimeError("no room")

        with self.assertRaises(RuntimeError):
            self.barrier.forward(attempt(2), fail)
        self.assertEqual(self.count(), 0)
        with self.assertRaises(StaleToken):
            self.barrier.forward(attempt(1), apply)
        self.barrier.forward(attempt(3), apply)
        self.assertEqual(self.count(), 1)

    def test_an_output_that_json_would_alter_is_refused_and_leaves_nothing(self) -> None:
        def effect(cursor: Any) -> Dict[str, Any]:
            return {**apply(cursor), "price": float("nan")}

        with self.assertRaises(TypeError):
            self.barrier.forward(attempt(1), effect)
        self.assertEqual(self.count(), 0)

    def test_an_older_token_is_refused(self) -> None:
        self.barrier.forward(attempt(2), apply)
        with self.assertRaises(StaleToken):
            self.barrier.forward(attempt(1), apply)
        with self.assertRaises(StaleToken):
            self.barrier.rollback(attempt(1), revert)
        self.assertEqual(self.count(), 1)

    def test_a_rollback_undoes_once_and_is_told_the_output(self) -> None:
        told: List[Optional[Dict[str, Any]]] = []

        def undo(cursor: Any, output: Any) -> None:
            told.append(output)
            revert(cursor, output)

        self.barrier.forward(attempt(1), apply)
        for token in (2, 2, 3):
            self.barrier.rollback(attempt(token), undo)
        self.assertEqual((told, self.count()), ([{"n": 1}], 0))

    def test_an_undo_that_fails_can_be_tried_again(self) -> None:
        def fail(cursor: Any, output: Any) -> None:
            revert(cursor, output)
            raise RuntimeError("not now")

        self.barrier.forward(attempt(1), apply)
        with self.assertRaises(RuntimeError):
            self.barrier.rollback(attempt(2), fail)
        self.assertEqual(self.count(), 1)
        self.barrier.rollback(attempt(3), revert)
        self.assertEqual(self.count(), 0)

    def test_a_rollback_of_what_never_was_bars_what_comes_late(self) -> None:
        undone: List[int] = []
        self.barrier.rollback(attempt(2), lambda cursor, output: undone.append(1))
        for token in (1, 2, 3):
            with self.assertRaises(Superseded):
                self.barrier.forward(attempt(token), apply)
        self.assertEqual((undone, self.count()), ([], 0))

    def test_runs_and_tasks_do_not_know_each_other(self) -> None:
        attempts = [attempt(1, "a"), attempt(1, "A"), attempt(1, "a", "other")]
        for each in attempts:
            self.barrier.forward(each, apply)
        self.barrier.rollback(attempt(2, "b"), revert)
        self.assertEqual(self.count(), 3)

    def test_two_connections_at_once_have_one_effect(self) -> None:
        connections = [self.connect() for _ in range(4)]
        failed: List[BaseException] = []

        def run(connection: Any, token: int) -> None:
            try:
                SqlBarrier(connection).forward(attempt(token), apply)
            except StaleToken:
                pass
            except BaseException as error:
                failed.append(error)

        threads = [
            threading.Thread(target=run, args=(connection, token))
            for token, connection in enumerate(connections, 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()
        self.barrier.forward(attempt(9), apply)
        self.assertEqual((failed, self.count()), ([], 1))


class InSqlite(BarrierContract, unittest.TestCase):
    options: Dict[str, Any] = {}

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        file = os.path.join(self.folder.name, "effects.db")
        self.connect = lambda: sqlite3.connect(
            file, timeout=30, check_same_thread=False, **self.options
        )
        self.begin()
        self.addCleanup(self.connection.close)

    def test_rows_may_be_given_by_the_names_of_their_columns(self) -> None:
        def by_name(cursor: Any, row: Any) -> Dict[str, Any]:
            return {column[0]: value for column, value in zip(cursor.description, row)}

        for kind in (by_name, sqlite3.Row):
            self.connection.row_factory = kind
            for token in (1, 2):
                ctx = attempt(token, run=str(kind))
                self.assertEqual(self.barrier.forward(ctx, apply), {"n": 1})
            self.barrier.rollback(attempt(3, run=str(kind)), revert)

    def test_marks_are_those_of_the_barrier_in_typescript(self) -> None:
        self.barrier.forward(attempt(7), apply)
        cursor = self.connection.execute("SELECT task_id, run, token, state, output FROM barrier")
        self.assertEqual(cursor.fetchall(), [("t", "s", 7, "applied", '{"n":1}')])


class InSqliteWithoutTransactionsOfTheDriver(InSqlite):
    options = {"isolation_level": None}


@unittest.skipUnless(hasattr(sqlite3, "LEGACY_TRANSACTION_CONTROL"), "Python 3.12 or newer")
class InSqliteAsPep249SaysIt(InSqlite):
    options = {"autocommit": False}


@unittest.skipUnless(hasattr(sqlite3, "LEGACY_TRANSACTION_CONTROL"), "Python 3.12 or newer")
class InSqliteWithAutocommit(InSqlite):
    options = {"autocommit": True}


@unittest.skipUnless("BACKSTEP_TEST_POSTGRES" in os.environ, "BACKSTEP_TEST_POSTGRES is not set")
class InPostgres(BarrierContract, unittest.TestCase):
    def setUp(self) -> None:
        import psycopg

        dsn = os.environ["BACKSTEP_TEST_POSTGRES"]
        self.connect = lambda: psycopg.connect(dsn)
        with closing(self.connect()) as connection:
            connection.execute("DROP TABLE IF EXISTS barrier, effect")
            connection.commit()
        self.begin()
        self.addCleanup(self.connection.close)


@unittest.skipUnless("BACKSTEP_TEST_MYSQL" in os.environ, "BACKSTEP_TEST_MYSQL is not set")
class InMysql(BarrierContract, unittest.TestCase):
    def setUp(self) -> None:
        import pymysql

        url = urlsplit(os.environ["BACKSTEP_TEST_MYSQL"])
        server = {"host": url.hostname, "port": url.port or 3306}
        who = {"user": url.username, "password": unquote(url.password or "")}
        with closing(pymysql.connect(**server, **who)) as connection:
            connection.cursor().execute("CREATE DATABASE IF NOT EXISTS of_the_test")
        self.connect = lambda: pymysql.connect(**server, **who, database="of_the_test")
        with closing(self.connect()) as connection:
            connection.cursor().execute("DROP TABLE IF EXISTS barrier, effect")
        self.begin()
        self.addCleanup(self.connection.close)


class ABarrier(unittest.TestCase):
    def test_says_which_drivers_it_does_not_know(self) -> None:
        with self.assertRaisesRegex(TypeError, "builtins is no known driver"):
            SqlBarrier(object())


if __name__ == "__main__":
    unittest.main()
