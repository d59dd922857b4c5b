"""Audits gateways of others before the simulated models, and holds each published row against the bytes.

    python ci/gateways_check.py TOOLPROBE [--write]

Every row of the table in docs/adapters.md is made here: toolprobe says what became of a field, and the bodies of both
ends are then read without asking toolprobe what they mean. With --write the table is written anew.
"""

import contextlib
import datetime
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import tomllib
import urllib.error
import urllib.request

from adapter_check import KEY_VARIABLE, Report, first_line, free_port, is_up, process, waited

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "adapters.md"
BEGIN, END = "<!-- gateways: written by ci/gateways-check -->\n", "<!-- end of gateways -->\n"
PY, JS = ROOT / "target/gateways/py", ROOT / "target/gateways/js/node_modules/@portkey-ai/gateway"
LITELLM = ROOT / "target/adapter-venv"
AUDIT_SECONDS = 180
GATE_SECONDS = 300

passed, failed = 0, 0


def check(what, holds, seen=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f': {seen}'}", flush=True)


def version(python, package):
    command = [python / "bin/python", "-c", f"import importlib.metadata as m; print(m.version('{package}'))"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def answers(address):
    """Whether anything speaks HTTP there."""
    try:
        urllib.request.urlopen(address, timeout=2)
        return True
    except urllib.error.HTTPError:
        return True
    except (urllib.error.URLError, OSError):
        return False


@contextlib.contextmanager
def started(command, work, address, env=None, ready=answers):
    log = work / "gateway.log"
    with process([str(it) for it in command], log, env=dict(os.environ, **(env or {})), cwd=work) as child:
        waited(child, log, lambda: ready(address))
        yield address


@contextlib.contextmanager
def litellm(work, upstream):
    port = free_port()
    command = [LITELLM / "bin/litellm", "--config", HERE / "litellm.yaml", "--host", "127.0.0.1", "--port", port,
               "--telemetry", "False"]
    env = {"SIM_URL": upstream, "SIM_V1_URL": upstream + "/v1"}
    with started(command, work, f"http://127.0.0.1:{port}", env, is_up) as address:
        yield address


@contextlib.contextmanager
def rosetta(work, upstream):
    port, config = free_port(), work / "config.jsonc"
    provider = lambda kind, base: {"type": kind, "api_key": "none", "base_url": base}
    config.write_text(json.dumps({
        "providers": {"chat": provider("openai_chat", upstream + "/v1"),
                      "responses": provider("openai_responses", upstream + "/v1"),
                      "claude": provider("anthropic", upstream), "google": provider("google", upstream)},
        "models": {"openai-native": "chat", "responses-native": "responses", "anthropic-native": "claude",
                   "gemini-native": "google"},
        "server": {"host": "127.0.0.1", "port": port, "open_on_no_keys": True}}))
    command = [PY / "bin/llm-rosetta-gateway", "--config", config, "--no-banner", "--host", "127.0.0.1", "--port", port,
               "--data-dir", work]
    with started(command, work, f"http://127.0.0.1:{port}") as address:
        yield address


@contextlib.contextmanager
def lm_proxy(work, upstream):
    port, config = free_port(), work / "config.toml"
    config.write_text(f'host = "127.0.0.1"\nport = {port}\n[connections.sim]\napi_type = "open_ai"\n'
                      f'api_base = "{upstream}/v1/"\napi_key = "none"\n[routing]\n"*" = "sim.*"\n'
                      f'[groups.default]\napi_keys = ["{os.environ[KEY_VARIABLE]}"]\n')
    with started([PY / "bin/lm-proxy", "--config", config], work, f"http://127.0.0.1:{port}") as address:
        yield address


@contextlib.contextmanager
def portkey(work, upstream):
    port = free_port()
    env = {"NODE_OPTIONS": f"--require {HERE / 'loopback.cjs'}", "TRUSTED_CUSTOM_HOSTS": "127.0.0.1,localhost"}
    command = ["node", JS / "build/start-server.js", "--headless", f"--port={port}"]
    with started(command, work, f"http://127.0.0.1:{port}", env) as address:
        yield address


def by_header(provider, path):
    return lambda upstream: ["--header", f"x-portkey-provider: {provider}", "--header",
                             f"x-portkey-custom-host: {upstream}{path}"]


def nothing(_):
    return []


# Name, how it starts, its version, and what is audited: the client's dialect, the model, flags.
GATEWAYS = [
    ("LiteLLM", litellm, lambda: version(LITELLM, "litellm"), LITELLM / "bin/litellm", [
        ("openai-chat", model, nothing)
        for model in ("openai-native", "anthropic-native", "gemini-native", "ollama-native", "responses-native")
    ] + [("anthropic-messages", "gemini-native", nothing), ("anthropic-messages", "anthropic-native", nothing)]),
    ("llm-rosetta", rosetta, lambda: version(PY, "llm-rosetta"), PY / "bin/llm-rosetta-gateway", [
        ("openai-chat", "openai-native", nothing), ("openai-chat", "anthropic-native", nothing),
        ("openai-chat", "gemini-native", nothing), ("anthropic-messages", "openai-native", nothing)]),
    ("Portkey", portkey, lambda: json.loads((JS / "package.json").read_text())["version"], JS / "build/start-server.js", [
        ("openai-chat", "openai-native", by_header("openai", "/v1")),
        ("openai-chat", "anthropic-native", by_header("anthropic", "/v1")),
        ("openai-chat", "gemini-native", by_header("google", ""))]),
    ("lm-proxy", lm_proxy, lambda: version(PY, "lm-proxy"), PY / "bin/lm-proxy",
     [("openai-chat", "openai-native", nothing)]),
]

# What BerriAI/litellm#41913 reports of LiteLLM 1.101.0.
REPORTED = [
    ("openai-chat", "gemini-native", "schema: const"), ("openai-chat", "gemini-native", "tools[].function.strict"),
    ("openai-chat", "anthropic-native", "tools[].function.strict"),
    ("openai-chat", "gemini-native", "parallel_tool_calls"),
    ("anthropic-messages", "gemini-native", "tools[].allowed_callers"), ("openai-chat", "openai-native", "role: developer"),
]


def audit(toolprobe, address, upstream, dialect, model, flags):
    command = [toolprobe, "audit", address, "--dialect", dialect, "--model", model, "--api-key-env", KEY_VARIABLE,
               "--upstream", upstream, "--format", "json", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=AUDIT_SECONDS)
    if ran.returncode not in (0, 1):
        return None, ran.stderr.strip()[:300]
    return json.loads(ran.stdout)["models"][0], ""


def gate(toolprobe, work, address, upstream, dialect, model, flags):
    """What `gate --adapter` says of one model, and the exchanges that it rests on."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    command = [toolprobe, "gate", "--adapter", address, "--dialect", dialect, "--model", model, "--upstream", upstream,
               "--api-key-env", KEY_VARIABLE, "--suite", "standard", "--confirm", "off", "--format", "json", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=GATE_SECONDS, cwd=folder)
    if ran.returncode not in (0, 1):
        return None, ran.stderr.strip()[:300]
    run = next((folder / "reports").iterdir())
    return Report(f"{dialect} before {model}", ran.returncode, json.loads(ran.stdout), run), ""


def differs(report, row):
    """Whether the exchanges that a row names are not the same bytes on its two sides."""
    def bodies(side):
        exchanges = [report.kept()[digest] for digest in row["evidence"][side]]
        return [json.dumps([it["request"].get("body"), it["outcome"]], sort_keys=True) for it in exchanges]
    return bodies("old") != bodies("new") or not row["evidence"]["new"]


def effects(rows, effect):
    return ", ".join(sorted({f"`{row['code']}`" for row in rows if row["effect"] == effect})) or "nothing"


def gate_line(label, dialect, model, report):
    rows = report.found["rulings"]
    return (f"| {label} | {dialect} → `{model}` | {effects(rows, 'breaks')} | {effects(rows, 'hides')} | "
            f"{effects(rows, 'alters')} | {effects(rows, 'fixes')} |")


def leaves(value, key=""):
    """The scalars of a body, each with the key that it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, key)
    else:
        yield key, json.dumps(value)


