"""Holds toolprobe's verdicts on a real model behind a real server against the raw bytes.

    python ci/real_check.py TOOLPROBE [FOLDER]

Two servers, each probed over three routes. With its own chat template the model was never shown
tools and answers in prose. With `real_forced.jinja` and a demanded call, the server's grammar lets
it write nothing but calls. A relay between toolprobe and the server keeps what really went over the
wire; nothing here asks toolprobe what it saw. With a FOLDER, replies of the server are kept there as
fixtures, and nothing is checked.
"""

import contextlib
import hashlib
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

from recording import Recorder, Relay

HERE = pathlib.Path(__file__).parent
PROBES = HERE.parent / "probes"
MODEL = "smollm2"
START_SECONDS = 60
PROBE_SECONDS = 120
MARKERS = ("<tool_call", "<tool_use", "~~~tool_call", "<function", "<|START_ACTION|>")

passed, failed = 0, 0


def check(what, holds, seen=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f': {seen}'}", flush=True)


class Route:
    """One dialect of the server: its path, its words, and where its replies hold calls and text."""

    def __init__(self, dialect, path, format, limit, demand, calls, text):
        self.dialect, self.path, self.format = dialect, path, format
        self.limit, self.demand, self.calls, self.text = limit, demand, calls, text

    def extra(self, demanded):
        # A weak model babbles until something stops it, and tokens are slow here.
        body = {self.limit: 96 if demanded else 48}
        if demanded:
            body["tool_choice"] = self.demand
        return json.dumps(body)


def chat_calls(body):
    calls = body["choices"][0]["message"].get("tool_calls") or []
    return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]


def messages_calls(body):
    blocks = [block for block in body["content"] if block["type"] == "tool_use"]
    return [(block["name"], json.dumps(block["input"])) for block in blocks]


def responses_calls(body):
    items = [item for item in body["output"] if item["type"] == "function_call"]
    return [(item["name"], item["arguments"]) for item in items]


def chat_text(body):
    return body["choices"][0]["message"].get("content") or ""


def messages_text(body):
    return "".join(block.get("text", "") for block in body["content"])


def responses_text(body):
    parts = [part for item in body["output"] for part in item.get("content") or []]
    return "".join(part.get("text", "") for part in parts)


ROUTES = [
    Route("openai-chat", "/v1/chat/completions", "openai", "max_tokens", "required",
          chat_calls, chat_text),
    Route("anthropic-messages", "/v1/messages", "anthropic", "max_tokens", {"type": "any"},
          messages_calls, messages_text),
    Route("openai-responses", "/v1/responses", "openai", "max_output_tokens", "required",
          responses_calls, responses_text),
]


@contextlib.contextmanager
def server(template=None):
    """A running server; ended by its process id."""
    command = [sys.executable, str(HERE / "real_server.py"), MODEL]
    command += [str(template)] if template else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = process.stdout.readline().strip()
        wait_for(address)
        yield address
    finally:
        process.kill()
        process.wait()


def wait_for(address):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if json.load(urllib.request.urlopen(address + "/health", timeout=5))["status"] == "ok":
                return
        time.sleep(0.2)
    raise SystemExit("the server did not start")


def probe(toolprobe, url, route, demanded, probes):
    command = [toolprobe, "probe", url, "--model", MODEL, "--dialect", route.dialect]
    command += ["--suite", "light", "--trials", "1", "--concurrency", "1", "--no-keep"]
    command += ["--format", "json", "--extra-body", route.extra(demanded)]
    command += ["--probes", str(probes)] if probes else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS)
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


def with_a_stream(folder):
    """The light suite, and a streamed twin of its first probe."""
    for name in ("basic-format", "closed-loop", "streaming"):
        text = (PROBES / f"{name}.toml").read_text(encoding="utf-8")
        lines = ['suites = ["light"]' if line.startswith("suites") else
                 'twins = ["basic-format"]' if line.startswith("twins") else line
                 for line in text.splitlines()]
        (folder / f"{name}.toml").write_text("\n".join(lines), encoding="utf-8")
    return folder


def normalised(template):
    text = template.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return "sha256:" + hashlib.sha256(text.rstrip("\n").encode()).hexdigest()


def results(value, path="results"):
    """Every result with a status, however deep."""
    if isinstance(value, dict):
        if "status" in value:
            yield path, value
        for key, inner in value.items():
            yield from results(inner, f"{path}.{key}")


def is_cut(result):
    """Whether the token limit ended what a result rests on: then there is no verdict."""
    return result["status"] == "inconclusive" and "token limit" in result.get("reason", "")


def check_common(name, code, profile, errors, template):
    cut = any(is_cut(result) for _, result in results((profile or {}).get("results")))
    check(f"{name}: exit code {3 if cut else 0}", code == (3 if cut else 0), f"{code} {errors}")
    if profile is None:
        return False
    shown = profile["chatTemplateHash"]
    check(f"{name}: the template's hash is that of /props", shown == template, shown)
    for path, result in results(profile["results"]):
        words = f"{result['status']}: {result.get('reason')}"
        check(f"{name}: {path} is inconclusive by the token limit alone",
              result["status"] != "inconclusive" or is_cut(result), words)
        if result["status"] in ("fail", "partial"):
            check(f"{name}: {path} names its control", bool(result.get("control")), words)
    return True


def replies(route, exchanges):
    """What the model said, streams aside: (was it offered tools, the calls, the text)."""
    for (path, request), (status, body) in exchanges:
        if path == route.path and status == 200 and body:
            yield bool(request.get("tools")), route.calls(body), route.text(body)


