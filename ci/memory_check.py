"""A server that sends far too much, and a measure of what that costs the prober."""

import gzip
import http.server
import json
import os
import pathlib
import resource
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import memory_shapes

LIMIT_MB = 200
PROFILE_MB = 2
MB = 1 << 20
# Every request carries it, so that every reply is looked through for it.
KEY = "memory-check-0123456789-abcdefghijklmnop-471142"


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


def blocks(count, **block):
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block] * count, "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 9}}


def events(values):
    """Named events, as Messages and Responses stream them."""
    return b"".join(b"event: " + v["type"].encode() + b"\ndata: " + dump(v) + b"\n\n" for v in values)


def thinking(count):
    start = {"type": "message_start", "message": {**blocks(0), "stop_reason": None}}
    begin = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "x"}}
    return events([start, begin] + [delta] * count)


def items(count, **item):
    return {"id": "r", "object": "response", "status": "completed", "model": "m", "output": [item] * count, "usage": {"input_tokens": 9, "output_tokens": 9}}


def candidate(parts):
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9}}


def chat_line(done=False, **message):
    return {"model": "m", "message": {"role": "assistant", "content": "x", **message}, "done": done}


def nested(depth):
    return "[" * depth + "]" * depth


CHAT, MESSAGES, RESPONSES, GEMINI, OLLAMA = "openai-chat", "anthropic-messages", "openai-responses", "gemini", "ollama"
CALL = lambda: dump(reply(calls(1), "tool_calls"))
SSE, NDJSON, JSON = "text/event-stream", "application/x-ndjson", "application/json"

