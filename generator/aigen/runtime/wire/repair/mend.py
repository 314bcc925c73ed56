"""The outputs in a reply that is not clean: the fewest changes that validate, never a guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aigen.runtime.values import Judge
from aigen.runtime.wire.repair.candidates import Candidate, around, candidates, unfenced
from aigen.runtime.wire.repair.fit import Fit, Fitter, Prose, cheapest, names, plain, same
from aigen.runtime.wire.repair.loose import Array, Object
from aigen.runtime.wire.repair.nodes import Node, Nodes
from aigen.runtime.wire.repair.words import folded


class Ambiguous(Exception):
    """As few changes give different answers."""


class Unfit(Exception):
    """No changes make an answer of it.

    Attributes:
        nearest: what it seems to say; None where that is not known.
    """

    def __init__(self, nearest: Any) -> None:
        super().__init__("no answer stands in the reply")
        self.nearest = nearest


class Mended(NamedTuple):
    """Outputs that fit.

    Attributes:
        outputs: as JSON.
        repairs: their names.
        added: texts that stood beside the outputs.
    """

    outputs: dict[str, Any]
    repairs: tuple[str, ...]
    added: Mapping[str, str]


class _Way(NamedTuple):
    fit: Fit
    repairs: list[str]
    added: Mapping[str, str]


class Mender:
    """Mends the replies of one function.

    Args:
        schema: of the object of the outputs.
        judge: of the same.
        added: names of texts that may stand beside the outputs.
    """

    def __init__(self, schema: Mapping[str, Any], judge: Judge, added: tuple[str, ...]) -> None:
        self._judge = judge
        self._added = {folded(name): name for name in added}
        self._root = Nodes(schema.get("$defs", {})).of(schema)
        one = list(self._root.members.items())
        self._one: tuple[str, Node] | None = one[0] if len(one) == 1 else None

    def mend(self, text: str, *, null_is_absent: bool = False) -> Mended:
        """The outputs in a text.

        Args:
            text: the reply, without thoughts.
            null_is_absent: whether null stands for absent by the form that was asked for.

        Raises:
            Unfit: there are none.
            Ambiguous: there are several.
            Broken: the text cannot be searched.
        """
        found = candidates(text)
        fitter = Fitter(text, null_is_absent=null_is_absent)
        ways = list(self._ways(text, found, fitter))
        if not ways:
            ways = list(self._said(text, fitter))
        if not ways:
            raise Unfit(self._nearest(text, found))
        least = min(way.fit.cost for way in ways)
        best = [way for way in ways if way.fit.cost == least]
        first = best[0]
        different = sum(not same(first.fit.value, way.fit.value) for way in best)
        if different:
            raise Ambiguous(f"{different + 1} different answers stand in the reply; give one")
        if any(way.fit.ambiguous for way in best):
            raise Ambiguous("the reply can be read in two ways; say it plainly")
        if self._judge.fits(first.fit.value) is not None:
            raise Unfit(first.fit.value)
        return Mended(first.fit.value, tuple(dict.fromkeys(first.repairs)), first.added)

    def _nearest(self, text: str, found: list[Candidate]) -> Any:
        if not found:
            return {self._one[0]: text.strip()} if self._one and text[:1] not in "{[" else None
        value, _ = self._parted(found[0].parsed.value)
        if self._one and not (isinstance(value, Object) and self._one[0] in value):
            return {self._one[0]: plain(value)}
        return plain(value)

    # ------------------------------------------------------------------ what stands as JSON

    def _ways(self, text: str, found: list[Candidate], fitter: Fitter) -> Iterator[_Way]:
        listed = self._listed(text, found, fitter)
        if listed is not None:
            yield listed
        for candidate in found:
            way = self._way(text, candidate, fitter, lone=listed is None)
            if way is not None:
                yield way

    def _way(self, text: str, candidate: Candidate, fitter: Fitter, lone: bool) -> _Way | None:
        parsed = candidate.parsed
        value, added = self._parted(parsed.value)
        fit = self._fit(value, fitter, lone)
        if candidate.paired is not None:
            other_value, other_added = self._parted(candidate.paired.value)
            other = self._fit(other_value, fitter, lone)
            if fit is None:
                fit, parsed, added = other, candidate.paired, other_added
            elif other is not None and not same(fit.value, other.value):
                fit = fit._replace(ambiguous=True)
        if fit is None:
            return None
        outside = around(text, candidate.start, parsed.end)
        return _Way(fit, [*outside, *parsed.repairs, *names(fit.notes)], added)

    def _fit(self, value: Any, fitter: Fitter, lone: bool) -> Fit | None:
        return cheapest(self._fits(value, fitter, lone))

    def _fits(self, value: Any, fitter: Fitter, lone: bool = True) -> Iterator[Fit | None]:
        """As the object of the outputs; as the one output alone; with a wrapper taken off."""
        yield fitter.fit(value, self._root, False)
        yield _more(self._alone(value, fitter, lone), 1)
        inside = None
        if isinstance(value, Object) and len(value) == 1:
            [(key, inside)] = value.items()
            note = f"taken out of {key[:40]!r}"
        elif isinstance(value, Array) and len(value) == 1:
            inside, note = value[0], "taken out of a list"
        if inside is not None:
            yield _more(fitter.fit(inside, self._root, False), 2, note)
            yield _more(self._alone(inside, fitter, False), 3, note)

    def _alone(self, value: Any, fitter: Fitter, lone: bool) -> Fit | None:
        """The value of the one output, without the object around it."""
        if self._one is None:
            return None
        name, node = self._one
        found = fitter.fit(value, node, lone)
        if found is None:
            return None
        notes = (f"lone value taken as {name}", (name, found.notes))
        return Fit({name: found.value}, found.cost, notes, found.ambiguous)

    def _listed(self, text: str, found: list[Candidate], fitter: Fitter) -> _Way | None:
        """Several values one after the other, where the one output is a list of such."""
        if len(found) < 2 or self._one is None or any(one.paired for one in found):
            return None
        values = Array([candidate.parsed.value for candidate in found])
        values.start, values.end = found[0].start, found[-1].parsed.end
        fit = _more(self._alone(values, fitter, False), 1, "several values taken as a list")
        if fit is None:
            return None
        inside = [name for candidate in found for name in candidate.parsed.repairs]
        outside = around(text, values.start, values.end)
        return _Way(fit, [*outside, *inside, *names(fit.notes)], {})

    def _parted(self, value: Any) -> tuple[Any, dict[str, str]]:
        """What may be the outputs, and what was put beside them."""
        added = {
            self._added[folded(key)]: member
            for key, member in (value.items() if isinstance(value, Object) else ())
            if folded(key) in self._added and type(member) is str
        }
        if not added:
            return value, added
        rest = Object({key: one for key, one in value.items() if folded(key) not in self._added})
        rest.start, rest.end = value.start, value.end
        return rest, added

    # ------------------------------------------------------------------ what is said without JSON

    def _said(self, text: str, fitter: Fitter) -> Iterator[_Way]:
        inside = unfenced(text)
        body = inside.strip()
        if body[:1] in ("{", "[") or self._one is None or not body:
            return
        value: Any = _quoted(body)
        # Words alone are no text where reasoning stands beside it: they might be that.
        lone = value is not None or not self._added
        fit = self._fit(Prose(body) if value is None else value, fitter, lone)
        if fit is not None:
            fence = ["code fence removed"] if inside is not text else []
            yield _Way(fit, [*fence, *names(fit.notes)], {})


def _quoted(body: str) -> str | None:
    """What one JSON string alone says."""
    import jiter

    try:
        found = jiter.from_json(body.encode()) if body[0] == '"' else None
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def _more(fit: Fit | None, cost: int, *notes: str) -> Fit | None:
    return None if fit is None else fit._replace(cost=fit.cost + cost, notes=(*notes, *fit.notes))
