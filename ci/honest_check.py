"""Puts an honest adapter of another make before the simulated models, and holds `gate --adapter` to silence.

    python3 ci/honest_check.py TOOLPROBE [SUITE…]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from adapter_check import first_line, process, waited

HERE = pathlib.Path(__file__).resolve().parent
MODELS = {
    "openai-chat": "openai-native,deepseek-v4-thinking,glm-zai,text-before-call",
    "anthropic-messages": "anthropic-native,anthropic-thinking-signature",
    "openai-responses": "responses-native,responses-reasoning",
    "gemini": "gemini-native,gemini-3-signatures",
    "ollama": "ollama-native,ollama-thinking",
}
GATE_SECONDS = 300


def gate(toolprobe, work, address, dialect, suite):
    command = [toolprobe, "gate", "--adapter", address, "--dialect", dialect, "--model", MODELS[dialect], "--suite", suite,
               "--confirm", "off", "--quiet", "--reports", str(work / "reports")]
    return subprocess.run(command, capture_output=True, text=True, timeout=GATE_SECONDS, cwd=work)


def main():
    toolprobe, suites = os.path.abspath(sys.argv[1]), sys.argv[2:] or ["light", "standard", "full"]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        sim_log, log = work / "sim.log", work / "adapter.log"
        with process([toolprobe, "sim", "--addr", "127.0.0.1:0", "--quiet"], sim_log) as sim:
            upstream = waited(sim, sim_log, lambda: first_line(sim_log))
            command = [sys.executable, str(HERE / "honest_adapter.py")]
            with process(command, log, env=dict(os.environ, UPSTREAM=upstream)) as adapter:
                address = waited(adapter, log, lambda: first_line(log))
                for suite in suites:
                    for dialect, models in MODELS.items():
                        began = time.monotonic()
                        ran = gate(toolprobe, work, address, dialect, suite)
                        count = models.count(",") + 1
                        silent = ran.returncode == 0 and f"gate: no change; {count} models" in ran.stdout
                        failed += not silent
                        took = f"{count} models in {time.monotonic() - began:.1f} s"
                        print(f"{'ok  ' if silent else 'FAIL'} an honest adapter has no row: {suite} {dialect}, {took}", flush=True)
                        if not silent:
                            print(ran.stdout + ran.stderr)
    print(f"{len(suites) * len(MODELS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
