"""A hostile server that echoes secrets, and a search for them in everything that toolprobe leaves."""

import base64
import gzip
import html
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import secret_places
from secret_places import PLACES, TEXT_ONLY

CANARY = secret_places.CANARY
HALF = len(CANARY) // 2


def each(write):
    return lambda text: "".join(write(c) for c in text)


def encoded(text):
    return base64.b64encode(text.encode()).decode()


percent = each(lambda c: f"%{ord(c):02X}")
unicode_escaped = each(lambda c: f"\\u{ord(c):04x}")
NAMES = {"/": "&sol;", "+": "&plus;", '"': "&quot;", "=": "&equals;", "!": "&excl;", ".": "&period;"}

# How a server may write what it echoes.
FORMS = {
    "raw": lambda t: t,
    "upper": str.upper,
    "lower": str.lower,
    "json": lambda t: json.dumps(t)[1:-1],
    "json-solidus": lambda t: json.dumps(t)[1:-1].replace("/", "\\/"),
    "json-some": lambda t: "".join(f"\\u{ord(c):04X}" if i % 2 else c for i, c in enumerate(t)),
    "json-all": unicode_escaped,
    "json-in-json": lambda t: json.dumps(unicode_escaped(t))[1:-1],
    "html-decimal": each(lambda c: f"&#{ord(c)};"),
    "html-hex": each(lambda c: f"&#x{ord(c):X};"),
    "html-named": each(lambda c: NAMES.get(c, c)),
    "html-twice": each(lambda c: f"&amp;#{ord(c)};"),
    "percent": percent,
    "percent-lower": lambda t: percent(t).lower(),
    "percent-some": lambda t: urllib.parse.quote(t, safe=""),
    "percent-twice": lambda t: percent(t).replace("%", "%25"),
    "hex": lambda t: t.encode().hex(),
    "hex-upper": lambda t: t.encode().hex().upper(),
    "hex-colons": lambda t: t.encode().hex(":"),
    "bytes": lambda t: str(list(t.encode())),
    "base64-0": encoded,
    "base64-1": lambda t: encoded("u" + t),
    "base64-2": lambda t: encoded("u:" + t),
    "base64-url": lambda t: base64.urlsafe_b64encode(("ab" + t).encode()).decode().rstrip("="),
    "base64-lines": lambda t: "\n".join(re.findall(".{1,12}", encoded("usr:" + t))),
    "spaced": lambda t: " ".join(t),
    "wide": lambda t: "\0".join(t),
    "zero-width": lambda t: "\u200b".join(t),
    "lines": lambda t: "\n".join(t),
    "soft-hyphens": lambda t: "\u00ad\u2060".join(t),
    "json-thrice": lambda t: json.dumps(json.dumps({"error": json.dumps({"message": t})}))[1:-1],
    "base64-of-percent": lambda t: encoded("u=" + urllib.parse.quote(t, safe="")),
    "base64-of-json": lambda t: encoded(json.dumps({"key": t})),
    "base64-twice": lambda t: encoded(encoded("me:" + t)),
    "percent-of-html": lambda t: urllib.parse.quote(html.escape(t), safe=""),
    "python": lambda t: repr(t.encode()),
}

QUOTED = urllib.parse.quote(CANARY, safe="")

# How the secret is given: flags, variables, the user info and the query of the address.
GIVEN = {
    "key": (["--api-key-env", "CANARY_KEY"], {"CANARY_KEY": CANARY}, "", ""),
    "header": (["--header", f"x-any-name: {CANARY}"], {}, "", ""),
    "scheme": (["--header", f"x-gate: Token {CANARY}"], {}, "", ""),
    "header-env": (["--header-env", "x-gate=GATE"], {"GATE": CANARY}, "", ""),
    "query": ([], {}, "", "?session=" + QUOTED),
    "bare-query": ([], {}, "", "?" + QUOTED),
    "password": ([], {}, f"me:{QUOTED}@", ""),
    "body": (["--extra-body", json.dumps({"api_key": CANARY})], {}, "", ""),
    "proxy": ([], {"http_proxy": "PROXY"}, "", ""),
}


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        asked = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urllib.parse.urlsplit(self.path).path
        _, form, place, *rest = path.split("/")
        text = FORMS[form](CANARY)
        status, phrase, kind, headers, data = secret_places.reply(self.command, place, rest, asked, text)
        self.send_response(status, clean(phrase) if phrase else None)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, clean(value))
        if place == "trailers":
            self.send_header("transfer-encoding", "chunked")
            self.send_header("trailer", "x-request-id, x-note")
            self.end_headers()
            end = f"0\r\nx-request-id: {clean(text)}\r\nx-note: {clean(text)}\r\n\r\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n" + end)
            return
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        """A client that hangs up is none of this check's business."""


def clean(value):
    return "".join(c for c in value if " " <= c <= "~")


def unescaped(text):
    text = re.sub(r'\\(?:u([0-9a-fA-F]{4})|(["\\/]))', lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)
    return urllib.parse.unquote(html.unescape(text))


