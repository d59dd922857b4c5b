"""A server that sends far too much, and a measure of what that costs the prober."""

import gzip
import http.server
import json
import os
import pathlib
import resource
import sys
import tempfile
import threading
import time

LIMIT_MB = 200
PROFILE_MB = 2
MB = 1 << 20


def reply(message, finish="stop"):
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}


def calls(count, name="probe_add", arguments='{"a": 1, "b": 2}', call_id="call_"):
    return {"tool_calls": [{"id": f"{call_id}{i}", "type": "function", "function": {"name": name, "arguments": arguments}} for i in range(count)]}


def chunk(delta, finish=None):
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def frames(deltas):
    return b"".join(b"data: " + json.dumps(chunk(d)).encode() + b"\n\n" for d in deltas) + b"data: [DONE]\n\n"


def text_calls(count):
    return '<tool_call>{"name": "probe_add", "arguments": {"a": 1, "b": 2}}</tool_call>' * count


def dump(value):
    return json.dumps(value).encode()


# Name: status, body of a plain reply, body of a streamed one. None repeats the plain one. Each is made
# when it is first asked for.
REPLIES = {
    "100,000 calls": (200, lambda: dump(reply(calls(100_000), "tool_calls")), None),
    "a name of 10 MB": (200, lambda: dump(reply(calls(1, name="n" * 10 * MB), "tool_calls")), None),
    "an id of 10 MB": (200, lambda: dump(reply(calls(1, call_id="i" * 10 * MB), "tool_calls")), None),
    "arguments of 10 MB": (200, lambda: dump(reply(calls(1, arguments=dump({"a": "x" * 10 * MB}).decode()), "tool_calls")), None),
    "arguments of 3 MB": (200, lambda: dump(reply(calls(1, arguments=dump({"a": "x" * 3 * MB}).decode()), "tool_calls")), None),
    "100,000 calls in text": (200, lambda: dump(reply({"content": text_calls(100_000)})), None),
    "5,000 calls in text": (200, lambda: dump(reply({"content": text_calls(5_000)})), None),
    "padded to 15 MB": (200, lambda: dump(reply(calls(1), "tool_calls")) + b" " * 15 * MB, None),
    "padded to 3.9 MB": (200, lambda: dump(reply(calls(1), "tool_calls")) + b" " * (39 * MB // 10), None),
    "text of 500 KB": (200, lambda: dump(reply({"content": "word " * 100_000})), None),
    "reasoning of 500 KB": (200, lambda: dump(reply({"content": "x", "reasoning_content": "word " * 100_000})), None),
    "40,000 empty objects": (200, lambda: dump({**reply({"content": "x"}), "z": [{}] * 40_000}), None),
    "million numbers": (200, lambda: dump({**reply({"content": "x"}), "z": [0] * 1_000_000}), None),
    "a deep document": (200, lambda: b"[" * 2 * MB, None),
    "240,000 deltas": (200, lambda: dump(reply(calls(1), "tool_calls")), lambda: frames([{"content": "x"}] * 240_000)),
    "45,000 deltas": (200, lambda: dump(reply(calls(1), "tool_calls")), lambda: frames([{"content": "x"}] * 45_000)),
    "an error of 10 MB": (400, lambda: dump({"error": {"message": "m" * 10 * MB}}), None),
    "an error of 3 MB": (400, lambda: dump({"error": {"message": "m" * 3 * MB, "code": "c" * 100_000}}), None),
    "a page of 3 MB": (502, lambda: b"<html>" + b"x" * 3 * MB, None),
    "a bomb of 100 MB": (200, lambda: gzip.compress(b" " * 100 * MB), None),
    "endless": (200, None, None),
}
SHORT = ["100,000 calls", "a name of 10 MB", "arguments of 3 MB", "padded to 3.9 MB", "text of 500 KB", "45,000 deltas", "an error of 3 MB", "endless"]
NAMES = list(REPLIES)
MADE = {}
LOCK = threading.Lock()


def made(name, stream):
    with LOCK:
        if (name, stream) not in MADE:
            _, plain, streamed = REPLIES[name]
            MADE[name, stream] = (streamed or plain)() if stream else plain()
        return MADE[name, stream]


class Hostile(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_error(404)

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        stream = b'"stream":true' in self.rfile.read(length).replace(b" ", b"")
        name = NAMES[int(self.path.split("/")[1])]
        try:
            self.endless() if name == "endless" else self.whole(name, stream)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def whole(self, name, stream):
        status, _, streamed = REPLIES[name]
        data = made(name, stream)
        self.send_response(status)
        self.send_header("content-type", "text/event-stream" if stream and streamed else "application/json")
        if "bomb" in name:
            self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def endless(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        piece = b"data: " + json.dumps(chunk({"content": "x" * 4000})).encode() + b"\n\n"
        for _ in range(20_000):
            self.wfile.write(piece)
        self.close_connection = True

    def log_message(self, *_):
        pass


def measure(program, port, name, concurrency):
    with tempfile.TemporaryDirectory() as folder:
        url = f"http://127.0.0.1:{port}/{NAMES.index(name)}/v1"
        arguments = [program, "probe", url, "--model", "m", "--dialect", "openai-chat", "--suite", "standard", "--trials", "2", "--concurrency", str(concurrency), "--timeout", "60s"]
        began = time.time()
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.chdir(folder)
            os.execve(program, arguments, {"PATH": os.environ["PATH"]})
        _, status, used = os.wait4(child, 0)
        profiles = [path.stat().st_size for path in pathlib.Path(folder).rglob("profiles/*.json")]
        return used.ru_maxrss / 1024, max(profiles, default=0) / MB, os.waitstatus_to_exitcode(status), time.time() - began


def main():
    program, short = os.path.abspath(sys.argv[1]), "--short" in sys.argv
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    wrong = 0
    for name in SHORT if short else NAMES:
        for concurrency in ([64] if short else [8, 64]):
            peak, profile, code, seconds = measure(program, server.server_port, name, concurrency)
            good = peak < LIMIT_MB and profile < PROFILE_MB and code in (0, 3)
            wrong += not good
            print(f"{'ok  ' if good else 'FAIL'} {name:24} at {concurrency:2}: {peak:6.0f} MB, profile {profile:5.2f} MB, exit {code}, {seconds:4.1f} s", flush=True)
    print(f"memory-check: {wrong} beyond {LIMIT_MB} MB or with a profile beyond {PROFILE_MB} MB")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
