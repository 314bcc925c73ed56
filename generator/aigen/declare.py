"""What a Python spec imports: `ai`, `tool` and `answer`.

A spec says what an AI function takes and gives; `aigen build` reads it and writes the module that
is called. Nothing here does the work, so a declared function that is called says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar, overload

__all__ = ["ai", "answer", "tool"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_F = TypeVar("_F", bound=Callable[..., Any])


@overload
def ai(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
@overload
def ai(**keys: Any) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def ai(function: Callable[..., Any] | None = None, /, **keys: Any) -> Callable[..., Any]:
    """Declares an AI function: `@ai`, or `@ai(temperature=0, demos=[...])`.

    Args:
        function: the function, whose body is `return answer()`.
        keys: keys of a function in a spec, and settings, as literals. They are read from the
            source; here they do nothing.

    Returns:
        A function of the same type, which raises NotImplementedError when it is called.
    """
    return _declared if function is None else _declared(function)


@overload
def tool(function: _F, /) -> _F: ...
@overload
def tool(**keys: Any) -> Callable[[_F], _F]: ...
def tool(function: Callable[..., Any] | None = None, /, **keys: Any) -> Callable[..., Any]:
    """Declares a tool: `@tool`, or `@tool(risk="read")`.

    Args:
        function: the function, which is the tool's implementation and stays as it is.
        keys: keys of a tool in a spec, as literals.

    Returns:
        The function itself.
    """
    return _itself if function is None else function


def answer() -> NoReturn:
    """What the body of an AI function returns: the model's answer.

    Raises:
        NotImplementedError: always; a spec is called through its generated module.
    """
    raise NotImplementedError(_message("this function"))


def _declared(function: Callable[_P, _R]) -> Callable[_P, _R]:
    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        raise NotImplementedError(_message(function.__qualname__))

    return called


def _itself(function: _F) -> _F:
    return function


def _message(name: str) -> str:
    return f"{name} is a spec: run `aigen build` and import it from the generated module"
