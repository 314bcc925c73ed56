"""One shape, ready to judge and bind values; and the shapes of late, kept compiled."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values.binding import Binder, refused
from aigen.runtime.values.check import Checker
from aigen.runtime.values.not_bound import Bind, NotBound
from aigen.runtime.values.shape import ALL_FORMATS, Check, Misfit, Scope, Shape

_identifier = re.compile(r"[^\W\d]\w*").fullmatch
_KEPT = 1024
# A shape that refers to itself is compiled in steps that another thread must not see.
_compiling = threading.RLock()


def located(field: str, path: Iterable[str | int]) -> str:
    """A place for a message: `order.lines[2].sku`."""
    shown = field
    for step in path:
        if isinstance(step, str) and _identifier(step):
            shown += f".{step}"
        else:
            shown += f"[{step!r}]"
    return shown


class Judge:
    """A shape with what it refers to. It is compiled at first use and must not change later.

    Args:
        shape: a JSON Schema.
        defs: what its `#/$defs/<name>` mean; the shape's own `$defs` go before them.
        formats: whether `format` is enforced, or a word.
    """

    __slots__ = ("_bind", "_check", "_checker", "_defs", "_scope", "_shape")
    _late: dict[tuple[int, int, bool], Judge] = {}  # noqa: RUF012 - slots and annotations

    def __init__(
        self, shape: Shape, defs: Mapping[str, Any] | None, *, formats: bool = True
    ) -> None:
        self._shape = shape
        self._defs = defs
        own = shape.get("$defs") if isinstance(shape, Mapping) else None
        known = {**(defs or {}), **own} if isinstance(own, Mapping) else (defs or {})
        self._scope = Scope(known, ALL_FORMATS if formats else frozenset())
        self._checker = Checker()
        self._check: Check | None = None
        self._bind: Bind | None = None

    @classmethod
    def of(cls, shape: Shape, defs: Mapping[str, Any] | None, *, formats: bool = True) -> Judge:
        """The judge of this very shape, kept from an earlier call where there was one."""
        key = (id(shape), id(defs), formats)
        judge = cls._late.get(key)
        if judge is None or judge._shape is not shape or judge._defs is not defs:
            if len(cls._late) >= _KEPT:
                cls._late.clear()
            judge = cls._late[key] = cls(shape, defs, formats=formats)
        return judge

    def prepare(self) -> Check:
        """Compiles the check.

        Raises:
            ConfigurationError: the shape is malformed, or needs a package that is missing.
        """
        try:
            with _compiling:
                check = self._checker.compile(self._shape, self._scope)
                # Definitions that nothing refers to must be readable too.
                if isinstance(self._shape, Mapping) and self._shape.get("x-aigen-shape") is None:
                    for name in self._shape.get("$defs", ()):
                        self._checker.compile(self._scope.defs[name], self._scope)
            self._check = check
        except RecursionError as error:
            raise refused(error) from None
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            raise ConfigurationError(
                f"a shape cannot be read: {error}", code="interface-malformed"
            ) from None
        return check

    def levelled(self, change: Callable[[Any], Any]) -> Judge:
        """The judge of the shape, and what it refers to, as `change` makes them."""
        return Judge(change(self._shape), change(self._defs))

    def mentions(self, keyword: str) -> bool:
        """Whether the shape, or what it may refer to, has a keyword."""
        return f'"{keyword}"' in json.dumps([self._shape, self._defs], default=str)

    def fits(self, value: Any) -> Misfit | None:
        """Where a value does not fit; None where it does."""
        check = self._check or self.prepare()
        try:
            return check(value, {})
        except RecursionError:
            return Misfit((), "a value nested less deeply", value)

    def bind(self, value: Any) -> Any:
        """The bound value.

        Raises:
            NotBound: it does not bind, or what it binds to does not fit.
        """
        bind = self._bind
        if bind is None:
            self.prepare()
            try:
                with _compiling:
                    bind = Binder(self._checker).compile(self._shape, self._scope)
            except RecursionError as error:
                raise refused(error) from None
            self._bind = bind
        try:
            return bind(value, {})
        except RecursionError:
            raise NotBound((), "a value nested less deeply", value) from None
