#!/usr/bin/env bash
# Runs toolprobe, writes its reports, and hands its exit code to the steps that follow.
set -uo pipefail
read -r -a arguments <<< "${TOOLPROBE_ARGUMENTS:-}"
toolprobe run ${arguments[@]+"${arguments[@]}"}
code=$?
echo "exit-code=$code" >> "${GITHUB_OUTPUT:-/dev/null}"
# A run that never began has nothing to report.
if [ "$code" -ne 2 ]; then
  toolprobe report --quiet --format html --output toolprobe-report.html
  toolprobe report --quiet --format junit --output toolprobe-junit.xml
  if compgen -G "${TOOLPROBE_PROFILES:-profiles}/*.json" > /dev/null; then
    # These exit with the verdict as well; the run's own exit code counts.
    toolprobe gate --quiet --format markdown --output toolprobe-comment.md || true
    toolprobe gate --quiet --format sarif --output toolprobe.sarif || true
    toolprobe gate --quiet --format code-quality --output toolprobe-code-quality.json || true
  fi
fi
exit 0