# Name: dialect, status, body of a plain reply, body of a streamed one and its type. None repeats the plain one.
# Each is made when it is first asked for.
REPLIES = {
    "100,000 calls": (CHAT, 200, lambda: dump(reply(calls(100_000), "tool_calls")), None, JSON),
    "200 calls of 2 KB": (CHAT, 200, lambda: dump(reply(calls(200, arguments=dump({"a": "x" * 2000}).decode()), "tool_calls")), None, JSON),
    "a name of 10 MB": (CHAT, 200, lambda: dump(reply(calls(1, name="n" * 10 * MB), "tool_calls")), None, JSON),
    "an id of 10 MB": (CHAT, 200, lambda: dump(reply(calls(1, call_id="i" * 10 * MB), "tool_calls")), None, JSON),
    "an id of 4 KB": (CHAT, 200, lambda: dump(reply(calls(100, call_id="i" * 4000), "tool_calls")), None, JSON),
    "arguments of 10 MB": (CHAT, 200, lambda: dump(reply(calls(1, arguments=dump({"a": "x" * 10 * MB}).decode()), "tool_calls")), None, JSON),
    "arguments of 3 MB": (CHAT, 200, lambda: dump(reply(calls(1, arguments=dump({"a": "x" * 3 * MB}).decode()), "tool_calls")), None, JSON),
    "arguments of 250 KB": (CHAT, 200, lambda: dump(reply(calls(1, arguments=dump({"a": 1, "b": 2, "c": "x" * 250_000}).decode()), "tool_calls")), None, JSON),
    "deep arguments": (CHAT, 200, lambda: dump(reply(calls(1, arguments=nested(100_000)), "tool_calls")), None, JSON),
    "100,000 calls in text": (CHAT, 200, lambda: dump(reply({"content": text_calls(100_000)})), None, JSON),
    "5,000 calls in text": (CHAT, 200, lambda: dump(reply({"content": text_calls(5_000)})), None, JSON),
    "markers of 500 KB": (CHAT, 200, lambda: dump(reply({"content": "<tool_call>{<function=[TOOL_CALLS]" * 14_000})), None, JSON),
    "padded to 15 MB": (CHAT, 200, lambda: CALL() + b" " * 15 * MB, None, JSON),
    "padded to 3.9 MB": (CHAT, 200, lambda: CALL() + b" " * (39 * MB // 10), None, JSON),
    "text of 500 KB": (CHAT, 200, lambda: dump(reply({"content": "word " * 100_000})), None, JSON),
    "reasoning of 500 KB": (CHAT, 200, lambda: dump(reply({"content": "x", "reasoning_content": "word " * 100_000})), None, JSON),
    "reasoning and a call": (CHAT, 200, lambda: dump(reply({**calls(1), "reasoning_content": "word " * 90_000}, "tool_calls")), None, JSON),
    "20,000 reasoning parts": (CHAT, 200, lambda: dump(reply({"content": "x", "reasoning_details": [{"type": "reasoning.text", "text": "y"}] * 20_000})), None, JSON),
    "annotations": (CHAT, 200, lambda: dump(reply({"content": "x", "annotations": [{"type": "url_citation", "url": "u" * 60}] * 9_000})), None, JSON),
    "40,000 empty objects": (CHAT, 200, lambda: dump({**reply({"content": "x"}), "z": [{}] * 40_000}), None, JSON),
    "million numbers": (CHAT, 200, lambda: dump({**reply({"content": "x"}), "z": [0] * 1_000_000}), None, JSON),
    "a deep document": (CHAT, 200, lambda: b"[" * 2 * MB, None, JSON),
    "240,000 deltas": (CHAT, 200, CALL, lambda: frames([{"content": "x"}] * 240_000), SSE),
    "45,000 deltas": (CHAT, 200, CALL, lambda: frames([{"content": "x"}] * 45_000), SSE),
    "a million comments": (CHAT, 200, CALL, lambda: b":\n\n" * 1_000_000 + b"data: [DONE]\n\n", SSE),
    "comments of 7 MB": (CHAT, 200, CALL, lambda: (b": " + b"c" * 1000 + b"\n\n") * 7_000 + b"data: [DONE]\n\n", SSE),
    "a frame of 3.9 MB": (CHAT, 200, CALL, lambda: frames([{"content": "x" * (39 * MB // 10)}]), SSE),
    "a frame without an end": (CHAT, 200, CALL, lambda: b"data: " + b"x" * 20 * MB, SSE),
    "an error of 10 MB": (CHAT, 400, lambda: dump({"error": {"message": "m" * 10 * MB}}), None, JSON),
    "an error of 3 MB": (CHAT, 400, lambda: dump({"error": {"message": "m" * 3 * MB, "code": "c" * 100_000}}), None, JSON),
    "an error of 60 KB": (CHAT, 400, lambda: dump({"error": {"message": "m" * 60_000, "code": "c" * 100}}), None, JSON),
    "an error in a stream": (CHAT, 200, CALL, lambda: b"data: " + dump({"error": {"message": "m" * 3 * MB}}) + b"\n\n", SSE),
    "a failed generation": (CHAT, 400, lambda: dump({"error": {"message": "tool call failed", "failed_generation": "f" * 3 * MB}}), None, JSON),
    "a page of 3 MB": (CHAT, 502, lambda: b"<html>" + b"x" * 3 * MB, None, "text/html"),
    "a limit of 3 MB": (CHAT, 429, lambda: dump({"error": {"message": "m" * 3 * MB}}), None, JSON),
    "a bomb of 100 MB": (CHAT, 200, lambda: gzip.compress(b" " * 100 * MB), None, JSON),
    "a bomb in a stream": (CHAT, 200, lambda: gzip.compress(CALL()), lambda: gzip.compress(frames([{"content": "x" * 1000}]) * 50_000), SSE),
    "headers of 300 KB": (CHAT, 200, CALL, None, JSON),
    "10,000 blocks": (MESSAGES, 200, lambda: dump(blocks(10_000, type="text", text="x")), None, JSON),
    "a signature of 3 MB": (MESSAGES, 200, lambda: dump(blocks(1, type="thinking", thinking="x", signature="s" * 3 * MB)), None, JSON),
    "45,000 thoughts": (MESSAGES, 200, lambda: dump(blocks(1, type="text", text="x")), lambda: thinking(45_000), SSE),
    "10,000 items": (RESPONSES, 200, lambda: dump(items(10_000, type="reasoning", id="r", summary=[])), None, JSON),
    "a sealed item of 3 MB": (RESPONSES, 200, lambda: dump(items(1, type="reasoning", id="r", summary=[], encrypted_content="e" * 3 * MB)), None, JSON),
    "10,000 parts": (GEMINI, 200, lambda: dump(candidate([{"text": "x"}] * 10_000)), None, JSON),
    "an array of 45,000": (GEMINI, 200, lambda: dump(candidate([{"text": "x"}])), lambda: b"[" + b",".join([dump(candidate([{"text": "x"}]))] * 45_000) + b"]", JSON),
    "10,000 calls in a message": (OLLAMA, 200, lambda: dump(chat_line(True, tool_calls=[{"function": {"name": "probe_add", "arguments": {"a": 1}}}] * 10_000)), None, JSON),
    "45,000 lines": (OLLAMA, 200, lambda: dump(chat_line(True)), lambda: (dump(chat_line()) + b"\n") * 45_000, NDJSON),
    "endless": (CHAT, 200, None, None, SSE),
    "endless lines": (OLLAMA, 200, None, None, NDJSON),
}
REPLIES.update(memory_shapes.rows())


def frame_of_lines(count):
    return b"data: x\n" * count + b"\n\n"


# Rows about HTTP, and about streams below the dialect: what is sent is the ordinary call.
REPLIES.update({
    "99 headers of 3 KB": (CHAT, 200, CALL, None, JSON),
    "a header of 380 KB": (CHAT, 200, CALL, None, JSON),
    "chunks of one byte": (CHAT, 200, lambda: CALL() + b" " * 30_000, lambda: frames([{"content": "x"}] * 300), SSE),
    "redirects": (CHAT, 307, CALL, None, JSON),
    "a status line of 300 KB": (CHAT, 400, CALL, None, JSON),
    "100,000 models": (CHAT, 200, CALL, None, JSON),
    "settings of 3 MB": (CHAT, 200, CALL, None, JSON),
    "a template of 3.9 MB": (OLLAMA, 200, lambda: dump(chat_line(True)), None, JSON),
    "an event's name of 3 MB": (CHAT, 200, CALL, lambda: b"event: " + b"e" * 3 * MB + b"\ndata: {}\n\n", SSE),
    "ids without an end": (CHAT, 200, CALL, lambda: b"id: " + b"i" * 9 * MB, SSE),
    "an event of 400,000 lines": (CHAT, 200, CALL, lambda: frame_of_lines(400_000), SSE),
    "400,000 retries": (CHAT, 200, CALL, lambda: b"retry: 1\n" * 400_000 + b"\n", SSE),
    "blank lines of 7 MB": (OLLAMA, 200, lambda: dump(chat_line(True)), lambda: b"\n" * 7 * MB, NDJSON),
    "lines without an end": (OLLAMA, 200, lambda: dump(chat_line(True)), lambda: b'{"message": "' + b"x" * 9 * MB, NDJSON),
    "a bomb of calls": (CHAT, 200, lambda: gzip.compress(dump(reply(calls(200, arguments=dump({"a": "x" * 2000}).decode()), "tool_calls"))), lambda: gzip.compress(frames([{"content": "x"}] * 45_000)), SSE),
    "a bomb in a bomb": (CHAT, 200, lambda: gzip.compress(gzip.compress(b" " * 100 * MB)), None, JSON),
    "49,000 comments": (CHAT, 200, CALL, lambda: b": keep-alive of some length\n\n" * 49_000 + b"data: [DONE]\n\n", SSE),
    "another reply each time": (CHAT, 200, None, None, JSON),
    "trailers of 9 MB": (CHAT, 200, CALL, None, JSON),
    "chunks with notes of 9 MB": (CHAT, 200, CALL, None, JSON),
    "heads before the head": (CHAT, 200, CALL, None, JSON),
    "an outage of 3 MB": (CHAT, 503, lambda: dump({"error": {"message": "m" * 3 * MB}}), None, JSON),
    "endless outage": (CHAT, 503, None, None, JSON),
    "an array without an end": (GEMINI, 200, lambda: dump(candidate([{"text": "x"}])), lambda: b"[" + (dump(candidate([{"text": "x" * 200}])) + b",") * 24_000, JSON),
    "an element without an end": (GEMINI, 200, lambda: dump(candidate([{"text": "x"}])), lambda: b'[{"a":' * 500_000, JSON),
    "49,000 events of no known type": (RESPONSES, 200, lambda: dump(items(1, type="message", id="m", content=[])), lambda: events([{"type": f"response.new.{i}", "item_id": f"i{i}", "delta": "x" * 40} for i in range(49_000)]), SSE),
    "49,000 items by their ids": (RESPONSES, 200, lambda: dump(items(1, type="message", id="m", content=[])), lambda: events([{"type": "response.output_text.delta", "item_id": f"i{i}", "output_index": i, "delta": "x"} for i in range(49_000)]), SSE),
    "49,000 indexes": (CHAT, 200, CALL, lambda: b"".join(b'data: {"choices":[{"index":%d,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":"x"}}]}}]}\n\n' % (i, i) for i in range(49_000)), SSE),
    # What the search for secrets goes through, too.
    "the key for 3.9 MB": (CHAT, 200, lambda: dump(reply({"content": (KEY + " ") * (3900 * 1024 // 49)})), lambda: frames([{"content": (KEY + " ") * 3}] * 40_000), SSE),
    "the key in halves": (CHAT, 200, lambda: dump(reply({"content": [{"type": "text", "text": half} for half in (KEY[:20], KEY[20:])] * 9_000})), lambda: frames([{"content": half} for half in (KEY[:20], KEY[20:])] * 24_000), SSE),
    "the key in escapes": (CHAT, 200, lambda: dump(reply({"content": "".join(f"%{ord(c):02x}" for c in KEY) * 25_000})), lambda: frames([{"content": "".join(f"&#{ord(c)};" for c in KEY)}] * 25_000), SSE),
    "the key in an error": (CHAT, 503, lambda: dump({"error": {"message": (KEY + " ") * 80_000}}), None, JSON),
    "the key with gaps": (CHAT, 200, lambda: dump(reply({"content": " ".join(KEY * 40_000)})), None, JSON),
    "quotes of 3.9 MB": (CHAT, 200, lambda: b'"a"' * 1_300_000, lambda: b"data: " + b'"a"' * 1_300_000 + b"\n\n", SSE),
    "empty quotes of 3.9 MB": (CHAT, 200, lambda: b'""' * 1_950_000, lambda: b"data: " + b'""' * 1_950_000 + b"\n\n", SSE),
    "indexes of 3.9 MB": (CHAT, 200, lambda: b'{' + b'"index":' * 480_000, lambda: b"data: {" + b'"index":' * 480_000 + b"\n\n", SSE),
    "keys of 3.9 MB": (CHAT, 200, lambda: b"{" + b"".join(b'"%x":"v" ' % i for i in range(290_000)), None, JSON),
    "lines of a stream of 3.9 MB": (CHAT, 200, lambda: b"data:x\n" * 570_000, None, JSON),
    "numbered lines of 3.9 MB": (CHAT, 200, lambda: b"".join(b'data:"index":%d "a" \n' % i for i in range(180_000)), None, JSON),
    "lines with an index of 3.9 MB": (CHAT, 200, lambda: b"".join(b'{"index":%d "a":"v"}\n' % i for i in range(150_000)), None, JSON),
})


def told_of_itself(name):
    """What a server tells of itself on any other path."""
    if name == "100,000 models":
        return dump({"object": "list", "data": [{"id": f"model-{i}", "object": "model", "owned_by": "o" * 20} for i in range(100_000)]})
    if name == "settings of 3 MB":
        return dump({"chat_template": "{{ t }}" * 30_000, "build_info": "b" * 100_000, "model_path": "p" * 100_000,
                     "default_generation_settings": {f"s{i}": i for i in range(40_000)}, "x": "x" * MB, "version": "v" * 100_000})
    if name == "a template of 3.9 MB":
        return dump({"template": "{{ t }}" * 500_000, "capabilities": ["tools"] * 10_000, "model_info": {"n": "x" * 300_000}, "version": "9"})
    return None


SHORT = ["100,000 calls", "a name of 10 MB", "padded to 3.9 MB", "text of 500 KB", "45,000 deltas", "an error of 3 MB", "endless"]
NAMES = list(REPLIES)
MADE = {}
LOCK = threading.Lock()


def another_reply():
    """400 KB that were never sent before: nothing can be kept for two."""
    return dump(reply({"content": os.urandom(200_000).hex()}))


def made(name, stream):
    with LOCK:
        if (name, stream) not in MADE:
            _, _, plain, streamed, _ = REPLIES[name]
            MADE[name, stream] = (streamed or plain)() if stream else plain()
        return MADE[name, stream]


class Hostile(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).replace(b" ", b"")
        stream = b'"stream":true' in body or "streamGenerateContent" in self.path
        name = NAMES[int(self.path.split("/")[1])]
        try:
            if self.command == "GET" or self.path.endswith("/show"):
                self.tell(told_of_itself(name))
            elif name.startswith("endless"):
                self.endless(name)
            else:
                self.whole(name, stream)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def tell(self, data):
        if data is None:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("content-type", JSON)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def whole(self, name, stream):
        _, status, _, streamed, kind = REPLIES[name]
        data = made(name, stream) if name != "another reply each time" else another_reply()
        if name == "heads before the head":
            self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" * 20_000)
        self.send_response(status, "s" * 300 * 1024 if "status line" in name else None)
        self.send_header("content-type", kind if stream or not streamed else JSON)
        if "bomb" in name:
            self.send_header("content-encoding", "gzip")
        if "headers" in name:
            for number in range(80):
                self.send_header(f"x-request-id-{number}", "h" * 3800)
        if name == "99 headers of 3 KB":
            for number in range(90):
                self.send_header(f"x-h-{number}", "h" * 3000)
        if name == "a header of 380 KB":
            self.send_header("x-request-id", "h" * 380_000)
        if status == 307:
            self.send_header("location", self.path)
        if "limit" in name:
            self.send_header("retry-after", "0")
        if name == "chunks of one byte":
            return self.dribble(data)
        if name in ("trailers of 9 MB", "chunks with notes of 9 MB"):
            return self.chunked(data, name)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def dribble(self, data):
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"".join(b"1\r\n" + data[at : at + 1] + b"\r\n" for at in range(len(data))) + b"0\r\n\r\n")

    def chunked(self, data, name):
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        note = b";n=" + b"n" * 9 * MB if "notes" in name else b""
        self.wfile.write(b"%x" % len(data) + note + b"\r\n" + data + b"\r\n0\r\n")
        if "trailers" in name:
            self.wfile.write(b"".join(b"x-%d: " % number + b"t" * 1000 + b"\r\n" for number in range(9_000)))
        self.wfile.write(b"\r\n")

    def endless(self, name):
        dialect, status, _, _, kind = REPLIES[name]
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        piece = b"data: " + dump(chunk({"content": "x" * 4000})) + b"\n\n"
        if dialect == OLLAMA:
            piece = dump(chat_line(content="x" * 4000)) + b"\n"
        for _ in range(20_000):
            self.wfile.write(piece)
        self.close_connection = True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        """A client that hangs up is none of this check's business."""


def serve():
    """Serves in a process of its own: the peak of a process counts what its parent held when it was begun."""
    server = Server(("127.0.0.1", 0), Hostile)
    process = os.fork()
    if process == 0:
        server.serve_forever()
    server.socket.close()
    return server.server_port, process


def measure(program, port, name, concurrency):
    with tempfile.TemporaryDirectory() as folder:
        dialect = REPLIES[name][0]
        base = "/v1beta" if dialect == GEMINI else "" if dialect in (OLLAMA, MESSAGES) else "/v1"
        url = f"http://127.0.0.1:{port}/{NAMES.index(name)}{base}"
        words = ["--dialect", dialect, "--suite", "standard", "--trials", "2", "--timeout", "60s", "--api-key-env", "MEMORY_KEY"]
        arguments = [program, "probe", url, "--model", "m", "--concurrency", str(concurrency), *words]
        began = time.time()
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.chdir(folder)
            os.execve(program, arguments, {"PATH": os.environ["PATH"], "MEMORY_KEY": KEY})
        _, status, used = os.wait4(child, 0)
        profiles = [path.stat().st_size for path in pathlib.Path(folder).rglob("profiles/*.json")]
        return used.ru_maxrss / 1024, max(profiles, default=0) / MB, os.waitstatus_to_exitcode(status), time.time() - began


def main():
    program, short = os.path.abspath(sys.argv[1]), "--short" in sys.argv
    # `--part=2/4` is the second of four slices; the rest of the words picks replies whose names hold them.
    part, parts = map(int, next((it[7:] for it in sys.argv if it.startswith("--part=")), "1/1").split("/"))
    wanted = [word for word in sys.argv[2:] if not word.startswith("--")]
    names = [name for name in NAMES if any(word in name for word in wanted)] or (SHORT if short else NAMES)
    port, server = serve()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rows = [(name, concurrency) for name in names[part - 1 :: parts] for concurrency in ([64] if short else [8, 64])]
    worst = wrong = 0
    with ThreadPoolExecutor(2) as pool:
        measured = pool.map(lambda row: measure(program, port, *row), rows)
        for (name, concurrency), (peak, profile, code, seconds) in zip(rows, measured):
            good = peak < LIMIT_MB and profile < PROFILE_MB and code in (0, 3)
            wrong, worst = wrong + (not good), max(worst, peak)
            print(f"{'ok  ' if good else 'FAIL'} {name:42} at {concurrency:2}: {peak:6.0f} MB, profile {profile:5.2f} MB, exit {code}, {seconds:4.1f} s", flush=True)
    os.kill(server, signal.SIGKILL)
    print(f"memory-check: {len(rows)} rows, {wrong} beyond {LIMIT_MB} MB or with a profile beyond {PROFILE_MB} MB; the most was {worst:.0f} MB")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
