"""`aigen log`."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from aigen.cli import FINDINGS, FINE
from aigen.cli.printing import format_option, print_found
from aigen.configuration import load
from aigen.diagnostics import Diagnostics
from aigen.runtime import layers
from aigen.runtime.errors import AigenError
from aigen.runtime.record.calllog import folder_of
from aigen.runtime.record.reading import LogReader, Record, Wanted
from aigen.runtime.record.totals import Totals

_LAST: Final = datetime.max.replace(tzinfo=UTC).timestamp()
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class _Since(click.ParamType):  # type: ignore[type-arg]
    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Seconds since 1970 of a day, a time (UTC where it has no zone), or `90m` ago."""
        if isinstance(value, float):
            return value
        ago = re.fullmatch(r"(\d{1,12})([smhdw])", value)
        if ago:
            return max(time.time() - int(ago[1]) * _UNITS[ago[2]], 0.0)
        try:
            moment = datetime.fromisoformat(value)
            found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except ValueError:
            found = math.inf
        if found > _LAST:
            self.fail(
                f'"{value}" is no time: write 2026-11-30, 2026-11-30T08:00 or 90m', param, ctx
            )
        return max(found, 0.0)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the log is, which calls are asked for, and how they are printed."""
    for option in reversed(
        (
            click.option("--function", metavar="NAME", help="Calls of a function."),
            click.option(
                "--error",
                is_flag=False,
                flag_value="*",
                metavar="[CODE]",
                help="Failed calls, or those that failed with a code.",
            ),
            click.option("--since", type=_Since(), help="A day, a time, or 90m, 12h, 7d ago."),
            click.option("--model", help="Calls that a model answered."),
            click.option("--caller", help="Calls of a caller."),
        )
    ):
        command = option(command)
    return _places(command)


def _places(command: Callable[..., Any]) -> Callable[..., Any]:
    folder = click.option(
        "--folder", type=click.Path(path_type=Path), help="Of the log; else as log_calls says."
    )
    form = format_option("How they are printed.", ("text", "json"))
    return folder(form(command))


_limit = click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="At most so many."
)


@click.group("log", invoke_without_command=True)
@_options
@_limit
@click.pass_context
def command(
    ctx: click.Context, /, folder: Path | None, form: str, limit: int, **filters: Any
) -> int:
    """The call log: lists the newest calls, shows one, sums them up."""
    if ctx.invoked_subcommand is not None:
        if any(
            ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ctx.params
        ):
            raise click.UsageError(f"options stand behind {ctx.invoked_subcommand}")
        return FINE
    return _newest(folder, form, limit, filters)


@command.command("list")
@_options
@_limit
def newest(folder: Path | None, form: str, limit: int, **filters: Any) -> int:
    """Lists the newest calls, as without a command."""
    return _newest(folder, form, limit, filters)


def _newest(folder: Path | None, form: str, limit: int, filters: Mapping[str, Any]) -> int:
    reader = _reader(folder)
    found = reader.newest(Wanted(**filters), limit)
    if form == "json":
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    elif found:
        click.echo(_table(_LISTED, [_row(record) for record in found]))
    else:
        click.echo("no such calls", err=True)
    _tell_skipped(reader)
    return FINE


@command.command("show")
@click.argument("id")
@_places
def show(id: str, folder: Path | None, form: str) -> int:
    """Shows one call whole; ID may be the beginning of its id."""
    reader = _reader(folder)
    calls, ratings = reader.with_id(id.lower())
    if len(calls) != 1:
        what = "several calls have" if calls else "no call has"
        click.echo(f"aigen: {what} an id that begins with {id}", err=True)
        return FINDINGS
    if form == "json":
        click.echo(json.dumps({**calls[0], "ratings": ratings}, ensure_ascii=False, indent=2))
    else:
        click.echo(_plain("\n".join(_shown(calls[0], ratings))))
    return FINE


@command.command("totals", short_help="Sums calls up: errors, tokens, cost and seconds.")
@_options
@click.option(
    "--by",
    type=click.Choice(("function", "model", "caller")),
    default="function",
    show_default=True,
    help="A row for each.",
)
def totals(folder: Path | None, form: str, by: str, **filters: Any) -> int:
    """Sums calls up: how many, errors, tokens, cost and seconds, each to within one percent."""
    reader = _reader(folder)
    every, groups = Totals(), dict[str, Totals]()
    for record in reader.calls(Wanted(**filters)):
        every.add(record)
        groups.setdefault(_group(record, by), Totals()).add(record)
    parts = {name: groups[name].as_data() for name in sorted(groups)}
    if form == "json":
        data = {"all": every.as_data(), f"by_{by}": parts, "skipped": reader.skipped}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        rows = [_sums(name, part) for name, part in parts.items()]
        click.echo(_table((by, *_SUMMED), [*rows, _sums("all", every.as_data())]))
    _tell_skipped(reader)
    return FINE


def _reader(folder: Path | None) -> LogReader:
    """The log's reader; the command ends where there is no log."""
    found = Diagnostics()
    place = folder_of(folder if folder is not None else _configured(found) or True)
    if not place.is_dir():
        print_found(found, Path.cwd())
        click.echo(
            f"aigen: there is no call log in {place}: set log_calls for calls to be logged, or "
            "say where it is with --folder",
            err=True,
        )
        raise click.exceptions.Exit(FINDINGS)
    return LogReader(place)


