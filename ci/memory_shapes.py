"""Replies that are large in one way each, in every dialect: plain, and in pieces.

Written from the protocols, apart from the program: what a server can blow up is not only text. A shape makes what a
model says (text, reasoning, calls), and each dialect writes it down; or it changes the finished document.
"""

import json
import re

DIALECTS = ("openai-chat", "anthropic-messages", "openai-responses", "gemini", "ollama")
SSE, NDJSON = "text/event-stream", "application/x-ndjson"


# Arguments that stand in a document as they are: Python would not read or write some of them.
RAW = {}


def dump(value):
    return re.sub('"@raw-([0-9]+)@"', lambda found: RAW[int(found[1])], json.dumps(value)).encode()


def call(arguments='{"a": 1, "b": 2}', name="probe_add", number=0):
    return {"id": f"call_{number}", "name": name, "arguments": arguments}


def given(text):
    """Arguments as a value, where a dialect wants one."""
    RAW.setdefault(hash(text) & 0xFFFFFFFF, text)
    return f"@raw-{hash(text) & 0xFFFFFFFF}@"


# A document with what a model says.
def chat(said):
    message = {"role": "assistant", "content": said.get("text"), "reasoning_content": said.get("reasoning"),
               "tool_calls": [{"id": it["id"], "type": "function", "function": {"name": it["name"], "arguments": it["arguments"]}} for it in said.get("calls", [])]}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}


def messages(said):
    content = [{"type": "thinking", "thinking": said["reasoning"], "signature": "s"}] if said.get("reasoning") else []
    content += [{"type": "text", "text": said["text"]}] if said.get("text") else []
    content += [{"type": "tool_use", "id": it["id"], "name": it["name"], "input": given(it["arguments"])} for it in said.get("calls", [])]
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 9}}


def responses(said):
    output = [{"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": said["reasoning"]}]}] if said.get("reasoning") else []
    output += [{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": said["text"]}]}] if said.get("text") else []
    output += [{"type": "function_call", "id": it["id"], "call_id": it["id"], "name": it["name"], "arguments": it["arguments"]} for it in said.get("calls", [])]
    return {"id": "r", "object": "response", "status": "completed", "model": "m", "output": output, "usage": {"input_tokens": 9, "output_tokens": 9}}


def gemini(said):
    parts = [{"text": said["reasoning"], "thought": True}] if said.get("reasoning") else []
    parts += [{"text": said["text"]}] if said.get("text") else []
    parts += [{"functionCall": {"name": it["name"], "args": given(it["arguments"])}} for it in said.get("calls", [])]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 9}}


def ollama(said):
    message = {"role": "assistant", "content": said.get("text") or "", "thinking": said.get("reasoning") or "",
               "tool_calls": [{"function": {"name": it["name"], "arguments": given(it["arguments"])}} for it in said.get("calls", [])]}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 9}


WHOLE = dict(zip(DIALECTS, (chat, messages, responses, gemini, ollama)))


