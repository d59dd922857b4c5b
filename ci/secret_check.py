"""A hostile server that echoes secrets, and a search for them in everything that toolprobe leaves."""

import base64
import gzip
import html
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

CANARY = 'Canary/7+x"Q=~zK.9w!tR'
HALF = len(CANARY) // 2


def each(write):
    return lambda text: "".join(write(c) for c in text)


def some_escaped(text):
    return "".join(f"\\u{ord(c):04X}" if i % 2 else c for i, c in enumerate(text))


def encoded(text):
    return base64.b64encode(text.encode()).decode()


percent = each(lambda c: f"%{ord(c):02X}")
unicode_escaped = each(lambda c: f"\\u{ord(c):04x}")

# How a server may write what it echoes.
FORMS = {
    "raw": lambda t: t,
    "upper": str.upper,
    "lower": str.lower,
    "json": lambda t: json.dumps(t)[1:-1],
    "json-some": some_escaped,
    "json-all": unicode_escaped,
    "json-in-json": lambda t: json.dumps(unicode_escaped(t))[1:-1],
    "html-decimal": each(lambda c: f"&#{ord(c)};"),
    "html-hex": each(lambda c: f"&#x{ord(c):X};"),
    "html-named": lambda t: t.replace("/", "&sol;").replace("+", "&plus;").replace('"', "&quot;"),
    "percent": percent,
    "percent-some": lambda t: urllib.parse.quote(t, safe=""),
    "percent-twice": lambda t: percent(t).replace("%", "%25"),
    "hex": lambda t: t.encode().hex(),
    "hex-upper": lambda t: t.encode().hex().upper(),
    "base64-0": encoded,
    "base64-1": lambda t: encoded("u" + t),
    "base64-2": lambda t: encoded("u:" + t),
    "base64-url": lambda t: base64.urlsafe_b64encode(("ab" + t).encode()).decode().rstrip("="),
}


def chat_reply(message, finish="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], **more}


def call(name="probe_add", arguments='{"a": 1, "b": 2}', call_id="call_1"):
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def chunk(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def document(value, text):
    """JSON in which @ stands for the echo, as the form has it: raw forms are quoted once."""
    quoted = text if "\\u" in text else json.dumps(text)[1:-1]
    return json.dumps(value).replace("@", quoted).encode()


def events(chunks, text):
    lines = b"".join(b"data: " + document(it, text) + b"\n\n" for it in chunks)
    return lines + b"data: [DONE]\n\n"


def split_events(key, wrap, end):
    """The echo in two frames, and then once more character by character."""

    def body(text):
        pieces = [text[:HALF], text[HALF:], " and ", *text]
        frames = [wrap({key: piece}) for piece in pieces] + end
        return b"".join(b"data: " + json.dumps(it).encode() + b"\n\n" for it in frames)

    return body


ANTHROPIC_START = [
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": {}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
]
ANTHROPIC_END = [
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]


def anthropic_split(text):
    delta = lambda d: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", **d}}
    tail = split_events("text", delta, ANTHROPIC_END)(text)
    return b"".join(b"data: " + json.dumps(it).encode() + b"\n\n" for it in ANTHROPIC_START) + tail


def ollama_split(text):
    lines = [{"model": "m", "message": {"role": "assistant", "content": p}} for p in (text[:HALF], text[HALF:])]
    lines.append({"model": "m", "done": True, "done_reason": "stop", "message": {"role": "assistant", "content": ""}})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def gemini_split(text):
    wrap = lambda p: {"candidates": [{"content": {"role": "model", "parts": [p]}}]}
    return split_events("text", wrap, [{"candidates": [{"finishReason": "STOP"}]}])(text)


def responses_split(text):
    wrap = lambda d: {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, **d}
    end = [{"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}]
    return split_events("delta", wrap, end)(text)


chat_split = split_events("content", chunk, [chunk({}, "stop")])
arguments_split = split_events(
    "arguments", lambda f: chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "n", **f}}]}), [chunk({}, "tool_calls")]
)
JSON = "application/json"
SSE = "text/event-stream"

