"""Holds what toolprobe says of LiteLLM against the raw bytes on both sides of it.

    python ci/adapter_check.py TOOLPROBE LITELLM [FOLDER]

The simulated models stand behind LiteLLM's proxy as `ci/litellm.yaml` says. Each row that is expected
is looked up in the report, and what it claims is then read off the recorded exchanges, directly and
through the proxy, without asking toolprobe what they mean. With a FOLDER, replies of the proxy are
kept there as fixtures, and nothing is checked.
"""

import base64
import contextlib
import functools
import gzip
import importlib.metadata
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from recording import Recorder

HERE = pathlib.Path(__file__).resolve().parent
START_SECONDS = 120
GATE_SECONDS = 150
KEY_VARIABLE = "LITELLM_MASTER_KEY"

passed, failed = 0, 0


def check(what, holds, seen=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
    print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f': {seen}'}", flush=True)


@contextlib.contextmanager
def process(command, log, **options):
    """A program that ends with the block, however the block ends."""
    with open(log, "w") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, **options)
        try:
            yield child
        finally:
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def waited(child, log, ready):
    """Until `ready` gives something, or the time is over, or the program is."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and child.poll() is None:
        if found := ready():
            return found
        time.sleep(0.2)
    sys.exit(f"{child.args[0]} did not start:\n{pathlib.Path(log).read_text()[-2000:]}")


def first_line(path):
    text = pathlib.Path(path).read_text()
    return text.split("\n")[0] if "\n" in text else None


def is_up(address):
    try:
        return urllib.request.urlopen(address + "/health/readiness", timeout=2).status == 200
    except (urllib.error.URLError, OSError):
        return False


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def gateway(toolprobe, litellm, work):
    """LiteLLM's address, with the simulator behind it."""
    sim_log, log = work / "sim.log", work / "litellm.log"
    with process([toolprobe, "sim", "--addr", "127.0.0.1:0", "--quiet"], sim_log) as sim:
        upstream = waited(sim, sim_log, lambda: first_line(sim_log))
        port = free_port()
        env = dict(os.environ, SIM_URL=upstream, SIM_V1_URL=upstream + "/v1")
        command = [litellm, "--config", str(HERE / "litellm.yaml"), "--host", "127.0.0.1",
                   "--port", str(port), "--telemetry", "False"]
        with process(command, log, env=env, cwd=work) as proxy:
            address = f"http://127.0.0.1:{port}"
            waited(proxy, log, lambda: is_up(address))
            yield address


class Report:
    """What one gate said, and the exchanges it rests on."""

    def __init__(self, label, code, found, folder):
        self.label, self.code, self.found, self.folder = label, code, found, folder

    def row(self, model, effect, code, field=""):
        rows = [row for row in self.found["rulings"]
                if (row["effect"], row["code"]) == (effect, code)
                and model in row["models"] and field in row["field"]]
        check(f"{self.label}: {model}: {effect}: {code} {field}".rstrip(), len(rows) == 1,
              [(row["effect"], row["code"], row["field"]) for row in self.found["rulings"]
               if model in row["models"]])
        return rows[0] if rows else None

    @functools.cache
    def kept(self):
        """All exchanges of the run by their digests."""
        kept = {}
        for path in self.folder.glob("evidence/*.jsonl"):
            for line in path.read_text().splitlines():
                if stored := json.loads(line).get("exchange"):
                    packed = stored.get("packed")
                    kept[stored["digest"]] = stored["record"] if packed is None else json.loads(
                        gzip.decompress(base64.b64decode(packed)))
        return kept

    def exchanges(self, row, side):
        """Requests and answers of one side; answers are bodies, or the payloads of streams."""
        for digest in row["evidence"][side] if row else []:
            exchange = self.kept()[digest]
            if "answered" not in exchange["outcome"]:
                continue
            body = exchange["outcome"]["answered"]["body"]
            if "whole" in body:
                yield exchange["request"], json.loads(body["whole"])
            else:
                datas = [frame.get("data") for frame in body["frames"]]
                yield exchange["request"], [json.loads(data) for data in datas
                                            if data and data != "[DONE]"]

    def in_bytes(self, what, row, side, seen):
        found = list(self.exchanges(row, side))
        check(f"{self.label}: bytes: {what}", any(seen(*pair) for pair in found),
              f"in none of {len(found)} exchanges")


def gate(label, toolprobe, address, work, dialect, *args):
    reports = work / "reports" / label
    command = [toolprobe, "gate", "--adapter", address, "--dialect", dialect, "--trials", "1",
               "--api-key-env", KEY_VARIABLE, "--confirm", "off", "--quiet",
               "--format", "json", "--reports", str(reports), *args]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=GATE_SECONDS)
    if ran.returncode not in (0, 1):
        sys.exit(f"{label}: exit {ran.returncode}: {ran.stderr}{ran.stdout[-2000:]}")
    return Report(label, ran.returncode, json.loads(ran.stdout), next(reports.iterdir()))


