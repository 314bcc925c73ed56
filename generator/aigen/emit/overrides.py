"""A project's own templates: read, judged before they run, and run beside what is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, UndefinedError, meta, nodes
from jinja2.exceptions import SecurityError

from aigen.diagnostics import nearest
from aigen.emit.environment import OWN, blocks, environment, sandbox
from aigen.emit.templates import files
from aigen.emit.wordless import wordless, wrong_code


class TemplateFault(Exception):
    """A template of the project is wrong, or what it makes is.

    Attributes:
        path: the template, from the folder of templates.
        line: where in it.
        message: what is wrong.
        hint: what to write instead.
        code: the rule's code.
    """

    def __init__(
        self, path: str, line: int, message: str, hint: str | None = None, code: str = "AIG712"
    ) -> None:
        super().__init__(path, line, message, hint, code)
        self.path, self.line, self.message = path, line, message
        self.hint, self.code = hint, code


class Templates:
    """The templates that an output is made with.

    Args:
        overrides: the project's folder of templates, where it has one.

    Raises:
        TemplateFault: one of them cannot be read, does not parse, overrides nothing, or names a
            block that is none.
    """

    def __init__(self, overrides: Path | None = None) -> None:
        self._sources: dict[str, tuple[str, str]] = {}
        self._environment = environment()
        if overrides is not None:
            for path in files(overrides):
                name = path.relative_to(overrides).as_posix()
                self._sources[name] = (_read(path, name), str(path))
            self._environment = sandbox(self._sources.get)
            _judge(self._environment, {name: text for name, (text, _) in self._sources.items()})

    def text(self, template: str, **values: Any) -> str:
        """What a template makes of these values.

        Raises:
            TemplateFault: a template of the project ends with an error, or makes no module, or
                code of the words of a spec.
        """
        if not self._sources:
            return self._environment.get_template(template).render(values)
        text, fault = self._made(self._environment, template, values)
        if fault is not None:
            raise TemplateFault(*self._place(template, values), *fault, "AIG713")
        return text

    def _made(
        self, environment: Environment, template: str, values: Mapping[str, Any]
    ) -> tuple[str, tuple[str, str] | None]:
        """The text, and what is wrong with it."""
        without = {name: wordless(value) for name, value in values.items()}
        try:
            loaded = environment.get_template(template)
            text, bare = loaded.render(values), loaded.render(without)
        except Exception as problem:
            fault = self._fault(problem)
            if fault is None:
                raise
            raise fault from None
        return text, wrong_code(text, bare, exports=template == "module.py.jinja")

    def _place(self, template: str, values: Mapping[str, Any]) -> tuple[str, int]:
        """The override at fault, and its first block: the one that is wrong without the others."""
        overriding = [name for name in self._sources if name in blocks()]
        found = overriding[0]
        for name in overriding:
            others = set(overriding) - {name}
            alone = {one: each for one, each in self._sources.items() if one not in others}
            if self._made(sandbox(alone.get), template, values)[1] is not None:
                found = name
                break
        tree = self._environment.parse(self._sources[found][0])
        return found, min((block.lineno for block in tree.find_all(nodes.Block)), default=1)

    def _fault(self, problem: Exception) -> TemplateFault | None:
        """Where in which of the project's templates an error arose; None where in none."""
        known = {path: name for name, (_, path) in self._sources.items()}
        place = None
        trace: TracebackType | None = problem.__traceback__
        while trace is not None:
            name = known.get(trace.tb_frame.f_code.co_filename)
            if name is not None:
                place = name, trace.tb_lineno
            trace = trace.tb_next
        if place is None:
            return None
        if isinstance(problem, UndefinedError | SecurityError):
            return TemplateFault(*place, str(problem), "docs/templates.md lists what there is")
        reason = str(problem).partition("\n")[0]
        return TemplateFault(*place, f"{type(problem).__name__}: {reason}")


def _read(path: Path, name: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise TemplateFault(name, 1, f"it is not UTF-8: {problem.reason}") from None
    except OSError as problem:
        raise TemplateFault(name, 1, f"cannot read it: {problem.strerror}") from None


def _judge(environment: Environment, sources: Mapping[str, str]) -> None:
    trees = {name: _parsed(environment, name, text) for name, text in sources.items()}
    used = {
        other
        for tree in trees.values()
        for other in meta.find_referenced_templates(tree)
        if other is not None
    }
    for name, tree in trees.items():
        if name in blocks():
            _judge_override(name, tree)
        elif name not in used:
            message = f'aigen has no template "{name}", and no template here uses it'
            raise TemplateFault(name, 1, message, _meant(name, blocks()))


def _parsed(environment: Environment, name: str, text: str) -> nodes.Template:
    try:
        tree = environment.parse(text, name)
        environment.compile(tree, name)  # unknown filters and tests
    except TemplateSyntaxError as problem:
        raise TemplateFault(name, problem.lineno, problem.message or "it does not parse") from None
    except RecursionError:
        raise TemplateFault(name, 1, "it is nested too deep") from None
    return environment.parse(text, name)  # compiling changes a tree


def _judge_override(name: str, tree: nodes.Template) -> None:
    """An override extends what it overrides, and nothing of it stands outside of a known block."""
    extended = f"{OWN}{name}"
    first = tree.body[0] if tree.body else None
    parent = first.template if isinstance(first, nodes.Extends) else None
    if not (isinstance(parent, nodes.Const) and parent.value == extended):
        advice = f'begin with {{% extends "{extended}" %}} and override single blocks'
        line = first.lineno if first is not None else 1
        raise TemplateFault(name, line, f"it does not extend aigen's {name}", advice)
    for block in tree.find_all(nodes.Block):
        if block.name not in blocks()[name]:
            message = f'aigen\'s {name} has no block "{block.name}"'
            raise TemplateFault(name, block.lineno, message, _meant(block.name, blocks()[name]))


def _meant(name: str, known: Any) -> str:
    close = nearest(name, list(known))
    return f'did you mean "{close}"?' if close else f"known: {', '.join(known)}"


__all__ = ["TemplateFault", "Templates"]