# Where a server may put it: status, content type, headers, and the body of plain and streamed replies.
# A place that takes the raw text only has `None` for the other.
PLACES = {
    "error-400": (400, JSON, {}, lambda t: document({"error": {"message": "bad key @", "type": "x"}}, t)),
    "error-401": (401, JSON, {}, lambda t: document({"error": {"message": "bad key @"}}, t)),
    "error-500": (500, JSON, {}, lambda t: document({"error": {"message": "@", "code": "@"}}, t)),
    "error-page": (502, "text/html", {}, lambda t: f"<html>{t}</html>".encode()),
    "error-text": (400, "text/plain", {}, lambda t: t.encode()),
    "not-json": (200, JSON, {}, lambda t: f"oops {t}".encode()),
    "content": (200, JSON, {}, lambda t: document(chat_reply({"content": "it is @"}), t)),
    "reasoning": (200, JSON, {}, lambda t: document(chat_reply({"content": "x", "reasoning_content": "@"}), t)),
    "two-parts": (200, JSON, {}, None),
    "call-name": (200, JSON, {}, lambda t: document(chat_reply(call(name="@"), "tool_calls"), t)),
    "call-id": (200, JSON, {}, lambda t: document(chat_reply(call(call_id="@"), "tool_calls"), t)),
    "call-arguments": (200, JSON, {}, lambda t: document(chat_reply(call(arguments='{"a": "@"}'), "tool_calls"), t)),
    "broken-arguments": (200, JSON, {}, lambda t: document(chat_reply(call(arguments='{"a": @'), "tool_calls"), t)),
    "text-call": (200, JSON, {}, lambda t: document(chat_reply({"content": '<tool_call>{"name": "@"</tool_call>'}), t)),
    "finish-reason": (200, JSON, {}, lambda t: document(chat_reply({"content": "x"}, "@"), t)),
    "model": (200, JSON, {}, lambda t: document({**chat_reply({"content": "x"}), "model": "@"}, t)),
    "key-of-object": (200, JSON, {}, lambda t: document({**chat_reply({"content": "x"}), "@": 1}, t)),
    "header": (400, JSON, {"x-request-id": lambda t: t}, lambda t: b'{"error":{"message":"no"}}'),
    "two-headers": (400, JSON, {"x-request-id": lambda t: t[:HALF], "cf-ray": lambda t: t[HALF:]}, lambda t: b"{}"),
    "location": (307, JSON, {"location": lambda t: "https://h.test/" + t}, lambda t: b""),
    "stream-content": (200, SSE, {}, lambda t: events([chunk({"content": "@"}), chunk({}, "stop")], t)),
    "stream-comment": (200, SSE, {}, lambda t: b": " + t.encode() + b"\n\n" + events([chunk({"content": "x"}), chunk({}, "stop")], t)),
    "stream-event": (200, SSE, {}, lambda t: b"event: " + t.encode() + b"\n" + events([chunk({"content": "x"})], t)),
    "stream-error": (200, SSE, {}, lambda t: events([{"error": {"message": "@"}}], t)),
    "split-chat": (200, SSE, {}, chat_split),
    "split-arguments": (200, SSE, {}, arguments_split),
    "split-anthropic": (200, SSE, {}, anthropic_split),
    "split-responses": (200, SSE, {}, responses_split),
    "split-gemini": (200, SSE, {}, gemini_split),
    "split-ollama": (200, "application/x-ndjson", {}, ollama_split),
}


def two_parts(text):
    parts = [{"type": "text", "text": text[:HALF]}, {"type": "text", "text": text[HALF:]}]
    return json.dumps(chat_reply({"content": parts})).encode()


