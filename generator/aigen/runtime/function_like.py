"""What makes a generated object a function to everyone who looks at it."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any


class FunctionLike:
    """A callable object that shows what a function shows: frameworks read these by name.

    A generated subclass has the signature and the words on its `__call__`.
    """

    if TYPE_CHECKING:

        @property
        def definition(self) -> Any:
            """The object as data."""

    def _appear(self) -> None:
        """Shows on the object what its class says of a call; a copy of an object needs it anew."""
        call = type(self).__call__
        self.__doc__ = call.__doc__
        self.__module__ = type(self).__module__
        self.__annotations__ = dict(call.__annotations__)
        # What `functools.wraps` takes in their place from Python 3.14 on.
        vars(self)["__annotate__"] = functools.partial(_annotations, self.__annotations__)
        # Who meets a callable that is no plain function may look up its `__call__` and count the
        # `self` of a bound method as an input: here it finds this object, which has none.
        vars(self)["__call__"] = self

    @property
    def __name__(self) -> str:
        """The name in the generated module."""
        kept: str | None = vars(self).get("_name")
        if kept is None:
            # Each object has a class of its own, and Python cannot have every name of a spec.
            module = sys.modules.get(type(self).__module__)
            for name, value in list(vars(module).items()) if module else ():
                if type(value) is type(self):
                    kept = vars(self)["_name"] = name
                    return name
        return kept or self.definition.get("function", self.definition["name"])

    if not TYPE_CHECKING:  # else every slip would be an attribute to a type checker

        def __getattr__(self, name: str) -> Any:
            # A class keeps its own `__qualname__` out of its instances' reach, property or not.
            if name == "__qualname__":
                return self.__name__
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature of a call, without `self`.

        Its annotations are types, not their text: a `functools.partial` of this has no
        `__globals__` in which they could be read.
        """
        signature = inspect.signature(type(self).__call__, eval_str=True)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @property
    def __globals__(self) -> dict[str, Any]:
        """The generated module's names, in which its annotations are read."""
        return vars(sys.modules[type(self).__module__])


def _annotations(known: dict[str, Any], form: int, /) -> dict[str, Any]:
    """Annotations as text, in whatever form they are asked for (PEP 649)."""
    return dict(known)
