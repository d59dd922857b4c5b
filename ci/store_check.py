"""Runs, snapshots and history through object storage, with several writers at once."""

import contextlib
import csv
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import boto3

from fleet import read_profiles, serve, write_config

BUCKET = "toolprobe-check"
KEY, SECRET = "key-of-the-store-check-01234", "secret-of-the-store-check-0123456789"
STORE = f"s3://{BUCKET}/nights/one"
WRITERS = 4


@contextlib.contextmanager
def storage():
    """A server with an empty bucket, and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([pathlib.Path(sys.executable).parent / "moto_server", "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        url = f"http://127.0.0.1:{port}"
        client = boto3.client("s3", endpoint_url=url, aws_access_key_id=KEY, aws_secret_access_key=SECRET, region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield url, client
    finally:
        server.terminate()
        server.wait(10)


class Machine:
    """A folder of its own, as another machine has it."""

    def __init__(self, check, name):
        self.check, self.folder = check, check.folder / name
        self.folder.mkdir(exist_ok=True)
        write_config(self.folder / "toolprobe.toml", check.models, check.targets)

    def start(self, *arguments, **environment):
        given = {"AWS_ENDPOINT_URL": self.check.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1", **environment}
        return subprocess.Popen([self.check.program, *arguments], cwd=self.folder, env={**os.environ, **given}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, *arguments, **environment):
        process = self.start(*arguments, **environment)
        said, _ = process.communicate()
        self.check.said.append(said)
        return process.returncode, said

    def probe(self, *arguments):
        return ("run", "--format", "csv", "--output", "r.csv", *arguments)

    def runs(self):
        return sorted(str(path.parent) for path in self.folder.glob("reports/2*/manifest.json"))


class Check:
    def __init__(self, program, folder, models, url, client, targets):
        self.program, self.folder, self.models, self.url, self.client, self.targets = program, pathlib.Path(folder), models, url, client, targets
        self.failures, self.said = [], []

    def expect(self, what, holds, said=""):
        print(f"{'ok' if holds else 'FAILED':6} {what}", flush=True)
        if not holds:
            self.failures.append(what)
            print(said)

    def objects(self, prefix="nights/one/"):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def history(self):
        body = self.client.get_object(Bucket=BUCKET, Key="nights/one/history.csv")["Body"].read().decode()
        return list(csv.DictReader(body.splitlines()))

    def everything(self):
        bodies = [self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in self.objects("")]
        files = [path.read_bytes() for path in self.folder.rglob("*") if path.is_file()]
        return bodies + files + [text.encode() for text in self.said]


def check_shards(check):
    whole = Machine(check, "whole")
    code, said = whole.run(*whole.probe("--quiet"))
    check.expect(f"one run of {check.targets} targets without a store", code == 0, said)
    machines = [Machine(check, f"shard-{number}") for number in (1, 2, 3, 4)]
    processes = [machine.start(*machine.probe("--store", STORE, "--shard", f"{number}/4")) for number, machine in enumerate(machines, 1)]
    ends = [(process.communicate()[0], process.returncode) for process in processes]
    check.expect("four shards at the same time, each published", all(code == 0 and "published as run" in said for said, code in ends), str(ends))
    judge = Machine(check, "judge")
    code, said = judge.run("merge", "--store", STORE)
    check.expect("all shards are fetched, merged and published", code == 0 and "published as run" in said, said)
    merged = read_profiles(judge.runs()[-1]) if code == 0 else {}
    check.expect(f"{len(merged)} profiles are the same as those of one run", merged == read_profiles(whole.runs()[0]))
    code, said = judge.run("accept", "--all", "--store", STORE)
    check.expect("accepted from there", code == 0 and "nights/one/snapshots.json" in check.objects(), said)


def check_readers(check):
    other = Machine(check, "reader")
    code, said = other.run("gate", "--store", STORE)
    check.expect("another machine gates the latest run with the snapshots from there", code == 0, said)
    code, said = other.run("report", "--format", "markdown", "--store", STORE)
    check.expect("and reports on it", code == 0 and "target-00000" in said, said)
    code, said = other.run("drift", "--store", STORE)
    check.expect("and reads the history", code == 0, said)
    code, said = other.run(*other.probe("--store", STORE))
    check.expect("and compares a run of its own with them", code == 0 and "no change" in said, said)


def check_writers(check):
    """Runs that end at the same time, in the same second if chance has it, lose nothing of each other."""
    before = len({row["run"] for row in check.history()})
    machines = [Machine(check, f"writer-{number}") for number in range(WRITERS)]
    processes = [machine.start(*machine.probe("--store", STORE, "--suite", "light", "target-00000"), SOURCE_DATE_EPOCH="1800000000") for machine in machines]
    ends = [(process.communicate()[0], process.returncode) for process in processes]
    names = {line.split()[-1] for said, _ in ends for line in said.splitlines() if line.startswith("published as run")}
    check.expect(f"{WRITERS} runs of the same second have names of their own: {sorted(names)}", len(names) == WRITERS, str(ends))
    found = {row["run"] for row in check.history()}
    check.expect("all of them are in the history", len(found) == before + WRITERS and names <= found, str(sorted(found)))
    manifests = [key for key in check.objects() if key.endswith("/manifest.json")]
    check.expect("all of them are whole", all(any(name + "/" in key for key in manifests) for name in names), str(manifests))


def check_accepts(check):
    """Of two that accept at the same time, none is lost without a word."""
    machines = [Machine(check, name) for name in ("accept-1", "accept-2")]
    processes = [machine.start("accept", "--all", "--store", STORE) for machine in machines]
    ends = [(process.communicate()[0], process.returncode) for process in processes]
    refused = [said for said, code in ends if code == 3 and "changed by somebody else" in said]
    fine = [said for said, code in ends if code == 0]
    check.expect(f"two accept at once: {len(fine)} done, {len(refused)} told to try again", len(fine) + len(refused) == 2 and fine, str(ends))


def check_mistakes(check):
    machine = Machine(check, "mistakes")
    for what, words, code, store, environment in [
        ("a bucket that is not there", "object storage", 3, "s3://no-such-bucket/x", {}),
        ("an address that is none", "such as s3://bucket/prefix", 2, "https://bucket/x", {}),
        ("keys over plain HTTP", "over plain HTTP", 2, STORE, {"AWS_ENDPOINT_URL": "http://192.0.2.1:9000"}),
        ("an endpoint that is no URL", "is not a URL", 2, STORE, {"AWS_ENDPOINT_URL": "127.0.0.1"}),
    ]:
        found, said = machine.run("run", "--store", store, **environment)
        check.expect(f"{what}: exit {found}", found == code and words in said and not machine.runs(), said)
    code, said = machine.run("gate", "20200101T000000Z", "--store", STORE)
    check.expect("a run that is not there", code == 2 and "no run 20200101T000000Z in object storage" in said, said)
    leaks = [text for text in check.everything() if SECRET.encode() in text or KEY.encode() in text]
    check.expect("the keys stand in no file, no object and no output", not leaks)


def main():
    program, *words = sys.argv[1:]
    targets = next((int(word) for word in words if word.isdigit()), 300)
    program = str(pathlib.Path(program).resolve())
    with storage() as (url, client), serve(program) as models, tempfile.TemporaryDirectory() as folder:
        check = Check(program, folder, models, url, client, targets)
        for part in (check_shards, check_readers, check_writers, check_accepts, check_mistakes):
            part(check)
    print(f"{len(check.failures)} failed" if check.failures else "object storage loses nothing")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