PLACES["two-parts"] = (200, JSON, {}, two_parts)
DIALECTS = {"split-anthropic": "anthropic-messages", "split-responses": "openai-responses", "split-gemini": "gemini", "split-ollama": "ollama"}

# How the secret is given.
GIVEN = {
    "key": (["--api-key-env", "CANARY_KEY"], {"CANARY_KEY": CANARY}, ""),
    "header": (["--header", f"x-any-name: {CANARY}"], {}, ""),
    "query": ([], {}, "?session=" + urllib.parse.quote(CANARY, safe="")),
}


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        _, form, place, *_ = self.path.split("/")
        status, kind, headers, body = PLACES[place]
        text = FORMS[form](CANARY)
        data = body(text)
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value(text).replace("\n", ""))
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def unescaped(text):
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
    text = re.sub(r'\\(["\\/])', r"\1", text)
    return urllib.parse.unquote(html.unescape(text))


def holds(text):
    """Whether the secret, or one of its halves, stands in a text in any form."""
    needles = [CANARY, CANARY[:HALF], CANARY[HALF:]]
    wanted = [n.lower() for n in needles] + [n.encode().hex() for n in needles]
    inner = [encoded(" " * shift + CANARY)[4:-4].lower() for shift in range(3)]
    wanted += inner + [it.replace("+", "-").replace("/", "_") for it in inner]
    for _ in range(5):
        lower = text.lower()
        for needle in wanted:
            if needle in lower:
                return needle
        text = unescaped(text)
    return None


def texts_of(folder):
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            yield str(path.relative_to(folder)), data.decode(errors="replace")


def probe(program, port, form, place, given):
    arguments, variables, query = GIVEN[given]
    with tempfile.TemporaryDirectory() as folder:
        url = f"http://127.0.0.1:{port}/{form}/{place}/v1{query}"
        dialect = DIALECTS.get(place, "openai-chat")
        common = [url, "--model", "m", "--dialect", dialect, "--trials", "1", "--timeout", "10s", *arguments]
        environment = {"PATH": os.environ["PATH"], **variables}
        # A command of its own each: what is said, what is kept, what is written on request.
        runs = [
            ["probe", *common, "-vv", "--suite", "light"],
            ["probe", *common, "--suite", "light", "--no-keep", "--format", "json"],
        ]
        found = []
        for run in runs:
            done = subprocess.run([program, *run], cwd=folder, env=environment, capture_output=True, timeout=120)
            for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
                found.append((f"{run[0]} {name}", text.decode(errors="replace")))
        found.extend(texts_of(folder))
        kept = any(name.endswith(("manifest.json", "profile.json")) or "/" in name for name, _ in found)
        return [(name, holds(text)) for name, text in found if holds(text)], len(found), kept


def pairs(short):
    forms, places, given = list(FORMS), list(PLACES), list(GIVEN)
    if short:
        count = max(len(forms), len(places))
        return [(forms[i % len(forms)] if not places[i % len(places)].startswith(("split", "two")) else "raw",
                 places[i % len(places)], given[i % len(given)]) for i in range(count)]
    return [(form, place, given[(i + j) % len(given)]) for i, form in enumerate(forms) for j, place in enumerate(places)]


def main():
    program, short = os.path.abspath(sys.argv[1]), "--short" in sys.argv
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    todo = pairs(short)
    leaks, outputs = [], 0
    with ThreadPoolExecutor(4) as pool:
        jobs = {pair: pool.submit(probe, program, server.server_port, *pair) for pair in todo}
        for pair, job in jobs.items():
            found, count, _ = job.result()
            outputs += count
            leaks += [f"{' / '.join(pair)}: {name}: {needle}" for name, needle in found]
    print(f"secret-check: {len(todo)} runs, {len(FORMS)} forms, {len(PLACES)} places, {outputs} outputs and files, {len(leaks)} leaks")
    for leak in leaks[:40]:
        print("  " + leak)
    sys.exit(1 if leaks else 0)


if __name__ == "__main__":
    main()
