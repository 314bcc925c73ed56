"""The library face: functions at hand as tools, without a spec or a build.

It needs no extra; what it reads of a function is what `aigen build` reads of its source.
"""

from aigen.tooling.asking import answer, complete
from aigen.tooling.chat_schema import extract_parameter_comments, function_schema, param_converter
from aigen.tooling.checking import Finding, check
from aigen.tooling.docs import ArgumentDocs, Docs, ReturnDocs, add_docs, get_docs
from aigen.tooling.keys import ToolKeys
from aigen.tooling.making import FunctionTool, tool
from aigen.tooling.messages import form_msgs, print_msgs
from aigen.tooling.registry import Toolbox, register, toolbox

__all__ = [
    "ArgumentDocs",
    "Docs",
    "Finding",
    "FunctionTool",
    "ReturnDocs",
    "ToolKeys",
    "Toolbox",
    "add_docs",
    "answer",
    "check",
    "complete",
    "extract_parameter_comments",
    "form_msgs",
    "function_schema",
    "get_docs",
    "param_converter",
    "print_msgs",
    "register",
    "tool",
    "toolbox",
]
