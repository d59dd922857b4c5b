"""An honest adapter, written in another way than the proxy of tests/adapters: it changes all that means nothing.

    UPSTREAM=http://127.0.0.1:8089 python3 ci/honest_adapter.py

JSON is read and written anew with its keys turned round, other spaces and every letter beyond ASCII escaped; events of
streams are cut into pieces of a few bytes, with other line ends and comments between them; header names are in lower
case, some are added; every answer comes by HTTP/1.0 and ends with its connection.
"""

import http.client
import http.server
import json
import os
import urllib.parse

UPSTREAM = urllib.parse.urlsplit(os.environ["UPSTREAM"])
HOP = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}
PIECE = 7


def turned(value):
    """The same JSON, with the keys of its objects the other way round."""
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


def respelled(text, indent=None):
    try:
        return json.dumps(turned(json.loads(text)), indent=indent, separators=(" , ", " : "), ensure_ascii=True)
    except ValueError:
        return text


def line(text):
    """A line of a stream, spelled otherwise: data of events has no space before it, and lines of JSON no data."""
    if text.startswith("data:"):
        return "data:" + respelled(text.removeprefix("data:").strip())
    return respelled(text) if text.startswith("{") else text


class Adapter(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def send(self, body):
        upstream = http.client.HTTPConnection(UPSTREAM.hostname, UPSTREAM.port, timeout=120)
        head = {name.lower(): value for name, value in self.headers.items() if name.lower() not in HOP}
        upstream.request(self.command, self.path, body, head | {"x-passed-by": "an honest adapter"})
        return upstream.getresponse()

    def do_GET(self):
        self.answer(None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.answer(respelled(body.decode(), indent=3).encode() if body else body)

    def answer(self, body):
        answer = self.send(body)
        kind = answer.headers.get("content-type", "")
        streamed = "event-stream" in kind or "ndjson" in kind
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in HOP:
                self.send_header(name.lower(), value)
        self.send_header("server", "honest")
        self.send_header("x-served-by", "an honest adapter")
        self.send_header("cache-control", "no-store")
        self.end_headers()
        if streamed:
            self.stream(answer, "ndjson" in kind)
        else:
            self.wfile.write(respelled(answer.read().decode(), indent=1).encode())

    def stream(self, answer, lines_only):
        end = "\n" if lines_only else "\r\n"
        try:
            while text := answer.readline().decode():
                text = line(text.rstrip("\r\n"))
                comment = f": on its way{end}" if not lines_only and text.startswith("data:") else ""
                self.pieces((comment + text + end).encode())
        except (BrokenPipeError, ConnectionResetError):
            answer.close()

    def pieces(self, written):
        for start in range(0, len(written), PIECE):
            self.wfile.write(written[start:start + PIECE])
            self.wfile.flush()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 0))), Adapter)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # a client may leave early
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
