"""Drives the simulated models through the providers' own SDKs.

Usage: sdk_check.py BASE_URL [FOLDER]

Each check is a conversation of call, result and answer, plain or streamed through the SDK's own
accumulator, or a request that the provider refuses. Prints one line per check and at the end
`N passed, N failed`; exits 1 when one failed. With a FOLDER, the requests of the conversations are
kept there as fixtures.
"""

import importlib.metadata
import json
import sys
import traceback
import urllib.parse

import anthropic
import ollama
import openai
from google import genai
from google.genai import errors as genai_errors
from google.genai import types as genai_types

from recording import Recorder, Relay

SERVER = urllib.parse.urlsplit(sys.argv[1])
FOLDER = sys.argv[2] if len(sys.argv) > 2 else None
RELAY = Relay((SERVER.hostname, SERVER.port)) if FOLDER else None
BASE = RELAY.address if RELAY else sys.argv[1]
CHECKS = []

NONCE = "nonce-7f3a91"
PROMPT = 'Call the tool `get_weather` once, with:\n- city = "Oslo"\n- days = 3\n- unit = "celsius"\n'
BOTH = (
    'Call the tool `get_weather` once, with:\n- city = "Oslo"\n- days = 3\n- unit = "celsius"\n\n'
    'Call the tool `get_time` once, with:\n- zone = "Europe/Oslo"\n'
)
WEATHER_ARGS = {"city": "Oslo", "days": 3, "unit": "celsius"}
TIME_ARGS = {"zone": "Europe/Oslo"}


def schema(properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


WEATHER = schema(
    {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    }
)
TIME = schema({"zone": {"type": "string"}})
TOOLS = [("get_weather", "The weather in a city.", WEATHER), ("get_time", "The time in a zone.", TIME)]


def check(function):
    CHECKS.append((function.__name__.replace("_", " "), function))
    return function


def both_ways(function):
    """Registers a check twice: plain and streamed."""
    for stream in (False, True):
        name = f"{function.__name__.replace('_', ' ')}, {'streamed' if stream else 'plain'}"
        CHECKS.append((name, lambda stream=stream: function(stream)))
    return function


def equal(found, expected, what):
    assert found == expected, f"{what}: expected {expected!r}, found {found!r}"


def positive(number, what):
    assert isinstance(number, int) and number > 0, f"{what}: {number!r}"


def holds_nonce(text):
    assert NONCE in (text or ""), f"the answer does not hold the result: {text!r}"


def well_shaped(reply):
    """The SDK reads leniently; its types also say which fields the provider always sends."""
    type(reply).model_validate(reply.model_dump(exclude_unset=True, by_alias=True, warnings=False))


def refused(error_class, status, words, call):
    """The call must raise this class with this status and these words."""
    try:
        call()
    except error_class as error:
        found = getattr(error, "status_code", None) or getattr(error, "code", None)
        equal(found, status, "status")
        assert words in str(error), f"expected {words!r} in {error}"
        return error
    raise AssertionError(f"not refused: expected {status} {words!r}")


# OpenAI Chat Completions

CHAT = openai.OpenAI(base_url=f"{BASE}/v1", api_key="any", max_retries=0)
CHAT_TOOLS = [
    {
        "type": "function",
        "function": {"name": n, "description": d, "parameters": s, "strict": True},
    }
    for n, d, s in TOOLS
]


def chat(model, messages, stream, **more):
    request = {"model": model, "messages": messages, "tools": CHAT_TOOLS, **more}
    if not stream:
        completion = CHAT.chat.completions.create(**request)
        well_shaped(completion)
        return completion
    with CHAT.chat.completions.stream(**request, stream_options={"include_usage": True}) as events:
        for _ in events:
            pass
        return events.get_final_completion()


def chat_usage(completion):
    usage = completion.usage
    positive(usage.prompt_tokens, "prompt tokens")
    positive(usage.completion_tokens, "completion tokens")
    equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens, "total tokens")


