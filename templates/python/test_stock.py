"""Tests that need no server: `python -m unittest`."""

import tempfile
import unittest
from pathlib import Path

import stock
from backstep.testing import FakeBackstep, undo_contract

CHAIRS = {"item": "chair", "count": 3}


class Stock(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        stock.file = Path(folder.name) / "stock.db"
        self.addCleanup(lambda: stock.connection().close())

    def test_whatever_goes_wrong_the_chairs_are_put_back(self) -> None:
        undo_contract(stock.reserve, stock.put_back, lambda: stock.count_of("chair"), CHAIRS)

    def test_a_reservation_is_taken_once_and_undone(self) -> None:
        with FakeBackstep() as backstep, backstep.running(stock.worker):
            backstep.lose_answer("outcome")
            task = backstep.start(stock.reserve, CHAIRS).wait()
            self.assertEqual((task.output, stock.count_of("chair")), ({"reserved": 3}, 97))
            self.assertEqual(task.undo().wait().status, "rolled_back")
        self.assertEqual(stock.count_of("chair"), 100)

    def test_more_than_there_is_cannot_be_reserved(self) -> None:
        with FakeBackstep() as backstep, backstep.running(stock.worker):
            task = backstep.start(stock.reserve, {"item": "table", "count": 11}).wait()
        self.assertEqual((task.failure or {})["message"], "not enough of table")


if __name__ == "__main__":
    unittest.main()
