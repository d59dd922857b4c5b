"""Endpoints that are fine behind a server that is not, and what becomes of their verdicts."""

import asyncio
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import faults
from faults import FAULTS, FINDING_OF_STREAMS, HARMLESS, SLOW

DIALECTS = {"openai-chat": "openai-native", "openai-responses": "responses-native", "anthropic-messages": "anthropic-native",
            "gemini": "gemini-native", "ollama": "ollama-native"}
# Which replies are faulty: those to plain requests, streams, or all.
MODES = ("plain", "stream", "all")
# When the trouble begins: at once, after some replies, or for a single one.
PHASES = ("always", "later", "once")
LATER = {"all": 4, "plain": 4, "stream": 1}
# All targets of one process must be through by then, on a busy machine too.
PATIENCE = 900


@dataclass(frozen=True)
class Good:
    """The reply that the endpoint gave."""

    status: int
    kind: str
    body: bytes


@dataclass
class Cell:
    fault: str
    mode: str
    phase: str
    dialect: str
    port: int = 0
    seen: int = 0
    patience: int = 6
    results: dict = field(default_factory=dict)

    @property
    def name(self):
        return re.sub(r"[^a-z0-9]+", "-", f"{self.fault} {self.mode} {self.phase} {self.dialect}".lower())

    def strikes(self, streamed, posted):
        """Whether the next reply is a faulty one."""
        if self.fault == "none" or self.mode != "all" and (not posted or streamed != (self.mode == "stream")):
            return False
        self.seen += 1
        return {"always": True, "later": self.seen > LATER[self.mode], "once": self.seen == 1}[self.phase]


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return head, await reader.readexactly(int(length[1])) if length else b""


