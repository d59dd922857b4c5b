#!/usr/bin/env bash
# Writes the verdict to a pull request: one comment, which is updated.
set -euo pipefail
mark='<!-- toolprobe -->'
[ -f toolprobe-comment.md ] || exit 0
{ echo "$mark"; cat toolprobe-comment.md; } > toolprobe-comment-marked.md
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
old=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
if [ -n "$old" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" -F body=@toolprobe-comment-marked.md > /dev/null
else
  gh api --method POST "$comments" -F body=@toolprobe-comment-marked.md > /dev/null
fi
