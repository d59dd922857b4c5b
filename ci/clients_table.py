"""Turns what clients did with the simulated models into the table of defects and the clients they break.

Usage: clients_table.py models                    the simulated models, as JSON
       clients_table.py table ROWS.jsonl [--accept]

A client copes with a defect where it copes with a model that has it. What is left of a model that it does
not cope with, once the defects it copes with elsewhere are taken away, is what broke it: one defect, or
nothing that the decoder calls a defect. Of two or more, none is blamed; the page lists them.
"""

import datetime
import glob
import json
import os
import sys
import tomllib

MEASURED = "fixtures/clients/measured.json"
TABLE = "src/profile/client_breaks.toml"
PAGE = "docs/clients.md"


def models():
    for file in sorted(glob.glob("fixtures/models/*.toml")):
        with open(file, "rb") as text:
            yield {"name": os.path.basename(file)[: -len(".toml")], "dialect": tomllib.load(text)["dialect"]}


def defects():
    """The defects of each model by mode, from the committed snapshots."""
    found = {}
    for file in glob.glob("profiles/*.json"):
        with open(file) as text:
            profile = json.load(text)
        results = profile["results"]
        plain = set(results.get("singleTool", {}).get("defects", []))
        streamed = set(results.get("streaming", {}).get("defects", []))
        of = {"plain": plain, "streamed": streamed}
        # Where our own decoder loses the calls too, the defect is not what a client lost them to.
        judged = {"plain": results.get("parallelTool"), "streamed": results.get("streaming")}
        found[profile["model"]] = {
            mode: of[mode] for mode, result in judged.items() if result and read_by_us(result)
        }
    return found


def read_by_us(result):
    """A result that only its clients lower says so under `breaks`."""
    return result["status"] == "pass" or bool(result.get("breaks"))


def blame(rows, defects):
    """What broke whom (defect, client, dialect, mode), and the sets of defects that cannot be told apart."""
    broken, together = set(), set()
    for client, dialect, mode in sorted({(r["client"], r["dialect"], r["mode"]) for r in rows}):
        mine = [r for r in rows if (r["client"], r["dialect"], r["mode"]) == (client, dialect, mode)]
        of = lambda row: defects.get(row["model"], {}).get(mode, set())
        harmless = set().union(*(of(row) for row in mine if row["ok"]))
        for row in mine:
            left = of(row) - harmless
            if not row["ok"] and len(left) == 1:
                broken.add((left.pop(), client, dialect, mode))
            elif not row["ok"] and len(left) > 1:
                together.add((tuple(sorted(left)), client, dialect, mode))
    # One that breaks the same client by itself explains the rest.
    alone = lambda left, *rest: any((defect, *rest) in broken for defect in left)
    return sorted(broken), sorted(it for it in together if not alone(*it))


def measured(rows, today):
    clients = sorted({(r["client"], r["package"], r["version"]) for r in rows})
    breaks = {}
    for row in rows:
        if not row["ok"]:
            breaks.setdefault(row["model"], {}).setdefault(row["client"], []).append(row["mode"])
    return {
        "measured": today,
        "clients": [{"client": c, "package": p, "version": v} for c, p, v in clients],
        "drove": sorted({f"{r['client']} {r['dialect']}" for r in rows}),
        "broken": {m: dict(sorted(c.items())) for m, c in sorted(breaks.items())},
    }


def table(record, broken):
    lines = [
        "# Which clients lose a call to which defect. Made by ci/clients-check --accept; do not edit.",
        "",
        f'measured = "{record["measured"]}"',
        "",
        "[clients]",
    ]
    packages = {}
    for it in record["clients"]:
        packages.setdefault(it["client"], []).append(f'{it["package"]} {it["version"]}')
    lines += [f'{client} = {json.dumps(names)}' for client, names in sorted(packages.items())]
    for defect, client, dialect, mode in broken:
        lines += ["", "[[breaks]]", f'defect = "{defect}"', f'client = "{client}"',
                  f'dialect = "{dialect}"', f'mode = "{mode}"']
    return "\n".join(lines) + "\n"


def page(record, broken, together, seen):
    clients = sorted({row.split()[0] for row in record["drove"]})
    names = ", ".join(f'{it["package"]} {it["version"]}' for it in record["clients"])
    lines = [
        "# Which clients lose a call to which defect",
        "",
        "Our decoder is more lenient than ordinary clients. This table says which released client loses a call,",
        "or cannot send its result back, when a reply has a defect; `p` plain, `s` streamed. A result with a",
        "defect that breaks two of these clients is `partial`. Defects that are not listed break none of them.",
        "",
        f'Measured on {record["measured"]} by `ci/clients-check` with {names}.',
        "",
        "| defect | dialect | " + " | ".join(clients) + " |",
        "|---|---|" + "---|" * len(clients),
    ]
    for defect, dialect in sorted({(d, dialect) for d, _, dialect, _ in broken}):
        cells = []
        for client in clients:
            modes = [m[0] for d, c, l, m in broken if (d, c, l) == (defect, client, dialect)]
            driven = f"{client} {dialect}" in record["drove"]
            cells.append(" ".join(modes) if driven else "–")
        lines.append(f"| `{defect}` | {dialect} | " + " | ".join(cells) + " |")
    if together:
        lines += ["", "Seen only beside each other, so that none of them is blamed:", ""]
    for left in sorted({left for left, *_ in together}):
        who = sorted({f"{client} ({mode})" for other, client, _, mode in together if other == left})
        lines.append(f"- {', '.join(f'`{it}`' for it in left)}: {', '.join(who)}")
    open_ones = {defect for left, *_ in together for defect in left}
    harmless = sorted(seen - {d for d, *_ in broken} - open_ones)
    lines += ["", "Seen on a simulated model, and harmless to all of them: "
              + ", ".join(f"`{it}`" for it in harmless) + "."]
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1] == "models":
        print(json.dumps(list(models())))
        return
    with open(sys.argv[2]) as lines:
        rows = [json.loads(line) for line in lines]
    known = defects()
    broken, together = blame(rows, known)
    seen = set().union(*(mode for it in known.values() for mode in it.values()))
    record = measured(rows, datetime.date.today().isoformat())
    text = page(record, broken, together, seen)
    print(text)
    if "--accept" in sys.argv:
        os.makedirs(os.path.dirname(MEASURED), exist_ok=True)
        with open(MEASURED, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
        for path, content in ((TABLE, table(record, broken)), (PAGE, text)):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(content)
        print(f"kept: {MEASURED}, {TABLE}, {PAGE}")
        return
    with open(MEASURED) as file:
        kept = json.load(file)
    changed = [m for m in sorted({*kept["broken"], *record["broken"]})
               if kept["broken"].get(m) != record["broken"].get(m)]
    for model in changed:
        print(f"{model}: kept {kept['broken'].get(model)}, now {record['broken'].get(model)}")
    print(f"{len({r['model'] for r in rows}) - len(changed)} passed, {len(changed)} failed")
    sys.exit(1 if changed else 0)


main()
