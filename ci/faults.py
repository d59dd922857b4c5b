"""Faults of servers and of what stands before them, as bytes. Written apart from the simulator.

A fault gets the good reply (status, content type, body) and says what is sent instead: a list of pieces, and how
the connection ends. Pieces are bytes, or seconds to wait.
"""

import gzip
import json

CLOSE, RESET, STALL = "close", "reset", "stall"
JSON = "application/json"


def head(status, *headers, length=None):
    lines = [f"HTTP/1.1 {status} Some Phrase", *headers, "connection: close"]
    if length is not None:
        lines.append(f"content-length: {length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def whole(status, body, *headers, kind=JSON):
    return head(status, f"content-type: {kind}", *headers, length=len(body)) + body


def status(code, text="not now", *headers):
    body = json.dumps({"error": {"message": text, "type": "x", "code": code}}).encode()
    return lambda good: ([whole(code, body, *headers)], CLOSE)


def answer(body, kind=JSON, code=200, *headers):
    """The same bytes, whatever was asked."""
    return lambda good: ([whole(code, body, *headers, kind=kind)], CLOSE)


def raw(data, end=CLOSE):
    return lambda good: ([data], end)


def nothing(end):
    return lambda good: ([], end)


def half(end, share=0.5):
    """The good reply, cut somewhere in its body; the length that was announced is that of the whole."""

    def fault(good):
        cut = int(len(good.body) * share)
        return [head(good.status, f"content-type: {good.kind}", length=len(good.body)), good.body[:cut]], end

    return fault


def chunked(good, *pieces):
    start = head(good.status, f"content-type: {good.kind}", "transfer-encoding: chunked")
    return [start, *(f"{len(it):x}\r\n".encode() + it + b"\r\n" for it in pieces)]


def half_chunked(end, share=0.5):
    def fault(good):
        cut = int(len(good.body) * share)
        return chunked(good, good.body[:cut]), end

    return fault


def changed(change, *headers, kind=None):
    """The good reply with another body or other headers."""

    def fault(good):
        body = change(good.body)
        return [whole(good.status, body, *headers, kind=kind or good.kind)], CLOSE

    return fault


def trickle(good):
    return [head(good.status, f"content-type: {good.kind}", length=len(good.body)), *(it for byte in good.body for it in (bytes([byte]), 0.7))], CLOSE


def endless(piece):
    def fault(good):
        return [*chunked(good), *([f"{len(piece):x}\r\n".encode() + piece + b"\r\n", 0.001] * 20_000)], CLOSE

    return fault


def heads(*lines):
    """The good reply under a head of our own."""
    return lambda good: (["\r\n".join(lines).encode() + b"\r\n\r\n" + good.body], CLOSE)


PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
OK = "HTTP/1.1 200 OK"
TYPE = "content-type: application/json"

# What waits for a timeout. The others are given much time, so that a busy machine does not matter.
SLOW = {"silence", "half head, stall", "half body, stall", "first byte, stall", "chunk, stall", "trickle", "endless 103"}
# The reply is still good: such a cell must show what the endpoint shows by itself.
HARMLESS = {"byte order mark", "type text/plain", "type missing", "type html", "duplicate type", "gzip", "103 first", "100 first", "many headers", "lower-case head"}
# A stream that ends in good order without its end, that says everything twice, or whose frames cannot be read is what
# the endpoint sends, time and again: a finding about streams. Its plain verdicts must hold all the same.
FINDING_OF_STREAMS = {"JSON cut", "clean end, half", "JSON twice", "NULs"}

FAULTS = {
    # The connection.
    "refused": None,
    "close": nothing(CLOSE),
    "reset": nothing(RESET),
    "silence": nothing(STALL),
    "half head, close": raw(b"HTTP/1.1 200 OK\r\ncontent-ty"),
    "half head, reset": raw(b"HTTP/1.1 200 OK\r\ncontent-ty", RESET),
    "half head, stall": raw(b"HTTP/1.1 200 OK\r\ncontent-ty", STALL),
    # The head.
    "not HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "HTTP/0.9": raw(b"<html>hello</html>"),
    "HTTP/9.9": raw(b"HTTP/9.9 200 OK\r\n\r\n{}"),
    "TLS alert": raw(b"\x15\x03\x01\x00\x02\x02\x28"),
    "status 999": answer(b"{}", JSON, 999),
    "status 99999": raw(b"HTTP/1.1 99999 No\r\n\r\n"),
    "header without colon": heads(OK, "oops"),
    "header of 1 MB": heads(OK, TYPE, "x-a: " + "a" * (1 << 20)),
    "100,000 headers": heads(OK, *(f"x-{i}: a" for i in range(100_000))),
    "many headers": lambda good: ([whole(good.status, good.body, *(f"x-{i}: a" for i in range(60)), kind=good.kind)], CLOSE),
    "lower-case head": lambda good: ([f"HTTP/1.1 200 ok\r\nCONTENT-TYPE: {good.kind}\r\nConnection: Close\r\n\r\n".encode() + good.body], CLOSE),
    "NUL in a header": raw(b"HTTP/1.1 200 OK\r\nx-a: a\x00b\r\n\r\n{}"),
    "bare LF": raw(b"HTTP/1.1 500 OK\ncontent-length: 2\n\n{}"),
    "duplicate type": lambda good: ([head(200, f"content-type: {good.kind}", f"content-type: {good.kind}", length=len(good.body)) + good.body], CLOSE),
    "two lengths": heads(OK, TYPE, "content-length: 5", "content-length: 7"),
    "length not a number": heads(OK, TYPE, "content-length: many"),
    "length below zero": heads(OK, TYPE, "content-length: -5"),
    "length too small": heads(OK, TYPE, "content-length: 5"),
    "length and chunks": heads(OK, TYPE, "content-length: 5", "transfer-encoding: chunked"),
    # The status.
    "100 first": lambda good: ([b"HTTP/1.1 100 Continue\r\n\r\n", whole(good.status, good.body, kind=good.kind)], CLOSE),
    "103 first": lambda good: ([b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", whole(good.status, good.body, kind=good.kind)], CLOSE),
    "endless 103": lambda good: ([it for _ in range(500) for it in (b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.2)], STALL),
    "101": raw(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
    "201": answer(b"", JSON, 201),
    "202": answer(b"", JSON, 202),
    "204": raw(head(204)),
    "205": raw(head(205)),
    "206": answer(b'{"cho', JSON, 206, "content-range: bytes 0-4/900"),
    "301": answer(b"", JSON, 301, "location: http://127.0.0.1:9/"),
    "302 to itself": answer(b"", JSON, 302, "location: /v1/chat/completions"),
    "302 to nowhere": answer(b"", JSON, 302),
    "304": raw(head(304)),
    "307 to http": answer(b"", JSON, 307, "location: http://example.test/"),
    "308 broken": answer(b"", JSON, 308, "location: ::::"),
    "400 credit": status(400, "Your credit balance is too low to access the API."),
    "401": status(401), "402": status(402), "403": status(403), "404": status(404),
    "407": status(407), "408": status(408), "410": status(410), "421": status(421), "423": status(423),
    "425": status(425), "426": status(426), "429": status(429), "429 for a day": status(429, "slow down", "retry-after: 86400"),
    "429 for nonsense": status(429, "slow down", "retry-after: soon"), "431": status(431), "451": status(451), "499": status(499),
    "500": status(500), "500 text": answer(b"Internal Server Error", "text/plain", 500), "502": answer(PAGE, "text/html", 502), "503": status(503), "504": status(504),
    "507": status(507), "508": status(508), "511": status(511), "520": answer(PAGE, "text/html", 520), "529": status(529), "530": status(530),
    "403 page": answer(PAGE, "text/html", 403),
    # The body.
    "empty 200": answer(b""),
    "page": answer(PAGE, "text/html"),
    "page as JSON": answer(PAGE),
    "XML": answer(b"<?xml version='1.0'?><Error><Code>SlowDown</Code></Error>", "application/xml"),
    "text": answer(b"upstream connect error or disconnect/reset before headers", "text/plain"),
    "other JSON": answer(b'{"hello": "world"}'),
    "null": answer(b"null"),
    "array": answer(b"[]"),
    "deep": answer(b"[" * 300_000),
    "error in a success": answer(b'{"error": {"message": "upstream timed out", "code": 504}}'),
    "JSON cut": changed(lambda body: body[: len(body) // 2]),
    "JSON twice": changed(lambda body: body + body),
    "trailing garbage": changed(lambda body: body + b"\n<!-- served by a proxy -->"),
    "NULs": changed(lambda body: body.replace(b'"', b'\0"', 3)),
    "invalid UTF-8": changed(lambda body: body.replace(b'"', b'"\xff\xfe', 9)),
    "UTF-16": changed(lambda body: body.decode().encode("utf-16")),
    "byte order mark": changed(lambda body: b"\xef\xbb\xbf" + body),
    "type text/plain": changed(lambda body: body, kind="text/plain"),
    "type html": changed(lambda body: body, kind="text/html"),
    "type missing": lambda good: ([head(good.status, length=len(good.body)) + good.body], CLOSE),
    "half body, close": half(CLOSE),
    "half body, reset": half(RESET),
    "half body, stall": half(STALL),
    "first byte, stall": half(STALL, 0.01),
    "last byte missing": half(CLOSE, 0.99),
    "chunk, close": half_chunked(CLOSE),
    "chunk, reset": half_chunked(RESET),
    "chunk, stall": half_chunked(STALL),
    "chunk of no size": lambda good: (chunked(good) + [b"zz\r\n" + good.body], CLOSE),
    "chunk of 2^64": lambda good: (chunked(good) + [b"ffffffffffffffff1\r\n" + good.body], CLOSE),
    "clean end, half": lambda good: (chunked(good, good.body[: len(good.body) // 2]) + [b"0\r\n\r\n"], CLOSE),
    "clean end, nothing": lambda good: (chunked(good) + [b"0\r\n\r\n"], CLOSE),
    "trickle": trickle,
    "endless blanks": endless(b" " * 65536),
    "endless comments": endless(b": " + b"x" * 4000 + b"\n"),
    "gzip": changed(gzip.compress, "content-encoding: gzip"),
    "gzip, cut": changed(lambda body: gzip.compress(body)[:-20], "content-encoding: gzip"),
    "gzip, garbage": changed(lambda body: b"\x1f\x8b" + body, "content-encoding: gzip"),
    "gzip, none": changed(lambda body: body, "content-encoding: gzip"),
    "gzip bomb": lambda good: ([whole(200, BOMB, "content-encoding: gzip")], CLOSE),
    "br, unasked": changed(lambda body: body, "content-encoding: br"),
    "encoding nonsense": changed(lambda body: body, "content-encoding: x-unknown, gzip"),
    "60 MB": lambda good: ([*chunked(good), *([b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"] * 60)], CLOSE),
}
BOMB = gzip.compress(b"x" * (64 << 20), 1)
