"""Many simulated targets: a server of simulated models, and configurations that name them often."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

# Models of every dialect, with native tools and with calls in text. None draws lots by the order of requests.
MODELS = [
    ("openai-native", "openai-chat"),
    ("anthropic-native", "anthropic-messages"),
    ("gemini-native", "gemini"),
    ("ollama-native", "ollama"),
    ("responses-native", "openai-responses"),
    ("qwen3-coder-xml", "openai-chat"),
    ("one-call", "openai-chat"),
]

# What differs between two runs of the same targets: when they were asked, and how fast they were.
TIMES = re.compile(r'"(verifiedAt|medianLatencyMs)"')


@contextlib.contextmanager
def serve(program):
    """Serves the simulated models, and gives the base URL. Their replies hold a time, which is always the same."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    server = subprocess.Popen([program, "sim", "--addr", "127.0.0.1:0"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield server.stdout.readline().strip()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)


def write_config(path, url, targets, concurrency=32):
    """A configuration of so many targets at one endpoint."""
    entries = [f"[defaults.limits]\nconcurrency = {concurrency}\n"]
    for number in range(targets):
        model, dialect = MODELS[number % len(MODELS)]
        entries.append(f'[[targets]]\nname = "target-{number:05}"\nbase_url = "{url}"\ndialect = "{dialect}"\nmodel = "{model}"\n')
    path.write_text("\n".join(entries))


def count_files(folder):
    return sum(len(files) for _, _, files in os.walk(folder))


def read_profiles(run):
    """The profiles of a run by their file names, without the times in them."""
    def text(path):
        return "\n".join(line for line in path.read_text().splitlines() if not TIMES.search(line))
    return {path.name: text(path) for path in sorted(pathlib.Path(run, "profiles").glob("*.json"))}
