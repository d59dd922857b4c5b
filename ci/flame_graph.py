"""A flame graph of what `perf script` prints, as SVG.

    perf record -e cpu-clock -F 999 --call-graph dwarf,65528 -o run.data -- toolprobe run …
    perf script -i run.data | python3 ci/flame_graph.py > docs/flame-graph.svg

Frames of the runtime and of futures that only poll others are left out, so that what the program does can be seen.
"""

import html
import re
import sys

WIDTH, ROW, LEAST = 1200, 16, 0.004
DULL = re.compile(
    r"^(core::|std::|alloc::|__|_start|start_thread|clone|main$|tokio::runtime|tokio::task|futures_util::|<futures_util"
    r"|<core::|<alloc::|<std::|<tokio::|entry_SYSCALL|\[unknown\]|toolprobe::probe::|toolprobe::cli::|toolprobe::main"
    r"|x64_sys_call|do_syscall)"
)

# What is not looked into.
ENDS = {"mi_": "allocator", "_mi_": "allocator", "asm_exc_page_fault": "page fault", "asm_sysvec": "interrupt"}


def stacks(lines):
    """The frames of each sample, outermost first."""
    frames = []
    for line in lines:
        if not line.strip():
            if frames:
                yield frames[::-1]
            frames = []
        elif line[0] in " \t" and (found := re.match(r"\s+[0-9a-f]+ (.*) \([^()]*\)$", line.rstrip())):
            frames.append(short(found[1]))


def short(name):
    """The name without offset, parameters and closures."""
    name = re.sub(r"\+0x[0-9a-f]+$", "", name)
    name = re.sub(r"^<(&?(?:mut )?)([\w:]+).* as .*>::", r"\2::", name)
    while (less := re.sub(r"<[^<>]*>(?=::|$)", "", name)) != name and less:
        name = less
    return re.sub(r"(::\{\{closure\}\})+", "", name) or "?"


def add(tree, frames):
    tree[0] += 1
    last = None
    for frame in frames:
        end = next((name for opener, name in ENDS.items() if frame.startswith(opener)), None)
        frame = end or frame
        if (DULL.match(frame) or frame == last) and not end:
            continue
        tree = tree[1].setdefault(frame, [0, {}])
        tree[0] += 1
        last = frame
        if end:
            return


def draw(tree, name, left, depth, total, out):
    """The boxes of a frame and of what it called; gives how deep that goes."""
    width = WIDTH * tree[0] / total
    colour = 40 + sum(map(ord, name)) % 150
    label = html.escape(name)
    chars = int(width / 6.5)
    text = label if len(name) <= chars else html.escape(name[: max(0, chars - 1)]) + "…"
    out.append(
        f'<g><title>{label}: {100 * tree[0] / total:.1f} %</title><rect x="{left:.1f}" y="{depth * ROW}" '
        f'width="{width:.1f}" height="{ROW - 1}" fill="rgb(230,{colour},70)"/>'
        + (f'<text x="{left + 2:.1f}" y="{depth * ROW + 12}">{text}</text>' if chars > 3 else "")
        + "</g>"
    )
    deepest = depth
    for called, below in sorted(tree[1].items()):
        if below[0] >= LEAST * total:
            deepest = max(deepest, draw(below, called, left, depth + 1, total, out))
            left += WIDTH * below[0] / total
    return deepest


def main():
    tree = [0, {}]
    for frames in stacks(sys.stdin):
        add(tree, frames)
    boxes = []
    deepest = draw(tree, "all", 0, 0, tree[0], boxes)
    height = (deepest + 1) * ROW
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="11">')
    print("\n".join(boxes))
    print("</svg>")


if __name__ == "__main__":
    main()
