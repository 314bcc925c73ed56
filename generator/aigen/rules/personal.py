"""Lint of demos that look like somebody's data: they are committed, and sent with every call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from aigen.diagnostics import Diagnostics
from aigen.rules.context import Context

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})")
# Domains that belong to nobody: https://www.rfc-editor.org/rfc/rfc2606
_NOBODYS = re.compile(
    r"(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost"
    r"|png|jpe?g|gif|svg|webp|css|js)\Z",  # icon@2x.png is a file
    re.I,
)
_PHONE = re.compile(
    r"(?<![\w+])(?:\+[1-9][0-9]{0,2}(?:[ .()/-]{0,2}[0-9]){6,12}"  # in the international form
    r"|\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[ .-][0-9]{4})(?![\w-])"  # in the American one
)
_FICTION = re.compile(r"555[ .-]?01[0-9]{2}\Z")
"""Numbers that North America keeps for stories."""
_CARD = re.compile(r"(?<![\w-])[2-6][0-9](?:[ -]?[0-9]){12,14}(?![\w-])")
# Leading digits and lengths: Visa, Mastercard, American Express, Discover, JCB.
_ISSUED = re.compile(
    r"4[0-9]{15}|5[1-5][0-9]{14}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}|3[47][0-9]{13}"
    r"|6(?:011|5[0-9]{2})[0-9]{12}|35[0-9]{14}"
)
# Countries by the length of their account numbers: the registry of ISO 13616.
_COUNTRIES: Final = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL",
    19: "MK SI",
    20: "AT BA EE KZ LT LU",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS",
    23: "AE GI IL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "PT",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ CY DO GT HU LB PL",
    29: "BR PS QA UA",
    30: "JO KW MU",
    31: "MT",
}
_LENGTHS: Final = {
    country: length for length, countries in _COUNTRIES.items() for country in countries.split()
}
_IBAN = re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}\b")
# What issuers and banks publish to be typed into examples.
_PUBLISHED: Final = frozenset(
    (
        "4111111111111111",
        "4242424242424242",
        "4012888888881881",
        "5555555555554444",
        "5105105105105100",
        "378282246310005",
        "371449635398431",
        "6011111111111117",
        "3530111333300000",
        "GB82WEST12345698765432",
        "GB29NWBK60161331926819",
        "DE89370400440532013000",
        "FR1420041010050500013M02606",
        "NL91ABNA0417164300",
    )
)


def demos(context: Context, diagnostics: Diagnostics) -> None:
    """AIG812: an e-mail address, phone, card or account number in a demo. It is never quoted."""
    for function in context.functions:
        told: set[tuple[str, str]] = set()
        for row in function.demos:
            for name, value in row.items():
                shown = function.output_name if name == "result" else name
                for text in _texts(value):
                    told.update((str(shown), what) for what in _kinds(text))
        for name, what in sorted(told):
            diagnostics.report(
                "AIG812",
                function.span,
                f"a demo of {function.name} holds what looks like {what} in {name}",
                hint="write one that is made up, such as name@example.com",
            )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _texts(inner)


def _kinds(text: str) -> Iterator[str]:
    for what, found in _LOOKS.items():
        if found(text):
            yield what


def _email(text: str) -> bool:
    return any(not _NOBODYS.search(found[1]) for found in _EMAIL.finditer(text))


def _phone(text: str) -> bool:
    return any(not _FICTION.search(found[0]) for found in _PHONE.finditer(text))


def _card(text: str) -> bool:
    numbers = (re.sub("[ -]", "", found[0]) for found in _CARD.finditer(text))
    return any(
        _ISSUED.fullmatch(number) and luhn(number) and number not in _PUBLISHED
        for number in numbers
    )


def _account(text: str) -> bool:
    return any(_begins_with_iban(found[0].replace(" ", "")) for found in _IBAN.finditer(text))


def _begins_with_iban(text: str) -> bool:
    """Whether a text begins with an account number; words in capitals may stand behind it."""
    length = _LENGTHS.get(text[:2], len(text) + 1)
    iban = text[:length]
    return len(iban) == length and mod97(iban) and iban not in _PUBLISHED


def luhn(digits: str) -> bool:
    """Whether the last digit of a card's number is its check digit; ISO/IEC 7812-1, annex B."""
    doubled = (2 * int(digit) if at % 2 else int(digit) for at, digit in enumerate(digits[::-1]))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def mod97(iban: str) -> bool:
    """Whether an account number has its check digits; ISO 13616."""
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


_LOOKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "an e-mail address": _email,
    "a phone number": _phone,
    "a card number": _card,
    "a bank account": _account,
}
