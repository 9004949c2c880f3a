from __future__ import annotations

import enum
import typing
import unittest
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, TypedDict

from backstep.durations import milliseconds
from backstep.parameters import InvalidParameters, reader_of, schema_of


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Disk:
    gib: int
    fast: bool = False


@dataclass
class Init:
    cpu: int
    name: str = "db"
    share: float = 1.0
    size: Size = Size.SMALL
    note: Optional[str] = None
    disks: List[Disk] = field(default_factory=list)
    labels: Dict[str, int] = field(default_factory=dict)
    mode: typing.Literal["a", "b"] = "a"


@dataclass
class Part:
    parts: Optional[List["Part"]] = None
    notes: typing.List = field(default_factory=list)  # type: ignore[type-arg]


@dataclass
class Range:
    min: int
    max: int

    def __post_init__(self) -> None:
        if self.min > self.max:
            raise ValueError("min is above max")


@dataclass
class Ranges:
    ranges: List[Range]


class Named(TypedDict):
    name: str


class LikePydantic:
    """Has what a Pydantic model has, so that the test needs no Pydantic."""

    def __init__(self, cpu: int, note: Any) -> None:
        self.cpu, self.note = cpu, note

    @classmethod
    def model_validate(cls, given: Dict[str, Any]) -> LikePydantic:
        faults = [
            {"loc": (name,), "msg": "Input should be a valid integer"}
            for name in ("cpu", "note")
            if not isinstance(given.get(name, 1), int)
        ]
        if "cpu" not in given:
            faults.append({"loc": ("cpu",), "msg": "Field required"})
        if faults:
            error = ValueError("two faults")
            error.errors = lambda: faults  # type: ignore[attr-defined]
            raise error
        return cls(given["cpu"], given.get("note"))


class ReadingADataclass(unittest.TestCase):
    def test_takes_what_fits_and_drops_what_it_does_not_know(self) -> None:
        given = {"cpu": 2, "note": None, "size": "large", "disks": [{"gib": 5}], "other": 1}
        read = reader_of(Init)(given)
        self.assertEqual(read, Init(2, size=Size.LARGE, disks=[Disk(5)]))

    def test_reads_whole_numbers_and_numbers(self) -> None:
        read = reader_of(Init)({"cpu": 2.0, "share": 3})
        self.assertEqual((type(read.cpu), type(read.share)), (int, float))

    def test_names_each_member_that_does_not_fit_and_no_value(self) -> None:
        wrong = {
            "name": 7,
            "cpu": True,
            "share": "s3cret",
            "size": "huge",
            "note": 1,
            "disks": [{"gib": "5"}],
            "labels": {"x": None},
            "mode": "c",
        }
        with self.assertRaises(InvalidParameters) as caught:
            reader_of(Init)(wrong)
        self.assertEqual(
            str(caught.exception).split("; "),
            [
                "cpu: must be an integer",
                "name: must be a text",
                "share: must be a number",
                "size: must be one of 'small', 'large'",
                "note: must be a text or must be null",
                "disks/0/gib: must be an integer",
                "labels/x: must be an integer",
                "mode: must be one of 'a', 'b'",
            ],
        )

    def test_refuses_what_is_missing(self) -> None:
        with self.assertRaisesRegex(InvalidParameters, "^cpu: is missing$"):
            reader_of(Init)({})

    def test_refuses_half_an_integer(self) -> None:
        for cpu in (1.5, float("inf"), "2"):
            with self.assertRaises(InvalidParameters):
                reader_of(Init)({"cpu": cpu})

    def test_refuses_what_its_own_checks_refuse(self) -> None:
        with self.assertRaisesRegex(InvalidParameters, "^parameters: min is above max$"):
            reader_of(Range)({"min": 2, "max": 1})
        with self.assertRaisesRegex(InvalidParameters, "^ranges/0: min is above max$"):
            reader_of(Ranges)({"ranges": [{"min": 2, "max": 1}]})

    def test_of_a_way_back_leaves_out_optional_members_that_do_not_fit(self) -> None:
        read = reader_of(Init, lenient=True)({"cpu": 1, "share": "much", "disks": 3})
        self.assertEqual(read, Init(1))
        with self.assertRaises(InvalidParameters):
            reader_of(Init, lenient=True)({"cpu": "many"})


class ReadingOthers(unittest.TestCase):
    def test_a_typed_dict_has_its_members_checked(self) -> None:
        self.assertEqual(reader_of(Named)({"name": "x", "other": 1}), {"name": "x"})
        with self.assertRaises(InvalidParameters):
            reader_of(Named)({"name": 1})

    def test_a_model_checks_by_itself(self) -> None:
        self.assertEqual(reader_of(LikePydantic)({"cpu": 2}).cpu, 2)
        with self.assertRaisesRegex(InvalidParameters, "cpu: Input should be a valid integer"):
            reader_of(LikePydantic)({"cpu": "two"})

    def test_a_model_of_a_way_back_is_read_leniently(self) -> None:
        read = reader_of(LikePydantic, lenient=True)
        self.assertEqual(read({"cpu": 2, "note": "x"}).note, None)
        with self.assertRaises(InvalidParameters):
            read({"cpu": "two"})

    def test_a_dict_is_everything_unchecked(self) -> None:
        given = {"a": object()}
        for declared in (dict, Dict[str, Any], typing.Mapping[str, Any], Any, None):
            self.assertIs(reader_of(declared)(given), given)

    def test_a_type_that_json_has_not_is_refused_when_it_is_declared(self) -> None:
        with self.assertRaises(TypeError):
            reader_of(int)


class ASchema(unittest.TestCase):
    def test_says_what_a_dataclass_takes(self) -> None:
        schema = schema_of(Init)
        self.assertEqual(schema["required"], ["cpu"])
        self.assertEqual(
            schema["properties"]["note"], {"anyOf": [{"type": "string"}, {"type": "null"}]}
        )
        self.assertEqual(schema["properties"]["disks"]["items"]["required"], ["gib"])
        self.assertEqual(schema["properties"]["size"], {})

    def test_of_a_type_that_holds_itself_has_it_once(self) -> None:
        members = schema_of(Part)["properties"]
        inner, _ = members["parts"]["anyOf"]
        self.assertEqual(inner, {"type": "array", "items": {"type": "object"}})
        self.assertEqual(members["notes"], {"type": "array", "items": {}})
        self.assertEqual(reader_of(Part)({"parts": [{"parts": []}]}), Part([Part([])]))

    def test_is_none_where_anything_is_taken(self) -> None:
        self.assertIsNone(schema_of(dict))


class ADuration(unittest.TestCase):
    def test_is_read_as_flows_write_it(self) -> None:
        read = [milliseconds(each) for each in ("500ms", "1.5s", "2m", "1h", "1d", "3", 2, 0.25)]
        self.assertEqual(read, [500, 1_500, 120_000, 3_600_000, 86_400_000, 3_000, 2_000, 250])

    def test_is_refused_where_it_says_nothing(self) -> None:
        for each in ("", "5 minutes", "-1s", "1w", -1, "366d", float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                milliseconds(each)


if __name__ == "__main__":
    unittest.main()
