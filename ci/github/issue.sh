#!/usr/bin/env bash
# Opens or updates one issue on a regression, and closes it when the gate is green again.
set -euo pipefail
title="toolprobe: regression of ${TOOLPROBE_NAME:-tool calling}"
open=$(gh issue list --state open --search "in:title \"$title\"" --json number,title \
  --jq ".[] | select(.title == \"$title\") | .number" | head -n 1)
body=toolprobe-comment.md
[ -f "$body" ] || { body=$(mktemp); echo "The run exits with 1; its log and its artefact say why." > "$body"; }
case "$EXIT_CODE" in
  1)
    if [ -n "$open" ]; then
      gh issue comment "$open" --body-file "$body"
    else
      gh issue create --title "$title" --body-file "$body"
    fi
    ;;
  0)
    if [ -n "$open" ]; then gh issue close "$open" --comment "The gate is green again."; fi
    ;;
  *) echo "no verdict (exit code ${EXIT_CODE:-unknown}): the issue stays as it is" ;;
esac
