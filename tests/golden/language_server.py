"""Pyright as editors run it: a process that answers questions about an open file."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PATIENCE = 120
"""Seconds until the process is ended, whatever it does; it mostly needs seven."""


class LanguageServer:
    """One file of a folder, open in an editor.

    Args:
        folder: the workspace.
        text: of the file, which need not be saved.
    """

    def __init__(self, folder: Path, text: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pyright.langserver", "--stdio"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._timer = threading.Timer(PATIENCE, self._process.kill)
        self._timer.start()
        self._asked = 0
        self._uri = (folder / "use.py").as_uri()
        root = {"uri": folder.as_uri(), "name": folder.name}
        able = {"workspace": {"configuration": True}}
        self._ask(
            "initialize",
            {"processId": None, "rootUri": None, "workspaceFolders": [root], "capabilities": able},
        )
        self._send({"method": "initialized", "params": {}})
        opened = {"uri": self._uri, "languageId": "python", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})

    def completions(self, line: int, column: int) -> set[str]:
        """The names offered at a place; both count from nought."""
        return {found["label"] for found in self._at("completion", line, column)["items"]}

    def parameters(self, line: int, column: int) -> list[str]:
        """The parameters of the call that is open at a place, by name."""
        (found,) = self._at("signatureHelp", line, column)["signatures"]
        return [each["label"].partition(":")[0].strip() for each in found["parameters"]]

    def hover(self, line: int, column: int) -> str:
        """What is shown of the name at a place."""
        return str(self._at("hover", line, column)["contents"]["value"])

    def close(self) -> None:
        """Ends the process."""
        self._timer.cancel()
        self._process.kill()
        self._process.communicate()

    def _at(self, what: str, line: int, column: int) -> Any:
        place = {"line": line, "character": column}
        return self._ask(
            f"textDocument/{what}", {"textDocument": {"uri": self._uri}, "position": place}
        )

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == self._asked:
                return message["result"]
            if "method" in message and "id" in message:  # it asks for settings; there are none
                items = message["params"].get("items", ()) if message.get("params") else ()
                self._send({"id": message["id"], "result": [None for _ in items]})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        length = 0
        while header := self._process.stdout.readline().strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server has ended"
        return json.loads(self._process.stdout.read(length))