def check_prose(route, name, profile, exchanges):
    heard = list(replies(route, exchanges))
    calls = [call for _, calls, _ in heard for call in calls]
    marked = [text for _, _, text in heard if any(marker in text for marker in MARKERS)]
    single = profile["results"]["singleTool"]
    check(f"{name}: the model was heard with and without tools",
          {offered for offered, _, _ in heard} == {True, False}, heard)
    if calls:
        check(f"{name}: calls were sent, so a format is told",
              profile["toolCallFormat"] == route.format, profile["toolCallFormat"])
    elif not marked:
        check(f"{name}: no reply holds a call, and none is told",
              is_cut(single) or (profile["toolCallFormat"], single["status"]) == ("none", "fail"), single)
        check(f"{name}: all rungs of the ladder were tried", len(single["rungs"]) == 6, single)
        loop = profile["results"]["closedLoop"]
        check(f"{name}: without a call there is no loop to judge",
              loop["status"] == "skipped" or is_cut(loop), loop)


def check_calls(route, name, profile, exchanges):
    found = profile["results"]
    heard = list(replies(route, exchanges))
    check(f"{name}: every reply holds calls", heard and all(calls for _, calls, _ in heard), heard)
    check(f"{name}: calls are told as the dialect's own",
          (profile["toolCallFormat"], profile["toolDelivery"]) == (route.format, "native"), profile)
    as_asked = [asked_for(request) in parsed(route.calls(body))
                for (_, request), (status, body) in exchanges if asked_for(request) and body]
    single = found["singleTool"]
    check(f"{name}: {single['passes']} of {single['trials']} calls was as asked",
          single["trials"] == len(as_asked) and single["passes"] == sum(as_asked), as_asked)
    check(f"{name}: a model that may only call does not answer",
          is_cut(found["closedLoop"]) or (found["closedLoop"]["status"], found["closedLoop"]["reason"])
          == ("fail", "called again instead of answering"), found["closedLoop"])
    check(f"{name}: the stream carries the same call", profile["supportsStreamingToolUse"] is True,
          found.get("streaming"))


def parsed(calls):
    return [(tool, load(arguments)) for tool, arguments in calls]


def load(arguments):
    with contextlib.suppress(ValueError):
        return json.loads(arguments)
    return None


def asked_for(request):
    """The call of `probe_echo` that a prompt asks for, read as a person would."""
    words = json.dumps(request, ensure_ascii=False) if request else ""
    if "Call the tool `probe_echo`" not in words:
        return None
    lines = words.split("Call the tool `probe_echo` once, with:")[1].split("\\n- ")[1:3]
    pairs = [line.replace('\\"', '"').split('"')[:2] for line in lines]
    return "probe_echo", {key.removesuffix(" = "): value for key, value in pairs}


def run(toolprobe, label, judge, template=None, probes=None):
    verdicts = []
    with server(template) as address:
        host, port = address.removeprefix("http://").split(":")
        props = json.load(urllib.request.urlopen(address + "/props", timeout=10))
        relay = Relay((host, int(port)))
        for route in ROUTES:
            name = f"{label}, {route.dialect}"
            base = relay.address if route.dialect == "anthropic-messages" else relay.address + "/v1"
            demanded = template is not None
            code, profile, errors = probe(toolprobe, base, route, demanded, probes)
            exchanges = relay.take()
            if check_common(name, code, profile, errors, normalised(props["chat_template"])):
                judge(route, name, profile, exchanges)
                # A reply that the token limit ended says nothing, on whichever route it came.
                verdicts.append({path: result["status"]
                                 for path, result in results(profile["results"]) if not is_cut(result)})
        relay.close()
    check(f"{label}: all routes lead to the same verdicts",
          len(verdicts) == len(ROUTES) and all(
              one[path] == another[path]
              for one in verdicts for another in verdicts for path in one.keys() & another.keys()), verdicts)


WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
    "required": ["city", "unit"],
}
ASK = "What is the weather in Paris, in celsius?"
MESSAGES = [{"role": "user", "content": ASK}]
FUNCTION = {"name": "get_weather", "description": "The weather in a city.", "parameters": WEATHER}
# What each route is asked for, by dialect: the question, and the tool.
QUESTIONS = {
    "openai-chat": ({"messages": MESSAGES, "stream_options": {"include_usage": True}},
                    {"tools": [{"type": "function", "function": FUNCTION}]}),
    "anthropic-messages": ({"messages": MESSAGES},
                           {"tools": [{"name": "get_weather", "description": "The weather in a city.",
                                       "input_schema": WEATHER}]}),
    "openai-responses": ({"input": ASK}, {"tools": [{"type": "function", **FUNCTION}]}),
}


def record(folder):
    version = importlib.metadata.version("xllamacpp")
    recorder = Recorder(folder, f"llama.cpp's server in xllamacpp {version} with SmolLM2-135M-Instruct")
    for template, name, source in ((None, "llama-cpp-text", ", its own template: it answers in text"),
                                   (HERE / "real_forced.jinja", "llama-cpp-call",
                                    ", ci/real_forced.jinja: a demanded call")):
        with server(template) as address:
            for route in ROUTES:
                question, tools = QUESTIONS[route.dialect]
                body = {"model": MODEL, **question, **json.loads(route.extra(template is not None))}
                body.update(tools if template else {})
                recorder.reply(route.dialect, name, source, address, route.path, body)


def main():
    toolprobe, *folder = sys.argv[1:]
    if folder:
        return record(folder[0])
    run(toolprobe, "prose", check_prose)
    with tempfile.TemporaryDirectory() as folder:
        probes = with_a_stream(pathlib.Path(folder))
        run(toolprobe, "forced calls", check_calls, HERE / "real_forced.jinja", probes)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
