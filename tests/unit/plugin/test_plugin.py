"""The pytest plugin, in projects of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from servers import Server, completion

pytest_plugins = ["pytester"]

UNIT = Path(__file__).parents[1]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs pytest with the plugin over a test module, in a process of its own."""
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    tests = UNIT.parent
    pytester.makeconftest(f"import sys\nsys.path[:0] = {[str(UNIT / 'wire'), str(tests)]!r}\n")

    def run(text: str, *options: str, ini: str = "") -> pytest.RunResult:
        if ini:
            pytester.makeini(f"[pytest]\n{ini}\n")
        pytester.makepyfile(test_it="from test_exchange import text_function\n\n" + text)
        left_out = ("aigen", "cacheprovider", "langsmith_plugin", "xdist")
        plugins = ["-p", "aigen.runtime.pytest_plugin", *(f"-pno:{name}" for name in left_out)]
        return pytester.runpytest_subprocess(*plugins, *options)

    return run


CALL = """
def call(url):
    options = {{"model": "m", "base_url": {url!r}, "api_key": "none"}}
    return text_function().with_options(**options).apply({{"text": "a"}})
"""


def test_no_test_calls_a_model_unless_it_says_so(
    serve: Callable[..., Server], run: Callable[..., pytest.RunResult]
) -> None:
    server = serve(completion("hi"))
    text = (
        CALL.format(url=server.url)
        + f"""
import pytest

def test_plain():
    assert call({server.url!r}) == "hi"

@pytest.mark.aigen_live
def test_live():
    assert call({server.url!r}) == "hi"
"""
    )
    result = run(text)
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["*a request to m inside no_network(): answer it with the fixture aigen_model*"]
    )
    assert not server.requests
    run(text, "--aigen-live").assert_outcomes(passed=1, failed=1)
    assert len(server.requests) == 1
    run(text, ini="aigen_network = true").assert_outcomes(passed=1, skipped=1)


def test_scripts(run: Callable[..., pytest.RunResult]) -> None:
    text = """
def test_script(aigen_model):
    model = aigen_model(["one", "two"])
    function = text_function()
    assert [function.apply({"text": text}) for text in "ab"] == ["one", "two"]
    assert len(model.requests) == 2
    aigen_model(lambda request: "three")
    assert function.apply({"text": "c"}) == "three"

def test_it_has_ended():
    import pytest
    from aigen.runtime.errors import ConfigurationError
    with pytest.raises(ConfigurationError, match="no model is set"):
        text_function().apply({"text": "a"})
"""
    run(text).assert_outcomes(passed=2)


def test_recordings(
    serve: Callable[..., Server],
    run: Callable[..., pytest.RunResult],
    pytester: pytest.Pytester,
) -> None:
    server = serve(completion("hi"))
    text = (
        CALL.format(url=server.url)
        + f"""
import pytest

@pytest.mark.parametrize("way", ["a/b", "c"])
def test_recorded(aigen_recording, way):
    assert call({server.url!r}) == "hi"

def test_fails(aigen_recording):
    assert call({server.url!r}) == "something else"
"""
    )
    result = run(text)
    result.stdout.fnmatch_lines(["*nothing is recorded for this test: run pytest --aigen-live*"])
    result.assert_outcomes(errors=3)
    run(text, "--aigen-live").assert_outcomes(passed=2, failed=1)
    assert len(server.requests) == 3
    folder = pytester.path / "recordings" / "test_it"
    assert sorted(file.name for file in folder.iterdir()) == [
        "test_recorded-a-b.yaml",
        "test_recorded-c.yaml",
    ]
    run(text, "-k", "test_recorded").assert_outcomes(passed=2, deselected=1)
    assert len(server.requests) == 3


def test_it_loads_nothing_before_a_test_runs() -> None:
    """Every project's pytest imports it."""
    import subprocess

    program = (
        "import sys, aigen.runtime.pytest_plugin; "
        "print([name for name in ('openai', 'pydantic', 'yaml', 'sqlite3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_help_says_what_there_is(run: Callable[..., pytest.RunResult]) -> None:
    run("", "--markers").stdout.fnmatch_lines(["@pytest.mark.aigen_live: calls real models*"])
    run("", "--fixtures").stdout.fnmatch_lines(["aigen_model*", "aigen_recording*"])
