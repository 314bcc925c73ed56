"""Formulas and type expressions."""

from __future__ import annotations

import pytest
from aigen.diagnostics import Diagnostics, Span
from aigen.spec.formula import parse_formula
from aigen.spec.nodes import Scalar
from aigen.spec.tree import Apply, LiteralOf, Name, TypeExpr, UnionOf
from aigen.spec.type_expr import Problem, parse_type
from hypothesis import given
from hypothesis import strategies as st

from .reading import HEAD, codes, field, read

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
WORDS = NAMES.filter(lambda name: name not in ("Literal", "Union", "vector"))
AT = Span("x", 1, 1, 1, 1)
LEVELS = (
    st.text(st.characters(exclude_categories=["Cs"])) | st.integers() | st.booleans() | st.none()
)


def literal(levels: list[str | int | bool | None]) -> LiteralOf:
    return LiteralOf(tuple(levels), AT)


TYPES: st.SearchStrategy[TypeExpr] = st.recursive(
    st.builds(lambda name: Name(name, AT), WORDS)
    | st.builds(
        literal,
        st.lists(
            LEVELS.filter(lambda v: abs(v) < 10**200 if isinstance(v, int) else True),
            min_size=1,
            max_size=3,
        ),
    ),
    lambda inner: (
        st.builds(
            lambda name, args, dots: Apply(name, tuple(args), AT, dots),
            WORDS,
            st.lists(inner, min_size=1, max_size=3),
            st.booleans(),
        )
        | st.builds(
            lambda options: UnionOf(tuple(options), AT),
            st.lists(
                inner.filter(lambda one: not isinstance(one, UnionOf)), min_size=2, max_size=3
            ),
        )
    ),
    max_leaves=8,
)


def scalar(text: str) -> Scalar:
    return Scalar(text, Span("x", 1, 1, 1, len(text) + 1), text, True)


def written(kind: TypeExpr) -> str:
    match kind:
        case Name(name=name):
            return name
        case LiteralOf(values=values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case UnionOf(options=options):
            return " | ".join(map(written, options))
        case Apply(name=name, args=args, variadic=dots):
            return f"{name}[{', '.join([*map(written, args), *(['...'] if dots else [])])}]"
    raise AssertionError(kind)


def bare(kind: TypeExpr | Problem) -> TypeExpr | Problem:
    """A type without its places."""
    match kind:
        case Apply():
            return kind._replace(args=tuple(map(bare, kind.args)), span=AT)
        case UnionOf():
            return UnionOf(tuple(map(bare, kind.options)), AT)
        case Name() | LiteralOf():
            return kind._replace(span=AT)
    return kind


@given(TYPES)
def test_a_type_that_is_written_is_read_as_it_was(kind: TypeExpr) -> None:
    assert bare(parse_type(scalar(written(kind)))) == kind


@given(st.text() | st.text("abLiteralUnion[]|,.\"' 01\\"))
def test_any_text_is_a_type_or_a_problem_within_it(text: str) -> None:
    found = parse_type(scalar(text))
    if isinstance(found, Problem):
        assert 0 <= found.start <= found.end <= max(len(text), 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("vector integer", Apply("list", (Name("integer", AT),), AT)),
        ("tuple[int, ...]", Apply("tuple", (Name("int", AT),), AT, True)),
        ("Union[A, B]", UnionOf((Name("A", AT), Name("B", AT)), AT)),
        ("Order|None", UnionOf((Name("Order", AT), Name("None", AT)), AT)),
        ("shop.refunds.Order", Name("shop.refunds.Order", AT)),
        ("numeric", Name("numeric", AT)),
        ("Literal['it''s']", None),
        ("Literal[\"a\", 'b', -1]", LiteralOf(("a", "b", -1), AT)),
        (r'Literal["\x41\n"]', LiteralOf(("A\n",), AT)),
        (r'Literal["\q"]', None),
        (r'Literal["\ud800"]', None),
        ("größe", None),
        ("list[]", None),
        ("int int", None),
    ],
)
def test_types(text: str, kind: TypeExpr | None) -> None:
    found = bare(parse_type(scalar(text)))
    assert isinstance(found, Problem) if kind is None else found == kind


