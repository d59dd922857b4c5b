"""Gives exported settings to the programs that read them; see ci/export-check."""

import ast
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile

import jsonschema
import yaml

TOOLPROBE, HOME, WORK = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
NODE = HOME / "node"
KEYS = json.loads(pathlib.Path("ci/exports_keys.json").read_text())

# Models that between them need every setting, at least one of each dialect.
MODELS = [
    "openai-native", "anthropic-thinking-signature", "responses-reasoning", "gemini-3-signatures", "ollama-native",
    "deepseek-v4-thinking", "qwen3-coder-xml", "mistral", "one-call", "truncated-stream", "talks-only",
]

# A key of each export that is measured, and how it could be misspelt.
MISSPELT = {
    "vllm": ("--enable-auto-tool-choice", "--enable-auto-tool-choices"),
    "sglang": ("--tool-call-parser qwen3_coder", "--tool-call-parser qwen3-coder"),
    "llama-cpp": ("--jinja", "--jinjer"),
    "litellm": ("supports_function_calling", "supports_function_call"),
    "opencode": ("tool_call", "tool_calls"),
    "codex": ("wire_api", "wire_apo"),
    "codex-catalog": ("supports_search_tool", "supports_search"),
    "pi": ("requiresAssistantAfterToolResult", "requiresAssistantAfterResult"),
    "qwen-code": ("baseUrl", "baseURL"),
    "zed": ("parallel_tool_calls", "parallel_calls"),
    "continue": ("apiBase", "apiBas"),
    "cline": ('"tools"', '"tool"'),
    "roo": ("preserveReasoning", "preserveReasonings"),
    "goose": ("supports_streaming", "supports_stream"),
    "crush": ("can_reason", "can_reasons"),
    "aider": ("streaming", "stream"),
    "claude-code-router": ("api_base_url", "api_base"),
    "json": ("toolCallFormat", "toolFormat"),
    "env": ("TOOLPROBE_TOOL_CALL_FORMAT", "TOOLPROBE_FORMAT"),
}


def bare_json(text):
    lines = (line for line in text.splitlines() if not line.startswith("//"))
    value = json.loads("\n".join(lines))
    value.pop("$comment", None)
    return value


def lost(before, after, path=""):
    """The first key that went in and did not come out."""
    if isinstance(before, dict):
        for key, inner in before.items():
            if not isinstance(after, dict) or key not in after:
                return f"{path}/{key} is not read"
            found = lost(inner, after[key], f"{path}/{key}")
            if found:
                return found
    if isinstance(before, list) and isinstance(after, list):
        return next((it for it in map(lost, before, after) if it), None)
    return None


def unknown(value, known, where):
    extra = [key for key in value if key not in known]
    return f"{where}: unknown {extra}" if extra else None


def missing(value, needed, where):
    left = [key for key in needed if key not in value]
    return f"{where}: without {left}" if left else None


def ran(command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=WORK, env=env)
    return done.returncode, done.stdout, done.stderr


def flags(text):
    words = shlex.split(text, comments=True)
    return [word for word in words if word != "\n"]


def engine(name):
    def check(text):
        words = flags(text)
        used = [word for word in words if word.startswith("--")]
        wrong = unknown(used, KEYS[name]["flags"], "flags")
        if not wrong and "--tool-call-parser" in words:
            parser = words[words.index("--tool-call-parser") + 1]
            wrong = None if parser in KEYS[name]["parsers"] else f"no parser is named {parser}"
        return wrong
    return check


