#!/usr/bin/env bash
# Runs toolprobe, writes its reports, and hands its exit code to the steps that follow.
set -uo pipefail
read -r -a arguments <<< "${TOOLPROBE_ARGUMENTS:-}"
# A folder that is named is wanted: without a snapshot in it the run exits 3.
against=(--profiles "${TOOLPROBE_PROFILES:-profiles}")
if [ -n "${TOOLPROBE_POLICY:-}" ]; then against+=(--policy "$TOOLPROBE_POLICY"); fi
toolprobe run "${against[@]}" ${arguments[@]+"${arguments[@]}"}
code=$?
echo "exit-code=$code" >> "${GITHUB_OUTPUT:-/dev/null}"
# A run that never began has nothing to report.
if [ "$code" -ne 2 ]; then
  toolprobe report --quiet "${against[@]}" --format html --output toolprobe-report.html
  toolprobe report --quiet "${against[@]}" --format junit --output toolprobe-junit.xml
  if compgen -G "${TOOLPROBE_PROFILES:-profiles}/*.json" > /dev/null; then
    # These exit with the verdict as well; the run's own exit code counts.
    toolprobe gate --quiet "${against[@]}" --format markdown --output toolprobe-comment.md || true
    toolprobe gate --quiet "${against[@]}" --format sarif --output toolprobe.sarif || true
    toolprobe gate --quiet "${against[@]}" --format code-quality --output toolprobe-code-quality.json || true
  fi
fi
exit 0