def chat_loop(model, stream, prompt=PROMPT, **more):
    """Call, result, answer; returns the assistant message that held the calls."""
    messages = [{"role": "user", "content": prompt}]
    first = chat(model, messages, stream, **more)
    choice = first.choices[0]
    equal(first.model, model, "model echo")
    assert first.id, "no id"
    equal(first.object, "chat.completion", "object")
    equal(choice.finish_reason, "tool_calls", "finish reason")
    chat_usage(first)
    calls = choice.message.tool_calls
    equal(len({call.id for call in calls}), len(calls), "distinct ids")
    equal((calls[0].type, calls[0].function.name), ("function", "get_weather"), "call")
    equal(json.loads(calls[0].function.arguments), WEATHER_ARGS, "arguments")
    messages.append(choice.message.model_dump(exclude_none=True, exclude={"parsed"}))
    for call in messages[-1]["tool_calls"]:
        call["function"].pop("parsed_arguments", None)
        call.pop("index", None)
    for call in calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": f"rain {NONCE}"})
    second = chat(model, messages, stream, **more)
    equal(second.choices[0].finish_reason, "stop", "finish reason of the answer")
    holds_nonce(second.choices[0].message.content)
    chat_usage(second)
    return choice.message


@both_ways
def openai_chat_call_result_answer(stream):
    message = chat_loop("openai-native", stream)
    equal(len(message.tool_calls), 1, "calls")
    assert message.tool_calls[0].id.startswith("call_"), message.tool_calls[0].id


@both_ways
def openai_chat_two_calls_at_once(stream):
    message = chat_loop("openai-native", stream, prompt=BOTH)
    equal([call.function.name for call in message.tool_calls], ["get_weather", "get_time"], "names")
    equal(json.loads(message.tool_calls[1].function.arguments), TIME_ARGS, "arguments")


@both_ways
def openai_chat_answers_without_tools(stream):
    completion = chat("openai-native", [{"role": "user", "content": "Good morning."}], stream)
    equal(completion.choices[0].finish_reason, "stop", "finish reason")
    assert completion.choices[0].message.content, "no text"
    assert not completion.choices[0].message.tool_calls, "a call"


@both_ways
def openai_chat_forced_choice(stream):
    forced = {"type": "function", "function": {"name": "get_time"}}
    messages = [{"role": "user", "content": "Good morning."}]
    message = chat("openai-native", messages, stream, tool_choice=forced).choices[0].message
    equal(message.tool_calls[0].function.name, "get_time", "name")


@both_ways
def openai_chat_deepseek_thinking(stream):
    message = chat_loop("deepseek-v4-thinking", stream)
    assert message.reasoning_content, "no reasoning"


@check
def openai_chat_errors_have_their_classes():
    user = {"role": "user", "content": "hi"}
    orphan = {"role": "tool", "tool_call_id": "x", "content": "1"}
    error = refused(
        openai.BadRequestError,
        400,
        "must be a response to a preceeding message",
        lambda: chat("openai-native", [user, orphan], False),
    )
    equal((error.type, error.param), ("invalid_request_error", "messages.[1].role"), "fields")
    error = refused(
        openai.NotFoundError, 404, "does not exist", lambda: chat("nobody", [user], False)
    )
    equal(error.code, "model_not_found", "code")


@check
def openai_chat_refuses_lost_reasoning():
    messages = [{"role": "user", "content": PROMPT}]
    message = chat("deepseek-v4-thinking", messages, False).choices[0].message
    replay = message.model_dump(exclude_none=True)
    replay.pop("reasoning_content")
    call_id = message.tool_calls[0].id
    result = {"role": "tool", "tool_call_id": call_id, "content": "rain"}
    refused(
        openai.BadRequestError,
        400,
        "must be passed back to the API",
        lambda: chat("deepseek-v4-thinking", [*messages, replay, result], False),
    )


