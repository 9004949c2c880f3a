"""The commands of a worker, as its author declares them."""

from __future__ import annotations

import functools
import inspect
import typing
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, List, Optional, Sequence, Tuple, TypeVar

from .context import Context
from .item import Json
from .parameters import Reader, expect_type, is_model, reader_of, schema_of

#: The function of a command: of parameters and context, of parameters alone, or of nothing.
Function = TypeVar("Function", bound=Callable[..., Any])
UndoFunction = TypeVar("UndoFunction", bound=Callable[..., Any])

#: Adds a command to those of a worker.
_Add = Callable[["Command[Any]"], None]


@dataclass(frozen=True)
class Declaration:
    """The name of a command, and what Backstep is told of it."""

    module: str
    name: str
    #: Names of members of the output that are secrets.
    secrets: Tuple[str, ...] = ()
    #: The command changes nothing, so that nothing is to be undone.
    read_only: bool = False
    #: What its output must fit: a JSON Schema, or a type with members. None: anything.
    output: Any = field(default=None, compare=False)


class Command(Generic[Function]):
    """A function that serves a command. Calling it calls the function, so tests can."""

    def __init__(
        self, declaration: Declaration, function: Function, add: _Add, *, is_undo: bool = False
    ) -> None:
        self.declaration = declaration
        self.function = function
        self.is_undo = is_undo
        #: Names of the commands that are declared as ways back of this one.
        self.undos: List[str] = []
        self.__name__: str = getattr(function, "__name__", declaration.name)
        self.__doc__ = function.__doc__
        self._add = add
        self._arity = _arity_of(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def undo(
        self, name: str, *, secrets: Sequence[str] = ()
    ) -> Callable[[UndoFunction], Command[UndoFunction]]:
        """Declares the way back of this command, so that both are tested together.

        The flow decides which command undoes which. The parameters of the way back are those of
        this command, and what it returned. It also runs if nobody knows whether this command did
        anything.
        """
        declaration = Declaration(self.declaration.module, name, tuple(secrets))

        def declare(function: UndoFunction) -> Command[UndoFunction]:
            command = Command(declaration, function, self._add, is_undo=True)
            self._add(command)
            self.undos.append(name)
            return command

        return declare

    def read(self, parameters: Json, *, lenient: bool = False) -> Any:
        """Reads parameters into the type that the function declares.

        Raises ``InvalidParameters``, and ``TypeError`` if the declared type is none for them.
        """
        return self.reader(lenient=lenient)(parameters)

    def reader(self, *, lenient: bool = False) -> Reader:
        """Gives the reader of the declared type. Raises ``TypeError``."""
        return reader_of(self._declared_type(), lenient=lenient)

    def expect_types(self) -> None:
        """Raises ``TypeError`` for a declared type of parameters or output that JSON has not."""
        output = self.declaration.output
        try:
            declared = self._declared_type()
            reader_of(declared)
            if not is_model(declared):
                expect_type(declared)
            if output is not None and not isinstance(output, dict):
                if schema_of(output) is None:
                    raise TypeError(f"{output!r} is no type for an output: use a dataclass")
                expect_type(output, written=True)
        except TypeError as error:
            where = f"{self.declaration.module}.{self.declaration.name}"
            raise TypeError(f"{where}: {error}") from error

    def invoke(self, parameters: Any, context: Context) -> Any:
        """Calls the function with as many arguments as it takes. It may give an awaitable."""
        return self.function(*(parameters, context)[: self._arity])

    def described(self) -> Json:
        """Describes the command for the registration."""
        said: Json = {}
        schema = None if self.is_undo else schema_of(self._declared_type())
        if schema is not None:
            said["parameters"] = schema
        output = self.declaration.output
        if output is not None:
            said["output"] = output if isinstance(output, dict) else schema_of(output)
        if self.declaration.secrets:
            said["secrets"] = list(self.declaration.secrets)
        return said

    def _declared_type(self) -> Any:
        if self._arity == 0:
            return dict
        first = next(iter(inspect.signature(self.function).parameters))
        try:
            return typing.get_type_hints(_annotated(self.function)).get(first, dict)
        except NameError as error:
            raise TypeError(f"{error}: declare types at the top of a module") from error


def _annotated(function: Any) -> Any:
    """Gives the function whose annotations count: that of a partial, or the call of an object."""
    function = inspect.unwrap(function)
    if isinstance(function, functools.partial):
        return _annotated(function.func)
    return function if inspect.isroutine(function) else type(function).__call__


def _arity_of(function: Callable[..., Any]) -> int:
    """Gives the number of arguments of a function. Raises ``TypeError`` where none would do."""
    taken = list(inspect.signature(function).parameters.values())
    placed = [p for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(placed) > 2:
        raise TypeError(f"{function!r} takes more than parameters and context")
    if not placed and any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in taken):
        raise TypeError(f"{function!r} does not say what it takes: decorators need functools.wraps")
    if any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in taken):
        raise TypeError(f"{function!r} takes an argument by name alone, and gets none")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{function!r} is a generator: a command returns its output")
    return len(placed)


class Catalogue:
    """The commands of a worker by module and name."""

    def __init__(self) -> None:
        self._commands: Dict[Tuple[str, str], Command[Any]] = {}

    def add(self, command: Command[Any]) -> None:
        """Adds a command. Raises ``ValueError`` if the module has one of that name."""
        key = (command.declaration.module, command.declaration.name)
        if key in self._commands:
            raise ValueError(f"{key[0]}.{key[1]} is declared twice")
        self._commands[key] = command

    def find(self, module: str, name: str) -> Optional[Command[Any]]:
        """Gives a command, or None."""
        return self._commands.get((module, name))

    def all(self) -> List[Command[Any]]:
        """Gives all commands in the order in which they were declared."""
        return list(self._commands.values())

    @property
    def modules(self) -> List[str]:
        """The modules that have commands."""
        return list(dict.fromkeys(module for module, _ in self._commands))

    @property
    def names(self) -> List[str]:
        """The names of all commands."""
        return list(dict.fromkeys(name for _, name in self._commands))

    @property
    def secret_names(self) -> List[str]:
        """The members that any of the commands calls secrets."""
        every = (command.declaration.secrets for command in self._commands.values())
        return list(dict.fromkeys(name for names in every for name in names))

    def described(self) -> Json:
        """Describes all commands for the registration."""
        modules: Json = {module: {} for module in self.modules}
        for (module, name), command in self._commands.items():
            modules[module][name] = command.described()
        return modules
