"""An MCP server over standard input and output that does one thing wrong: `hostile.py HOW`."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

TOOL = {
    "name": "look",
    "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}},
}
TEXT = {"type": "text", "text": "fine"}


def main(how: str) -> None:
    if how == "gone":
        return
    for line in sys.stdin:
        if how == "silent":
            continue
        asked = json.loads(line)
        if how == "noisy":
            print("this is no JSON-RPC", flush=True)
        if "id" in asked:
            answer = {"jsonrpc": "2.0", "id": asked["id"], **answered(asked, how)}
            written(json.dumps(answer), asked, how)


def written(text: str, asked: dict[str, Any], how: str) -> None:
    """Writes an answer, as badly as is wanted."""
    word = asked.get("params", {}).get("arguments", {}).get("word", "")
    if how == "halting" and word in ("halt", "pieces"):
        print(text[:20], end="", flush=True)
        time.sleep(60 if word == "halt" else 0.1)
        text = text[20:]
    print(text, flush=True)
    if how == "halting" and word == "late":
        print(text[:20], end="", flush=True)


def answered(asked: dict[str, Any], how: str) -> dict[str, Any]:
    match asked["method"]:
        case "initialize":
            info = {"name": "hostile one", "version": "1"}
            version = asked["params"]["protocolVersion"]
            return {"result": {"protocolVersion": version, "capabilities": {}, "serverInfo": info}}
        case "tools/list":
            return {"result": tools(how, asked.get("params") or {})}
        case "tools/call":
            return called(asked["params"], how)
    return {"error": {"code": -32601, "message": "there is no such method"}}


def tools(how: str, params: dict[str, Any]) -> dict[str, Any]:
    match how:
        case "malformed":
            return {"tools": [{"name": 5, "inputSchema": "none"}]}
        case "endless":
            return {"tools": [], "nextCursor": str(int(params.get("cursor", 0)) + 1)}
        case "huge":
            many = [{**TOOL, "name": f"look_{at}"} for at in range(1500)]
            return {"tools": many, "nextCursor": "more"}
        case "unlike":
            shape = {"type": "object", "properties": {"n": {"type": "integer"}}}
            return {"tools": [{**TOOL, "outputSchema": shape}]}
        case "odd":
            shape = {"type": "object", "properties": {"word": {"type": "strin"}}}
            return {"tools": [{**TOOL, "inputSchema": shape}]}
    return {"tools": [TOOL]}


def called(params: dict[str, Any], how: str) -> dict[str, Any]:
    content: list[Any] = [TEXT]
    match how:
        case "dying":
            os._exit(3)
        case "unending":
            while True:
                sys.stdout.write("x" * 1000)
        case "slow":
            time.sleep(float(params["arguments"].get("word") or 60))
        case "refusing":
            return {"error": {"code": -32602, "message": "no such word"}}
        case "failing":
            return {"result": {"content": [{"type": "text", "text": "no order"}], "isError": True}}
        case "unlike":
            return {"result": {"content": content, "structuredContent": {"n": "many"}}}
        case "shapeless":
            return {"result": {"content": "text"}}
        case "large":
            return {"result": {"content": [{"type": "text", "text": "x" * 2000}]}}
        case "structured":
            rows = [{"id": at, "words": "x" * 90} for at in range(500)]
            return {"result": {"content": content, "structuredContent": {"rows": rows}}}
        case "mixed":
            content = [
                TEXT,
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "resource_link", "name": "a", "uri": "file:///a"},
                {"type": "resource", "resource": {"uri": "file:///b", "text": "of b"}},
            ]
        case "environment":
            text = json.dumps({name: os.environ.get(name) for name in ("TOKEN", "OPENAI_API_KEY")})
            content = [{"type": "text", "text": text}]
        case "halting" if params["arguments"].get("word") == "process":
            content = [{"type": "text", "text": str(os.getpid())}]
        case "process":
            content = [{"type": "text", "text": str(os.getpid())}]
    return {"result": {"content": content}}


if __name__ == "__main__":
    main(sys.argv[1])