INNER = [encoded(" " * shift + CANARY)[4:-4].lower() for shift in range(3)]
NEEDLES = [CANARY, CANARY[:HALF], CANARY[HALF:]]
WANTED = [n.lower() for n in NEEDLES] + [n.encode().hex() for n in NEEDLES] + INNER
WANTED += [it.replace("+", "-").replace("/", "_") for it in INNER] + [str(list(CANARY.encode()))[1:-1].replace(" ", "")]


def decoded(text):
    """What the base64 in a text says, at every alignment."""
    runs = re.findall(r"[A-Za-z0-9+/_-]{20,}", text)
    out = []
    for run in runs:
        run = run.replace("-", "+").replace("_", "/")
        for shift in range(4):
            piece = run[shift:]
            out.append(base64.b64decode(piece[: len(piece) // 4 * 4] or "").decode(errors="replace"))
    return "\n".join(out)


def holds(text):
    """The form in which the secret, or one of its halves, stands in a text."""
    once = decoded(text)
    text = "\n".join((text, once, decoded(once)))
    for _ in range(6):
        lower = text.lower()
        squeezed = re.sub(r"[\s\0:\u200b\u00ad\u2060]|\\n|\\u0000|\\u200b|\\u00ad|\\u2060", "", lower)
        for needle in WANTED:
            if needle in lower or needle in squeezed:
                return needle
        text = unescaped(text)
    return None


def unpacked(text):
    """A journal with the records in it that are compressed."""
    packed = re.findall(r'"packed":"([^"]+)"', text)
    return text + "".join(gzip.decompress(base64.b64decode(it)).decode(errors="replace") for it in packed)


def texts_of(folder):
    for path in sorted(pathlib.Path(folder).rglob("*")):
        yield "name of a file", str(path.relative_to(folder))
        if path.is_file():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            yield str(path.relative_to(folder)), unpacked(data.decode(errors="replace"))


class Session:
    """Commands in one folder, and all that they said and wrote."""

    def __init__(self, program, port, folder, form, place, given):
        arguments, variables, user, query = GIVEN[given]
        host = "h.test" if given == "proxy" else f"{user}127.0.0.1:{port}"
        proxy = f"http://me:{QUOTED}@127.0.0.1:{port}"
        variables = {name: proxy if value == "PROXY" else value for name, value in variables.items()}
        self.program, self.folder = program, folder
        self.environment = {"PATH": os.environ["PATH"], **variables}
        self.url = f"http://{host}/{form}/{place}/v1{query}"
        self.dialect = secret_places.DIALECTS.get(place, "openai-chat")
        self.asking = ["--trials", "1", "--suite", "light", "--timeout", "20s"]
        self.endpoint = [self.url, "--model", "m", "--dialect", self.dialect, *self.asking, *arguments]
        self.arguments, self.found = arguments, []

    def run(self, *arguments):
        # Without standard input, so that nothing waits for a person.
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
            self.found.append((f"{' '.join(arguments[:1])} {name}", text.decode(errors="replace")))
        if done.returncode not in (0, 1, 2, 3):
            self.found.append((f"{arguments[0]} ended with {done.returncode}", CANARY))
        return done.stdout.decode(errors="replace")

    def leaks(self):
        self.found.extend(texts_of(self.folder))
        return [(name, needle) for name, text in self.found if (needle := holds(text))]


def short_session(session):
    session.run("probe", *session.endpoint, "-vv")


def usual_session(session):
    session.run("probe", *session.endpoint, "-vv")
    session.run("probe", *session.endpoint, "--no-keep", "--format", "json")


# Some of those that settings are exported for.
PROGRAMS = ["litellm", "vllm", "opencode", "codex", "goose", "json", "env"]
FORMATS = ["table", "json", "markdown", "csv", "junit", "html"]


def configuration(session):
    """The same endpoint in a file, the secret where a file may have it."""
    entry = {"name": "t", "model": "m", "base_url": session.url, "dialect": session.dialect}
    tables = ""
    for flag, value in zip(session.arguments[::2], session.arguments[1::2]):
        name, _, rest = value.partition("=" if flag == "--header-env" else ":")
        match flag:
            case "--api-key-env":
                entry["api_key_env"] = value
            case "--header":
                tables += f"[targets.headers]\n{name} = {json.dumps(rest.strip())}\n"
            case "--header-env":
                tables += f"[targets.headers_env]\n{name} = {json.dumps(rest)}\n"
            case "--extra-body":
                entry["extra_body"] = value
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
    return f"[[targets]]\n{lines}{tables}"


def every_command(session):
    """All commands that can say something about an endpoint or what was kept of it."""
    for form in FORMATS:
        session.run("probe", *session.endpoint, "--format", form)
    session.run("record", *session.endpoint, "--output", "transcript.json")
    session.run("replay", "transcript.json", "-v")
    config = pathlib.Path(session.folder, "toolprobe.toml")
    config.write_text(configuration(session))
    for form in ("table", "json"):
        session.run("run", *session.asking, "-vv", "--format", form)
    config.unlink()
    addresses = set()
    for _, text in list(session.found) + list(texts_of(session.folder)):
        addresses.update(re.findall(r"sha256:[0-9a-f]{64}", text))
    for address in sorted(addresses)[:4]:
        session.run("show", address)
        session.run("show", address, "--curl")
    for form in FORMATS:
        session.run("report", "--format", form)
    session.run("accept")
    for form in ("table", "json", "markdown", "junit", "html", "sarif", "code-quality"):
        session.run("gate", "--format", form)
    for command in ("assess", "drift", "rollout", "status", "metrics", "prune"):
        session.run(command)
    for profile in sorted(pathlib.Path(session.folder, "profiles").glob("*.json")):
        session.run("plan", str(profile))
        for program in PROGRAMS:
            session.run("plan", str(profile), "--for", program)
        session.run("diff", str(profile), str(profile))
    config.write_text(configuration(session))
    for command in ("doctor", "status"):
        session.run(command)
    session.run("run", *session.asking, "--shard", "1/1", "--reports", "shard")
    session.run("merge", *(str(path.parent.relative_to(session.folder)) for path in pathlib.Path(session.folder, "shard").glob("*/manifest.json")))
    session.run("audit", *session.endpoint[:5], *session.arguments)
    session.run("gate", "--adapter", session.url, *session.endpoint[1:])
    session.run("probe", *session.endpoint, "--with-plan", "--no-keep", "-vv")
    config.unlink()


def attempt(program, port, steps, form, place, given):
    with tempfile.TemporaryDirectory() as folder:
        session = Session(program, port, folder, form, place, given)
        steps(session)
        return session.leaks(), len(session.found)


def work(short):
    """Which forms, places and ways to give the secret are tried, by which commands."""
    forms, places, given = list(FORMS), list(PLACES), list(GIVEN)
    fits = lambda form, place: "raw" if place.startswith(("split", "two")) or (place in TEXT_ONLY and form == "wide") else form
    if short:
        todo = [(short_session, fits(forms[i % len(forms)], place), place, given[i % len(given)]) for i, place in enumerate(places)]
        return todo + [(every_command, "json-some", "obedient", "header")]
    todo = [(usual_session, fits(form, place), place, given[(i + j) % len(given)])
            for i, form in enumerate(forms) for j, place in enumerate(places)]
    # Commands that need verdicts are tried with every form, and with every way to give a secret.
    todo += [(every_command, form, "obedient", given[i % len(given)]) for i, form in enumerate(forms)]
    todo += [(every_command, "raw", place, way) for way in given for place in ("obedient", "error-400")]
    return list(dict.fromkeys(todo))


def refused_keys(program):
    """A key that is pasted where a name belongs must not be shown."""
    leaks = []
    for flags in (["--api-key-env", CANARY], ["--header", CANARY], ["--header-env", CANARY], ["--header-env", f"x={CANARY}"],
                  ["--header", f"authorization: Bearer {CANARY}"], ["--api-key", CANARY], ["--extra-body", f'{{"api_key": "{CANARY}'],
                  [f"--header=x a: {CANARY}"], [f"--api-key-env={CANARY}", "--no-such-flag"]):
        command = [program, "probe", "http://127.0.0.1:9/v1", "--model", "m", "--no-keep", *flags]
        done = subprocess.run(command, capture_output=True, timeout=120, env={"PATH": os.environ["PATH"]})
        if done.returncode != 2 or holds((done.stdout + done.stderr).decode(errors="replace")):
            leaks.append(f"pasted: {flags[0]}: exit {done.returncode}")
    return leaks


def main():
    program, short = os.path.abspath(sys.argv[1]), "--short" in sys.argv
    server = Server(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # `--part=2/4` is the second of four slices; other words pick forms, places and ways by their names.
    part, parts = map(int, next((it.removeprefix("--part=") for it in sys.argv if it.startswith("--part=")), "1/1").split("/"))
    wanted = {it for it in sys.argv[2:] if not it.startswith("--")}
    todo = [it for it in work(short) if not wanted or wanted & set(it[1:])][part - 1 :: parts]
    leaks, outputs = refused_keys(program), 0
    with ThreadPoolExecutor(4) as pool:
        jobs = [(it, pool.submit(attempt, program, server.server_port, *it)) for it in todo]
        for (_, *names), job in jobs:
            found, count = job.result()
            outputs += count
            leaks += [f"{' / '.join(names)}: {name}: {needle}" for name, needle in found]
    print(f"secret-check: {len(todo)} sessions, {len(FORMS)} forms, {len(PLACES)} places, {len(GIVEN)} ways to give a secret, "
          f"{outputs} outputs and files, {len(leaks)} leaks")
    for leak in leaks[:40]:
        print("  " + leak)
    sys.exit(1 if leaks else 0)


if __name__ == "__main__":
    main()
