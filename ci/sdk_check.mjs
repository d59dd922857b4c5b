// Drives the simulated models through the providers' own SDKs in Node, and through the AI SDK.
//
// Usage: node sdk_check.mjs BASE_URL PACKAGES_DIR
//
// Each check is a conversation of call, result and answer, plain or streamed through the SDK's own
// accumulator. Prints one line per check and at the end `N passed, N failed`; exits 1 when one failed.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [base, folder] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), "package.json"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
globalThis.AI_SDK_LOG_WARNINGS = false;

const { default: OpenAI } = await load("openai");
const { default: Anthropic } = await load("@anthropic-ai/sdk");
const { GoogleGenAI } = await load("@google/genai");
const { Ollama } = await load("ollama");
const { generateText, streamText, stepCountIs, tool, jsonSchema } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { createGoogleGenerativeAI } = await load("@ai-sdk/google");

const NONCE = "nonce-7f3a91";
const PROMPT =
  'Call the tool `get_weather` once, with:\n- city = "Oslo"\n- days = 3\n\n' +
  'Call the tool `get_time` once, with:\n- zone = "Europe/Oslo"\n';
const schema = (properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });
const WEATHER = schema({ city: { type: "string" }, days: { type: "integer" } });
const TIME = schema({ zone: { type: "string" } });
const TOOLS = [["get_weather", WEATHER], ["get_time", TIME]];
const CALLS = [["get_weather", { city: "Oslo", days: 3 }], ["get_time", { zone: "Europe/Oslo" }]];

const checks = [];
const both = (name, run) => {
  for (const stream of [false, true]) checks.push([`node ${name}, ${stream ? "streamed" : "plain"}`, () => run(stream)]);
};
const sorted = (value) => JSON.stringify(value, (_, v) => (v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v));
const equal = (found, expected, what) => {
  if (sorted(found) !== sorted(expected)) throw new Error(`${what}: expected ${sorted(expected)}, found ${sorted(found)}`);
};
const holdsNonce = (text) => {
  if (!text?.includes(NONCE)) throw new Error(`the answer does not hold the result: ${text}`);
};

// OpenAI

const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: "any", maxRetries: 0 });

async function chatLoop(model, stream) {
  const tools = TOOLS.map(([name, parameters]) => ({ type: "function", function: { name, parameters, strict: true } }));
  const ask = (messages) =>
    stream
      ? openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
      : openai.chat.completions.create({ model, messages, tools });
  const messages = [{ role: "user", content: PROMPT }];
  const { message } = (await ask(messages)).choices[0];
  equal(message.tool_calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]), CALLS, "calls");
  messages.push(message, ...message.tool_calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: NONCE })));
  holdsNonce((await ask(messages)).choices[0].message.content);
}

both("openai chat", (stream) => chatLoop("openai-native", stream));
both("openai chat on Ollama's own route", (stream) => chatLoop("ollama-native", stream));

async function responsesLoop(model, stream, follow) {
  const tools = TOOLS.map(([name, parameters]) => ({ type: "function", name, parameters, strict: true }));
  const ask = (body) =>
    stream ? openai.responses.stream({ model, tools, ...body }).finalResponse() : openai.responses.create({ model, tools, ...body });
  const first = await ask({ input: PROMPT });
  const calls = first.output.filter((item) => item.type === "function_call");
  equal(calls.map((call) => [call.name, JSON.parse(call.arguments)]), CALLS, "calls");
  const results = calls.map((call) => ({ type: "function_call_output", call_id: call.call_id, output: NONCE }));
  holdsNonce((await ask(follow(first, results))).output_text);
}

const replay = (first, results) => ({
  input: [{ role: "user", content: PROMPT }, ...first.output.map(({ parsed_arguments, ...item }) => item), ...results],
});
const refer = (first, results) => ({
  input: [{ role: "user", content: PROMPT }, ...first.output.map(({ id }) => ({ type: "item_reference", id })), ...results],
});
const proceed = (first, results) => ({ previous_response_id: first.id, input: results });
both("openai responses", (stream) => responsesLoop("responses-native", stream, replay));
both("openai responses, calls in turns", (stream) => responsesLoop("responses-interleaved", stream, replay));
both("openai responses by reference", (stream) => responsesLoop("responses-native", stream, refer));
both("openai responses by previous response", (stream) => responsesLoop("responses-reasoning", stream, proceed));

both("openai responses, custom tool", async (stream) => {
  const grammar = { type: "grammar", syntax: "lark", definition: "start: /.+/s" };
  const tools = [{ type: "custom", name: "apply_patch", format: grammar }, { type: "web_search" }];
  const body = { model: "responses-native", tools, input: 'Call the tool `apply_patch` once, with:\n- input = "*** Begin Patch"\n' };
  const ask = (body) => (stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body));
  const first = await ask(body);
  const [call] = first.output;
  equal([call.type, call.input], ["custom_tool_call", "*** Begin Patch"], "call");
  const result = { type: "custom_tool_call_output", call_id: call.call_id, output: NONCE };
  const { type, id, call_id, name, input } = call;
  holdsNonce((await ask({ ...body, input: [{ role: "user", content: body.input }, { type, id, call_id, name, input }, result] })).output_text);
});

// Anthropic

