"""The text formats that are types here: their text is checked, and read as the Python object."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any
from uuid import UUID

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
_ZONE = r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?"


def _whole(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Matches whole texts by a pattern that is compiled when the first is met: few formats are."""
    return partial(re.fullmatch, pattern)


_date = _whole(_DATE)
_datetime = _whole(f"{_DATE}[Tt ]{_CLOCK}{_ZONE}")
_time = _whole(_CLOCK + _ZONE)
_duration = _whole(
    r"(?P<sign>[+-])?P(?=[0-9T])(?:(?P<weeks>[0-9]+)W)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?"
    r"(?:(?P<seconds>[0-9]+)(?:\.(?P<fraction>[0-9]+))?S)?)?"
)
_decimal = _whole(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_uuid = _whole(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_uri = _whole(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):"
    r"(?://(?P<authority>(?:[A-Za-z0-9._~!$&'()*+,;=:@\[\]-]|%[0-9A-Fa-f]{2})*)(?=[/?#]|\Z))?"
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
    r"(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
_LABEL = r"[A-Za-z0-9\u0080-\U0010ffff](?:[A-Za-z0-9\u0080-\U0010ffff-]{0,62})"
_email = _whole(rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*")
_HOSTED = frozenset({"http", "https", "ws", "wss", "ftp"})


def _read_date(text: str) -> date | None:
    return date.fromisoformat(text) if _date(text) else None


def _six(text: str) -> str:
    # Python reads six digits of a second at most before 3.12, and none but 3 or 6 in old forms.
    return re.sub(r"\.([0-9]+)", lambda found: f".{found[1][:6]:0<6}", text).upper()


def _read_datetime(text: str) -> datetime | None:
    return datetime.fromisoformat(_six(text)) if _datetime(text) else None


def _read_time(text: str) -> time | None:
    return time.fromisoformat(_six(text)) if _time(text) else None


def _read_duration(text: str) -> timedelta | None:
    found = _duration(text)
    if found is None:
        return None
    parts = {name: int(found[name] or 0) for name in ("weeks", "days", "hours", "minutes")}
    micro = int(f"{(found['fraction'] or '')[:6]:0<6}")
    span = timedelta(**parts, seconds=int(found["seconds"] or 0), microseconds=micro)
    return -span if found["sign"] == "-" else span


def _read_decimal(text: str) -> Decimal | None:
    return Decimal(text) if _decimal(text) else None


def _read_uuid(text: str) -> UUID | None:
    return UUID(text) if _uuid(text) else None


def _read_uri(text: str) -> str | None:
    found = _uri(text)
    if found is None:
        return None
    if found["scheme"].lower() in _HOSTED:
        host = (found["authority"] or "").rpartition("@")[2]
        if not host or host.startswith(":"):
            return None
    return text


def _read_email(text: str) -> str | None:
    local, _, domain = text.rpartition("@")
    if len(local) > 64 or len(domain) > 253 or not _email(text):
        return None
    return None if any(label.endswith("-") for label in domain.split(".")) else text


READERS: dict[str, Callable[[str], Any]] = {
    "date": _read_date,
    "date-time": _read_datetime,
    "time": _read_time,
    "duration": _read_duration,
    "decimal": _read_decimal,
    "uuid": _read_uuid,
    "uri": _read_uri,
    "email": _read_email,
}
CLASSES: dict[str, type] = {
    "date": date,
    "date-time": datetime,
    "time": time,
    "duration": timedelta,
    "decimal": Decimal,
    "uuid": UUID,
}
NAMES = {
    "date": "a date (2026-12-31)",
    "date-time": "a date and time (2026-12-31T23:59:59Z)",
    "time": "a time (23:59:59)",
    "duration": "a duration (P1DT2H)",
    "decimal": "a decimal number as text (12.50)",
    "uuid": "a UUID",
    "uri": "a URL",
    "email": "an email address",
}
IN_SHAPES = frozenset({"date", "date-time", "time", "uuid", "email", "uri"})
"""Those that JSON Schema has too, as far as their Python type can hold every value."""


def read(name: str, text: str) -> Any:
    """The object that a text in this format stands for (a text for `uri` and `email`), or None."""
    try:
        return READERS[name](text)
    except (ValueError, OverflowError, InvalidOperation):
        return None


def is_object(name: str, value: object) -> bool:
    """Whether a value is the Python object of this format; a datetime is no date."""
    kind = CLASSES.get(name)
    if kind is None or not isinstance(value, kind):
        return False
    if kind is date:
        return not isinstance(value, datetime)
    return not isinstance(value, Decimal) or value.is_finite()


def write(value: date | time | timedelta | Decimal | UUID) -> str:
    """The JSON form of such an object, as pydantic writes it."""
    if isinstance(value, timedelta):
        return _span(value)
    if isinstance(value, Decimal | UUID):
        return str(value)
    written = value.isoformat()
    return f"{written[:-6]}Z" if written.endswith("+00:00") else written


def _span(value: timedelta) -> str:
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    clock = "".join(
        (
            f"{hours}H" if hours else "",
            f"{minutes}M" if minutes else "",
            f"{seconds}{fraction}S" if seconds or fraction else "",
        )
    )
    days = f"{value.days}D" if value.days else ""
    if not days and not clock:
        return "PT0S"
    return f"{sign}P{days}{'T' if clock else ''}{clock}"
