"""The marks of speed and size, measured: see `ci/bench`.

Ratios are taken within one run on one machine. A measure that is worse than the kept one by more than its tolerance is
told as slower, whether or not it still meets its mark.
"""

import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "benches" / "ratios.json"
TARGET = ROOT / "target" / "bench"
# A copy: building the benches puts a binary without link-time optimisation where the build left it.
BINARY = TARGET / "toolprobe"

AT_MOST, AT_LEAST = "at most", "at least"

# Measure: what it is, which side of its mark it must be on, the mark, the unit.
ROWS = {
    "cpu-plain": ("CPU of a plain request against a bare reqwest loop", AT_MOST, 4, "×"),
    "cpu-stream": ("CPU of a streamed request against a bare reqwest loop", AT_MOST, 4, "×"),
    "sdk-plain": ("less CPU than the OpenAI Python SDK, plain", AT_LEAST, 25, "×"),
    "sdk-stream": ("less CPU than the OpenAI Python SDK, streamed", AT_LEAST, 20, "×"),
    "fleet-cores": ("`toolprobe run` of the fleet on two cores against one", AT_LEAST, 1.7, "× faster"),
    "throughput": ("throughput at 200 ms with 64 in flight, of the ideal", AT_LEAST, 0.95, ""),
    "suite-native": ("one target at 200 ms against its longest conversation", AT_MOST, 1.15, "×"),
    "suite-reasoning": ("the same with reasoning to send back", AT_MOST, 1.15, "×"),
    "suite-taught": ("the same with a protocol to teach", AT_MOST, 1.6, "×"),
    "text-pieces": ("text parsers, 1 MB in 4-byte pieces against whole", AT_MOST, 3, "×"),
    "text-growth": ("text parsers, growth exponent", AT_MOST, 1.1, ""),
    "diff": ("`diff` of 10,000 profiles", AT_MOST, 1, "s"),
    "diff-growth": ("`diff`, growth exponent", AT_MOST, 1.1, ""),
    "gate": ("`gate` of 10,000 profiles", AT_MOST, 1, "s"),
    "gate-growth": ("`gate`, growth exponent", AT_MOST, 1.1, ""),
    "report": ("reports of 1,000 targets, the slowest format", AT_MOST, 2, "s"),
    "report-growth": ("reports, the largest growth exponent", AT_MOST, 1.1, ""),
    "cold-start": ("cold start, CPU beyond that of `true`", AT_MOST, 1, "ms"),
    "binary": ("release binary", AT_MOST, 15, "MB"),
    "build": ("clean build", AT_MOST, 180, "s"),
}

# How much worse than the kept measure is still noise.
TOLERANCE = 0.15
FORMATS = ["markdown", "html", "csv", "junit", "json", "table"]


def main():
    words = sys.argv[2:]
    measured = {}
    if "--no-build" not in words:
        measured["build"] = clean_build()
    measured["binary"] = BINARY.stat().st_size / 1e6
    measured["cold-start"] = cold_start()
    measured["fleet-cores"] = fleet_on_cores()
    measured |= stored_profiles()
    measured |= benches(sys.argv[1])
    short = show(measured)
    short += scale_check()
    if "--accept" in words:
        kept = {name: round(measured[name], 3) for name in ROWS if name in measured}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n")
    print("every mark is met" if not short else "falls short: " + ", ".join(short))
    sys.exit(1 if short else 0)


def clean_build():
    """Seconds of a release build without anything that was built before."""
    shutil.rmtree(TARGET / "release", ignore_errors=True)
    began = time.monotonic()
    cargo("build", "--bin", "toolprobe")
    took = time.monotonic() - began
    shutil.copy(TARGET / "release" / "toolprobe", BINARY)
    return took


def cargo(*arguments):
    command = ["cargo", arguments[0], "--locked", "--release", "--target-dir", TARGET, *arguments[1:]]
    return subprocess.run(command, cwd=ROOT, check=True)


def benches(python):
    """What the benches print as measured. What is measured in processes of its own is the release binary. The benches
    themselves, the bare loop among them, are built without link-time optimisation, which would take minutes for each."""
    measured = {}
    environment = os.environ | {"BENCH_PYTHON": python, "BENCH_TOOLPROBE": str(BINARY)}
    environment |= {"CARGO_PROFILE_BENCH_LTO": "false", "CARGO_PROFILE_BENCH_CODEGEN_UNITS": "16"}
    names = ["requests", "suite", "textcall", "wire", "paths"]
    flags = [word for name in names for word in ("--bench", name)]
    command = ["cargo", "bench", "--locked", "--target-dir", TARGET, *flags]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            if found := re.fullmatch(r"measured (\S+) (\S+)\n", line):
                measured[found[1]] = float(found[2])
            else:
                print(line, end="", flush=True)
    if running.returncode != 0:
        sys.exit("a bench failed")
    return measured


