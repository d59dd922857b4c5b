"""Holds one loop with two calls with every simulated model, through released Python clients.

Usage: clients_check.py BASE_URL MODELS.json   (a list of {"name", "dialect"})

A client copes with a model when it reads both calls with the values that were asked for, can send both
results back, and gets an answer that holds both. Prints one JSON object per line: model, client,
version, mode, ok, why. The client in Node is driven by clients_check.mjs in the same way.
"""

import importlib.metadata
import json
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import anthropic
import ollama
import openai
from google import genai
from google.genai import types as genai_types
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import ToolMessage
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent, Tool
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

BASE = sys.argv[1]
TIMEOUT = 20
PROMPT = (
    'Call the tool `get_weather` once, with:\n- city = "Oslo"\n- days = 3\n\n'
    'Call the tool `get_time` once, with:\n- zone = "Europe/Oslo"\n\n'
    "Then say what both results say, word for word."
)
EXPECTED = {"get_weather": {"city": "Oslo", "days": 3}, "get_time": {"zone": "Europe/Oslo"}}
RESULTS = {"get_weather": "weather-receipt-7f3a91", "get_time": "time-receipt-c04b6d"}


def schema(properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


SCHEMAS = {
    "get_weather": schema({"city": {"type": "string"}, "days": {"type": "integer"}}),
    "get_time": schema({"zone": {"type": "string"}}),
}


class Broken(Exception):
    """The client did not get what an agent needs."""


def check_calls(calls):
    """The calls that a client read: pairs of name and arguments."""
    found = dict(calls)
    if len(calls) != 2 or found != EXPECTED:
        raise Broken(f"calls read: {json.dumps(calls, default=str)[:160]}")


def check_answer(text):
    missing = [name for name, receipt in RESULTS.items() if receipt not in (text or "")]
    if missing:
        raise Broken(f"the answer lacks the result of {', '.join(missing)}: {(text or '')[:80]!r}")


# The providers' own SDKs

CHAT = openai.OpenAI(base_url=f"{BASE}/v1", api_key="any", max_retries=0, timeout=TIMEOUT)
CHAT_TOOLS = [
    {"type": "function", "function": {"name": n, "description": n, "parameters": s}}
    for n, s in SCHEMAS.items()
]


def openai_chat(model, stream):
    messages = [{"role": "user", "content": PROMPT}]

    def turn():
        request = {"model": model, "messages": messages, "tools": CHAT_TOOLS}
        if not stream:
            return CHAT.chat.completions.create(**request).choices[0].message
        with CHAT.chat.completions.stream(**request) as events:
            for _ in events:
                pass
            return events.get_final_completion().choices[0].message

    message = turn()
    calls = message.tool_calls or []
    check_calls([(call.function.name, json.loads(call.function.arguments)) for call in calls])
    messages.append(message.model_dump(exclude_none=True))
    for call in calls:
        result = RESULTS[call.function.name]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    check_answer(turn().content)


def openai_responses(model, stream):
    tools = [{"type": "function", "name": n, "parameters": s} for n, s in SCHEMAS.items()]
    items = [{"role": "user", "content": PROMPT}]

    def turn():
        request = {"model": model, "input": items, "tools": tools, "store": False}
        if not stream:
            return CHAT.responses.create(**request)
        with CHAT.responses.stream(**request) as events:
            for _ in events:
                pass
            return events.get_final_response()

    response = turn()
    calls = [item for item in response.output if item.type == "function_call"]
    check_calls([(call.name, json.loads(call.arguments)) for call in calls])
    items.extend(item.model_dump(exclude_none=True) for item in response.output)
    for item in items:
        item.pop("parsed_arguments", None) if isinstance(item, dict) else None
    for call in calls:
        output = RESULTS[call.name]
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    check_answer(turn().output_text)


MESSAGES = anthropic.Anthropic(base_url=BASE, api_key="any", max_retries=0, timeout=TIMEOUT)


def anthropic_messages(model, stream):
    tools = [{"name": n, "description": n, "input_schema": s} for n, s in SCHEMAS.items()]
    messages = [{"role": "user", "content": PROMPT}]

    def turn():
        request = {"model": model, "messages": messages, "tools": tools, "max_tokens": 2000}
        if not stream:
            return MESSAGES.messages.create(**request)
        with MESSAGES.messages.stream(**request) as events:
            return events.get_final_message()

    message = turn()
    calls = [block for block in message.content if block.type == "tool_use"]
    check_calls([(call.name, call.input) for call in calls])
    messages.append({"role": "assistant", "content": message.content})
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": RESULTS[call.name]} for call in calls
    ]
    messages.append({"role": "user", "content": results})
    check_answer("".join(block.text for block in turn().content if block.type == "text"))


