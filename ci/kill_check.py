"""Kills runs of the simulated models, resumes them, and compares them with a run that was left alone."""

import difflib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOOLPROBE = str(Path(sys.argv[1]).resolve())
KILLS = int(sys.argv[2])
# Of N slices the Ith: a long check can be run in pieces.
PART, PARTS = map(int, (sys.argv[3] if len(sys.argv) > 3 else "1/1").split("/"))
# Runs at the same time: most of their time is spent in waiting for syncs.
AT_ONCE = 4
MODELS = ["openai-native", "anthropic-native", "repairs-half", "taught-tool-call", "qwen3-coder-xml"]
ENV = {**os.environ, "SOURCE_DATE_EPOCH": "1794700800"}

# Requests beyond those of the run that was left alone: what was under way when a run is killed counts and is sent
# again, and how many are sent ahead to a model that must be taught is a matter of time.
LOST = 300

# What a run calls right before it commits something: each of these calls is killed before it happens.
COMMITS = ["fdatasync", "fsync", "rename", "renameat", "renameat2"]


def begin(folder, *before, budget=()):
    """A run of the models in a folder of its own."""
    words = [TOOLPROBE, "run", *MODELS, "--jobs", "3", "--quiet", *budget]
    return subprocess.Popen([*before, *words], cwd=folder, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def resume(folder, *budget):
    """Goes on with the run: within the budget that it began with, unless another one is given."""
    words = [TOOLPROBE, "run", "--resume", "--quiet", *budget]
    return subprocess.run(words, cwd=folder, env=ENV, capture_output=True, text=True)


def run_of(folder):
    runs = sorted(folder.glob("reports/*/manifest.json"))
    return runs[0].parent if runs else None


def profiles(run):
    return {file.name: file.read_text() for file in sorted(run.glob("profiles/*.json"))}


def same_profiles(run, whole):
    """Whether the profiles are those of the run that was left alone; shows where they are not."""
    found = profiles(run)
    for name in sorted(found.keys() | whole["profiles"].keys()):
        before, after = (texts.get(name, "").splitlines() for texts in (whole["profiles"], found))
        for line in list(difflib.unified_diff(before, after, name, name, n=0, lineterm=""))[:20]:
            print(line, file=sys.stderr)
    return found == whole["profiles"]


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


def spent(run):
    """The requests that were reserved, and the tokens that were spent or are still reserved."""
    requests = tokens = 0
    for _, _, line in lines(run):
        if "reserved" in line:
            requests += line["reserved"]["requests"]
            tokens += total(line["reserved"])
        if "settled" in line:
            tokens += total(line["settled"]["used"]) - total(line["settled"]["reserved"])
    return requests, tokens


def total(spent):
    return spent["promptTokens"] + spent["completionTokens"]


def sent(run):
    return spent(run)[0]


def check_budget(run, budget, tally):
    """Holds what a run has spent against the budget that it was given."""
    requests, tokens = spent(run)
    limits = dict(zip(budget[::2], map(int, budget[1::2])))
    within = requests <= limits.get("--max-requests", requests) and tokens <= limits.get("--max-tokens-total", tokens)
    tally["budgets EXCEEDED"] += not within
    if not within:
        print(f"exceeded: {requests} requests, {tokens} tokens, of {budget}", file=sys.stderr)


def judge(folder, whole, tally, budget=()):
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
    check_budget(run, budget, tally)
    after = answered(run)
    for name, request in repeated(run, before, after):
        tally["requests repeated"] += 1
        print(f"repeated: {name}: {request[:400]}", file=sys.stderr)
    tally["requests without an answer"] += max(0, sent(run) - len(after))
    tally["identical profiles"] += same_profiles(run, whole)
    tally["identical history"] += history(folder) == whole["history"]
    left = [str(path) for path in folder.rglob(".tmp-*")]
    tally["temporary files left"] += len(left)
    tally["resumed"] += 1


def sliced(attempts):
    """Those of this part."""
    return [it for place, it in enumerate(attempts) if place % PARTS == PART - 1]


def kill_at(child, seconds):
    """Kills a run after this time; False where it was quicker."""
    try:
        child.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return True


def random_kill(number, whole, tally):
    """Every other run has a budget that is just enough for what is lost with a kill."""
    roomy = ["--max-requests", str(whole["requests"] + LOST), "--max-tokens-total", str(whole["tokens"] + LOST * 12_000)]
    budget = roomy if number % 2 else []
    chance, longest = random.Random(number), whole["seconds"]
    for _ in range(8):
        with tempfile.TemporaryDirectory() as name:
            began = time.monotonic()
            was_killed = kill_at(begin(Path(name), budget=budget), chance.random() * longest)
            if not was_killed:
                # How long a run takes depends on what else goes on: this one counts for nothing.
                longest = time.monotonic() - began
            elif run_of(Path(name)) is None:
                tally["killed before the run had a folder"] += 1
            else:
                return judge(Path(name), whole, tally, budget)


def tight_kill(number, whole, tally):
    """A run whose budget is not enough: killed, resumed within it, and then with a larger one."""
    budget = ["--max-requests", str(whole["requests"] * 6 // 10)]
    if number % 2:
        budget = ["--max-tokens-total", str(12_000 + whole["tokens"] // 2)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        child = begin(folder, budget=budget)
        kill_at(child, random.Random(-number).random() * whole["seconds"] / 2)
        run = run_of(folder)
        if run is None:
            tally["killed before the run had a folder"] += 1
            return
        code = resume(folder).returncode
        check_budget(run, budget, tally)
        if code == 3:
            tally["budgets used up"] += 1
            judge_raised(folder, run, whole, tally)


def judge_raised(folder, run, whole, tally):
    """A larger budget lets a run go on to its end."""
    before = spent(run)[0]
    result = resume(folder, "--max-requests", "100000", "--max-tokens-total", "100000000")
    good = result.returncode == 0 and spent(run)[0] > before and same_profiles(run, whole)
    tally["went on with a larger budget"] += good
    if not good:
        print(f"exit {result.returncode}, {before} requests, then {spent(run)[0]}: {result.stderr}", file=sys.stderr)
        tally["FAILED to resume"] += 1


def commit_moments():
    """Every sync and rename of a run, by its name and place."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "calls"
        begin(Path(name), "strace", "-f", "-qq", "-e", "trace=" + ",".join(COMMITS), "-o", str(log)).wait()
        called = [line.split("(")[0].split()[-1] for line in log.read_text().splitlines() if "(" in line]
    moments = []
    for call in sorted(set(called) & set(COMMITS)):
        moments += [(call, nth) for nth in range(1, called.count(call) + 1)]
    random.Random(2).shuffle(moments)
    return moments


def commit_kill(moment, whole, tally):
    """Kills before the nth sync or rename."""
    call, nth = moment
    with tempfile.TemporaryDirectory() as name:
        inject = f"inject={call}:signal=KILL:when={nth}"
        begin(Path(name), "strace", "-f", "-qq", "-e", "trace=" + call, "-e", inject, "-o", "/dev/null").wait()
        judge(Path(name), whole, tally)


def left_alone():
    """What runs leave that nobody kills, as many at the same time as there will be; all must be the same."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name, str(number)) for number in range(AT_ONCE)]
        for folder in folders:
            folder.mkdir()
        began = time.monotonic()
        codes = [child.wait() for child in [begin(folder) for folder in folders]]
        seconds = time.monotonic() - began
        runs = [run_of(folder) for folder in folders]
        requests, tokens = spent(runs[0])
        whole = {"profiles": profiles(runs[0]), "history": history(folders[0]), "requests": requests, "tokens": tokens, "seconds": seconds}
        same = all(same_profiles(run, whole) and history(folder) == whole["history"] for run, folder in zip(runs, folders))
    print(f"{AT_ONCE} runs left alone: {requests} requests, {seconds:.1f} s, exit {codes}, {'identical' if same else 'NOT identical'}", flush=True)
    return whole, same


def attempts():
    """What is tried, in the order of the parts."""
    kills = [(random_kill, number) for number in range(KILLS)] + [(tight_kill, number) for number in range(max(2, KILLS // 10))]
    if not shutil.which("strace"):
        print("kills before a sync or a rename: none, strace is not installed")
        return kills
    moments = commit_moments()
    print(f"kills at random moments: {KILLS}; before a sync or a rename: {min(KILLS, len(moments))} of {len(moments)} moments; part {PART} of {PARTS}", flush=True)
    return kills + [(commit_kill, moment) for moment in moments[:KILLS]]


def tried(attempt, whole):
    """What one attempt counts."""
    kill, which = attempt
    tally = Counter()
    try:
        kill(which, whole, tally)
    except Exception as error:  # Nothing that a kill leaves may be unreadable.
        tally["FAILED to resume"] += 1
        print(f"{kill.__name__} {which}: {error!r}", file=sys.stderr)
    if tally["resumed"] > min(tally["identical profiles"], tally["identical history"]):
        print(f"DIFFERENT after {kill.__name__} {which}", file=sys.stderr, flush=True)
    return tally


def main():
    names = ["resumed", "identical profiles", "identical history", "requests repeated", "requests without an answer",
             "answers kept", "temporary files left", "FAILED to resume", "killed before the run had a folder",
             "killed after the run was complete", "budgets used up", "went on with a larger budget", "budgets EXCEEDED"]
    whole, same = left_alone()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tally = sum(pool.map(lambda it: tried(it, whole), sliced(attempts())), Counter())
    for name in names:
        print(f"{name}: {tally[name]}")
    wrong = (
        tally["FAILED to resume"]
        + tally["requests repeated"]
        + tally["temporary files left"]
        + tally["budgets EXCEEDED"]
        + 2 * tally["resumed"]
        - tally["identical profiles"]
        - tally["identical history"]
    )
    sys.exit(1 if wrong or not same else 0)


main()