@check
def openai_chat_stream_has_the_documented_chunks():
    request = {
        "model": "openai-native",
        "messages": [{"role": "user", "content": PROMPT}],
        "tools": CHAT_TOOLS,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    chunks = list(CHAT.chat.completions.create(**request))
    for chunk in chunks:
        well_shaped(chunk)
    equal({chunk.object for chunk in chunks}, {"chat.completion.chunk"}, "objects")
    equal(len({(chunk.id, chunk.created, chunk.model) for chunk in chunks}), 1, "heads")
    equal(chunks[0].choices[0].delta.role, "assistant", "role of the first chunk")
    equal(chunks[-1].choices, [], "choices of the usage chunk")
    equal([chunk.usage for chunk in chunks[:-1]], [None] * (len(chunks) - 1), "early usage")
    finishes = [c.finish_reason for chunk in chunks for c in chunk.choices if c.finish_reason]
    equal(finishes, ["tool_calls"], "finish reasons")
    # The SDK stops at the terminator and would not miss it.
    with CHAT.chat.completions.with_streaming_response.create(**request) as response:
        equal(response.headers["content-type"].split(";")[0], "text/event-stream", "content type")
        lines = [line for line in response.iter_lines() if line]
    equal(lines[-1], "data: [DONE]", "last line")


@check
def openai_chat_lists_models():
    assert "openai-native" in [model.id for model in CHAT.models.list()]


@check
def openai_chat_retries_a_rate_limit():
    client = CHAT.with_options(max_retries=2)
    messages = [{"role": "user", "content": f"Good morning. {NONCE}"}]
    completion = client.chat.completions.create(model="rate-limited", messages=messages)
    assert completion.choices[0].message.content, "no text"


# OpenAI Responses

RESPONSES_TOOLS = [
    {"type": "function", "name": n, "description": d, "parameters": s, "strict": True}
    for n, d, s in TOOLS
]


def respond(model, items, stream, **more):
    request = {"model": model, "input": items, "tools": RESPONSES_TOOLS, "store": False, **more}
    if not stream:
        response = CHAT.responses.create(**request)
        well_shaped(response)
        return response
    with CHAT.responses.stream(**request) as events:
        seen = list(events)
        equal(seen[0].type, "response.created", "first event")
        equal(seen[-1].type, "response.completed", "last event")
        numbers = [event.sequence_number for event in seen]
        equal(numbers, list(range(len(seen))), "sequence numbers")
        return events.get_final_response()


def response_usage(response):
    usage = response.usage
    positive(usage.input_tokens, "input tokens")
    positive(usage.output_tokens, "output tokens")
    equal(usage.total_tokens, usage.input_tokens + usage.output_tokens, "total tokens")


def replayable(item):
    """An output item as input: what the SDK parsed for us does not go back."""
    return item.model_dump(exclude_none=True, exclude={"parsed_arguments"})


def response_loop(model, stream, **more):
    items = [{"role": "user", "content": PROMPT}]
    first = respond(model, items, stream, **more)
    equal((first.status, first.object), ("completed", "response"), "status")
    equal(first.model, model, "model echo")
    assert first.id.startswith("resp_"), first.id
    response_usage(first)
    calls = [item for item in first.output if item.type == "function_call"]
    equal([call.name for call in calls], ["get_weather"], "calls")
    equal(json.loads(calls[0].arguments), WEATHER_ARGS, "arguments")
    assert calls[0].id.startswith("fc_"), calls[0].id
    assert calls[0].call_id.startswith("call_"), calls[0].call_id
    items += [replayable(item) for item in first.output]
    output = f"rain {NONCE}"
    items.append(
        {"type": "function_call_output", "call_id": calls[0].call_id, "output": output}
    )
    second = respond(model, items, stream, **more)
    equal(second.status, "completed", "status of the answer")
    holds_nonce(second.output_text)
    response_usage(second)
    return first


@both_ways
def openai_responses_call_result_answer(stream):
    response_loop("responses-native", stream)


@both_ways
def openai_responses_answers_without_tools(stream):
    response = respond("responses-native", "Good morning.", stream)
    assert response.output_text, "no text"
    equal([item.type for item in response.output if item.type == "function_call"], [], "calls")


@both_ways
def openai_responses_reasoning(stream):
    response = response_loop("responses-reasoning", stream, reasoning={"effort": "medium"})
    reasoning = [item for item in response.output if item.type == "reasoning"]
    equal(len(reasoning), 1, "reasoning items")
    assert reasoning[0].id.startswith("rs_"), reasoning[0].id
    assert reasoning[0].encrypted_content, "no encrypted content"
    assert reasoning[0].summary[0].text, "no summary"


@check
def openai_responses_events_are_well_shaped():
    for model in ("responses-native", "responses-reasoning"):
        request = {"model": model, "input": PROMPT, "tools": RESPONSES_TOOLS}
        for event in CHAT.responses.create(**request, stream=True):
            well_shaped(event)


@check
def openai_responses_errors_have_their_classes():
    orphan = {"type": "function_call_output", "call_id": "call_x", "output": "1"}
    refused(
        openai.BadRequestError,
        400,
        "No tool call found for function call output with call_id call_x.",
        lambda: respond("responses-native", [orphan], False),
    )


@check
def openai_responses_refuses_lost_reasoning():
    items = [{"role": "user", "content": PROMPT}]
    first = respond("responses-reasoning", items, False, reasoning={"effort": "medium"})
    items += [replayable(item) for item in first.output if item.type != "reasoning"]
    call = next(item for item in first.output if item.type == "function_call")
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": "rain"})
    refused(
        openai.BadRequestError,
        400,
        "was provided without its required 'reasoning' item",
        lambda: respond("responses-reasoning", items, False, reasoning={"effort": "medium"}),
    )


# Anthropic Messages

CLAUDE = anthropic.Anthropic(base_url=BASE, api_key="any", max_retries=0)
CLAUDE_TOOLS = [{"name": n, "description": d, "input_schema": s} for n, d, s in TOOLS]
THINKING = {"type": "enabled", "budget_tokens": 1024}


def message(model, messages, stream, **more):
    request = {
        "model": model,
        "max_tokens": 4096,
        "messages": messages,
        "tools": CLAUDE_TOOLS,
        **more,
    }
    if not stream:
        reply = CLAUDE.messages.create(**request)
        well_shaped(reply)
        return reply
    with CLAUDE.messages.stream(**request) as events:
        kinds = [event.type for event in events]
        # The accumulator would not miss it.
        equal((kinds[0], kinds[-1]), ("message_start", "message_stop"), "first and last event")
        equal(kinds.count("content_block_start"), kinds.count("content_block_stop"), "block ends")
        return events.get_final_message()


def message_loop(model, stream, prompt=PROMPT, **more):
    messages = [{"role": "user", "content": prompt}]
    first = message(model, messages, stream, **more)
    equal((first.type, first.role, first.model), ("message", "assistant", model), "head")
    assert first.id.startswith("msg_"), first.id
    equal(first.stop_reason, "tool_use", "stop reason")
    positive(first.usage.input_tokens, "input tokens")
    positive(first.usage.output_tokens, "output tokens")
    calls = [block for block in first.content if block.type == "tool_use"]
    assert all(call.id.startswith("toolu_") for call in calls), calls
    equal((calls[0].name, calls[0].input), ("get_weather", WEATHER_ARGS), "call")
    messages.append({"role": "assistant", "content": first.content})
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": f"rain {NONCE}"}
        for call in calls
    ]
    messages.append({"role": "user", "content": results})
    second = message(model, messages, stream, **more)
    equal(second.stop_reason, "end_turn", "stop reason of the answer")
    holds_nonce("".join(block.text for block in second.content if block.type == "text"))
    return first


