'''The annotations of generated models: types that judge as their JSON Schema does.

Pydantic's own strict classes judge otherwise in places (`True` is a `Literal[1]`, text is no
`date` in Python, a list is no `tuple`), so generated code writes these names instead. A model's
configuration is `ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)`, and what its
annotations accept is what `aigen.runtime.values.fits` accepts, in Python and in JSON alike.

| type of the intermediate representation | annotation |
|---|---|
| `Text()` | `str` |
| `Text(min_length=1, max_length=9)` | `Annotated[str, Field(min_length=1, max_length=9)]` |
| `Text(pattern=p)` | `Annotated[str, Pattern(p)]`, after any lengths; never `Field(pattern=…)` |
| `Text(format="uri")`, `"email"` | `Url`, `Email` |
| `Integer()`, `Number()` | `Int`, `Float` |
| `Integer(ge=…, gt=…, le=…, lt=…)`, `Number` alike | `Annotated[Int, Field(ge=0, lt=9.5)]` |
| `Integer(multiple_of=…)`, `Number` alike | `Annotated[Float, MultipleOf(0.01)]`; never `Field` |
| `Boolean()`, `Null()` | `bool`, `None` |
| `Formatted("date")`, `"datetime"`, `"time"` | `Date`, `DateTime`, `Time` |
| `Formatted("timedelta")`, `"Decimal"`, `"UUID"` | `TimeDelta`, `Decimal`, `UUID` |
| `JsonAny()` | `JsonValue` (of this module, not pydantic's) |
| `List(T, 1, 9)` | `Annotated[list[T], Field(min_length=1, max_length=9)]` |
| `Set(T, 1, 9)` | `Annotated[set[T], SetOf(), Field(min_length=1, max_length=9)]` |
| `Set` of what Python cannot hash (records, lists, maps, json) | `Annotated[list[T], SetOf()]` |
| `Tuple((A, B))`, `Tuple((), rest=T)` | `Annotated[tuple[A, B], TupleOf()]`, `[tuple[T, ...], …]` |
| `Map(T, 1, 9)` | `Annotated[dict[str, T], Field(min_length=1, max_length=9)]` |
| `Choice` of texts only | `Literal["a", "b"]` |
| `Choice` with an integer or a boolean | `Annotated[Literal[1, 2, True], Exact()]` |
| `Ref` to an enumeration (own or imported) | `Annotated[Color, ByValue()]` |
| `Ref` to a record | the class |
| `Ref` to an imported class that is not strict itself | `Annotated[Order, ShapeOf('{…}')]` |
| `Union(A, B)` | `A \\| B`; where options overlap, `Annotated[A \\| B, InOrder()]` |
| `Given(p)` | `str` |
| `Shape(exact=True)` | the annotation of its model |
| `Shape(exact=False)` | `Annotated[<its model>, ShapeOf('<schema>')]` |
| `Record(shape='…')` | a class whose body has `_shape = enforce_shape('<schema>')` |
| media | `Image`, `Audio`, `File` of `aigen.runtime` |

Members:

| member | written |
|---|---|
| required | `name: T` |
| with a default that fits | `name: T = <the bound value>` |
| may be absent, takes no null | `name: Annotated[T \\| None, MayBeAbsent()] = \
Field(default=None, exclude_if=absent)` |
| may be absent, takes null too | `name: T \\| None = None`, and once in the class body \
`_absent = left_out("name", "other")` with the Python names of all such members |

An `Annotated` inside another flattens, so `Annotated[Annotated[str, Pattern(p)] | None,
MayBeAbsent()]` is fine. The order of markers matters in one place: `SetOf()` and `TupleOf()` stand
before `Field`.

The schema texts given to `ShapeOf` and `enforce_shape` are JSON Schema (2020-12) with their own
`$defs`; they are parsed at the first value. String discriminators (`Field(discriminator="kind")`)
work on members whose annotation is a `Literal` of texts only.
'''
