"""Codes 4xx: tools."""

from aigen.diagnostics.rule import Rule

_HEAD = "aigen: 1\ntools:\n  send:\n    description: Send the reply.\n"

RULES: tuple[Rule, ...] = (
    Rule(
        "AIG401",
        "error",
        "A tool's name that providers refuse",
        "A tool's name is 1 to 64 letters, digits, `_` and `-`, the same where it is offered and "
        "where it is called.",
        'aigen: 1\ntools:\n  "send mail":\n    description: Send a mail.\n',
        "Write another `name:`.",
    ),
    Rule(
        "AIG402",
        "error",
        "A tool implemented twice",
        "`python`, `execute`, `mcp` and `http` are four ways to implement a tool; which of them "
        "would be called could not be known.",
        _HEAD + "    mcp: {server: mail, tool: send}\n    http: {url: https://example.org}\n",
        "Keep one of them.",
    ),
    Rule(
        "AIG403",
        "error",
        "Two tools with one name",
        "The model's call names the tool, so its name must mean one of them.",
        "aigen: 1\ntools:\n  send: {description: Send it.}\n"
        "  post: {name: send, description: Post it.}\n",
        "Give one of them another `name:`.",
    ),
    Rule(
        "AIG404",
        "error",
        "Parameters that are no object",
        "A tool is called with named arguments: one JSON object.",
        _HEAD + "    parameters: {json_shape: {type: array}}\n",
        "Write `type: object` and `properties`.",
    ),
    Rule(
        "AIG405",
        "error",
        "A tool's key with a value it does not take",
        "Each key of a tool takes values of one kind.",
        _HEAD + "    risk: dangerus\n",
        "Write a value that the key takes.",
    ),
    Rule(
        "AIG406",
        "error",
        "An annotation that is none",
        "Annotations are `title`, `read_only`, `destructive`, `idempotent`, `open_world` and "
        "`requires_user`, or their names in MCP. What asks for approval reads them.",
        _HEAD + "    annotations: {readonly: true}\n",
        "Correct the name.",
    ),
    Rule(
        "AIG407",
        "error",
        "inject names no parameter",
        "Injected parameters are taken out of what the model sees; a misspelt name would leave one "
        "in.",
        _HEAD + "    parameters: {text: str, user: str}\n    inject: [usr]\n",
        "Correct the name.",
    ),
    Rule(
        "AIG408",
        "error",
        "An example that the tool would refuse",
        "Examples are argument objects that are sent to the model; each must be a call that works.",
        _HEAD + "    parameters: {count: int}\n    examples: [{count: many}]\n",
        "Correct the example.",
    ),
    Rule(
        "AIG409",
        "warning",
        "Documentation of no parameter",
        "Words that belong to no parameter reach nobody; probably the parameter was renamed.",
        _HEAD + "    parameters: {text: str}\n"
        "    docs: {arguments: {txt: {description: the reply}}}\n",
        "Correct the name, or remove the words.",
    ),
    Rule(
        "AIG410",
        "error",
        "A parameter that the function does not take",
        "The function that `python` names is called with the arguments by name, so each parameter "
        "must be one of its own. A function with a decorator or `**kwargs` is not judged.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n    parameters: {txt: str}\n",
            "app/mail.py": "def send(text: str) -> None:\n    print(text)\n",
        },
        "Write the name that the function has, or add the parameter to the function.",
    ),
    Rule(
        "AIG411",
        "error",
        "A parameter whose type cannot be known",
        "Parameters come from the function's source, which is read and never run. A parameter "
        "without an annotation takes the type of its literal default; there is none, or the "
        "annotation is made while the program runs.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n",
            "app/mail.py": "def send(text) -> None:\n    print(text)\n",
        },
        "Annotate the parameter, or list it under `parameters` in the spec.",
    ),
    Rule(
        "AIG412",
        "warning",
        "A docstring that documents no parameter",
        "Words that belong to no parameter reach nobody; probably the parameter was renamed.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n",
            "app/mail.py": 'def send(text: str) -> None:\n    """Send it.\n\n    Args:\n'
            '        txt: the reply\n    """\n',
        },
        "Correct the name in the docstring.",
    ),
    Rule(
        "AIG413",
        "error",
        "A tool's function that cannot be read",
        "What `python` names is a function, a static or class method, a method, a partial or an "
        "object with `__call__`, in a module under `python_path`, of the standard library, or of "
        "an installed package. Its parameters come from its source, so neither overloads alone nor "
        "a decorator of yours that takes other arguments say them.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:LIMIT'\n",
            "app/mail.py": "LIMIT = 5\n",
        },
        "Name a function, or list the parameters in the spec.",
    ),
    Rule(
        "AIG414",
        "warning",
        "A tool's description that is too long",
        "The description of a `direct` tool is in every request of its functions, so it stays "
        "under 400 estimated tokens. `aigen.tooling.check` also names a tool without any.",
        "aigen: 1\ntools:\n  send:\n    description: " + "Send the reply to them. " * 80 + "\n",
        "Shorten it; `guidelines` has room for more.",
    ),
    Rule(
        "AIG415",
        "warning",
        "A tool's examples that are too long",
        "Examples are in every request of the tool's functions where a provider takes them; "
        "together they stay under the budget of demos, `demo_tokens`.",
        _HEAD
        + "    parameters: {text: str}\n    examples:\n    - text: '"
        + "the reply " * 1500
        + "'\n",
        "Keep short examples that show the odd cases.",
    ),
    Rule(
        "AIG416",
        "error",
        "A tool's module with a side effect at import",
        "The module of a tool is imported at its first call, in a service or a test as well. What "
        "it writes, runs, connects to or prints then happens to everybody who imports it. Found "
        "by `aigen check --run`.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n",
            "app/mail.py": "def send(text: str) -> None:\n    print(text)\n\nprint('ready')\n",
        },
        "Do it in a function, when it is first needed.",
    ),
    Rule(
        "AIG417",
        "error",
        "A tool that takes no input and fails without any",
        "Models call tools with no arguments. Such a call is refused by the schema, or it works. "
        "Found by `aigen check --run`, which runs the tools that only read.",
        {
            "specs/spec.yaml": _HEAD
            + "    python: 'app.mail:send'\n    annotations: {read_only: true}\n",
            "app/mail.py": "def send(text: str = '') -> str:\n    return text[0]\n",
        },
        "Make the parameter required, or let the function do without it.",
    ),
    Rule(
        "AIG418",
        "error",
        "An example whose call fails",
        "The model is told that such a call works. It raises, or gives what `returns` does not "
        "say. Found by `aigen check --run`.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n"
            "    annotations: {read_only: true}\n    examples: [{text: a}]\n",
            "app/mail.py": "def send(text: str) -> int:\n    return int(text)\n",
        },
        "Correct the example or the function.",
    ),
    Rule(
        "AIG419",
        "warning",
        "An example whose result is cut",
        "A result is printed within `output_tokens`; of a longer one the model reads the beginning "
        "and the end. Found by `aigen check --run`.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n    output_tokens: 20\n"
            "    annotations: {read_only: true}\n    examples: [{text: a}]\n",
            "app/mail.py": "def send(text: str) -> str:\n    return text * 1000\n",
        },
        "Give less, page by page, or raise `output_tokens`.",
    ),
    Rule(
        "AIG420",
        "error",
        "A tool's module that does not run",
        "The module cannot be imported, or its process ends or hangs: every call would fail. Found "
        "by `aigen check --run`.",
        {
            "specs/spec.yaml": _HEAD + "    python: 'app.mail:send'\n",
            "app/mail.py": "import no_such_module\n\ndef send(text: str) -> None: ...\n",
        },
        "Mend the module.",
    ),
)
