"""Real chat templates as samples: the text that each template makes of an assistant's tool calls.

    template_samples.py fetch VERSION FOLDER    the templates in the source package of llama-cpp-python
    template_samples.py render VERSION FOLDER   one sample per line, as in fixtures/text/samples.jsonl

A template shows how the history of a conversation is written, and models are trained to go on in the same
way: what follows the prompt for a reply is the text that a model would have sent.
"""

import datetime
import io
import json
import os
import re
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
EOS = "<end-of-sequence>"  # what servers take away before anybody sees the text
QUESTION = "How is the weather in Oslo, and what is 19 plus 23?"
CALLS = [
    ("get_weather", {"city": "Oslo", "days": 3, "metric": True}),
    ("add", {"a": 19, "b": 23}),
]


def fetch(version, folder):
    page = urllib.request.urlopen(f"{INDEX}/llama-cpp-python/").read().decode()
    link = re.search(rf'href="([^"#]*llama_cpp_python-{re.escape(version)}\.tar\.gz)', page)
    if link is None:
        sys.exit(f"the package index has no source package of llama-cpp-python {version}")
    address = urllib.parse.urljoin(f"{INDEX}/llama-cpp-python/", link.group(1))
    archive = tarfile.open(fileobj=io.BytesIO(urllib.request.urlopen(address).read()))
    folder.mkdir(parents=True)
    for member in archive:
        if re.search(r"/models/templates/[^/]+\.jinja$", member.name):
            (folder / Path(member.name).name).write_bytes(archive.extractfile(member).read())


def environment():
    """The functions and filters that servers offer to chat templates."""
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import SandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` marks what is learned in training; it writes what is inside."""

        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return nodes.Scope(body, lineno=line)

    def refuse(message):
        raise ValueError(message)

    def to_json(value, indent=None, ensure_ascii=False, separators=None, sort_keys=False):
        return json.dumps(
            value, indent=indent, ensure_ascii=ensure_ascii, separators=separators, sort_keys=sort_keys
        )

    made = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = datetime.datetime(2026, 11, 1).strftime
    made.filters["tojson"] = to_json
    made.filters["from_json"] = json.loads
    made.filters["fromjson"] = json.loads
    return made


def tools():
    sets = json.loads(Path("fixtures/text/tools.json").read_text())
    return [{"type": "function", "function": tool} for tool in sets["templates"]]


def turn(count, content, arguments_as_text):
    calls = [
        {
            "id": f"call0000{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given) if arguments_as_text else given},
        }
        for place, (name, given) in enumerate(CALLS[:count])
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def written(template, count):
    """What the template writes after the prompt for a reply; nothing where it does not write calls."""
    question = [{"role": "user", "content": QUESTION}]

    def render(messages, prompts):
        return template.render(
            messages=messages, tools=tools(), add_generation_prompt=prompts, bos_token="", eos_token=EOS,
            enable_thinking=False, thinking=False,
        )

    for content in ("", None):
        for arguments_as_text in (False, True):
            try:
                prompt = render(question, True)
                whole = render([*question, turn(count, content, arguments_as_text)], False)
            except Exception:  # a template refuses what it cannot write; another shape may do
                continue
            shared = len(os.path.commonprefix([prompt, whole]))
            if shared < len(prompt):  # the prompt opens something that history leaves out
                shared = max(whole.rfind("<", 0, shared), whole.rfind("\n", 0, shared) + 1, 0)
            text = whole[shared:].split(EOS)[0]
            if all(str(value) in text for value in ("Oslo", 23)[:count]):
                return text
    return None


def render(version, folder):
    made = environment()
    for path in sorted(folder.glob("*.jinja")):
        template = made.from_string(path.read_text())
        for count in (1, 2):
            text = written(template, count)
            if text is None:
                print(f"{path.stem} does not write {count}", file=sys.stderr)
                continue
            print(json.dumps({
                "id": f"{path.stem}/{count}",
                "text": text,
                "tools": "templates",
                "calls": [{"name": name, "input": given} for name, given in CALLS[:count]],
                "provenance": "recorded",
                "source": f"{path.name} of llama-cpp-python {version}, rendered by Jinja 3.1.6",
            }, ensure_ascii=False))


if __name__ == "__main__":
    command, version, folder = sys.argv[1:]
    {"fetch": fetch, "render": render}[command](version, Path(folder))