@both_ways
def anthropic_call_result_answer(stream):
    message_loop("anthropic-native", stream)


@both_ways
def anthropic_two_calls_at_once(stream):
    first = message_loop("anthropic-native", stream, prompt=BOTH)
    calls = [block for block in first.content if block.type == "tool_use"]
    equal([call.name for call in calls], ["get_weather", "get_time"], "names")
    equal(calls[1].input, TIME_ARGS, "arguments")


@both_ways
def anthropic_answers_without_tools(stream):
    reply = message("anthropic-native", [{"role": "user", "content": "Good morning."}], stream)
    equal([block.type for block in reply.content], ["text"], "blocks")
    equal(reply.stop_reason, "end_turn", "stop reason")


for MODE in ("anthropic-thinking-start", "anthropic-thinking-no-modify", "anthropic-thinking-signature"):

    def anthropic_thinking(stream, mode=MODE):
        first = message_loop(mode, stream, thinking=THINKING)
        equal(first.content[0].type, "thinking", "first block")
        assert first.content[0].thinking and first.content[0].signature, "no thinking"

    anthropic_thinking.__name__ = MODE.replace("-", "_")
    both_ways(anthropic_thinking)


@both_ways
def anthropic_redacted_thinking(stream):
    first = message_loop("anthropic-redacted", stream, thinking=THINKING)
    equal(first.content[0].type, "redacted_thinking", "first block")
    assert first.content[0].data, "no data"


@check
def anthropic_events_are_well_shaped():
    for model in ("anthropic-native", "anthropic-thinking-start"):
        request = {
            "model": model,
            "max_tokens": 4096,
            "messages": [{"role": "user", "content": PROMPT}],
            "tools": CLAUDE_TOOLS,
            "thinking": THINKING,
        }
        for event in CLAUDE.messages.create(**request, stream=True):
            well_shaped(event)


@check
def anthropic_errors_have_their_classes():
    orphan = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_x", "content": "1"}],
    }
    error = refused(
        anthropic.BadRequestError,
        400,
        "unexpected `tool_use_id` found in `tool_result` blocks: toolu_x",
        lambda: message("anthropic-native", [orphan], False),
    )
    equal(error.body["error"]["type"], "invalid_request_error", "type")
    assert error.request_id, "no request id"
    hello = [{"role": "user", "content": "hi"}]
    refused(anthropic.NotFoundError, 404, "model: nobody", lambda: message("nobody", hello, True))


