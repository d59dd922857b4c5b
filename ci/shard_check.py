"""Shards of a run, asked at the same time and merged, against one run of all targets."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from fleet import read_profiles, serve, write_config

SHARDS = 4
ADDED = 10


class Place:
    """A folder with a configuration, where toolprobe is run."""

    def __init__(self, program, folder):
        self.program, self.folder, self.failures = program, pathlib.Path(folder), []

    def start(self, *arguments):
        return subprocess.Popen([self.program, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate()
        return process.returncode, out + err

    def expect(self, what, holds, said=""):
        print(f"{'ok' if holds else 'FAILED':6} {what}", flush=True)
        if not holds:
            self.failures.append(what)
            print(said)

    def refused(self, what, words, *arguments):
        """The command must exit 2, say these words, and leave no run behind."""
        before = self.runs("refused")
        code, said = self.run(*arguments, "--reports", "refused")
        self.expect(what, code == 2 and words in said and self.runs("refused") == before, f"exit {code}: {said}")

    def runs(self, reports):
        return sorted(str(path.parent) for path in self.folder.glob(f"{reports}/2*/manifest.json"))

    def shard(self, number, count, reports, *more):
        return ("run", "--quiet", "--shard", f"{number}/{count}", "--reports", reports, "--format", "csv", "--output", "r.csv", *more)


def names(run):
    return [target["name"] for target in json.loads(pathlib.Path(run, "manifest.json").read_text())["targets"]]


def main():
    program, *words = sys.argv[1:]
    targets = next((int(word) for word in words if word.isdigit()), 300)
    program = str(pathlib.Path(program).resolve())
    with serve(program) as url, tempfile.TemporaryDirectory() as folder:
        place = Place(program, folder)
        write_config(place.folder / "toolprobe.toml", url, targets)
        check_identity(place, targets)
        check_refusals(place)
        check_interrupted(place)
        check_added(place, url, targets)
    print(f"{len(place.failures)} failed" if place.failures else "shards and one run are the same")
    return 1 if place.failures else 0


def check_identity(place, targets):
    code, said = place.run("run", "--quiet", "--reports", "whole", "--format", "csv", "--output", "w.csv")
    place.expect(f"one run of {targets} targets", code == 0, said)
    processes = [place.start(*place.shard(number, SHARDS, f"s{number}")) for number in range(1, SHARDS + 1)]
    said = [(process.communicate(), process.returncode) for process in processes]
    place.expect(f"{SHARDS} shards at the same time", all(code == 0 for _, code in said), str(said))
    shards = [place.runs(f"s{number}")[0] for number in range(1, SHARDS + 1)]
    sizes = [len(names(run)) for run in shards]
    place.expect(f"shards have as many targets as each other: {sizes}", max(sizes) - min(sizes) <= 1)
    code, said = place.run("merge", *shards, "--reports", "merged")
    place.expect("they are merged", code == 0, said)
    whole, merged = read_profiles(place.runs("whole")[0]), read_profiles(place.runs("merged")[0])
    differing = [name for name in whole if whole[name] != merged.get(name)]
    place.expect(f"{len(merged)} profiles, {len(differing)} of them differ", whole == merged, "\n".join(differing[:5]))
    journals = [len(list(pathlib.Path(run, "evidence").iterdir())) for run in (place.runs("whole")[0], place.runs("merged")[0])]
    place.expect(f"journals: {journals}", journals == [targets, targets])
    code, said = place.run("merge", *shards, "--reports", "merged")
    both = place.runs("merged")
    place.expect("merging again writes a run of its own", code == 0 and len(both) == 2 and read_profiles(both[1]) == whole, said)


def check_refusals(place):
    shards = [place.runs(f"s{number}")[0] for number in range(1, SHARDS + 1)]
    place.refused("a missing shard", "shard 3/4 is missing", "merge", shards[0], shards[1], shards[3])
    place.refused("a shard twice", "is in run", "merge", *shards, shards[0])
    for what, words, more in [("another seed", "the seed", ["--seed", "7"]), ("another suite", "the suite", ["--suite", "light"]), ("other trials", "the trials", ["--trials", "1"])]:
        reports = "other-" + more[0].strip("-")
        place.run(*place.shard(SHARDS, SHARDS, reports, *more))
        place.refused(what, words, "merge", *shards[:3], place.runs(reports)[0])
    copy = place.folder / "older" / pathlib.Path(shards[3]).name
    shutil.copytree(shards[3], copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "toolprobeVersion": "0.0.9"}))
    place.refused("another version", "toolprobe's version", "merge", *shards[:3], str(copy))
    (copy / "manifest.json").write_text(json.dumps({**manifest, "completion": {"state": "running"}}))
    place.refused("a shard that is not over", "is not over", "merge", *shards[:3], str(copy))


def check_interrupted(place):
    """A shard that a budget cut short is resumed and merged as if nothing had happened."""
    code, said = place.run(*place.shard(2, SHARDS, "cut", "--max-requests", "500"))
    cut = place.runs("cut")[0]
    place.expect("a shard that runs out of its budget exits 3", code == 3, said)
    shards = [place.runs(f"s{number}")[0] for number in (1, 3, 4)]
    code, said = place.run("merge", shards[0], cut, *shards[1:], "--reports", "incomplete")
    place.expect("merged with it, the run is incomplete", code == 3 and "incomplete" in said, said)
    code, said = place.run("run", "--quiet", "--resume", "--reports", "cut", "--max-requests", "1000000", "--format", "csv", "--output", "r.csv")
    place.expect("it is resumed", code == 0, said)
    code, said = place.run("merge", shards[0], cut, *shards[1:], "--reports", "resumed")
    same = code == 0 and read_profiles(place.runs("resumed")[0]) == read_profiles(place.runs("whole")[0])
    place.expect("and merged it is the same as one run", same, said)


def check_added(place, url, targets):
    """Targets that are added move few of the others to another machine."""
    before = {name: number for number in range(1, SHARDS + 1) for name in names(place.runs(f"s{number}")[0])}
    write_config(place.folder / "toolprobe.toml", url, targets)
    with open(place.folder / "toolprobe.toml", "a") as config:
        for number in range(ADDED):
            config.write(f'\n[[targets]]\nname = "added-{number}"\nbase_url = "{url}"\ndialect = "openai-chat"\nmodel = "openai-native"\n')
    after = {}
    for number in range(1, SHARDS + 1):
        _, said = place.run("run", "--dry-run", "--shard", f"{number}/{SHARDS}", "--format", "json")
        planned = json.loads(said[said.index("{"): said.rindex("}") + 1])
        after.update({target["name"]: number for target in planned["targets"]})
    place.run(*place.shard(SHARDS, SHARDS, "changed", "--suite", "standard"))
    shards = [place.runs(f"s{number}")[0] for number in range(1, SHARDS)]
    place.refused("a shard of other targets", "the targets that were shared", "merge", *shards, place.runs("changed")[0])
    moved = [name for name in before if after.get(name) != before[name]]
    place.expect(f"{ADDED} more targets move {len(moved)} of {targets} to another shard", len(moved) <= targets // 10)


if __name__ == "__main__":
    sys.exit(main())
