"""Codes 7xx: the project's configuration, and writing the output."""

from aigen.diagnostics.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "AIG701",
        "error",
        "A file in the way",
        "The output has a file of this name that aigen did not write, so it is left alone.",
        "",
        "Move or remove the file, or choose another output folder.",
    ),
    Rule(
        "AIG702",
        "warning",
        "A generated file was edited",
        "A build writes it anew, so the edit is lost. Its first line names the spec to change.",
        "",
        "Change the spec and build.",
    ),
    Rule(
        "AIG703",
        "error",
        "A file name that is no module name",
        "Each spec becomes a module: its name must be an identifier when dashes and blanks are "
        "`_`, must not begin with `_`, and must not be `schemas`.",
        {"specs/_shop.yaml": "aigen: 1\n"},
        "Rename the file.",
    ),
    Rule(
        "AIG704",
        "error",
        "Two specs for one module",
        "Both would be written to the same file. Names are compared without case, as some file "
        "systems do.",
        {"specs/my-shop.yaml": "aigen: 1\n", "specs/my_shop.yaml": "aigen: 1\n"},
        "Rename one of them.",
    ),
    Rule(
        "AIG705",
        "error",
        "The output cannot be written",
        "The disk is full, or permissions forbid it. Nothing was replaced.",
        "",
        "Free space or mend the permissions, and build again.",
    ),
    Rule(
        "AIG706",
        "error",
        "An unfinished build",
        "A build ended between two files. Every file is whole, but they are of two builds.",
        "",
        "Run `aigen build`.",
    ),
    Rule(
        "AIG707",
        "error",
        "The configuration",
        "A key of `[tool.aigen]` is unknown or holds something else than it should.",
        "",
        "Write what the message names.",
    ),
    Rule(
        "AIG708",
        "error",
        "No specs",
        "Nothing was found to build. A spec is a .yaml, .yml or .json file with a top-level "
        "`aigen:` key.",
        "",
        "Name the files, or set `specs` in `[tool.aigen]`; `aigen init` makes a first one.",
    ),
    Rule(
        "AIG709",
        "warning",
        "A journal that is none",
        "`.aigen-journal` says what a build that ended had still to do. What stood there said "
        "nothing that could be done, so it is removed and all is built anew.",
        "",
        "Nothing; look at the output's diff if something else writes there.",
    ),
    Rule(
        "AIG710",
        "error",
        "Generated code that mypy refuses",
        "`aigen build --verify` runs `mypy --strict` over the output. Most often a type of your "
        "own, which a spec names, is none to mypy: its module has no types, or the name is "
        "assigned and not declared.",
        "",
        "Mend the type that the spec names; if there is none, report a fault of aigen.",
    ),
    Rule(
        "AIG711",
        "error",
        "The output cannot be verified",
        "`aigen build --verify` needs mypy, and mypy needs modules that it can read.",
        "",
        'Install it (`pip install "aigen[build]"`), or mend what mypy says.',
    ),
    Rule(
        "AIG712",
        "error",
        "A template of the project is wrong",
        "A file in the folder `templates` of `[tool.aigen]` overrides blocks of the template of "
        "aigen's that has its name. This one does not parse, extends or overrides nothing that is "
        "there, or ends with an error. Templates run in a sandbox.",
        "",
        "Mend the line. docs/templates.md lists templates, blocks and what they are given.",
    ),
    Rule(
        "AIG713",
        "error",
        "A template that makes no module of a spec",
        "With a template of the project, what is made must still be Python, bind each name once "
        "and all that it exports, and be the same code whatever the words of the spec are: these "
        "stand in literals and comments only.",
        "",
        "Keep `{{ super() }}` in the block, and write words whole, where a literal may stand.",
    ),
)
