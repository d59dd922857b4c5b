#!/usr/bin/env bash
# A nightly run by cron: 17 3 * * * /path/to/ci/nightly.sh /path/to/folder
# The folder has toolprobe.toml and profiles/. Standard output is what cron mails: nothing while all is well. Until the
# first snapshot is accepted there is nothing to compare with, and it says so.
set -uo pipefail
cd "${1:-.}" || exit 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
toolprobe run --profiles "${TOOLPROBE_PROFILES:-profiles}" > "$log" 2>&1
code=$?
if [ "$code" -ne 0 ]; then
  cat "$log"
  echo "toolprobe exits with $code"
fi
if [ "$code" -ne 2 ]; then
  toolprobe report --quiet --format html --output reports/latest.html || true
  toolprobe prune --quiet --keep "${TOOLPROBE_KEEP:-30}" > /dev/null || true
fi
exit "$code"
