"""Kills runs of the simulated models, resumes them, and compares them with a run that was left alone."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TOOLPROBE = str(Path(sys.argv[1]).resolve())
KILLS = int(sys.argv[2])
MODELS = ["openai-native", "anthropic-native", "repairs-half", "taught-tool-call", "qwen3-coder-xml"]
ENV = {**os.environ, "SOURCE_DATE_EPOCH": "1794700800"}

# What a run calls right before it commits something: each of these calls is killed before it happens.
COMMITS = ["fdatasync", "fsync", "rename", "renameat", "renameat2"]


def begin(folder, *before):
    """A run of the models in a folder of its own."""
    words = [TOOLPROBE, "run", *MODELS, "--jobs", "3", "--quiet"]
    return subprocess.Popen([*before, *words], cwd=folder, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def resume(folder):
    words = [TOOLPROBE, "run", "--resume", "--quiet"]
    return subprocess.run(words, cwd=folder, env=ENV, capture_output=True, text=True)


def run_of(folder):
    runs = sorted(folder.glob("reports/*/manifest.json"))
    return runs[0].parent if runs else None


def profiles(run):
    files = sorted(run.glob("profiles/*.json"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def history(folder):
    path = folder / "reports/history.csv"
    return sorted(path.read_text().splitlines()) if path.exists() else []


def lines(run):
    """The whole lines of all journals, with the file and where they begin."""
    for file in sorted(run.glob("evidence/*.jsonl")):
        begins = 0
        for line in file.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                yield file.name, begins, json.loads(line)
            begins += len(line)


def answered(run):
    """The requests that were answered, by file and place."""
    requests = {}
    for name, begins, line in lines(run):
        exchange = line.get("exchange")
        if exchange and exchange["answered"] and "record" in exchange:
            request = exchange["record"]["request"]
            requests[name, begins] = request["url"] + " " + json.dumps(request.get("body"), sort_keys=True)
    return requests


def repeated(run, before, after):
    """The requests that were sent although an answer to them was kept and not taken."""
    taken = {(name, line["recalled"]) for name, _, line in lines(run) if "recalled" in line}
    left = Counter((place[0], request) for place, request in before.items() if place not in taken)
    sent = Counter((place[0], request) for place, request in after.items() if place not in before)
    return list((left & sent).elements())


def sent(run):
    return sum(line.get("sent", 0) for _, _, line in lines(run))


def judge(folder, whole, tally):
    """Resumes a run that was killed, and compares it with the one that was left alone."""
    run = run_of(folder)
    if run is None:
        tally["killed before the run had a folder"] += 1
        return
    before = answered(run)
    tally["answers kept"] += len(before)
    result = resume(folder)
    if "nothing to resume" in result.stderr:
        tally["killed after the run was complete"] += 1
    elif result.returncode != 0:
        tally["FAILED to resume"] += 1
        print(result.stderr, file=sys.stderr)
        return
    after = answered(run)
    for name, request in repeated(run, before, after):
        tally["requests repeated"] += 1
        print(f"repeated: {name}: {request[:400]}", file=sys.stderr)
    tally["requests without an answer"] += max(0, sent(run) - len(after))
    tally["identical profiles"] += profiles(run) == whole["profiles"]
    tally["identical history"] += history(folder) == whole["history"]
    left = [str(path) for path in folder.rglob(".tmp-*")]
    tally["temporary files left"] += len(left)
    tally["resumed"] += 1


def random_kills(count, whole, seconds, tally):
    chance = random.Random(1)
    for _ in range(count):
        with tempfile.TemporaryDirectory() as name:
            child = begin(Path(name))
            time.sleep(chance.random() * seconds)
            child.kill()
            child.wait()
            judge(Path(name), whole, tally)


def commit_kills(most, whole, tally):
    """Kills before the nth sync or rename, for every n, or for some of them where there are many."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "calls"
        begin(Path(name), "strace", "-f", "-qq", "-e", "trace=" + ",".join(COMMITS), "-o", str(log)).wait()
        called = [line.split("(")[0].split()[-1] for line in log.read_text().splitlines() if "(" in line]
    moments = []
    for call in sorted(set(called) & set(COMMITS)):
        moments += [(call, nth) for nth in range(1, called.count(call) + 1)]
    random.Random(2).shuffle(moments)
    for call, nth in moments[:most]:
        with tempfile.TemporaryDirectory() as name:
            inject = f"inject={call}:signal=KILL:when={nth}"
            begin(Path(name), "strace", "-f", "-qq", "-e", "trace=" + call, "-e", inject, "-o", "/dev/null").wait()
            judge(Path(name), whole, tally)
    return len(moments)


def main():
    names = ["resumed", "identical profiles", "identical history", "requests repeated", "requests without an answer",
             "answers kept", "temporary files left", "FAILED to resume", "killed before the run had a folder",
             "killed after the run was complete"]
    tally = dict.fromkeys(names, 0)
    with tempfile.TemporaryDirectory() as name:
        began = time.monotonic()
        code = begin(Path(name)).wait()
        seconds = time.monotonic() - began
        run = run_of(Path(name))
        whole = {"profiles": profiles(run), "history": history(Path(name))}
        print(f"a run left alone: {sent(run)} requests, {seconds:.1f} s, exit {code}")
    print(f"kills at random moments: {KILLS}")
    random_kills(KILLS, whole, seconds, tally)
    if shutil.which("strace"):
        moments = commit_kills(KILLS, whole, tally)
        print(f"kills before a sync or a rename: {min(KILLS, moments)} of {moments} moments")
    else:
        print("kills before a sync or a rename: none, strace is not installed")
    for name, count in tally.items():
        print(f"{name}: {count}")
    wrong = (
        tally["FAILED to resume"]
        + tally["requests repeated"]
        + tally["temporary files left"]
        + 2 * tally["resumed"]
        - tally["identical profiles"]
        - tally["identical history"]
    )
    sys.exit(1 if wrong else 0)


main()