GEMINI = genai.Client(
    api_key="any", http_options=genai_types.HttpOptions(base_url=BASE, timeout=TIMEOUT * 1000)
)


def google_genai(model, stream):
    declared = [
        genai_types.FunctionDeclaration(name=n, description=n, parameters_json_schema=s)
        for n, s in SCHEMAS.items()
    ]
    config = genai_types.GenerateContentConfig(
        tools=[genai_types.Tool(function_declarations=declared)],
        automatic_function_calling=genai_types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [genai_types.Content(role="user", parts=[genai_types.Part(text=PROMPT)])]

    def turn():
        request = {"model": model, "contents": contents, "config": config}
        if not stream:
            return GEMINI.models.generate_content(**request).candidates[0].content.parts or []
        parts = []
        for chunk in GEMINI.models.generate_content_stream(**request):
            for candidate in chunk.candidates or []:
                parts.extend((candidate.content and candidate.content.parts) or [])
        return parts

    parts = turn()
    calls = [part.function_call for part in parts if part.function_call]
    check_calls([(call.name, call.args) for call in calls])
    contents.append(genai_types.Content(role="model", parts=parts))
    results = [
        genai_types.Part(
            function_response=genai_types.FunctionResponse(
                id=call.id, name=call.name, response={"result": RESULTS[call.name]}
            )
        )
        for call in calls
    ]
    contents.append(genai_types.Content(role="user", parts=results))
    check_answer("".join(part.text or "" for part in turn() if not part.thought))


OLLAMA = ollama.Client(host=BASE, timeout=TIMEOUT)


def ollama_sdk(model, stream):
    messages = [{"role": "user", "content": PROMPT}]

    def turn():
        request = {"model": model, "messages": messages, "tools": CHAT_TOOLS}
        if not stream:
            return OLLAMA.chat(**request).message.model_dump(exclude_none=True)
        message = {"role": "assistant", "content": "", "thinking": "", "tool_calls": []}
        for chunk in OLLAMA.chat(**request, stream=True):
            message["content"] += chunk.message.content or ""
            message["thinking"] += chunk.message.thinking or ""
            calls = chunk.message.tool_calls or []
            message["tool_calls"].extend(call.model_dump(exclude_none=True) for call in calls)
        return {key: value for key, value in message.items() if value}

    message = turn()
    calls = [call["function"] for call in message.get("tool_calls") or []]
    check_calls([(call["name"], dict(call["arguments"])) for call in calls])
    messages.append(message)
    for call in calls:
        messages.append({"role": "tool", "tool_name": call["name"], "content": RESULTS[call["name"]]})
    check_answer(turn().get("content"))


# Frameworks


def langchain(make):
    def drive(model, stream):
        llm = make(model).bind_tools(
            [{"title": n, "description": n, **s} for n, s in SCHEMAS.items()]
        )
        messages = [("user", PROMPT)]

        def turn():
            if not stream:
                return llm.invoke(messages)
            whole = None
            for chunk in llm.stream(messages):
                whole = chunk if whole is None else whole + chunk
            return whole

        message = turn()
        check_calls([(call["name"], call["args"]) for call in message.tool_calls])
        messages.append(message)
        for call in message.tool_calls:
            messages.append(ToolMessage(RESULTS[call["name"]], tool_call_id=call["id"], name=call["name"]))
        check_answer(turn().text)

    return drive


def pydantic_ai(make):
    def drive(model, stream):
        calls = []

        def tool(name):
            def run(**arguments):
                calls.append((name, arguments))
                return RESULTS[name]

            return Tool.from_schema(run, name=name, description=name, json_schema=SCHEMAS[name])

        agent = Agent(make(model), tools=[tool(name) for name in SCHEMAS], retries=0)
        if stream:
            with_stream = agent.run_stream_sync(PROMPT)
            text = with_stream.get_output()
        else:
            text = agent.run_sync(PROMPT).output
        check_calls(calls)
        check_answer(text)

    return drive


def openai_provider():
    return OpenAIProvider(openai_client=openai.AsyncOpenAI(
        base_url=f"{BASE}/v1", api_key="any", max_retries=0, timeout=TIMEOUT))


def version(package):
    return importlib.metadata.version(package)


# Client, package, dialect, how it is driven.
CLIENTS = [
    ("openai", "openai", "openai-chat", openai_chat),
    ("langchain", "langchain-openai", "openai-chat", langchain(
        lambda model: ChatOpenAI(base_url=f"{BASE}/v1", api_key="any", model=model, max_retries=0,
                                 timeout=TIMEOUT, use_responses_api=False))),
    ("pydantic-ai", "pydantic-ai-slim", "openai-chat", pydantic_ai(
        lambda model: OpenAIChatModel(model, provider=openai_provider()))),
    ("openai", "openai", "openai-responses", openai_responses),
    ("langchain", "langchain-openai", "openai-responses", langchain(
        lambda model: ChatOpenAI(base_url=f"{BASE}/v1", api_key="any", model=model, max_retries=0,
                                 timeout=TIMEOUT, use_responses_api=True, store=False))),
    ("pydantic-ai", "pydantic-ai-slim", "openai-responses", pydantic_ai(
        lambda model: OpenAIResponsesModel(model, provider=openai_provider()))),
    ("anthropic", "anthropic", "anthropic-messages", anthropic_messages),
    ("langchain", "langchain-anthropic", "anthropic-messages", langchain(
        lambda model: ChatAnthropic(base_url=BASE, api_key="any", model=model, max_retries=0,
                                    timeout=TIMEOUT, max_tokens=2000))),
    ("pydantic-ai", "pydantic-ai-slim", "anthropic-messages", pydantic_ai(
        lambda model: AnthropicModel(model, provider=AnthropicProvider(anthropic_client=anthropic.AsyncAnthropic(
            base_url=BASE, api_key="any", max_retries=0, timeout=TIMEOUT))))),
    ("google-genai", "google-genai", "gemini", google_genai),
    ("langchain", "langchain-google-genai", "gemini", langchain(
        lambda model: ChatGoogleGenerativeAI(model=model, api_key="any", base_url=BASE, max_retries=1,
                                             timeout=TIMEOUT))),
    ("pydantic-ai", "pydantic-ai-slim", "gemini", pydantic_ai(
        lambda model: GoogleModel(model, provider=GoogleProvider(api_key="any", base_url=BASE)))),
    ("ollama", "ollama", "ollama", ollama_sdk),
    ("langchain", "langchain-ollama", "ollama", langchain(
        lambda model: ChatOllama(model=model, base_url=BASE))),
]


def outcome(drive, model, stream):
    try:
        drive(model, stream)
    except Exception as error:  # whatever stops a client is what is measured
        return f"{type(error).__name__}: {error}".replace(BASE, "").splitlines()[0][:200]
    return None


def main():
    models = json.load(open(sys.argv[2]))
    for model in models:
        for client, package, dialect, drive in CLIENTS:
            if dialect != model["dialect"]:
                continue
            for mode in ("plain", "streamed"):
                why = outcome(drive, model["name"], mode == "streamed")
                row = {"model": model["name"], "dialect": dialect, "client": client,
                       "package": package, "version": version(package), "mode": mode, "ok": why is None}
                print(json.dumps(row | ({"why": why} if why else {})), flush=True)


main()
