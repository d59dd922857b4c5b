"""Where a hostile server may put what it echoes: statuses, headers, bodies, streams, lists of models."""

import gzip
import json
import re

CANARY = 'Canary/7+x"Q=~zK.9w!tR'
HALF = len(CANARY) // 2
JSON = "application/json"
SSE = "text/event-stream"


def chat_reply(message, finish="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], **more}


def call(name="probe_add", arguments='{"a": 1, "b": 2}', call_id="call_1", **more):
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"id": call_id, "type": "function", "function": function, **more}]}


def chunk(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **more}


def document(value, text):
    """JSON in which @ stands for the echo, as the form has it: raw forms are quoted once."""
    quoted = text if re.search(r'\\u|\\["/]', text) else json.dumps(text)[1:-1]
    return json.dumps(value).replace("@", quoted).encode()


def events(chunks, text):
    lines = b"".join(b"data: " + document(it, text) + b"\n\n" for it in chunks)
    return lines + b"data: [DONE]\n\n"


def data_lines(values):
    return b"".join(b"data: " + json.dumps(it).encode() + b"\n\n" for it in values)


def split_events(key, wrap, end):
    """The echo in two frames, and then once more character by character."""

    def body(text):
        pieces = [text[:HALF], text[HALF:], " and ", *text]
        return data_lines([wrap({key: piece}) for piece in pieces] + end)

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
    return data_lines(ANTHROPIC_START) + split_events("text", delta, ANTHROPIC_END)(text)


def anthropic_plain(text):
    blocks = [{"type": "thinking", "thinking": "@", "signature": "@"}, {"type": "text", "text": "@"},
              {"type": "tool_use", "id": "@", "name": "@", "input": {"@": "@"}}]
    return document({"id": "@", "type": "message", "role": "assistant", "model": "@", "content": blocks,
                     "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1, "service_tier": "@"}}, text)


def anthropic_arguments(text):
    """The arguments of a call in pieces, and thoughts and their signature before it."""
    block = lambda index, it: {"type": "content_block_start", "index": index, "content_block": it}
    delta = lambda index, it: {"type": "content_block_delta", "index": index, "delta": it}
    first, second = text[:HALF], text[HALF:]
    thinking = [block(0, {"type": "thinking", "thinking": "", "signature": ""})]
    thinking += [delta(0, {"type": "thinking_delta", "thinking": it}) for it in (first, second)]
    thinking += [delta(0, {"type": "signature_delta", "signature": it}) for it in (first, second)]
    call = [block(1, {"type": "tool_use", "id": "t", "name": "probe_add", "input": {}})]
    quoted = json.dumps({"a": text})
    call += [delta(1, {"type": "input_json_delta", "partial_json": it}) for it in (quoted[:12], quoted[12:20], quoted[20:])]
    return data_lines(ANTHROPIC_START[:1] + thinking + call + ANTHROPIC_END)


def ollama_split(text):
    lines = [{"model": "m", "message": {"role": "assistant", "content": p}} for p in (text[:HALF], text[HALF:])]
    lines.append({"model": "m", "done": True, "done_reason": "stop", "message": {"role": "assistant", "content": ""}})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def gemini_split(text):
    wrap = lambda p: {"candidates": [{"content": {"role": "model", "parts": [p]}}]}
    return split_events("text", wrap, [{"candidates": [{"finishReason": "STOP"}]}])(text)


def gemini_plain(text):
    parts = [{"text": "@", "thoughtSignature": "@"}, {"functionCall": {"name": "@", "args": {"a": "@"}}}]
    return document({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "@"}], "modelVersion": "@",
                     "promptFeedback": {"blockReasonMessage": "@"}}, text)


def responses_split(text):
    wrap = lambda d: {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, **d}
    end = [{"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}]
    return split_events("delta", wrap, end)(text)


def responses_interleaved(text):
    """Two items at the same time, told apart by their ids alone."""
    delta = lambda item, piece: {"type": "response.function_call_arguments.delta", "item_id": item, "delta": piece}
    start = [{"type": "response.output_item.added", "item": {"type": "function_call", "id": it, "call_id": it, "name": "n"}} for it in "ab"]
    frames = [delta("a", text[:HALF]), delta("b", "other"), delta("a", text[HALF:])]
    end = [{"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}]
    return data_lines(start + frames + end)


def responses_plain(text):
    output = [{"type": "reasoning", "id": "@", "summary": [{"type": "summary_text", "text": "@"}], "encrypted_content": "@"},
              {"type": "function_call", "id": "@", "call_id": "@", "name": "@", "arguments": '{"a": "@"}'},
              {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "@"}]}]
    return document({"id": "@", "object": "response", "status": "completed", "model": "@", "output": output}, text)


def two_parts(text):
    parts = [{"type": "text", "text": text[:HALF]}, {"type": "text", "text": text[HALF:]}]
    return json.dumps(chat_reply({"content": parts})).encode()


chat_split = split_events("content", chunk, [chunk({}, "stop")])
arguments_split = split_events(
    "arguments", lambda f: chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "n", **f}}]}), [chunk({}, "tool_calls")]
)


