// Holds one loop with two calls with every simulated model, through the Vercel AI SDK.
//
// Usage: node clients_check.mjs BASE_URL MODELS.json PACKAGES_DIR
//
// Prints the same lines as clients_check.py.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [base, modelsFile, folder] = process.argv.slice(2);
const packages = resolve(folder);
const require = createRequire(join(packages, "package.json"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
globalThis.AI_SDK_LOG_WARNINGS = false;
const { generateText, streamText, stepCountIs, tool, jsonSchema } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { createGoogleGenerativeAI } = await load("@ai-sdk/google");

const prompt =
  'Call the tool `get_weather` once, with:\n- city = "Oslo"\n- days = 3\n\n' +
  'Call the tool `get_time` once, with:\n- zone = "Europe/Oslo"\n\n' +
  "Then say what both results say, word for word.";
const expected = { get_weather: { city: "Oslo", days: 3 }, get_time: { zone: "Europe/Oslo" } };
const results = { get_weather: "weather-receipt-7f3a91", get_time: "time-receipt-c04b6d" };
const schemas = {
  get_weather: { city: { type: "string" }, days: { type: "integer" } },
  get_time: { zone: { type: "string" } },
};

const providers = {
  "openai-chat": ["@ai-sdk/openai-compatible", (model) => createOpenAICompatible({ name: "sim", baseURL: `${base}/v1`, apiKey: "any" })(model)],
  "openai-responses": ["@ai-sdk/openai", (model) => createOpenAI({ baseURL: `${base}/v1`, apiKey: "any" }).responses(model)],
  "anthropic-messages": ["@ai-sdk/anthropic", (model) => createAnthropic({ baseURL: `${base}/v1`, apiKey: "any" })(model)],
  gemini: ["@ai-sdk/google", (model) => createGoogleGenerativeAI({ baseURL: `${base}/v1beta`, apiKey: "any" })(model)],
};

async function drive(make, name, dialect, streamed) {
  const calls = [];
  const tools = {};
  for (const [tool_name, properties] of Object.entries(schemas)) {
    tools[tool_name] = tool({
      description: tool_name,
      inputSchema: jsonSchema({ type: "object", properties, required: Object.keys(properties) }),
      execute: async (input) => {
        calls.push([tool_name, input]);
        return results[tool_name];
      },
    });
  }
  const request = {
    model: make(name),
    prompt,
    tools,
    maxRetries: 0,
    stopWhen: stepCountIs(3),
    abortSignal: AbortSignal.timeout(20_000),
    ...(dialect === "openai-responses" ? { providerOptions: { openai: { store: false } } } : {}),
  };
  let text;
  if (streamed) {
    let failure;
    const result = streamText({ ...request, onError: ({ error }) => (failure ??= error) });
    try {
      text = await result.text;
    } catch (error) {
      failure ??= error;
    }
    if (failure) throw failure;
  } else {
    text = (await generateText(request)).text;
  }
  const found = Object.fromEntries(calls);
  const same = calls.length === 2 && Object.entries(expected).every(([key, value]) =>
    JSON.stringify(Object.entries(found[key] ?? {}).sort()) === JSON.stringify(Object.entries(value).sort()));
  if (!same) throw new Error(`calls read: ${JSON.stringify(calls).slice(0, 160)}`);
  for (const [key, receipt] of Object.entries(results)) {
    if (!text.includes(receipt)) throw new Error(`the answer lacks the result of ${key}: ${text.slice(0, 80)}`);
  }
}

for (const model of JSON.parse(readFileSync(modelsFile, "utf8"))) {
  const provider = providers[model.dialect];
  if (!provider) continue;
  const version = JSON.parse(readFileSync(join(packages, "node_modules", provider[0], "package.json"), "utf8")).version;
  for (const mode of ["plain", "streamed"]) {
    let why;
    try {
      await drive(provider[1], model.name, model.dialect, mode === "streamed");
    } catch (error) {
      why = `${error.name}: ${error.message}`.replaceAll(base, "").split("\n")[0].slice(0, 200);
    }
    const row = { model: model.name, dialect: model.dialect, client: "ai-sdk", package: provider[0], version, mode, ok: !why };
    console.log(JSON.stringify(why ? { ...row, why } : row));
  }
}
