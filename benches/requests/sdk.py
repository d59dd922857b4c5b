"""Sends bodies with the OpenAI Python SDK, as many at once as the others, and reads the calls in the answers.

    sdk.py BASE KEY ROUNDS AT_ONCE FILE     FILE has one body a line
"""

import asyncio
import json
import sys

from openai import APIStatusError, AsyncOpenAI

base, key, rounds, at_once, path = sys.argv[1:]


async def calls_of(client, body):
    """Name and arguments of every call."""
    try:
        answer = await client.chat.completions.create(**body)
    except APIStatusError:  # A refusal is an answer, too.
        return []
    if not body.get("stream"):
        calls = answer.choices[0].message.tool_calls or []
        return [(call.function.name, call.function.arguments) for call in calls]
    calls = {}
    async for chunk in answer:
        for choice in chunk.choices:
            for delta in choice.delta.tool_calls or []:
                name, arguments = calls.get(delta.index, ("", ""))
                name += delta.function.name or ""
                arguments += delta.function.arguments or ""
                calls[delta.index] = (name, arguments)
    return list(calls.values())


async def main():
    bodies = [json.loads(line) for line in open(path, encoding="utf-8")]
    waiting = (body for _ in range(int(rounds)) for body in bodies)
    async with AsyncOpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0) as client:

        async def work():
            for body in waiting:
                for _, arguments in await calls_of(client, body):
                    json.loads(arguments)

        await asyncio.gather(*(work() for _ in range(int(at_once))))


asyncio.run(main())
