#!/usr/bin/env bash
# Opens or updates one issue on a regression, and closes it when the gate is green again.
set -euo pipefail
title="toolprobe: regression of ${TOOLPROBE_NAME:-tool calling}"
open=$(gh issue list --state open --search "in:title \"$title\"" --json number,title \
  --jq ".[] | select(.title == \"$title\") | .number" | head -n 1)
case "$EXIT_CODE" in
  1)
    if [ -n "$open" ]; then
      gh issue comment "$open" --body-file toolprobe-comment.md
    else
      gh issue create --title "$title" --body-file toolprobe-comment.md
    fi
    ;;
  0)
    if [ -n "$open" ]; then gh issue close "$open" --comment "The gate is green again."; fi
    ;;
  *) echo "inconclusive: the issue stays as it is" ;;
esac