async def ask(upstream, head, body):
    """The reply of the endpoint itself, over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", upstream)
    head = re.sub(rb"(?i)\r\n(connection|accept-encoding):[^\r]*", b"", head)
    writer.write(head.replace(b"\r\n", b"\r\nconnection: close\r\n", 1) + body)
    start = await reader.readuntil(b"\r\n\r\n")
    data = await reader.read(-1)
    writer.close()
    if re.search(rb"(?i)transfer-encoding: *chunked", start):
        data = unchunk(data)
    kind = re.search(rb"(?i)content-type: *([^\r]+)", start)
    return Good(int(start.split()[1]), kind[1].decode() if kind else "", data)


def unchunk(data):
    out, at = b"", 0
    while at < len(data):
        end = data.index(b"\r\n", at)
        size = int(data[at:end].split(b";")[0], 16)
        if not size:
            break
        out += data[end + 2 : end + 2 + size]
        at = end + 4 + size
    return out


def is_streamed(dialect, head, body):
    if dialect == "gemini":
        return b"streamGenerateContent" in head.split(b"\r\n")[0]
    if dialect == "ollama":
        return body and not re.search(rb'"stream": *false', body)
    return bool(re.search(rb'"stream": *true', body))


async def serve(cell, upstream, reader, writer):
    try:
        head, body = await read_request(reader)
        good = await ask(upstream, head, body)
        pieces, end = [faults.whole(good.status, good.body, kind=good.kind or faults.JSON)], faults.CLOSE
        if cell.strikes(bool(is_streamed(cell.dialect, head, body)), head.startswith(b"POST")):
            pieces, end = FAULTS[cell.fault](good)
        for piece in pieces:
            if isinstance(piece, bytes):
                writer.write(piece)
                await writer.drain()
            else:
                await asyncio.sleep(piece)
        if end == faults.STALL:
            await reader.read(1)
        if end == faults.RESET:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except (OSError, asyncio.IncompleteReadError, ValueError):
        pass  # The client went away.
    finally:
        writer.close()


def configuration(cells):
    out = []
    for cell in cells:
        base = f"http://127.0.0.1:{cell.port}" + ("/v1" if cell.dialect.startswith("openai") else "")
        wait = f"{cell.patience}s" if cell.fault in SLOW else "120s"
        out.append(f'[[targets]]\nname = "{cell.name}"\nbase_url = "{base}"\ndialect = "{cell.dialect}"\nmodel = "{DIALECTS[cell.dialect]}"\n'
                   f'timeouts = {{ first_byte = "{wait}", idle = "{wait}", total = "{wait}" }}\n')
    return "\n".join(out)


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


async def probe(program, upstream, cells):
    """Probes all cells in one process; what it said, its exit code, and the seconds it took."""
    servers = []
    for cell in cells:
        if cell.fault == "refused":
            cell.port = closed_port()
            continue
        server = await asyncio.start_server(lambda r, w, cell=cell: serve(cell, upstream, r, w), "127.0.0.1", 0, limit=1 << 24)
        cell.port = server.sockets[0].getsockname()[1]
        servers.append(server)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "toolprobe.toml").write_text(configuration(cells))
        words = [program, "run", "--trials", "1", "--jobs", "24", "--format", "json", "--output", "run.json", "--quiet"]
        started = time.monotonic()
        process = await asyncio.create_subprocess_exec(*words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                                       stderr=subprocess.STDOUT, env={"PATH": os.environ["PATH"]})
        try:
            said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        except asyncio.TimeoutError:
            process.kill()
            said = b"hung"
        took = time.monotonic() - started
        read_results(folder, cells)
    for server in servers:
        server.close()
    return said.decode(errors="replace"), process.returncode, took


def read_results(folder, cells):
    named = {cell.name: cell for cell in cells}
    for path in pathlib.Path(folder).glob("reports/*/profiles/*.json"):
        profile = json.loads(path.read_text())
        if cell := named.get(profile.get("name")):
            results = dict(profile["results"])
            results.update({f"extended.{key}": value for key, value in results.pop("extended", {}).items()})
            cell.results = {key: (value.get("status"), value.get("reason")) for key, value in results.items() if value}


def judge(cell, healthy):
    """What is wrong with the verdicts of a cell; nothing where all is well."""
    if not cell.results:
        return ["no profile"]
    wrong = []
    for key, (status, reason) in cell.results.items():
        usual = healthy.get(key, (None, None))[0]
        about_streams = key == "streaming"
        # A single spoilt reply leaves no mark; one after the other is a finding.
        is_finding = about_streams and cell.fault in FINDING_OF_STREAMS and cell.phase != "once"
        if status == usual or is_finding:
            continue
        if cell.fault in HARMLESS or cell.mode == "stream" and not about_streams or status not in ("inconclusive", "skipped"):
            wrong.append(f"{key}: {status} ({reason})")
    return wrong


def all_cells(short):
    names, dialects = list(FAULTS), list(DIALECTS)
    if short:
        for i, fault in enumerate(names):
            mode = "all" if fault == "refused" else MODES[1 + i % 2]
            yield Cell(fault, mode, PHASES[i % 5 // 2 % 2], dialects[i % len(dialects)])
        return
    for dialect in dialects:
        for fault in names:
            for mode in MODES:
                for phase in PHASES:
                    if fault == "refused" and (mode, phase) != ("all", "always"):
                        continue
                    yield Cell(fault, mode, phase, dialect)


def print_table(cells, verdicts):
    """Per fault: how many cells survived, were inconclusive, were judged wrongly."""
    rows = defaultdict(Counter)
    for cell in cells:
        rows[cell.fault][verdicts[cell.name]] += 1
    print(f"{'fault':24}{'survived':>10}{'inconclusive':>14}{'wrong':>7}")
    for fault, row in rows.items():
        print(f"{fault:24}{row['survived']:>10}{row['inconclusive']:>14}{row['wrong']:>7}")


def start_simulator(program):
    sim = subprocess.Popen([program, "sim", "--addr", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = sim.stdout.readline()
    return sim, int(re.search(r"127\.0\.0\.1:(\d+)", line)[1])


async def check_batch(program, upstream, batch, verdicts):
    """Probes cells and judges them; the problems of the process, and the cells that were judged wrongly with why."""
    # Endpoints without trouble beside the others: nobody else's trouble may cost them a verdict.
    healthy = {dialect: Cell("none", "all", "always", dialect) for dialect in DIALECTS}
    said, code, took = await probe(program, upstream, [*healthy.values(), *batch])
    problems, wrong_cells = [], {}
    if code not in (0, 1, 3) or re.search("internal error|panicked", said) or said == "hung":
        problems.append(f"exit {code}: {said[-2000:]}")
    for dialect, cell in healthy.items():
        bad = {key: it for key, it in cell.results.items() if it[0] not in ("pass", "skipped")}
        if bad or not cell.results:
            problems.append(f"{dialect} without trouble: {bad or 'no profile'}")
    for cell in batch:
        usual = healthy[cell.dialect].results
        survived = all(cell.results.get(key, (None,))[0] == it[0] for key, it in usual.items())
        verdicts[cell.name] = "survived" if survived else "inconclusive"
        if wrong := judge(cell, usual):
            verdicts[cell.name], wrong_cells[cell.name] = "wrong", (cell, wrong)
    return problems, wrong_cells, took


async def check(program, upstream, short, only, part, parts):
    cells = [cell for cell in all_cells(short) if not only or cell.fault in only][part - 1 :: parts]
    problems, wrong, verdicts, slowest = [], {}, {}, 0
    size = len(cells) if short else 300
    for start in range(0, len(cells), size):
        batch = cells[start : start + size]
        found, wrong_cells, took = await check_batch(program, upstream, batch, verdicts)
        problems, wrong, slowest = problems + found, {**wrong, **wrong_cells}, max(slowest, took)
        if not short:
            print(f"  {start + len(batch)} of {len(cells)} cells, {took:.0f} s, {len(wrong)} wrong", flush=True)
    if wrong:
        # Once more with more patience: a busy machine is not the program's fault, and what is wrong stays wrong.
        again = [Cell(it.fault, it.mode, it.phase, it.dialect, patience=30) for it, _ in wrong.values()]
        print(f"  {len(again)} cells once more: {', '.join(sorted(wrong))}")
        found, wrong, _ = await check_batch(program, upstream, again, verdicts)
        problems += found
    problems += [f"{cell.fault} / {cell.mode} / {cell.phase} / {cell.dialect}: {it}" for cell, why in wrong.values() for it in why]
    print_table(cells, verdicts)
    count = Counter(verdicts.values())
    print(f"fault-check: {len(cells)} cells of {len(set(c.fault for c in cells))} faults; {count['survived']} survived, "
          f"{count['inconclusive']} inconclusive, {count['wrong']} wrong; slowest run {slowest:.0f} s; {len(problems)} problems")
    for problem in problems[:60]:
        print("  " + problem)
    return 1 if problems else 0


def main():
    program = os.path.abspath(sys.argv[1])
    sim, upstream = start_simulator(program)
    only = [it for it in sys.argv[2:] if not it.startswith("--")]
    part, parts = map(int, next((it.removeprefix("--part=") for it in sys.argv if it.startswith("--part=")), "1/1").split("/"))
    try:
        code = asyncio.run(check(program, upstream, "--short" in sys.argv, only, part, parts))
    finally:
        sim.kill()
    sys.exit(code)


if __name__ == "__main__":
    main()