def _configured(found: Diagnostics) -> Any:
    """The setting, of the environment or the project; what is wrong there is in `found`."""
    try:
        return layers.resolve({}, load(Path.cwd(), found).settings, {}).log_calls
    except AigenError as problem:
        raise click.UsageError(problem.message) from None


def _tell_skipped(reader: LogReader) -> None:
    if reader.skipped:
        lines = "1 line" if reader.skipped == 1 else f"{reader.skipped:,} lines"
        click.echo(f"skipped {lines}: damaged, or of a later format", err=True)


_LISTED: Final = ("started", "function", "model", "seconds", "tokens", "outcome", "id")


def _row(record: Record) -> list[str]:
    return [
        record["started"][:19].replace("T", " "),
        record["program"]["name"],
        str(record.get("model") or "-"),
        f"{record['seconds']:.2f}",
        _tokens(record),
        _outcome(record),
        record["id"],
    ]


def _tokens(record: Record) -> str:
    usage = record.get("usage") or {}
    return f"{usage.get('input_tokens', 0)}+{usage.get('output_tokens', 0)}"


def _outcome(record: Record) -> str:
    error = record.get("error")
    if error:
        return str(error.get("code") or error.get("type"))
    if record.get("repairs"):
        return "repaired"
    exchanges = record.get("exchanges") or ()
    return "cached" if exchanges and all(each.get("cached") for each in exchanges) else "ok"


_SUMMED: Final = ("calls", "errors", "tokens in", "tokens out", "cost", "p50 s", "p95 s")


def _sums(name: str, data: Mapping[str, Any]) -> list[str]:
    counts = [f"{data[key]:,}" for key in ("calls", "errors", "input_tokens", "output_tokens")]
    cost = "-" if data["cost"] is None else f"${data['cost']:,.4f}"
    times = ["-" if data[key] is None else f"{data[key]:g}" for key in ("p50", "p95")]
    return [name, *counts, cost, *times]


def _group(record: Record, by: str) -> str:
    if by == "function":
        program = record["program"]
        return (
            f"{program['module']}.{program['name']}" if program.get("module") else program["name"]
        )
    return str(record.get(by) or "-")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [tuple(head), *(tuple(map(_plain, row)) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _plain(text: str) -> str:
    """A text without what would steer a terminal: models and customers wrote parts of it."""
    return _CONTROLS.sub("\ufffd", text)


def _shown(record: Record, ratings: Iterable[Record]) -> Iterable[str]:
    yield "  ".join(_row(record)[:-1])
    for key in ("id", "parent", "root", "caller"):
        if record.get(key) and not (key == "root" and record["root"] == record["id"]):
            yield f"{key}: {record[key]}"
    for side in ("inputs", "outputs"):
        gone = (record.get("omitted") or {}).get(side, ())
        yield from _fields(
            side, record.get(side) or {}, gone, (record.get("sizes") or {}).get(side)
        )
    if record.get("error"):
        yield f"error: {record['error'].get('message', 'its message was dropped')}"
    for repair in record.get("repairs") or ():
        yield f"repaired: {repair}"
    for rating in ratings:
        known = f", {_json(rating['answer'])}" if "answer" in rating else ""
        yield f"rated {rating.get('verdict')}{known}"
    for number, exchange in enumerate(record.get("exchanges") or (), 1):
        yield from _exchange(number, exchange)


def _fields(
    side: str, values: Mapping[str, Any], gone: Iterable[str], sizes: Mapping[str, int] | None
) -> Iterable[str]:
    yield f"{side}:"
    for name, value in values.items():
        yield f"  {name}: {_text(value)}"
    for name in gone:
        size = (sizes or {}).get(name)
        yield f"  {name}: dropped" + ("" if size is None else f" ({size:,} bytes)")


def _exchange(number: int, exchange: Mapping[str, Any]) -> Iterable[str]:
    cached = ", from the cache" if exchange.get("cached") else ""
    yield (
        f"exchange {number}: {exchange.get('provider')} {exchange.get('model')}, "
        f"{exchange.get('seconds')} s, {exchange.get('finish')}{cached}"
    )
    request = exchange.get("request") or {}
    for message in request.get("messages") or request.get("input") or ():
        yield f"  {message.get('role')}: {_text(message.get('content'))}"
    for name, value in (exchange.get("reply") or {}).items():
        yield f"  reply {name}: {_text(value)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
