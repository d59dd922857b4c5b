"""Holds what plans regain against what they must, and keeps the table in docs/plans.md current."""

import json
import sys
from pathlib import Path

PAGE = Path("docs/plans.md")
BEGIN, END = "<!-- made by ci/plan-check -->\n", "<!-- end -->\n"

# Findings that no adapter can bring back, by where they stand: the plan makes them safe instead.
SAFE_INSTEAD = {
    "parallelTool": "one call a turn, and the executor refuses more",
    "history.shapes.trimmed-reasoning": "reasoning that was trimmed is gone; it must be kept",
    "errorRepair": "tries are bounded, then somebody is asked",
    "closedLoop": "a model that does not read results stays in shadow",
    "singleTool": "no tools are offered",
    "schema": "no tools are offered",
}


def short(finding):
    return finding.removeprefix("results.").removeprefix("extended.")


def rows(compared):
    for target in compared:
        corrections = [it["kind"] for it in target["plan"]["corrections"]]
        by_change = {"regained": [], "lost": [], "lacking": []}
        for gain in target["gains"]:
            by_change[gain["change"]].append(gain)
        yield target["before"]["model"], corrections, by_change


def problems(compared):
    for model, corrections, found in rows(compared):
        for gain in found["lost"]:
            yield f"{model}: {gain['finding']} was {gain['before']} and is {gain['after']} with its plan"
        for gain in found["lacking"]:
            if corrections and short(gain["finding"]) not in SAFE_INSTEAD:
                yield f"{model}: {gain['finding']} is {gain['after']} in spite of its plan"


def cell(gains):
    return ", ".join(f"`{short(it['finding'])}`" for it in gains) or "–"


def table(compared):
    out = ["| model | lost without the plan | regained | made safe instead | by |\n", "|---|---|---|---|---|\n"]
    for model, corrections, found in rows(compared):
        if not corrections:
            continue
        lost = found["regained"] + found["lacking"]
        # The modes of one tool choice are one finding to a reader.
        keep = lambda gains: [it for it in gains if ", thinking" not in it["finding"]]
        by = ", ".join(f"`{kind}`" for kind in corrections)
        cells = [cell(keep(lost)), cell(keep(found["regained"])), cell(keep(found["lacking"])), by]
        out.append(f"| `{model}` | {' | '.join(cells)} |\n")
    return "".join(out)


def main():
    compared = json.loads(Path(sys.argv[1]).read_text())
    wrong = list(problems(compared))
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    made = before + BEGIN + table(compared) + END + after
    if "--accept" in sys.argv:
        PAGE.write_text(made)
    elif made != page:
        wrong.append(f"the table in {PAGE} is old: run ci/plan-check --accept and read the diff")
    for line in wrong:
        print(line)
    needed = sum(1 for _, corrections, _ in rows(compared) if corrections)
    print(f"{len(compared)} models, {needed} with a plan, {len(wrong)} problems")
    sys.exit(bool(wrong))


main()