# The same in a stream: everything in one piece, or one piece for each.
def chat_events(saids):
    for said in saids:
        message = chat(said)["choices"][0]["message"]
        for at, it in enumerate(message["tool_calls"]):
            it["index"] = at
        yield {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def messages_events(saids):
    yield {"type": "message_start", "message": {**messages({}), "stop_reason": None}}
    index = 0
    for said in saids:
        for block in messages(said)["content"]:
            delta = {"type": "input_json_delta", "partial_json": RAW[int(block.pop("input")[5:-1])]} if block["type"] == "tool_use" else \
                {"type": "thinking_delta", "thinking": block.pop("thinking")} if block["type"] == "thinking" else {"type": "text_delta", "text": block.pop("text")}
            yield {"type": "content_block_start", "index": index, "content_block": {**block, **{"tool_use": {"input": {}}, "thinking": {"thinking": ""}, "text": {"text": ""}}[block["type"]]}}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
            index += 1
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def responses_events(saids):
    index, items = 0, []
    for said in saids:
        for item in responses(said)["output"]:
            items.append(item)
            yield {"type": "response.output_item.added", "output_index": index, "item": item}
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
            index += 1
    yield {"type": "response.completed", "response": {**responses({}), "output": items[:50]}}


def gemini_events(saids):
    yield from (gemini(said) for said in saids)


def sse(events):
    return b"".join((b"event: " + it["type"].encode() + b"\n" if "type" in it else b"") + b"data: " + dump(it) + b"\n\n" for it in events)


def lines(saids):
    out = [{**ollama(said), "done": False} for said in saids] + [ollama({})]
    return b"".join(dump(it) + b"\n" for it in out)


EVENTS = dict(zip(DIALECTS, (chat_events, messages_events, responses_events, gemini_events)))


def streamed(dialect, saids):
    if dialect == "ollama":
        return lines(saids)
    end = b"data: [DONE]\n\n" if dialect == "openai-chat" else b""
    return sse(EVENTS[dialect](saids)) + end


def nested(depth, inner="1"):
    return '{"a":' * depth + inner + "}" * depth


# What a model says, once or in many pieces.
SAYS = {
    "deep arguments, 120": lambda: [{"calls": [call(nested(120, json.dumps(["x"] * 2_000)))]}],
    "deep arguments, 5,000": lambda: [{"calls": [call(nested(5_000))]}],
    "40,000 keys": lambda: [{"calls": [call(json.dumps({f"k{i}": i for i in range(40_000)}))]}],
    "one key of 250 KB": lambda: [{"calls": [call(json.dumps({"k" * 250_000: 1}))]}],
    "50 calls with keys of 4 KB": lambda: [{"calls": [call(json.dumps({"k" * 4_000 + str(i): i for i in range(2)}), number=n) for n in range(50)]}],
    "a number of 200,000 digits": lambda: [{"calls": [call('{"a": ' + "7" * 200_000 + ', "b": 2}')]}],
    "the same key 10,000 times": lambda: [{"calls": [call('{"a": 1' + ', "b": 2' * 10_000 + "}")]}],
    "reasoning of 480 KB": lambda: [{"text": "x", "reasoning": "thought " * 60_000, "calls": [call()]}],
    "reasoning of escapes": lambda: [{"reasoning": '\\"\\u0000%41&amp;\n' * 20_000, "calls": [call()]}],
    "controls of 400 KB": lambda: [{"text": "\x00\x1b[31m\u202e\U0001f600" * 40_000}],
    "quotes of 400 KB": lambda: [{"text": '"\\' * 200_000}],
    "openers of 480 KB": lambda: [{"text": "<tool_call>" * 40_000}],
    "braces of 480 KB": lambda: [{"text": '{"name":' * 60_000}],
    "lines of bare JSON": lambda: [{"text": '{"name": "probe_add", "arguments": {"a"\n' * 12_000}],
    "thoughts with calls": lambda: [{"reasoning": '<tool_call>{"name": "probe_add", "arguments": {"a": 1, "b": 2}}</tool_call>' * 6_000}],
    "250 calls with an id of 4 KB": lambda: [{"calls": [{**call(), "id": "i" * 4_000 + str(n)} for n in range(250)]}],
    "250 names of 250 bytes": lambda: [{"calls": [call(name="n" * 250, number=n) for n in range(250)]}],
    "250 names of 1 KB": lambda: [{"calls": [call(name="n" * 1_000, number=n) for n in range(250)]}],
    "20,000 pieces of one letter": lambda: [{"text": "x"}] * 20_000,
    "20,000 empty pieces": lambda: [{}] * 20_000,
    "10,000 pieces with a call": lambda: [{"calls": [call(number=n)]} for n in range(10_000)],
    "900 pieces with a call and 500 bytes": lambda: [{"calls": [call(json.dumps({"a": "x" * 500}), number=n)]} for n in range(900)],
}



def many_answers(count):
    def change(dialect, value):
        for key in ("choices", "candidates", "output", "content"):
            if isinstance(value.get(key), list):
                value[key] = value[key] * count
        return value

    return change


def beside(**more):
    return lambda dialect, value: {**value, **more}


def usage(value):
    def change(dialect, document):
        key = {"gemini": "usageMetadata"}.get(dialect, "usage")
        return {**document, key: value}

    return change


# What is changed in an ordinary document with one call.
CHANGES = {
    "5,000 answers": many_answers(5_000),
    "usage with 10,000 counts": usage({"prompt_tokens": 9, **{f"tokens_{i}": i for i in range(10_000)}}),
    "usage of 3 MB": usage({"prompt_tokens": 9, "note": "x" * 3_000_000}),
    "usage of many digits": usage({"prompt_tokens": int("9" * 4_000), "input_tokens": int("9" * 4_000), "promptTokenCount": int("9" * 4_000)}),
    "fields with 25,000 names": beside(**{f"field-{i}": None for i in range(25_000)}),
    "lists in lists": beside(logprobs=[[[[]] * 20] * 20] * 40),
    "a model's name of 4 KB": beside(model="m" * 4_000, id="i" * 4_000, modelVersion="m" * 4_000, system_fingerprint="f" * 4_000),
}

# Errors, as frameworks write them.
ERRORS = {
    "an error list": {"detail": [{"loc": ["body", "messages", i], "msg": "field required", "input": "x" * 50} for i in range(6_000)]},
    "an error of errors": {"error": {"message": "no", "errors": [{"message": "m" * 500, "reason": "r"} for _ in range(6_000)]}},
    "an error in an error": {"error": {"message": json.dumps({"error": {"message": json.dumps({"error": {"message": "m" * 400_000}})}})}},
}


def document(dialect, change):
    return change(dialect, WHOLE[dialect]({"text": "x", "calls": [call()]}))


def one_frame(dialect, value):
    if dialect == "ollama":
        return dump(value) + b"\n"
    return b"data: " + dump(value) + b"\n\n"


def rows():
    """Name: dialect, status, body of a plain reply, body of a streamed one, and its type."""
    for dialect in DIALECTS:
        kind = NDJSON if dialect == "ollama" else SSE
        for name, says in SAYS.items():
            plain = lambda says=says, dialect=dialect: dump(WHOLE[dialect](merged(says())))
            pieces = lambda says=says, dialect=dialect: streamed(dialect, says())
            yield f"{dialect}: {name}", (dialect, 200, plain, pieces, kind)
        for name, change in CHANGES.items():
            plain = lambda change=change, dialect=dialect: dump(document(dialect, change))
            pieces = lambda change=change, dialect=dialect: one_frame(dialect, document(dialect, change)) + streamed(dialect, [{"text": "x"}])
            yield f"{dialect}: {name}", (dialect, 200, plain, pieces, kind)
        for name, error in ERRORS.items():
            plain = lambda error=error: dump(error)
            yield f"{dialect}: {name}", (dialect, 400, plain, None, "application/json")


def merged(saids):
    """All pieces as one whole reply, as far as a plain reply can hold them."""
    out = {"text": "".join(it.get("text") or "" for it in saids), "reasoning": "".join(it.get("reasoning") or "" for it in saids)}
    return {**out, "calls": [it for said in saids for it in said.get("calls", [])]}