async function messagesLoop(baseURL, model, stream) {
  const anthropic = new Anthropic({ baseURL, apiKey: "any", maxRetries: 0 });
  const tools = TOOLS.map(([name, input_schema]) => ({ name, input_schema }));
  const ask = (messages) => {
    const body = { model, max_tokens: 4096, messages, tools };
    return stream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body);
  };
  const messages = [{ role: "user", content: PROMPT }];
  const first = await ask(messages);
  const calls = first.content.filter((block) => block.type === "tool_use");
  equal(calls.map((call) => [call.name, call.input]), CALLS, "calls");
  if (typeof first.usage.cache_read_input_tokens !== "number" && model.startsWith("anthropic")) throw new Error("no cache fields");
  messages.push({ role: "assistant", content: first.content });
  messages.push({ role: "user", content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: NONCE })) });
  holdsNonce((await ask(messages)).content.find((block) => block.type === "text").text);
}

both("anthropic messages", (stream) => messagesLoop(base, "anthropic-native", stream));
both("anthropic messages on DeepSeek's own route", (stream) => messagesLoop(`${base}/anthropic`, "deepseek-v4-thinking", stream));

// Google

both("google generateContent", async (stream) => {
  const google = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: base } });
  const declarations = TOOLS.map(([name, parametersJsonSchema]) => ({ name, parametersJsonSchema }));
  const ask = async (contents) => {
    const body = { model: "gemini-3-signatures", contents, config: { tools: [{ functionDeclarations: declarations }] } };
    if (!stream) return (await google.models.generateContent(body)).candidates[0].content.parts;
    const parts = [];
    for await (const chunk of await google.models.generateContentStream(body)) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    return parts;
  };
  const contents = [{ role: "user", parts: [{ text: PROMPT }] }];
  const parts = await ask(contents);
  const calls = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
  equal(calls.map((call) => [call.name, call.args]), CALLS, "calls");
  contents.push({ role: "model", parts });
  contents.push({ role: "user", parts: calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: NONCE } } })) });
  holdsNonce((await ask(contents)).map((part) => part.text ?? "").join(""));
});

// Ollama

both("ollama chat", async (stream) => {
  const ollama = new Ollama({ host: base });
  const tools = TOOLS.map(([name, parameters]) => ({ type: "function", function: { name, parameters } }));
  const ask = async (messages) => {
    if (!stream) return (await ollama.chat({ model: "ollama-native", messages, tools })).message;
    const whole = { role: "assistant", content: "", tool_calls: [] };
    for await (const { message } of await ollama.chat({ model: "ollama-native", messages, tools, stream: true })) {
      whole.content += message.content ?? "";
      whole.tool_calls.push(...(message.tool_calls ?? []));
    }
    return whole;
  };
  const messages = [{ role: "user", content: PROMPT }];
  const first = await ask(messages);
  equal(first.tool_calls.map(({ function: call }) => [call.name, call.arguments]), CALLS, "calls");
  messages.push(first, ...first.tool_calls.map((call) => ({ role: "tool", tool_name: call.function.name, content: NONCE })));
  holdsNonce((await ask(messages)).content);
});

// The AI SDK; with the Responses API it refers to stored items unless it is told not to.

async function aiSdkLoop(model, stream) {
  const calls = [];
  const tools = Object.fromEntries(
    TOOLS.map(([name, parameters]) => {
      const execute = async (input) => (calls.push([name, input]), NONCE);
      return [name, tool({ description: name, inputSchema: jsonSchema(parameters), execute })];
    }),
  );
  const request = { model, prompt: PROMPT, tools, maxRetries: 0, stopWhen: stepCountIs(3), abortSignal: AbortSignal.timeout(30_000) };
  let text;
  if (stream) {
    let failure;
    const result = streamText({ ...request, onError: ({ error }) => (failure ??= error) });
    text = await Promise.resolve(result.text).catch((error) => (failure ??= error));
    if (failure) throw failure;
  } else {
    ({ text } = await generateText(request));
  }
  equal(calls, CALLS, "calls");
  holdsNonce(text);
}

const apiKey = "any";
both("ai sdk, openai-compatible", (s) => aiSdkLoop(createOpenAICompatible({ name: "sim", baseURL: `${base}/v1`, apiKey })("openai-native"), s));
// The stream helper of the openai package (7.55.0) takes a strict call for complete when another one goes on.
both("ai sdk, calls in turns", (s) => aiSdkLoop(createOpenAICompatible({ name: "sim", baseURL: `${base}/v1`, apiKey })("calls-interleaved"), s));
both("ai sdk, openai chat", (s) => aiSdkLoop(createOpenAI({ baseURL: `${base}/v1`, apiKey }).chat("openai-native"), s));
both("ai sdk, openai responses", (s) => aiSdkLoop(createOpenAI({ baseURL: `${base}/v1`, apiKey }).responses("responses-native"), s));
both("ai sdk, openai responses with reasoning", (s) => aiSdkLoop(createOpenAI({ baseURL: `${base}/v1`, apiKey }).responses("responses-reasoning"), s));
both("ai sdk, anthropic", (s) => aiSdkLoop(createAnthropic({ baseURL: `${base}/v1`, apiKey })("anthropic-native"), s));
both("ai sdk, google", (s) => aiSdkLoop(createGoogleGenerativeAI({ baseURL: `${base}/v1beta`, apiKey })("gemini-native"), s));

let failed = 0;
for (const [name, run] of checks) {
  try {
    await run();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${error.name}: ${String(error.message).slice(0, 400)}`);
  }
}
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