def is_in_bytes(row, catalogue):
    """Whether something that the field puts into the request is in the body that left and not in the one that came."""
    path, value = catalogue[row["field"]]["set"][0]
    nonce = re.search(r"n[0-9a-f]{12}", json.dumps(row["sent"]))
    filled = json.loads(json.dumps(value).replace("{nonce}", nonce.group() if nonce else ""))
    last = re.sub(r"\[\d+\]", "", path.split(".")[-1])
    put, sent, came = set(leaves(filled, last)), set(leaves(row["sent"])), set(leaves(row["arrived"]))
    text = lambda value: json.dumps(value, sort_keys=True)
    is_gone = path.split(".")[0].split("[")[0] not in row["arrived"]
    is_other = isinstance(filled, (dict, list)) and text(filled) not in text(row["arrived"])
    return put <= sent and (bool(put - came) or is_gone or is_other)


def fields_of(dialect):
    text = (ROOT / "probes" / "fields" / f"{dialect}.toml").read_text()
    return {field["name"]: field for field in tomllib.loads(text)["field"]}


def measure(toolprobe, work, upstream):
    """Rows of the two tables, and all fates by gateway."""
    lines, gates, fates = [], [], {}
    for name, start, told, program, audits in GATEWAYS:
        if not program.exists():
            print(f"skipped: {name} is not installed")
            continue
        label, folder = f"{name} {told()}", work / name
        folder.mkdir()
        with start(folder, upstream) as address:
            for dialect, model, flags in audits:
                found, problem = audit(toolprobe, address, upstream, dialect, model, flags(upstream))
                what = f"{label}: {dialect} before {model}"
                if found is None:
                    print(f"     {what}: not audited: {problem}")
                    lines.append(f"| {label} | {dialect} → `{model}` | not audited: {problem.split(';')[0][:120]} | | |")
                    continue
                catalogue = fields_of(dialect)
                lost = [row for row in found["rows"] if row["fate"] in ("dropped", "changed")]
                wrong = [row["field"] for row in lost if not is_in_bytes(row, catalogue)]
                check(f"{what}: {len(lost)} losses stand in the bytes", not wrong, wrong)
                fates[name, dialect, model] = {row["field"]: row["fate"] for row in found["rows"]}
                lines.append(line(label, dialect, model, found, lost))
                report, problem = gate(toolprobe, folder, address, upstream, dialect, model, flags(upstream))
                if report is None:
                    print(f"     {what}: no gate: {problem}")
                    gates.append(f"| {label} | {dialect} → `{model}` | not measured: {problem.split(';')[0][:120]} | | | |")
                    continue
                same = [row["code"] for row in report.found["rulings"] if not differs(report, row)]
                check(f"{what}: {len(report.found['rulings'])} rows rest on bytes that differ", not same, same)
                gates.append(gate_line(label, dialect, model, report))
    return lines, gates, fates