@check
def anthropic_lists_models():
    assert "anthropic-native" in [model.id for model in CLAUDE.models.list()]


# Gemini

GEMINI = genai.Client(api_key="any", http_options=genai_types.HttpOptions(base_url=BASE))


def gemini_config(**more):
    declarations = [
        genai_types.FunctionDeclaration(name=n, description=d, parameters_json_schema=s)
        for n, d, s in TOOLS
    ]
    return genai_types.GenerateContentConfig(
        tools=[genai_types.Tool(function_declarations=declarations)],
        automatic_function_calling=genai_types.AutomaticFunctionCallingConfig(disable=True),
        **more,
    )


def gemini_send(chat_session, parts, stream):
    """Sends through the SDK's chat, which keeps the history; returns all chunks."""
    if not stream:
        return [chat_session.send_message(parts)]
    return list(chat_session.send_message_stream(parts))


def gemini_parts(chunks):
    return [
        part
        for chunk in chunks
        for candidate in chunk.candidates or []
        for part in (candidate.content.parts if candidate.content else None) or []
    ]


def gemini_loop(model, stream, prompt=PROMPT, **more):
    session = GEMINI.chats.create(model=model, config=gemini_config(**more))
    chunks = gemini_send(session, prompt, stream)
    calls = [part.function_call for part in gemini_parts(chunks) if part.function_call]
    equal((calls[0].name, calls[0].args), ("get_weather", WEATHER_ARGS), "call")
    equal(chunks[-1].candidates[0].finish_reason.name, "STOP", "finish reason")
    equal(chunks[-1].model_version, model, "model version")
    assert chunks[-1].response_id, "no response id"
    usage = chunks[-1].usage_metadata
    positive(usage.prompt_token_count, "prompt tokens")
    positive(usage.candidates_token_count, "candidate tokens")
    results = [
        genai_types.Part(
            function_response=genai_types.FunctionResponse(
                id=call.id, name=call.name, response={"output": f"rain {NONCE}"}
            )
        )
        for call in calls
    ]
    answer = gemini_send(session, results, stream)
    holds_nonce("".join(part.text or "" for part in gemini_parts(answer) if not part.thought))
    return chunks


@both_ways
def gemini_call_result_answer(stream):
    gemini_loop("gemini-native", stream)


@both_ways
def gemini_two_calls_at_once(stream):
    chunks = gemini_loop("gemini-native", stream, prompt=BOTH)
    calls = [part.function_call for part in gemini_parts(chunks) if part.function_call]
    equal([call.name for call in calls], ["get_weather", "get_time"], "names")
    equal(calls[1].args, TIME_ARGS, "arguments")


@both_ways
def gemini_answers_without_tools(stream):
    session = GEMINI.chats.create(model="gemini-native", config=gemini_config())
    parts = gemini_parts(gemini_send(session, "Good morning.", stream))
    assert "".join(part.text or "" for part in parts), "no text"
    assert not any(part.function_call for part in parts), "a call"


@both_ways
def gemini_3_signatures_come_back(stream):
    chunks = gemini_loop("gemini-3-signatures", stream)
    signed = [part for part in gemini_parts(chunks) if part.function_call]
    assert signed[0].thought_signature, "no signature"


@check
def gemini_errors_have_their_classes():
    result = genai_types.Part(
        function_response=genai_types.FunctionResponse(name="get_time", response={"output": "1"})
    )
    contents = [genai_types.Content(role="user", parts=[result])]

    def ask(model):
        return GEMINI.models.generate_content(model=model, contents=contents, config=gemini_config())

    error = refused(
        genai_errors.ClientError,
        400,
        "function response turn comes immediately after a function call turn",
        lambda: ask("gemini-native"),
    )
    equal(error.status, "INVALID_ARGUMENT", "status word")
    error = refused(genai_errors.ClientError, 404, "is not found", lambda: ask("nobody"))
    equal(error.status, "NOT_FOUND", "status word")


@check
def gemini_lists_models():
    assert "models/gemini-native" in [model.name for model in GEMINI.models.list()]


# Ollama

OLLAMA = ollama.Client(host=BASE)
OLLAMA_TOOLS = [
    {"type": "function", "function": {"name": n, "description": d, "parameters": s}}
    for n, d, s in TOOLS
]


