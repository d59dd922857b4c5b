"""Holds what plans regain against what they must, and keeps the table in docs/plans.md current."""

import json
import sys
from pathlib import Path

PAGE = Path("docs/plans.md")
BEGIN, END = "<!-- made by ci/plan-check -->\n", "<!-- end -->\n"

# Findings that no adapter can bring back: where they stand, the correction that makes them safe instead, and why.
SAFE_INSTEAD = {
    "parallelTool": ("parallel", "the model cannot make two calls at once; it makes one a turn, and the executor refuses more"),
    "history.shapes.trimmed-reasoning": ("history", "reasoning that a client has trimmed is gone; the plan says to keep it"),
    "errorRepair": ("error-feedback", "the model does not correct itself; tries are bounded, then somebody is asked"),
    "singleTool": ("delivery", "no call can be used; no tools are offered"),
    "schema": ("delivery", "no call can be used; no tools are offered"),
}

# Models that read no result in any form: nothing that is sent can change that.
DEAF = {
    "ignores-results": "answers without having read the result, in whatever form it comes; it stays in shadow",
    "loops": "calls again whatever the result is, in whatever form it comes; it stays in shadow",
}


def excuse(model, corrections, finding):
    """Why a finding is still lacking, where no adapter can help it."""
    if model in DEAF:
        return DEAF[model]
    kind, why = SAFE_INSTEAD.get(short(finding), (None, None))
    # Nothing runs where no tools are offered.
    return why if kind in corrections else "no call can be used; no tools are offered" if corrections == ["delivery"] else None


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
            if not excuse(model, corrections, gain["finding"]):
                yield f"{model}: {gain['finding']} is {gain['after']} in spite of its plan"


def cell(gains):
    return ", ".join(f"`{short(it['finding'])}`" for it in gains) or "–"


def table(compared):
    out = ["| model | lost without the plan | regained | made safe instead | by |\n", "|---|---|---|---|---|\n"]
    for model, corrections, found in rows(compared):
        if not corrections and not found["lacking"]:
            continue
        lost = found["regained"] + found["lacking"]
        # The modes of one tool choice are one finding to a reader.
        keep = lambda gains: [it for it in gains if ", thinking" not in it["finding"]]
        by = ", ".join(f"`{kind}`" for kind in corrections) or "–"
        cells = [cell(keep(lost)), cell(keep(found["regained"])), cell(keep(found["lacking"])), by]
        out.append(f"| `{model}` | {' | '.join(cells)} |\n")
    return "".join(out)


def uncorrected(compared):
    """What no plan brings back, and why."""
    reasons = {}
    for model, corrections, found in rows(compared):
        for gain in found["lacking"]:
            why = excuse(model, corrections, gain["finding"]) or "**not known**"
            reasons.setdefault((f"`{short(gain['finding'])}`", why), []).append(f"`{model}`")
    out = ["| not brought back | of | because |\n", "|---|---|---|\n"]
    out += [f"| {finding} | {', '.join(models)} | {why} |\n" for (finding, why), models in sorted(reasons.items())]
    return "".join(out)


def main():
    compared = json.loads(Path(sys.argv[1]).read_text())
    wrong = list(problems(compared))
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    made = before + BEGIN + table(compared) + "\n" + uncorrected(compared) + END + after
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