def choices(answer):
    chunks = answer if isinstance(answer, list) else [answer]
    return [choice for chunk in chunks for choice in chunk.get("choices", [])]


def is_stream(answer):
    return isinstance(answer, list)


def lacks_finish_key(_, answer):
    return is_stream(answer) and any("finish_reason" not in choice for choice in choices(answer))


def says_finish_key(_, answer):
    return is_stream(answer) and all("finish_reason" in choice for choice in choices(answer))


def arguments(answer):
    calls = [call for choice in choices(answer)
             for call in (choice.get("message") or {}).get("tool_calls") or []]
    return [call["function"]["arguments"] for call in calls]


def finishes(answer):
    return [choice["finish_reason"] for choice in choices(answer) if choice.get("finish_reason")]


def indexes(answer):
    """The index and the id of each call that a stream begins."""
    calls = [call for choice in choices(answer)
             for call in (choice.get("delta") or {}).get("tool_calls") or []]
    return [(call.get("index"), call["id"]) for call in calls if call.get("id")]


def check_chat(report):
    models = report.found["models"]
    check(f"{report.label}: at least four models are compared", len(models) >= 4, models)
    check(f"{report.label}: streams that four clients lose fail the gate", report.code == 1,
          report.found["outcome"])
    row = report.row("openai-native", "alters", "stream-defect-new", "finish-key-missing")
    report.in_bytes("the provider's chunks say finish_reason", row, "old", says_finish_key)
    report.in_bytes("LiteLLM's chunks do not all", row, "new", lacks_finish_key)

    row = report.row("arguments-object", "fixes", "reply-defect-gone", "arguments-object")
    report.in_bytes("the provider's arguments are objects", row, "old",
                    lambda _, answer: any(isinstance(it, dict) for it in arguments(answer)))
    report.in_bytes("LiteLLM's are text", row, "new",
                    lambda _, answer: any(isinstance(it, str) for it in arguments(answer)))

    row = report.row("deepseek-v4-thinking", "fixes", "stream-defect-gone", "usage-in-finish-chunk")
    with_usage = lambda chunk: chunk.get("usage") and finishes([chunk])
    report.in_bytes("the provider's usage stands in the chunk that finishes", row, "old",
                    lambda _, answer: is_stream(answer) and any(map(with_usage, answer)))
    report.in_bytes("LiteLLM's does not", row, "new",
                    lambda _, answer: is_stream(answer) and not any(map(with_usage, answer)))

    row = report.row("vllm-gpt-oss", "breaks", "reply-reasoning-changed")
    report.in_bytes("the provider reasons in `reasoning`", row, "old", lambda _, answer: any(
        "reasoning" in (choice.get("message") or {}) for choice in choices(answer)))
    report.in_bytes("LiteLLM in `reasoning_content`", row, "new", lambda _, answer: any(
        "reasoning_content" in (choice.get("message") or {}) for choice in choices(answer)))

    row = report.row("ollama-native", "breaks", "streaming-lost")
    report.in_bytes("two of LiteLLM's calls share index 0", row, "new", lambda _, answer: (
        is_stream(answer) and len(set(indexes(answer))) == 2
        and {index for index, _ in indexes(answer)} == {0}))

    row = report.row("anthropic-native", "fixes", "history-rule-relaxed", "tools-omitted")
    report.in_bytes("directly a history of calls without tools is refused", row, "old",
                    lambda request, answer: "tools" not in request["body"] and "error" in answer)
    report.in_bytes("through LiteLLM it is answered", row, "new",
                    lambda request, answer: "tools" not in request["body"] and choices(answer))
    row = report.row("anthropic-thinking-signature", "alters", "reasoning-field-changed")
    report.in_bytes("LiteLLM passes the signed blocks on beside the text", row, "new",
                    lambda _, answer: any((choice.get("message") or {}).get("thinking_blocks")
                                          for choice in choices(answer)))


def check_truncated(report):
    check(f"{report.label}: a masked cut fails the gate", report.code == 1, report.found["outcome"])
    row = report.row("truncated-stream", "breaks", "truncation-masked")
    report.in_bytes("the provider's stream ends without a finish", row, "old",
                    lambda _, answer: is_stream(answer) and not finishes(answer))
    report.in_bytes("LiteLLM's says that it finished", row, "new",
                    lambda _, answer: is_stream(answer) and bool(finishes(answer)))