@pytest.mark.parametrize("text", ["int or str", "List of Line", "dict[str, int]]"])
def test_words_that_look_like_a_type_warn(text: str) -> None:
    found, seen = field(text)
    assert seen == ["AIG128"] and found.type is None and found.description is not None


@pytest.mark.parametrize(
    "text", ["the customer's own words", "score (0 to 10)", "größe", "number, if there is one"]
)
def test_other_words_do_not(text: str) -> None:
    found, seen = field(text)
    assert not seen and found.type is None and found.description is not None


@given(st.lists(NAMES, min_size=2, unique=True), st.data())
def test_a_formula_is_its_names_with_their_places(names: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(names) - 1))
    text = " + ".join(names[:cut]) + " ~ " + "+".join(names[cut:])
    formula = parse_formula(scalar(text), Diagnostics())
    assert formula is not None
    found = [*formula.outputs, *formula.inputs]
    assert [name.value for name in found] == names
    assert [text[n.span.column - 1 : n.span.end_column - 1] for n in found] == names


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("a", "AIG131", "no ~"),
        ("a ~", "AIG131", "no input"),
        ("~ b", "AIG131", "no output"),
        ("a ~ b ~ c", "AIG131", "more than one"),
        ("a ~ b * c", "AIG131", '"*" would mean is not known here'),
        ("a ~ b:c", "AIG131", '":" would mean'),
        ("a ~ b - 1", "AIG131", "intercept"),
        ("a ~ 0 + b", "AIG131", "intercept"),
        ("a ~ I(b^2)", "AIG131", "a function of a field"),
        ("log(a) ~ b", "AIG131", "a function of a field"),
        ("a ~ (1 | g)", "AIG131", '"|" would mean'),
        ("a ~ b c", "AIG131", "joined by +"),
        ("a ~ b-c", "AIG131", "ASCII identifier"),
        ("a ~ größe", "AIG131", "ASCII identifier"),
        (". ~ a", "AIG131", "only on the right"),
        ("a ~ b + b", "AIG132", "twice"),
        ("a ~ . + .", "AIG132", "twice"),
    ],
)
def test_a_formula_that_says_more_is_refused_with_advice(text: str, code: str, says: str) -> None:
    found = Diagnostics()
    assert parse_formula(scalar(text), found) is None
    (one,) = found
    assert one.code == code and says in one.message


@given(st.text() | st.text("ab~+. -*()1"))
def test_any_text_is_a_formula_or_one_finding(text: str) -> None:
    found = Diagnostics()
    assert (parse_formula(scalar(text), found) is None) == (len(found) == 1)


def test_one_fault_is_one_finding() -> None:
    assert codes("aigen: 1\nfunctions:\n  f: {formula: {$file: x}}\n") == ["AIG121"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("str?", "write str | None; "),
        ("list[str", "write list[str]; "),
        ("Order[]", "write list[Order]; "),
        ("List<Order>?", "write list[Order] | None; "),
        ("Map<str,int[]>", "write str | None or list[Order]; "),
        ("int|", "write str | None or list[Order]; "),
        ("why?not", "write str | None or list[Order]; "),
    ],
)
def test_a_type_in_another_writing_is_no_words(text: str, hint: str) -> None:
    _, found = read(f"{HEAD}    fields:\n      b: '{text}'\n")
    assert [(one.code, one.hint) for one in found] == [
        ("AIG129", f"{hint}as words: {{description: …}}")
    ]


@pytest.mark.parametrize("text", ["你今天好吗?", "is it late?", "[optional] words", "a < b"])
def test_words_with_marks_are_words(text: str) -> None:
    assert field(f"'{text}'")[1] == []


@pytest.mark.parametrize(
    ("text", "hint"),
    [("Order[]", "write list[Order]"), ("some words", "words go to description")],
)
def test_what_stands_under_type_and_is_none(text: str, hint: str) -> None:
    _, found = read(f"{HEAD}    fields:\n      b: {{type: '{text}'}}\n")
    assert [(one.code, one.hint) for one in found] == [("AIG129", hint)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [("x ~ y * z", "write y + z"), ("x ~ y:z/w", "write y + z + w"), ("x ~ y^2", "write +")],
)
def test_what_to_write_for_what_a_formula_does_not_know(text: str, hint: str) -> None:
    found = Diagnostics()
    parse_formula(scalar(text), found)
    assert [one.hint for one in found] == [hint]