def names_split(text):
    """A name in pieces, of two calls that take turns."""
    piece = lambda index, name: chunk({"tool_calls": [{"index": index, "id": f"c{index}", "function": {"name": name, "arguments": ""}}]})
    return data_lines([piece(0, text[:HALF]), piece(1, "other"), piece(0, text[HALF:]), chunk({}, "tool_calls")])


def chat(message, finish="stop", **more):
    return lambda t: document(chat_reply(message, finish, **more), t)


def stream(*chunks):
    return lambda t: events(list(chunks), t)


STOP = chunk({}, "stop")

# Status, content type, headers, body. What a place does not say is left out.
PLACES = {
    "error-400": (400, JSON, {}, lambda t: document({"error": {"message": "bad key @", "type": "x"}}, t)),
    "error-401": (401, JSON, {}, lambda t: document({"error": {"message": "bad key @", "code": "@", "param": "@"}}, t)),
    "error-500": (500, JSON, {}, lambda t: document({"error": {"message": "@", "code": "@"}}, t)),
    "error-nested": (400, JSON, {}, lambda t: document({"error": {"message": "x", "metadata": {"raw": '{"error": "@"}', "@": 1}}}, t)),
    "error-detail": (422, JSON, {}, lambda t: document({"detail": [{"loc": ["@"], "msg": "@", "input": "@"}]}, t)),
    "error-page": (502, "text/html", {}, lambda t: f"<html>{t}</html>".encode()),
    "error-text": (400, "text/plain", {}, lambda t: t.encode()),
    "error-in-success": (200, JSON, {}, lambda t: document({"error": {"message": "@"}}, t)),
    "failed-generation": (400, JSON, {}, lambda t: document({"error": {"message": "x", "code": "tool_use_failed", "failed_generation": "<tool>@"}}, t)),
    "status-text": (418, JSON, {}, lambda t: b"{}"),
    "not-json": (200, JSON, {}, lambda t: f"oops {t}".encode()),
    "content": (200, JSON, {}, chat({"content": "it is @"})),
    "reasoning": (200, JSON, {}, chat({"content": "x", "reasoning_content": "@", "reasoning_details": [{"text": "@", "signature": "@"}]})),
    "refusal": (200, JSON, {}, chat({"content": None, "refusal": "@"}, "content_filter")),
    "two-parts": (200, JSON, {}, two_parts),
    "call-name": (200, JSON, {}, chat(call(name="@"), "tool_calls")),
    "call-id": (200, JSON, {}, chat(call(call_id="@"), "tool_calls")),
    "call-extra": (200, JSON, {}, chat(call(extra_content={"google": {"thought_signature": "@"}}), "tool_calls")),
    "call-arguments": (200, JSON, {}, chat(call(arguments='{"a": "@"}'), "tool_calls")),
    "broken-arguments": (200, JSON, {}, chat(call(arguments='{"a": @'), "tool_calls")),
    "text-call": (200, JSON, {}, chat({"content": '<tool_call>{"name": "@"</tool_call>'})),
    "xml-call": (200, JSON, {}, chat({"content": "<tool_call><function=probe_add><parameter=@>@</parameter></function></tool_call>"})),
    "finish-reason": (200, JSON, {}, chat({"content": "x"}, "@")),
    "model": (200, JSON, {}, lambda t: document({**chat_reply({"content": "x"}), "model": "@", "system_fingerprint": "@", "id": "@"}, t)),
    "usage": (200, JSON, {}, chat({"content": "x"}, usage={"prompt_tokens": "@", "@": 1, "details": {"tier": "@"}})),
    "key-of-object": (200, JSON, {}, lambda t: document({**chat_reply({"content": "x"}), "@": 1}, t)),
    "header": (400, JSON, {"x-request-id": lambda t: t}, lambda t: b'{"error":{"message":"no"}}'),
    "limit-headers": (429, JSON, {"retry-after": lambda t: t, "x-ratelimit-reset-tokens": lambda t: t}, lambda t: b"{}"),
    "two-headers": (400, JSON, {"x-request-id": lambda t: t[:HALF], "cf-ray": lambda t: t[HALF:]}, lambda t: b"{}"),
    "encoding": (200, JSON, {"content-encoding": lambda t: t}, lambda t: b"{}"),
    "location": (307, JSON, {"location": lambda t: "https://h.test/" + t}, lambda t: b""),
    "relative-location": (302, JSON, {"location": lambda t: "/login?next=" + t}, lambda t: b""),
    "stream-content": (200, SSE, {}, stream(chunk({"content": "@"}), STOP)),
    "stream-comment": (200, SSE, {}, lambda t: b": " + t.encode() + b"\n\n" + events([chunk({"content": "x"}), STOP], t)),
    "stream-event": (200, SSE, {}, lambda t: b"event: " + t.encode() + b"\nid: " + t.encode() + b"\n" + events([chunk({"content": "x"})], t)),
    "stream-error": (200, SSE, {}, stream({"error": {"message": "@"}})),
    "stream-ids": (200, SSE, {}, stream(chunk(call(call_id="@", index=0)), chunk({}, "tool_calls", id="@", system_fingerprint="@"))),
    "stream-cut": (200, SSE, {}, lambda t: events([chunk({"content": "@"})], t)[:-20]),
    "stream-no-frames": (200, SSE, {}, lambda t: f"data: {t}\n\ndata: {t}".encode()),
    "split-chat": (200, SSE, {}, chat_split),
    "split-arguments": (200, SSE, {}, arguments_split),
    "split-names": (200, SSE, {}, names_split),
    "split-anthropic": (200, SSE, {}, anthropic_split),
    "split-responses": (200, SSE, {}, responses_split),
    "split-items": (200, SSE, {}, responses_interleaved),
    "split-gemini": (200, SSE, {}, gemini_split),
    "split-ollama": (200, "application/x-ndjson", {}, ollama_split),
    "anthropic": (200, JSON, {}, anthropic_plain),
    "responses": (200, JSON, {}, responses_plain),
    "gemini": (200, JSON, {}, gemini_plain),
    "gzip": (400, JSON, {"content-encoding": lambda t: "gzip"}, lambda t: gzip.compress(document({"error": {"message": "@"}}, t))),
    "trailers": (400, JSON, {}, lambda t: document({"error": {"message": "no"}}, t)),
    "cookies": (401, JSON, {"set-cookie": lambda t: f"session={t}; path=/{t}", "www-authenticate": lambda t: f'Bearer realm="{t}"', "via": lambda t: t},
                lambda t: document({"error": {"message": "no"}}, t)),
    "url-in-error": (400, JSON, {}, lambda t: document({"error": {"message": "see https://h.test/?key=@#@ and /login?next=%2F@"}}, t)),
    "split-anthropic-call": (200, SSE, {}, anthropic_arguments),
    "two-keys": (200, JSON, {}, lambda t: document({**chat_reply({"content": "x"}), "usage": {"prompt_tokens_details": {"@": {"@": "@"}}}}, t)),
    "obedient": (200, JSON, {}, None),
}
DIALECTS = {
    "split-anthropic": "anthropic-messages", "split-anthropic-call": "anthropic-messages", "anthropic": "anthropic-messages", "split-gemini": "gemini", "gemini": "gemini",
    "split-responses": "openai-responses", "split-items": "openai-responses", "responses": "openai-responses", "split-ollama": "ollama",
}
# Places of one line, or of text that has no escape for a NUL.
TEXT_ONLY = {"cookies", "trailers", "header", "limit-headers", "two-headers", "encoding", "location", "relative-location", "status-text", "stream-event", "stream-comment"}


