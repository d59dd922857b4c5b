"""Validates whole replies of the simulated models against the providers' own schemas, with llm-comply.

Usage: comply_check.py BASE_URL

Prints one line per API and at the end `N passed, N failed`; exits 1 when one failed. What llm-comply
skips by itself is counted apart.
"""

import json
import subprocess
import sys
from pathlib import Path

BASE = sys.argv[1]
COMPLY = Path(sys.executable).parent / "llm-comply"

# The format's name, the base URL that it wants, the model, further headers.
APIS = [
    ("openai-chat", f"{BASE}/v1", "openai-native", []),
    ("open-responses", f"{BASE}/v1", "responses-native", []),
    ("anthropic", f"{BASE}/v1", "anthropic-native", ["anthropic-version:2023-06-01"]),
    ("google-genai", BASE, "gemini-native", []),
]


def comply(name, base, model, headers):
    command = [COMPLY, "-u", base, "-k", "any", "-m", model, "--format", name, "--json"]
    for header in headers:
        command += ["-H", header]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        sys.exit(f"llm-comply printed no JSON for {name}: {run.stdout[:300]} {run.stderr[:300]}")


def main():
    passed = failed = 0
    for name, base, model, headers in APIS:
        report = comply(name, base, model, headers)
        counts = report["summary"]
        passed, failed = passed + counts["passed"], failed + counts["failed"]
        word = "FAIL" if counts["failed"] or not counts["passed"] else "ok  "
        print(f"{word}  llm-comply {name}, {model}: {counts['passed']} of {counts['total']}, {counts['skipped']} skipped")
        for result in report["results"]:
            if result["status"] == "failed":
                print(f"      {result['name']}: {'; '.join(map(str, result.get('errors', [])))[:400]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
