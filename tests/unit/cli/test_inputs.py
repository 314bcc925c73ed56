"""`key=value` of `aigen show` and `aigen call`."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aigen = Callable[..., Any]

LIST = "[\n  1,\n  2\n]"

SORT = """\
aigen: 1
functions:
  sort:
    formula: topic ~ text
    description: Sort the text.
    fields:
      topic: {choice: {$given: topics}}
"""


def sent(aigen: Aigen, *inputs: str) -> str:
    """The user's message of `judge` or `reply` with these inputs."""
    code, out, err = aigen("show", *inputs)
    assert code == 0, err
    content = json.loads(out)["messages"][-1]["content"]
    assert isinstance(content, str)
    return content


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a=b=c", "a=b=c"),
        ("12", "12"),
        ('"quoted"', '"quoted"'),
        ("null", "null"),
        ("-v", "-v"),
        ("größe 漢", "größe 漢"),
        ("a\nb", "a\nb"),
    ],
)
def test_text_stays_as_it_was_typed(aigen: Aigen, project: Path, value: str, shown: str) -> None:
    assert sent(aigen, "judge", f"text={value}") == f"<text>\n{shown}\n</text>"


@pytest.mark.parametrize(
    ("pair", "shown"),
    [
        ("count=7", "7"),
        ('count="7"', "7"),
        ("tone=1", "1"),
        ('anything="x"', "x"),
        ("anything=[1,   2]", LIST),
        ("anything=[1", "[1"),
        ("anything=" + "[" * 5000, "[" * 5000),
        ("note=null", "null"),
        ("note=nil", "nil"),
    ],
)
def test_json_where_the_input_takes_no_text(
    aigen: Aigen, project: Path, pair: str, shown: str
) -> None:
    content = sent(aigen, "reply", "message=a", "order=null", pair)
    name = pair.partition("=")[0]
    assert f"<{name}>\n{shown}\n</{name}>" in content


ANYTHING = """\
aigen: 1
types:
  Any: json
functions:
  keep:
    formula: out ~ value
    description: Keep the value.
    fields:
      value: {type: "TYPE", description: what to keep}
"""


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("json", "[1,   2]", LIST),
        ("Any", "[1,   2]", LIST),
        ("json | None", "[1,   2]", LIST),
        ("str | int", "12", "12"),
        ("str | list[int]", "[1,   2]", "[1,   2]"),
        ("list[int]", "[1,   2]", LIST),
    ],
)
def test_json_is_read_where_any_is_taken(
    aigen: Aigen, project: Path, kind: str, value: str, shown: str
) -> None:
    (project / "specs" / "keep.yaml").write_text(ANYTHING.replace("TYPE", kind))
    assert sent(aigen, "keep", f"value={value}") == f"<value>\n{shown}\n</value>"


def test_a_file_is_read_whole(aigen: Aigen, project: Path) -> None:
    (project / "a letter.txt").write_bytes("\ufeffGrüße,\r\n@all\n".encode())
    assert sent(aigen, "judge", "text=@a letter.txt") == "<text>\nGrüße,\n@all\n\n</text>"
    (project / "order.json").write_text('{"id": "A", "lines": [1, 2]}')
    assert '"id": "A"' in sent(aigen, "reply", "message=a", "order=@order.json")


def test_levels_that_a_call_gives(aigen: Aigen, project: Path) -> None:
    (project / "specs" / "sort.yaml").write_text(SORT)
    levels = 'topics=["red", "green"]'
    ran = aigen("call", "sort", "text=a", levels, "--model", "sample")
    assert (ran.code, json.loads(ran.out)) == (0, "red")
    code, _, err = aigen("show", "sort", "text=a", "topics=red")
    assert code == 2 and "topics wants the levels of a choice" in err


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (["message"], '"message" is no input: write key=value'),
        (["=a"], 'reply has no input ""; it takes message, order, tone, count, note, anything'),
        (["mesage=a"], 'reply has no input "mesage"; did you mean "message"?'),
        (["message=a", "message=b"], 'the input "message" is given twice'),
        (["message=@"], "message=@ names no file: write message=@FILE"),
        (["message=@nowhere.txt"], "cannot read nowhere.txt: No such file or directory"),
        (["message=@specs"], "cannot read specs: Is a directory"),
        (["message=@latin.txt"], "message=@latin.txt: byte 0xfc is not UTF-8"),
        (["message=a", "order=null", "count=many"], 'count wants an integer; got "many"'),
        (["message=a", "order={"], "order wants Order or null"),
        (['order={"id": "A", "lines": ["x"]}', "message=a"], "order.lines[0] wants an integer"),
        (["message=a", "order=null", "tone=kid"], 'tone wants one of "kind", "1"; got "kid"'),
        (["order=null"], "the input message wants a value; it is required"),
    ],
)
@pytest.mark.parametrize("command", ["show", "call"])
def test_wrong_inputs_are_wrong_use(
    aigen: Aigen, project: Path, command: str, inputs: list[str], message: str
) -> None:
    (project / "latin.txt").write_bytes(b"Gr\xfc\xdfe")
    code, out, err = aigen(command, "reply", *inputs, "--model", "sample")
    assert (code, out) == (2, "")
    assert message in err
    assert "Errno" not in err and "Traceback" not in err


