// Reads `{program: text}` from stdin with the programs' own packages; prints `{program: problem}`, null where there is none.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.argv[2]}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));

// Every key that went in must come out: loaders drop what they do not know.
function lost(before, after, path = "") {
  if (before === null || typeof before !== "object") return null;
  for (const [key, value] of Object.entries(before)) {
    if (key === "$comment") continue;
    if (after === null || typeof after !== "object" || !(key in after)) return `${path}/${key} is not read`;
    const inner = lost(value, after[key], `${path}/${key}`);
    if (inner) return inner;
  }
  return null;
}

function by(schema, value) {
  const read = schema.safeParse(value);
  return read.success ? lost(value, read.data) : read.error.issues.map((it) => `${it.path.join("/")}: ${it.message}`).join("; ");
}

const loaders = {
  cline: async (value) => by((await load("@cline/shared")).ModelInfoSchema, value),
  roo: async (value) => by((await load("@roo-code/types")).modelInfoSchema, value),
  continue: async (value, text) => {
    const { parseConfigYaml } = await load("@continuedev/config-yaml");
    return lost(value, parseConfigYaml(text));
  },
};

let input = "";
for await (const piece of process.stdin) input += piece;
const out = {};
for (const [program, { value, text }] of Object.entries(JSON.parse(input))) {
  try {
    out[program] = await loaders[program](value, text);
  } catch (error) {
    out[program] = String(error.message ?? error);
  }
}
console.log(JSON.stringify(out));
