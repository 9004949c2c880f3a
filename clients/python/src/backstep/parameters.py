"""Reads the parameters of an action into the type that a command declares for them.

Types are dataclasses, ``TypedDict``, anything with ``model_validate`` such as a Pydantic model, or
``dict``. Members that the type does not have are dropped: the parameters of a task also hold what
other steps need.
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from typing import Any, Callable, Dict, List, Mapping, Tuple

from .item import Json

#: Makes the value for the first argument of a command. Raises ``InvalidParameters``.
Reader = Callable[[Json], Any]


class InvalidParameters(Exception):
    """The parameters do not fit. The message names each member, and no value.

    Of what the ``__post_init__`` of a dataclass raises it has the words.
    """

    def __init__(self, faults: List[Tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{place or 'parameters'}: {fault}" for place, fault in faults))
        self.faults = faults


def reader_of(declared: Any, *, lenient: bool = False) -> Reader:
    """Gives the reader of a declared type.

    ``lenient`` is for ways back, which must be able to run: an optional member that does not fit
    is left out. Only what cannot be done without is refused.
    """
    if is_model(declared):
        return _model_reader(declared, lenient)
    if _is_record(declared):
        return lambda given: _read_record(declared, given, lenient)
    if declared in (Any, None, object, dict) or _origin(declared) in (dict, Mapping, _MAPPING):
        return lambda given: given
    raise TypeError(f"{declared!r} is no type for parameters: use a dataclass or dict")


def schema_of(declared: Any, around: Tuple[Any, ...] = ()) -> Any:
    """Gives a JSON Schema that refuses nothing that the reader takes; None: there is none.

    ``around`` are the types whose schemas it stands in: one that holds itself is written once.
    """
    if not _is_record(declared):
        return None
    if declared in around:
        return {"type": "object"}
    inside = (*around, declared)
    members, required = _members_of(declared)
    properties = {name: _schema_of_type(each, inside) for name, each in members.items()}
    return {"type": "object", "properties": properties, "required": sorted(required)}


def expect_type(declared: Any, *, written: bool = False, around: Tuple[Any, ...] = ()) -> None:
    """Raises ``TypeError`` for a type with a part that JSON cannot be read into.

    ``written``: for the type of an output, of which JSON cannot be made. ``around`` are the types
    that it stands in.
    """
    if declared in (Any, object, None, type(None), *_PLAIN) or declared in around:
        return
    origin, inside = _origin(declared), list(typing.get_args(declared))
    lists = (list, _SEQUENCE, tuple) if written else (list, _SEQUENCE)
    if _is_record(declared):
        around, inside = (*around, declared), list(_members_of(declared)[0].values())
    elif origin is typing.Literal or _is_enum(declared) or (written and is_model(declared)):
        return
    elif not (_is_union(origin) or {declared, origin} & {*lists, dict, _MAPPING}):
        raise TypeError(f"{declared!r} is no type that JSON has")
    for each in inside:
        if each is not ...:
            expect_type(each, written=written, around=around)


_MAPPING = typing.get_origin(Mapping[str, Any])
_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number"}
_SHOWN = {str: "a text", bool: "true or false", int: "an integer", float: "a number"}


def _origin(declared: Any) -> Any:
    return typing.get_origin(declared)


def _is_record(declared: Any) -> bool:
    if not isinstance(declared, type):
        return False
    return dataclasses.is_dataclass(declared) or hasattr(declared, "__required_keys__")


def _is_enum(declared: Any) -> bool:
    return isinstance(declared, type) and issubclass(declared, enum.Enum)


def is_model(declared: Any) -> bool:
    """Says whether a type reads JSON by itself, as a Pydantic model does."""
    return hasattr(declared, "model_validate")


def _members_of(record: Any) -> Tuple[Dict[str, Any], List[str]]:
    """Gives the members of a record with their types, and those that it requires."""
    hints = typing.get_type_hints(record)
    if not dataclasses.is_dataclass(record):
        return hints, [name for name in hints if name in record.__required_keys__]
    members = [each for each in dataclasses.fields(record) if each.init]
    nothing = dataclasses.MISSING
    required = [
        each.name for each in members if each.default is nothing and each.default_factory is nothing
    ]
    return {each.name: hints[each.name] for each in members}, required


def _read_record(record: Any, given: Json, lenient: bool) -> Any:
    members, required = _members_of(record)
    values: Json = {}
    faults: List[Tuple[str, str]] = []
    for name, declared in members.items():
        if name not in given:
            if name in required:
                faults.append((name, "is missing"))
            continue
        try:
            values[name] = _read(declared, given[name], name)
        except InvalidParameters as wrong:
            if not lenient or name in required:
                faults.extend(wrong.faults)
    if faults:
        raise InvalidParameters(faults)
    try:
        return record(**values)
    except (TypeError, ValueError) as error:  # Its ``__post_init__`` checks them too.
        raise InvalidParameters([("", str(error) or type(error).__name__)]) from error


def _read(declared: Any, value: Any, place: str) -> Any:
    if declared in (Any, object):
        return value
    if declared in (None, type(None)):
        return _fitting(value is None, value, (place, "null"))
    if declared in _PLAIN:
        return _read_plain(declared, value, place)
    if _is_record(declared):
        return _read_nested(declared, value, place)
    if _is_enum(declared):
        return _read_enum(declared, value, place)
    return _read_generic(declared, value, place)


def _fitting(fits: bool, value: Any, wanted: Tuple[str, str]) -> Any:
    place, shown = wanted
    if not fits:
        raise InvalidParameters([(place, f"must be {shown}")])
    return value


def _read_plain(declared: Any, value: Any, place: str) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if declared is float:
        return float(_fitting(is_number, value, (place, "a number")))
    if declared is int:
        is_whole = is_number and (isinstance(value, int) or value.is_integer())
        return int(_fitting(is_whole, value, (place, "an integer")))
    return _fitting(isinstance(value, declared), value, (place, _SHOWN[declared]))


def _read_nested(declared: Any, value: Any, place: str) -> Any:
    _fitting(isinstance(value, dict), value, (place, "an object"))
    try:
        return _read_record(declared, value, False)
    except InvalidParameters as wrong:
        inside = [(f"{place}/{name}".rstrip("/"), why) for name, why in wrong.faults]
        raise InvalidParameters(inside) from None


def _read_enum(declared: Any, value: Any, place: str) -> Any:
    try:
        return declared(value)
    except ValueError:
        shown = ", ".join(repr(each.value) for each in declared)
        raise InvalidParameters([(place, f"must be one of {shown}")]) from None


def _read_generic(declared: Any, value: Any, place: str) -> Any:
    origin, arguments = _origin(declared), typing.get_args(declared)
    if origin is typing.Literal:
        shown = ", ".join(map(repr, arguments))
        return _fitting(value in arguments, value, (place, f"one of {shown}"))
    if _is_union(origin):
        return _read_union(arguments, value, place)
    if declared is list or origin in (list, _SEQUENCE):
        _fitting(isinstance(value, list), value, (place, "a list"))
        inner = arguments[0] if arguments else Any
        return [_read(inner, each, f"{place}/{index}") for index, each in enumerate(value)]
    if declared is dict or origin in (dict, _MAPPING):
        _fitting(isinstance(value, dict), value, (place, "an object"))
        inner = arguments[1] if arguments else Any
        return {name: _read(inner, each, f"{place}/{name}") for name, each in value.items()}
    raise TypeError(f"{place}: {declared!r} is no type that JSON can be read into")


_SEQUENCE = typing.get_origin(typing.Sequence[Any])


def _is_union(origin: Any) -> bool:
    # `int | None` has an origin of its own.
    return origin is typing.Union or getattr(origin, "__name__", "") == "UnionType"


def _read_union(arguments: Tuple[Any, ...], value: Any, place: str) -> Any:
    faults: List[str] = []
    for declared in arguments:
        try:
            return _read(declared, value, place)
        except InvalidParameters as wrong:
            faults.extend(why for _, why in wrong.faults)
    raise InvalidParameters([(place, " or ".join(dict.fromkeys(faults)))])


def _model_reader(model: Any, lenient: bool) -> Reader:
    def read(given: Json) -> Any:
        try:
            return model.model_validate(given)
        except ValueError as error:
            faults = _faults_of_model(error)
            if not lenient:
                raise InvalidParameters(faults) from None
            return read_rest(given, faults)

    def read_rest(given: Json, faults: List[Tuple[str, str]]) -> Any:
        wrong = {place.split("/")[0] for place, _ in faults}
        try:
            return model.model_validate({k: v for k, v in given.items() if k not in wrong})
        except ValueError as error:
            raise InvalidParameters(_faults_of_model(error)) from None

    return read


def _faults_of_model(error: ValueError) -> List[Tuple[str, str]]:
    listed = getattr(error, "errors", None)
    if listed is None:
        return [("", "the model refuses them")]
    return [("/".join(map(str, fault["loc"])), str(fault["msg"])) for fault in listed()]


def _schema_of_type(declared: Any, around: Tuple[Any, ...]) -> Json:
    if declared in _PLAIN:
        return {"type": _PLAIN[declared]}
    if declared in (None, type(None)):
        return {"type": "null"}
    if _is_record(declared):
        return dict(schema_of(declared, around))
    origin, arguments = _origin(declared), typing.get_args(declared)
    if _is_union(origin):
        return {"anyOf": [_schema_of_type(each, around) for each in arguments]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (list, _SEQUENCE):
        inner = arguments[0] if arguments else Any
        return {"type": "array", "items": _schema_of_type(inner, around)}
    return {}