def cpu(command, times):
    """CPU milliseconds of one run of a command."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    for _ in range(times):
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (used() - before) / times


def cold_start():
    """What `--version` takes beyond what any process takes; the least of some."""
    least = min(cpu([BINARY, "--version"], 50) for _ in range(3))
    return max(0.0, least - min(cpu(["true"], 50) for _ in range(3)))


def wall(command, folder, codes=(0,)):
    """Seconds that a command takes."""
    began = time.monotonic()
    ended = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if ended.returncode not in codes:
        sys.exit(f"exit code {ended.returncode} of {' '.join(map(str, command))}")
    return time.monotonic() - began


def fleet_on_cores():
    """How much faster a run of the embedded fleet is on two cores; the best of three each."""
    def best(cores):
        times = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                times.append(wall(["taskset", "-c", cores, BINARY, "run", "--quiet"], folder))
        return min(times)
    return best("0") / best("0,1")


def stored_profiles():
    """`diff`, `gate` and reports over stored profiles: the time at the full number, and how it grows from half of it."""
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for count in (500, 1000, 5000, 10000):
            make_run(folder / str(count), count)
        for name, command in {
            "diff": ["diff", "profiles", "new"],
            "gate": ["gate", "--confirm", "off"],
        }.items():
            few, many = (best_wall(command, folder / count) for count in ("5000", "10000"))
            measured |= {name: many, f"{name}-growth": math.log2(many / few)}
        slowest, growth = 0.0, 0.0
        for form in FORMATS:
            command = ["report", "--format", form, "--output", "report.out"]
            few, many = (best_wall(command, folder / count) for count in ("500", "1000"))
            print(f"report {form:<10} 500: {few:6.3f} s   1,000: {many:6.3f} s")
            slowest, growth = max(slowest, many), max(growth, math.log2(many / few))
        measured |= {"report": slowest, "report-growth": growth}
    return measured


def best_wall(command, folder):
    return min(wall([BINARY, *command], folder, codes=(0, 1)) for _ in range(3))


def make_run(folder, count):
    """A run of so many targets, its snapshots in `profiles` and the same profiles with one change in `new`."""
    one = folder.parent / "one"
    if not one.exists():
        one.mkdir()
        wall([BINARY, "run", "--quiet", "openai-native"], one)
        wall([BINARY, "accept", "--quiet"], one, codes=(0, 1))
    run = next(path for path in (one / "reports").iterdir() if path.is_dir())
    copy = folder / "reports" / run.name
    for part in (copy / "profiles", folder / "profiles", folder / "new"):
        part.mkdir(parents=True)
    shutil.copytree(run / "evidence", copy / "evidence")
    manifest = json.loads((run / "manifest.json").read_text())
    target = manifest["targets"][0]
    manifest["targets"] = []
    found = (run / "profiles" / target["profile"]).read_text()
    kept = next((one / "profiles").iterdir()).read_text()
    for number in range(count):
        name = f"t{number:05}"
        rename = lambda text: text.replace(f'"name": "{target["name"]}"', f'"name": "{name}"', 1)
        (copy / "profiles" / f"{name}.json").write_text(rename(found))
        (folder / "profiles" / f"{name}.json").write_text(rename(kept))
        worse = rename(kept).replace('"supportsParallelToolUse": true', '"supportsParallelToolUse": false', 1)
        (folder / "new" / f"{name}.json").write_text(worse)
        manifest["targets"].append(target | {"name": name, "profile": f"{name}.json"})
    (copy / "manifest.json").write_text(json.dumps(manifest))


def show(measured):
    """Prints the table; gives the names of what falls short."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    short = []
    print()
    for name, (what, side, mark, unit) in ROWS.items():
        if name not in measured:
            print(f"{what:<62} {'not measured':>14}")
            continue
        value = measured[name]
        met = value <= mark if side == AT_MOST else value >= mark
        if not met:
            short.append(name)
        change = against(kept.get(name), value, side)
        print(f"{what:<62} {value:>9.2f} {unit:<9} {side} {mark:<5} {'pass' if met else 'FALLS SHORT'}{change}")
    return short


def against(kept, value, side):
    """How a measure stands to the kept one."""
    if not kept:
        return ""
    worse = value / kept if side == AT_MOST else kept / value if value else math.inf
    if worse > 1 + TOLERANCE:
        return f", SLOWER than the kept {kept:g}"
    return f", kept {kept:g}"


def scale_check():
    """1,000 targets in one run, where there is a check of it."""
    check = ROOT / "ci" / "scale-check"
    if not check.exists():
        return []
    print("\nmany targets in one run (ci/scale-check):", flush=True)
    ended = subprocess.run([check, "250", "500"], cwd=ROOT, env=os.environ | {"TOOLPROBE": str(BINARY)})
    return [] if ended.returncode == 0 else ["scale-check"]


if __name__ == "__main__":
    main()
