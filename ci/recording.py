"""What goes over the wire: a relay that keeps it, and fixtures made of it.

`Recorder` writes fixtures for `fixtures/dialect/`: the bytes with ids, times and durations replaced
by constants, and an expectation that names the program and its version. What the bytes mean is for a
person to write there; an expectation that is there already keeps its meaning.
"""

import contextlib
import http.client
import io
import json
import pathlib
import re
import socket
import threading
import urllib.request


class Relay:
    """Passes bytes on unchanged, connection by connection, and keeps them."""

    def __init__(self, target):
        self.target = target
        self.connections = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(self.target)
            sent, received = bytearray(), bytearray()
            self.connections.append((sent, received))
            for source, sink, kept in ((near, far, sent), (far, near, received)):
                threading.Thread(target=self.pass_on, args=(source, sink, kept), daemon=True).start()

    @staticmethod
    def pass_on(source, sink, kept):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                kept.extend(piece)
                sink.sendall(piece)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def take(self):
        """The exchanges so far: ((path, request body), (status, response body))."""
        kept, self.connections = self.connections, []
        return [exchange for sent, received in kept
                for exchange in zip(requests(bytes(sent)), responses(bytes(received)))]

    def requests_since(self, taken):
        """The (path, raw body) of each request after the first `taken`, on all connections."""
        sent = [request for kept, _ in self.connections for request in raw_requests(bytes(kept))]
        return sent[taken:]

    def close(self):
        self.listener.close()


def raw_requests(data):
    stream = io.BytesIO(data)
    while line := stream.readline():
        headers = http.client.parse_headers(stream)
        body = stream.read(int(headers.get("content-length") or 0))
        yield line.split()[1].decode(), body


def requests(data):
    for path, body in raw_requests(data):
        yield path, json.loads(body) if body else None


def responses(data):
    stream = io.BytesIO(data)

    class Kept:
        def makefile(self, _mode):
            # Not closed by the reader of one response: the next one is in the same stream.
            return io.BufferedReader(Unclosed(stream), buffer_size=1)

    while stream.tell() < len(data):
        response = http.client.HTTPResponse(Kept())
        response.begin()
        body = response.read()
        yield response.status, json.loads(body) if body[:1] in (b"{", b"[") else None


class Unclosed(io.RawIOBase):
    def __init__(self, stream):
        self.stream = stream

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.stream.readinto(buffer)


# Ids that a program makes up anew each time: what stands before the part that changes.
IDS = re.compile(r'"(chatcmpl-|resp_|msg_|fc_|rs_|toolu_|call_)([A-Za-z0-9_=-]{8,})"')
UUIDS = re.compile(r'"()([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"')
TIMES = re.compile(r'"(created|created_at|completed_at)":( ?)[0-9.]+')
DURATIONS = re.compile(r'"(\w+_ms|\w+_per_second)":( ?)[0-9.e+-]+')


def normalise(text):
    """The text with its ids numbered in order of appearance, and with constant times."""
    seen = {}

    def numbered(match):
        prefix, rest = match.groups()
        same = seen.setdefault(prefix, {})
        return f'"{prefix}{same.setdefault(rest, len(same) + 1)}"'

    text = UUIDS.sub(numbered, IDS.sub(numbered, text))
    text = TIMES.sub(r'"\1":\g<2>1794787200', text)
    return DURATIONS.sub(r'"\1":\g<2>1.0', text)


class Recorder:
    """Writes the fixtures of one program into a folder of dialects."""

    def __init__(self, folder, program):
        self.folder, self.program = pathlib.Path(folder), program

    def reply(self, dialect, name, source, base, path, body, headers=(), same=True):
        """Asks twice, plain and streamed; keeps both as one fixture, or as two if they differ in more
        than defects of the stream."""
        for stream, suffix, way in ((False, "json", "plain"), (True, "sse", "streamed")):
            asked = dict(body, stream=stream)
            request = urllib.request.Request(
                base + path, json.dumps(asked).encode(),
                {"content-type": "application/json", **dict(headers)})
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read().decode()
            self.write(dialect, name if same else f"{name}-{way}", suffix, text, {"reply": None}, source)

    def request(self, dialect, name, source, path, body):
        """Keeps a request that the program sent."""
        self.write(dialect, name, "request.json", body.decode(), {"path": path, "request": None}, source)

    def write(self, dialect, name, suffix, text, meaning, source):
        stem = self.folder / dialect / f"recorded-{name}"
        stem.parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(f"{stem}.{suffix}").write_text(normalise(text), encoding="utf-8")
        expect = pathlib.Path(f"{stem}.{'request.' if suffix == 'request.json' else ''}expect.json")
        old = json.loads(expect.read_text(encoding="utf-8")) if expect.exists() else meaning
        told = {"provenance": "recorded", "source": f"{self.program}{source}"}
        expect.write_text(json.dumps({**old, **told}, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
                          encoding="utf-8")