def llama_cpp(text):
    wheel = next((HOME / "wheels").glob("xllamacpp-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        name = next(it for it in archive.namelist() if it.endswith(".so"))
        library = archive.read(name)
    used = [word for word in flags(text) if word.startswith("--")]
    return next((f"{it} is no flag" for it in used if it.encode() + b"\0" not in library), None)


def litellm(text):
    from litellm import Router
    from litellm.types.utils import ModelInfoBase

    config = yaml.safe_load(text)
    [model] = config["model_list"]
    model["litellm_params"]["api_key"] = "none"
    router = Router(model_list=config["model_list"])
    info = model["model_info"]
    return unknown(info, ModelInfoBase.__annotations__, "model_info") or lost(model, router.model_list[0])


def opencode(text):
    (WORK / "opencode.json").write_text(text)
    program = NODE / "node_modules/opencode-linux-x64/bin/opencode"
    env = {"HOME": str(WORK), "PATH": "/usr/bin:/bin", "OPENCODE_CONFIG": str(WORK / "opencode.json")}
    code, out, err = ran([program, "debug", "config"], env)
    return err[-300:] or out[-300:] if code else lost(bare_json(text), json.loads(out))


CODEX = NODE / "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"


def codex_env():
    (WORK / "codex").mkdir(exist_ok=True)
    return {"HOME": str(WORK), "PATH": "/usr/bin:/bin", "CODEX_HOME": str(WORK / "codex")}


def codex(text):
    env = codex_env()
    (WORK / "codex/config.toml").write_text(text)
    tomllib.loads(text)
    # Without an argument it ends right after it has read its configuration.
    _, _, err = ran([CODEX, "--strict-config", "review"], env)
    (WORK / "codex/config.toml").unlink()
    return None if "Specify --uncommitted" in err else err[-300:]


def codex_catalog(text):
    env, path = codex_env(), WORK / "catalog.json"
    path.write_text(text)
    code, out, err = ran([CODEX, "-c", f"model_catalog_json={json.dumps(str(path))}", "debug", "models"], env)
    return err[-300:] if code else lost(bare_json(text), json.loads(out))


def pi(text):
    schema = json.loads((NODE / "pi/package/schemas/models.schema.json").read_text())
    value = bare_json(text)
    compat = schema["$defs"]["ProviderCompat"]["properties"]
    [provider] = schema["properties"]["providers"]["patternProperties"].values()
    errors = [it.message for it in jsonschema.Draft202012Validator(schema).iter_errors(value)]
    for it in value["providers"].values():
        errors.append(unknown(it, provider["properties"], "provider"))
        for model in it["models"]:
            known = provider["properties"]["models"]["items"]["properties"]
            errors += [unknown(model, known, "model"), unknown(model.get("compat", {}), compat, "compat")]
    return next(filter(None, errors), None)


def bundle(package):
    folder = NODE / "node_modules" / package
    return "\n".join(path.read_text(errors="ignore") for path in sorted(folder.rglob("*.js")))


BUNDLES = {}


def in_bundle(package, keys):
    """Keys that the program's code reads as `.key`, as `key:` or between quotes."""
    if package not in BUNDLES:
        BUNDLES[package] = bundle(package)
    code = BUNDLES[package]
    spelt = lambda key: re.search(rf"[.\"'`{{,\s]{re.escape(key)}[\"'`\s.:,;)(\]}}?=]", code)
    return next((f"{key} is not in the program" for key in keys if not spelt(key)), None)


def qwen_code(text):
    [(provider, [model])] = bare_json(text)["modelProviders"].items()
    if provider not in ("openai", "anthropic", "gemini"):
        return f"no provider is named {provider}"
    known = ["id", "name", "baseUrl", "envKey", "description", "generationConfig"]
    return unknown(model, known, "model") or in_bundle("@qwen-code/qwen-code", ["modelProviders", *model])


def router(text):
    [provider] = bare_json(text)["Providers"]
    names = ["Providers", *provider, *provider.get("transformer", {}).get("use", [])]
    known = ["name", "api_base_url", "api_key", "models", "transformer"]
    return unknown(provider, known, "provider") or in_bundle("@musistudio/claude-code-router", names)


def zed(text):
    [(section, inner)] = bare_json(text)["language_models"].items()
    if section not in KEYS["zed"]["sections"]:
        return f"no section is named {section}"
    [provider] = inner.values() if section == "openai_compatible" else [inner]
    [model] = provider["available_models"]
    wrong = unknown(provider, KEYS["zed"]["provider"], "provider")
    wrong = wrong or unknown(model, KEYS["zed"]["model"][section], "model") or missing(model, ["name", "max_tokens"], "model")
    has = model.get("capabilities", {})
    needed = KEYS["zed"]["capabilities"]
    wrong = wrong or unknown(has, needed + KEYS["zed"]["more_capabilities"], "capabilities")
    return wrong or (missing(has, needed, "capabilities") if has else None)


def goose(text):
    value, keys = bare_json(text), KEYS["goose"]
    wrong = unknown(value, keys["required"] + keys["optional"], "file") or missing(value, keys["required"], "file")
    wrong = wrong or (None if value["engine"] in keys["engine"] else f"no engine is named {value['engine']}")
    if value["engine"] == "anthropic" and "supports_streaming" in value:
        return "the engine refuses supports_streaming: false"
    [model] = value["models"]
    return wrong or unknown(model, keys["model"], "model") or missing(model, keys["model"], "model")


def crush(text):
    value, keys = bare_json(text), KEYS["crush"]
    [provider] = value["providers"].values()
    [model] = provider["models"]
    wrong = unknown(value, keys["top"], "file") or unknown(provider, keys["provider"], "provider")
    wrong = wrong or (None if provider["type"] in keys["type"] else f"no type is named {provider['type']}")
    return wrong or unknown(model, keys["model"], "model") or missing(model, keys["model"], "model")


def aider(text):
    """Aider fills a dataclass from each entry; the class is taken out of its module, which imports the world."""
    with zipfile.ZipFile(next((HOME / "wheels").glob("aider_chat-*.whl"))) as archive:
        module = ast.parse(archive.read("aider/models.py"))
    [wanted] = [it for it in module.body if isinstance(it, ast.ClassDef) and it.name == "ModelSettings"]
    scope = {}
    exec("from dataclasses import dataclass\nfrom typing import *", scope)
    exec(compile(ast.Module([wanted], []), "aider/models.py", "exec"), scope)
    try:
        return None if [scope["ModelSettings"](**entry) for entry in yaml.safe_load(text)] else "no entry"
    except TypeError as error:
        return str(error)


def neutral(text):
    value = bare_json(text)
    known = ["provider", "model", "endpoint", "dialect", "toolCallFormat", "parser", "toolDelivery", "schemaLevel",
             "supportsParallelToolUse", "supportsStreamingToolUse", "supportsPlainToolUse", "requiresReasoningReplay",
             "reasoningField", "errorRepair", "corrections"]
    return unknown(value, known, "file")


def env(text):
    script = f"set -eu\nset -a\n{text}\nprintf %s \"$TOOLPROBE_TOOL_CALL_FORMAT\""
    code, out, err = ran(["sh", "-c", script])
    return None if code == 0 and out else err[-200:] or "nothing is set"


def by_node(program):
    def check(text):
        value = yaml.safe_load(text) if program == "continue" else bare_json(text)
        asked = json.dumps({program: {"value": value, "text": text}})
        command = ["node", str(pathlib.Path("ci/export_check.mjs").resolve()), str(NODE)]
        done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=120)
        return json.loads(done.stdout)[program] if done.returncode == 0 else done.stderr[-300:]
    return check


CHECKS = {
    "vllm": engine("vllm"), "sglang": engine("sglang"), "llama-cpp": llama_cpp, "litellm": litellm,
    "opencode": opencode, "codex": codex, "codex-catalog": codex_catalog, "pi": pi, "qwen-code": qwen_code,
    "zed": zed, "continue": by_node("continue"), "cline": by_node("cline"), "roo": by_node("roo"), "goose": goose,
    "crush": crush, "aider": aider, "claude-code-router": router, "json": neutral, "env": env,
}

# Programs that take seconds to start get fewer models.
SLOW = {"opencode": 3, "codex": 3, "codex-catalog": 3}

# What could not be had, so that nobody takes these for read by the program itself.
NOT_LOADED = {name: KEYS[name]["source"] for name in ("vllm", "sglang", "crush", "goose", "zed")}


def exported(model, program):
    [stored] = pathlib.Path("profiles").glob(f"{model}-????????????.json")
    profile = json.loads(stored.read_text())
    base = {"openai-chat": "/v1", "openai-responses": "/v1", "gemini": "/v1beta"}.get(profile["dialect"], "")
    profile["endpoint"] = f"http://127.0.0.1:9{base}"
    path = WORK / f"{model}.json"
    path.write_text(json.dumps(profile))
    done = subprocess.run([TOOLPROBE, "plan", str(path), "--for", program], capture_output=True, text=True, check=True)
    return done.stdout


def engines():
    """Compares the names of the parsers with the packages, where these were downloaded."""
    places = {
        "vllm": ("vllm-*.whl", "vllm/tool_parsers/__init__.py", r'^    "([^"]+)": \('),
        "sglang": ("sglang-*.whl", "sglang/srt/function_call/function_call_parser.py", r'^        "([^"]+)": \w+Detector'),
    }
    for name, (pattern, path, entry) in places.items():
        for wheel in (HOME / "wheels").glob(pattern):
            with zipfile.ZipFile(wheel) as archive:
                found = sorted(set(re.findall(entry, archive.read(path).decode(), re.M)))
            if found != KEYS[name]["parsers"]:
                yield f"{name}: {wheel.name} has other parsers: {sorted(set(found) ^ set(KEYS[name]['parsers']))}"


def checked(program):
    models = MODELS[: SLOW.get(program, len(MODELS))]
    if program in SLOW:
        models = ["responses-reasoning", "deepseek-v4-thinking", "anthropic-thinking-signature"]
    seen_red = False
    right, wrong = MISSPELT[program]
    for model in models:
        text = exported(model, program)
        problem = CHECKS[program](text)
        if problem:
            yield f"{program}: {model}: {problem}"
        if right in text and not seen_red:
            seen_red = True
            if not CHECKS[program](text.replace(right, wrong)):
                yield f"{program}: {model}: {wrong!r} is not noticed"
    if not seen_red:
        yield f"{program}: no model sets {right!r}"


def main():
    listed = subprocess.run([TOOLPROBE, "plan", "--help"], capture_output=True, text=True, check=True).stdout
    programs = listed.split("--for <PROGRAM>")[1].split("\n\n  -")[0]
    programs = re.findall(r"^ +- ([a-z-]+):", programs, re.M)
    problems = [f"{name} has no check" for name in set(programs) ^ set(CHECKS)]
    problems += engines()
    for program in CHECKS:
        found = list(checked(program))
        problems += found
        how = "against its source" if program in NOT_LOADED else "by its own code"
        print(f"{'✗' if found else '✓'} {program}: read {how}")
    for name, source in NOT_LOADED.items():
        print(f"note: {name} was not run: {source}")
    for line in problems:
        print(line)
    print(f"{len(CHECKS)} programs, {len(problems)} problems")
    sys.exit(bool(problems))


main()