def ollama_chat(model, messages, stream, **more):
    """The last line, with the text, thinking and calls of all lines."""
    request = {"model": model, "messages": messages, "tools": OLLAMA_TOOLS, **more}
    if not stream:
        return OLLAMA.chat(**request)
    lines = list(OLLAMA.chat(**request, stream=True))
    assert not any(line.done for line in lines[:-1]), "done before the end"
    last = lines[-1]
    last.message.content = "".join(line.message.content or "" for line in lines)
    last.message.thinking = "".join(line.message.thinking or "" for line in lines) or None
    last.message.tool_calls = [c for line in lines for c in line.message.tool_calls or []]
    return last


def ollama_loop(model, stream, prompt=PROMPT, **more):
    messages = [{"role": "user", "content": prompt}]
    first = ollama_chat(model, messages, stream, **more)
    equal((first.model, first.done, first.done_reason), (model, True, "stop"), "end")
    assert first.created_at, "no time"
    positive(first.prompt_eval_count, "prompt tokens")
    positive(first.eval_count, "tokens")
    call = first.message.tool_calls[0].function
    equal((call.name, dict(call.arguments)), ("get_weather", WEATHER_ARGS), "call")
    messages.append(first.message)
    for made in first.message.tool_calls:
        name = made.function.name
        messages.append({"role": "tool", "tool_name": name, "content": f"rain {NONCE}"})
    second = ollama_chat(model, messages, stream, **more)
    holds_nonce(second.message.content)
    return first


@both_ways
def ollama_call_result_answer(stream):
    ollama_loop("ollama-native", stream)


@both_ways
def ollama_two_calls_at_once(stream):
    first = ollama_loop("ollama-native", stream, prompt=BOTH)
    names = [call.function.name for call in first.message.tool_calls]
    equal(names, ["get_weather", "get_time"], "names")


@both_ways
def ollama_answers_without_tools(stream):
    reply = ollama_chat("ollama-native", [{"role": "user", "content": "Good morning."}], stream)
    assert reply.message.content and not reply.message.tool_calls, reply


@both_ways
def ollama_thinking(stream):
    first = ollama_loop("ollama-thinking", stream, think=True)
    assert first.message.thinking, "no thinking"


@check
def ollama_errors_have_their_class():
    hello = [{"role": "user", "content": "hi"}]
    words = 'model "nobody" not found, try pulling it first'
    refused(ollama.ResponseError, 404, words, lambda: ollama_chat("nobody", hello, False))


@check
def ollama_lists_and_shows_models():
    assert "ollama-native" in [model.model for model in OLLAMA.list().models]
    assert "tools" in OLLAMA.show("ollama-native").capabilities


# The conversations whose requests are kept: the check, the dialect, the package, the fixture's name.
RECORDED = [
    ("openai chat call result answer", "openai-chat", "openai", "call"),
    ("openai chat deepseek thinking", "openai-chat", "openai", "reasoning"),
    ("openai responses call result answer", "openai-responses", "openai", "call"),
    ("openai responses reasoning", "openai-responses", "openai", "reasoning"),
    ("anthropic call result answer", "anthropic-messages", "anthropic", "call"),
    ("anthropic thinking signature", "anthropic-messages", "anthropic", "thinking"),
    ("anthropic redacted thinking", "anthropic-messages", "anthropic", "redacted"),
    ("gemini 3 signatures come back", "gemini", "google-genai", "signature"),
    ("ollama thinking", "ollama", "ollama", "thinking"),
]


def record(name, taken):
    """Keeps the last request of a conversation: it holds all that was said before."""
    check_name, _, way = name.rpartition(", ")
    for recorded, dialect, package, short in RECORDED:
        if recorded == check_name:
            path, body = RELAY.requests_since(taken)[-1]
            recorder = Recorder(FOLDER, f"the Python package {package} {importlib.metadata.version(package)}")
            source = ", before a simulated model: the request that sends the result back"
            recorder.request(dialect, f"{package}-{short}-{way}", source, path, body)


def main():
    failed = 0
    for name, function in CHECKS:
        try:
            taken = len(RELAY.requests_since(0)) if RELAY else 0
            function()
            if RELAY:
                record(name, taken)
        except Exception as error:  # one broken check must not hide the others
            failed += 1
            print(f"FAIL  {name}: {type(error).__name__}: {error}")
            if not isinstance(error, AssertionError):
                traceback.print_exc(limit=-2, file=sys.stdout)
        else:
            print(f"ok    {name}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
