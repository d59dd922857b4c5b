"""Sends bodies with the OpenAI Python SDK, one after the other, and reads the calls in the answers.

    sdk.py BASE KEY ROUNDS FILE     FILE has one body a line
"""

import json
import sys

from openai import OpenAI

base, key, rounds, path = sys.argv[1:]
client = OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)
bodies = [json.loads(line) for line in open(path, encoding="utf-8")]


def calls_of(body):
    """Name and arguments of every call."""
    try:
        answer = client.chat.completions.create(**body)
    except Exception:  # A refusal is an answer, too.
        return []
    if not body.get("stream"):
        calls = answer.choices[0].message.tool_calls or []
        return [(call.function.name, call.function.arguments) for call in calls]
    calls = {}
    for chunk in answer:
        for choice in chunk.choices:
            for delta in choice.delta.tool_calls or []:
                name, arguments = calls.get(delta.index, ("", ""))
                name += delta.function.name or ""
                arguments += delta.function.arguments or ""
                calls[delta.index] = (name, arguments)
    return list(calls.values())


for _ in range(int(rounds)):
    for body in bodies:
        for _, arguments in calls_of(body):
            json.loads(arguments)