@pytest.mark.parametrize("command", ["show", "call", "schema"])
def test_names_of_functions(aigen: Aigen, project: Path, command: str) -> None:
    (project / "specs" / "court.yaml").write_text(
        "aigen: 1\nfunctions:\n  judge: {formula: verdict ~ plea, description: Rule on it.}\n"
    )
    assert "judge is one of several: court.judge, desk.judge" in aigen(command, "judge").err
    assert 'did you mean "desk.judge"?' in aigen(command, "desk.juge").err
    assert 'did you mean "court.judge"?' in aigen(command, "curt.judge").err
    code, _, err = aigen(command, "zzz")
    assert code == 2 and "did you mean" not in err
    assert aigen(command).code == 2
    ran = aigen("call", "court.judge", "plea=guilty", "--model", "sample")
    assert ran.code == 0 and isinstance(json.loads(ran.out), str)


@pytest.mark.parametrize("command", ["show", "call"])
def test_what_is_set_wrongly_is_a_finding(
    aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("AIGEN_TIMEOUT", "soon")
    assert aigen(command, "judge", "text=a", "--model", "sample") == (
        1,
        "",
        "aigen: environment: timeout is seconds, not 'soon'\n",
    )


def test_what_the_project_answers_for(
    aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = aigen("call", "judge", "text=a")
    assert (code, out) == (1, "") and err.startswith("aigen: no model is set: ")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, out, err = aigen("call", "judge", "text=a", "--model", "gpt-4.1-mini")
    assert (code, out) == (1, "") and "set OPENAI_API_KEY" in err
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("AIGEN_BASE_URL", "http://user:word@127.0.0.1:9/v1?key=1")
    monkeypatch.setenv("AIGEN_API_RETRIES", "0")
    code, out, err = aigen("call", "judge", "text=a", "--model", "gpt-4.1-mini")
    assert (code, out) == (1, "") and err.startswith(
        "aigen: cannot reach the provider (127.0.0.1:9"
    )
    assert "(127.0.0.1:9/v1)" in err and "word" not in err and "key=1" not in err
    assert len(err.splitlines()) == 1


def test_a_check_of_the_project_is_imported(aigen: Aigen, project: Path) -> None:
    spec = project / "specs" / "desk.yaml"
    spec.write_text(f"{spec.read_text()}    check: judging_rules:refuse\n")
    (project / "judging_rules.py").write_text("def refuse(inputs, outputs):\n    return 1 / 0\n")
    code, out, err = aigen("call", "judge", "text=a", "--model", "sample")
    assert (code, out) == (1, "")
    assert err == (
        "aigen: the check judging_rules:refuse raised ZeroDivisionError: division by zero\n"
    )


def test_standard_input_and_a_text_that_begins_with_at(
    aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    given(b"\xef\xbb\xbfFrom a pipe.\r\n")
    assert sent(aigen, "judge", "text=@-") == "<text>\nFrom a pipe.\n\n</text>"
    assert sent(aigen, "judge", "text=@@ada: hello") == "<text>\n@ada: hello\n</text>"
    for data, words in (
        (b"\xff", "text=@-: byte 0xff is not UTF-8"),
        (b"x" * (16 << 20) + b"x", "text=@-: standard input is larger than 16 MB"),
    ):
        given(data)
        ran = aigen("show", "judge", "text=@-")
        assert ran.code == 2 and words in ran.err
    monkeypatch.setattr("sys.stdin", None)  # as Python has it where it is closed
    assert "text=@-: standard input is closed" in aigen("show", "judge", "text=@-").err
    given(b"all of it")
    ran = aigen("show", "judge", "text=@-", "limit=@-")
    assert ran.code == 2 and "@- stands at one input alone" in ran.err
    err = aigen("show", "judge", "text=@ada: hello").err
    assert err.endswith("; a text that begins with @ is written @@\n")


def test_an_image_is_its_path(aigen: Aigen, here: Path) -> None:
    (here / "specs").mkdir()
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\n')
    (here / "specs" / "seen.yaml").write_text(
        "aigen: 1\nfunctions:\n  see: {formula: words ~ picture, fields: {picture: image}}\n"
    )
    (here / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    shown = [aigen("show", "see", f"picture={at}x.png") for at in ("", "@")]
    assert shown[0].code == 0 and "data:image/png;base64," in shown[0].out
    assert shown[0] == shown[1]
