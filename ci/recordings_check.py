"""Puts recorded replies behind adapters, and holds `toolprobe gate --transcripts` to red and green.

    python ci/recordings_check.py TOOLPROBE LITELLM

LiteLLM is left out where the program is not there.
"""

import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time

from adapter_check import KEY_VARIABLE, first_line, free_port, is_up, process, waited

HERE = pathlib.Path(__file__).resolve().parent
TRANSCRIPTS = HERE.parent / "fixtures" / "transcripts"
MODELS = "openai-native,deepseek-v4-thinking,anthropic-thinking-signature"
HOUSE_RULE = 'asked.pop("metadata", None)'
BROKEN = HOUSE_RULE + '; [m.pop("reasoning_content", None) for m in asked.get("messages", [])]'
ENTRY = "{model: openai/openai-native, api_base: os.environ/SIM_V1_URL, api_key: none}"
DROPPING = ENTRY.replace("api_key: none", 'api_key: none, additional_drop_params: ["parallel_tool_calls"]')

passed, failed = 0, 0


def check(what, ran, code, words, absent=()):
    global passed, failed
    said = ran.stdout + ran.stderr
    holds = ran.returncode == code and all(it in said for it in words) and not any(it in said for it in absent)
    passed, failed = passed + holds, failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f': exit {ran.returncode}: {said}'}", flush=True)


def gate(toolprobe, work, address, models, *args):
    command = [toolprobe, "gate", "--adapter", address, "--transcripts", str(TRANSCRIPTS), "--model", models,
               "--reports", str(work / "reports"), "--quiet", *args]
    began = time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    print(f"     {len(models.split(','))} models in {time.monotonic() - began:.1f} s", flush=True)
    return ran


def ten_lines(toolprobe, work, upstream, line):
    script, log = work / "adapter.py", work / "adapter.log"
    text = (HERE / "ten_line_adapter.py").read_text()
    assert HOUSE_RULE in text
    script.write_text(text.replace(HOUSE_RULE, line))
    with process([sys.executable, str(script)], log, env=dict(os.environ, UPSTREAM=upstream)) as adapter:
        address = waited(adapter, log, lambda: first_line(log))
        return gate(toolprobe, work, address, MODELS)


def litellm_gate(toolprobe, work, upstream, litellm, entry):
    config, log, port = work / "litellm.yaml", work / "litellm.log", free_port()
    text = (HERE / "litellm.yaml").read_text()
    assert ENTRY in text
    config.write_text(text.replace(ENTRY, entry))
    env = dict(os.environ, SIM_URL=upstream, SIM_V1_URL=upstream + "/v1")
    command = [litellm, "--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with process(command, log, env=env, cwd=work) as proxy:
        address = f"http://127.0.0.1:{port}"
        waited(proxy, log, lambda: is_up(address))
        return gate(toolprobe, work, address, "openai-native,deepseek-v4-thinking", "--dialect", "openai-chat",
                    "--api-key-env", KEY_VARIABLE)


def main():
    toolprobe, litellm = (os.path.abspath(path) for path in sys.argv[1:3])
    os.environ[KEY_VARIABLE] = "sk-" + secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        log = work / "sim.log"
        command = [toolprobe, "sim", "--transcripts", str(TRANSCRIPTS), "--addr", "127.0.0.1:0", "--quiet"]
        with process(command, log) as sim:
            upstream = waited(sim, log, lambda: first_line(log))
            check("ten lines: green", ten_lines(toolprobe, work, upstream, HOUSE_RULE), 0, ["gate: no change; 3 models"])
            check("ten lines: red when a line is broken", ten_lines(toolprobe, work, upstream, BROKEN), 1,
                  ["deny: adapter/deepseek-v4-thinking: breaks: request-unrecorded: requests.conversation.reasoning",
                   "note: no difference: openai-native, anthropic-thinking-signature"])
            if os.path.exists(litellm):
                check("LiteLLM: green", litellm_gate(toolprobe, work, upstream, litellm, ENTRY), 0, ["2 models"],
                      ["deny:", "breaks:"])
                check("LiteLLM: red when a line is added", litellm_gate(toolprobe, work, upstream, litellm, DROPPING), 1,
                      ["deny: adapter/openai-native: breaks: parallel-switch-lost"], ["adapter/deepseek-v4-thinking: breaks"])
            else:
                print("skipped: LiteLLM is not installed (ci/adapter-check does that)")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