def line(label, dialect, model, found, lost):
    count = lambda fate: sum(row["fate"] == fate for row in found["rows"])
    shown = ", ".join(f"`{row['field']}`" + (" (changed)" if row["fate"] == "changed" else "") for row in lost)
    return (f"| {label} | {dialect} → `{model}` | {found['kept']} kept, {count('translated')} translated | "
            f"{count('refused')} | {shown or 'nothing'} |")


def reported(fates):
    """What is still true of what was reported of LiteLLM."""
    lines = []
    for dialect, model, field in REPORTED:
        known = fates.get(("LiteLLM", dialect, model))
        fate = "not audited" if known is None else known.get(field, "kept")
        lines.append(f"| `{field}` | {dialect} → `{model}` | {fate} |")
    return lines


def section(lines, gates, fates, date):
    head = "| gateway | from → to | arrived | refused | lost in silence |\n|---|---|---|---|---|"
    parts = [f"Measured on {date}; installed, started and audited by `ci/gateways-check`, which holds every loss against"
             " the bodies of both ends.\n", head, *lines]
    if any(key[0] == "LiteLLM" for key in fates):
        parts += ["\nOf the six losses that BerriAI/litellm#41913 reports of LiteLLM 1.101.0, today:\n",
                  "| field | from → to | fate |\n|---|---|---|", *reported(fates)]
    parts += ["\nWhat `gate --adapter --suite standard` says of the same gateways (`toolprobe explain CODE`); the exchanges that"
              " each row names were read on both sides, and differ:\n",
              "| gateway | from → to | breaks | hides | alters | fixes |\n|---|---|---|---|---|---|", *gates]
    return "\n".join(parts) + "\n"


def main():
    toolprobe = os.path.abspath(sys.argv[1])
    os.environ[KEY_VARIABLE] = "sk-" + secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        log = work / "sim.log"
        with process([toolprobe, "sim", "--addr", "127.0.0.1:0", "--quiet"], log) as sim:
            lines, gates, fates = measure(toolprobe, work, waited(sim, log, lambda: first_line(log)))
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    if "--write" in sys.argv:
        date = datetime.date.today().isoformat()
        PAGE.write_text(before + BEGIN + section(lines, gates, fates, date) + END + after)
    else:
        for row in lines + gates:
            check(f"the page has {row[:90]}", row in old, "run ci/gateways-check --write")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