def check_messages(report):
    changed = [(row["code"], row["field"], row["models"]) for row in report.found["rulings"]
               if "anthropic-native" in row["models"]
               and row["code"] not in ("request-fields-changed", "reply-fields-lost")]
    check(f"{report.label}: Anthropic's own dialect comes through unchanged", not changed, changed)
    # But for a field that nobody knows, which LiteLLM drops without a word.
    row = report.row("anthropic-native", "breaks", "request-fields-changed")
    report.in_bytes("a field that nobody knows was sent", row, "old", lambda asked, _: "x_house" in asked["body"])
    report.in_bytes("it does not arrive upstream", row, "new", lambda asked, _: "x_house" not in asked["body"])
    row = report.row("anthropic-native", "hides", "reply-fields-lost")
    report.in_bytes("the provider's errors have the id of their request", row, "old",
                    lambda _, answer: "error" in answer and "request_id" in answer)
    report.in_bytes("LiteLLM's have not", row, "new",
                    lambda _, answer: "error" in answer and "request_id" not in answer)
    # A verdict that changed because the request did is told under the row of the request.
    row = report.row("openai-by-chat", "breaks", "request-parallel-switch-changed")
    report.in_bytes("one call at a time was demanded", row, "old", lambda asked, _: (
        (asked["body"].get("tool_choice") or {}).get("disable_parallel_tool_use") is True))
    report.in_bytes("the demand does not arrive upstream", row, "new", lambda asked, _: (
        "messages" in asked["body"] and "parallel_tool_calls" not in asked["body"]))
    report.row("deepseek-by-chat", "hides", "reasoning-tokens-hidden")


CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ASK = 'Call the tool `get_weather` once, with:\n- city = "Oslo"\n'
MESSAGES = [{"role": "user", "content": ASK}]
FUNCTION = {"name": "get_weather", "description": "The weather in a city.", "parameters": CITY}
CHAT = {"messages": MESSAGES, "tools": [{"type": "function", "function": FUNCTION}],
        "stream_options": {"include_usage": True}}
CLAUDE = {"messages": MESSAGES, "max_tokens": 4096,
          "tools": [{"name": "get_weather", "description": "The weather in a city.", "input_schema": CITY}]}
RESPONSES = {"input": ASK, "tools": [{"type": "function", **FUNCTION}]}
# Which replies are kept: the dialect, its path, the model behind, the fixture's name, the question.
RECORDED = [
    ("openai-chat", "/v1/chat/completions", "anthropic-native", "anthropic", CHAT),
    ("openai-chat", "/v1/chat/completions", "deepseek-v4-thinking", "deepseek", CHAT),
    ("openai-chat", "/v1/chat/completions", "ollama-native", "ollama", CHAT),
    ("anthropic-messages", "/v1/messages", "openai-by-chat", "openai", CLAUDE),
    ("anthropic-messages", "/v1/messages", "deepseek-by-chat", "deepseek", CLAUDE),
    ("openai-responses", "/v1/responses", "anthropic-native", "anthropic", RESPONSES),
]
# Replies that differ from their streams: the signature of thinking is null and then empty, and a call's
# id is Ollama's and then LiteLLM's own.
DIFFERENT = [("anthropic-messages", "deepseek"), ("openai-chat", "ollama")]


def record(folder, address):
    version = importlib.metadata.version("litellm")
    recorder = Recorder(folder, f"LiteLLM {version} before the simulated model ")
    key = os.environ[KEY_VARIABLE]
    headers = {"authorization": f"Bearer {key}", "x-api-key": key}
    for dialect, path, model, short, question in RECORDED:
        same = (dialect, short) not in DIFFERENT
        recorder.reply(dialect, f"litellm-{short}", model, address, path, dict(question, model=model), headers,
                       same)


def main():
    toolprobe, litellm = (os.path.abspath(path) for path in sys.argv[1:3])
    os.environ[KEY_VARIABLE] = "sk-" + secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder, \
            gateway(toolprobe, litellm, pathlib.Path(folder)) as address:
        if len(sys.argv) > 3:
            return record(sys.argv[3], address)

        def run(label, dialect, *args):
            return gate(label, toolprobe, address, pathlib.Path(folder), dialect, *args)

        chat = ["openai-native", "arguments-object", "deepseek-v4-thinking", "anthropic-native",
                "anthropic-thinking-signature", "qwen3-coder-xml", "stringified-values",
                "parallel-switch-ignored", "vllm-gpt-oss", "ollama-native"]
        check_chat(run("chat", "openai-chat", "--model", ",".join(chat)))
        check_truncated(run("cut-short", "openai-chat", "--model", "truncated-stream"))
        by_chat = "openai-by-chat=openai-native,deepseek-by-chat=deepseek-v4-thinking"
        check_messages(run("messages", "anthropic-messages", "--map", by_chat,
                           "--model", "anthropic-native,openai-by-chat,deepseek-by-chat"))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
