"""What a run of many targets costs: peak of memory, files, time and CPU, and how they grow with the targets."""

import os
import pathlib
import sys
import tempfile
import time

from fleet import count_files, serve, write_config

MEMORY_MB = 100
FILES_PER_TARGET = 3
# The manifest and the lock of the run, and the history, the metrics and the lock beside it.
FILES_OF_RUN = 5
# Twice the targets may take so much more memory, in MB, and so many times the CPU.
MEMORY_GROWTH_MB = 10
CPU_GROWTH = 2.1


def measure(program, url, targets, suite):
    """A run of so many targets in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        write_config(pathlib.Path(folder, "toolprobe.toml"), url, targets)
        arguments = [program, "run", "--suite", suite, "--quiet", "--format", "csv", "--output", "report.csv"]
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            os.execv(program, arguments)
        _, status, used = os.wait4(child, 0)
        run = {
            "targets": targets,
            "exit": os.waitstatus_to_exitcode(status),
            "seconds": time.monotonic() - began,
            "cpu": used.ru_utime + used.ru_stime,
            "memory": used.ru_maxrss / 1024,
            "files": count_files(pathlib.Path(folder, "reports")) - FILES_OF_RUN,
        }
    print(
        "{targets:>7} targets  exit {exit}  {seconds:8.1f} s  {cpu:8.1f} s CPU  {memory:7.1f} MB  {files} files".format(**run),
        flush=True,
    )
    return run


def judge(runs):
    """What falls short of the marks."""
    short = []
    for run in runs:
        name = f"{run['targets']} targets"
        if run["exit"] != 0:
            short.append(f"{name}: exit code {run['exit']}")
        if run["memory"] > MEMORY_MB:
            short.append(f"{name}: {run['memory']:.0f} MB, at most {MEMORY_MB}")
        if run["files"] > FILES_PER_TARGET * run["targets"]:
            short.append(f"{name}: {run['files']} files, at most {FILES_PER_TARGET} for each and {FILES_OF_RUN} of the run")
    for few, many in zip(runs, runs[1:]):
        times = many["targets"] / few["targets"]
        if many["cpu"] > few["cpu"] * times * CPU_GROWTH / 2:
            short.append(f"{times:g} times the targets take {many['cpu'] / few['cpu']:.2f} times the CPU")
        if many["memory"] > few["memory"] + MEMORY_GROWTH_MB:
            short.append(f"memory grows with the targets: {few['memory']:.0f} MB, {many['memory']:.0f} MB")
    return short


def main():
    program, *words = sys.argv[1:]
    suite = next((word for word in words if word in ("light", "standard", "full")), "standard")
    counts = [int(word) for word in words if word.isdigit()] or [1000, 2000]
    program = str(pathlib.Path(program).resolve())
    with serve(program) as url:
        runs = [measure(program, url, targets, suite) for targets in counts]
    short = judge(runs)
    for line in short:
        print("falls short:", line)
    print("all marks are met" if not short else f"{len(short)} marks are not met")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