def wanted_calls(prompt):
    """The calls that a prompt asks for: tools in backticks, with lines of `path = JSON value` below."""
    calls = []
    for line in prompt.splitlines():
        if named := re.search(r"`(probe_\w+)`", line):
            calls.append((named[1], {}))
        if calls and (value := re.match(r"- (\w+) = (.*)", line)):
            calls[-1][1][value[1]] = json.loads(value[2])
    return calls


def obedient(asked, text):
    """Does what it is asked, and puts the echo beside it: such an endpoint has verdicts."""
    asked = json.loads(asked or b"{}")
    last = (asked.get("messages") or [{}])[-1]
    extra = {"id": "@", "system_fingerprint": "@", "usage": {"prompt_tokens": 9, "completion_tokens": 3, "tier": "@"}}
    said = last.get("content") if isinstance(last.get("content"), str) else json.dumps(last.get("content"))
    calls = [] if last.get("role") == "tool" else wanted_calls(said)
    if calls:
        made = [call(name, json.dumps(values), f"call_{i}")["tool_calls"][0] for i, (name, values) in enumerate(calls)]
        made = [{**it, "index": i} for i, it in enumerate(made)]
        message, finish = {"content": "@ for you", "reasoning_content": "@", "tool_calls": made}, "tool_calls"
    else:
        message, finish = {"content": f"The result is {said.replace('@', 'at')} and @"}, "stop"
    if not asked.get("stream"):
        return 200, None, JSON, {}, document(chat_reply(message, finish, **extra), text)
    return 200, None, SSE, {}, events([chunk(message, None, **extra), chunk({}, finish)], text)


def told_of_itself(rest, text):
    """What a server tells of itself: models, settings, versions."""
    if rest[-1:] == ["models"]:
        return document({"data": [{"id": "m", "owned_by": "@"}, {"id": "@", "name": "@"}], "models": [{"name": "m", "model": "@"}]}, text)
    return document({"chat_template": "{{ @ }}", "build_info": "@", "model_path": "@", "version": "@", "name": "@",
                     "default_generation_settings": {"model": "@", "n_ctx": 4096}}, text)


def reply(method, place, rest, asked, text):
    """Status, reason phrase, content type, headers and body."""
    if method == "GET" or "show" in rest:
        return 200, text if place == "status-text" else None, JSON, {}, told_of_itself(rest, text)
    if place == "obedient":
        return obedient(asked, text)
    status, kind, headers, body = PLACES[place]
    phrase = text if place == "status-text" else None
    return status, phrase, kind, {name: value(text) for name, value in headers.items()}, body(text)
