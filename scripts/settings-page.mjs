// Writes docs/reference/settings.md from src/settings.ts. If --check is given, writes nothing and fails if
// the page is stale.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs", "reference", "settings.md");

/** Bundles the declarations in memory, so that no build is needed and none can be out of date. */
async function loadSettings() {
  const { outputFiles } = await build({
    stdin: { contents: 'export { settings } from "./src/settings.ts";', resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return (await import(`data:text/javascript;base64,${code}`)).settings;
}

/** Returns true if one of these files mentions the setting. If not, the setting is never used. */
function isWired({ key }) {
  return new RegExp(`\\b${key.split(".")[0]}\\b`).test(wiring);
}
const wiring = ["app.ts", "open-store.ts", "serve.ts", "main.ts"]
  .map((file) => readFileSync(join(root, "src", file), "utf8"))
  .join("\n");

function showDefault(value) {
  const items = Array.isArray(value) ? value : [value];
  return items.every((item) => item === undefined) ? "–" : items.map((item) => `\`${item}\``).join(", ");
}

function describe(settings) {
  const unused = settings.filter((setting) => !isWired(setting));
  return [
    "# Settings",
    "",
    "Generated from `src/settings.ts` by `npm run docs`. Do not edit by hand.",
    "",
    "An environment variable wins over `config.json` in the data directory, and that wins over the default. A key with a",
    'dot is a member of an object: `{"event": {"output": "file"}}`. Thoughtbox refuses to start with a bad value and names',
    "it. `thoughtbox config` shows which values are in effect and where each one is from.",
    "",
    "| variable | in config.json | default | what |",
    "|---|---|---|---|",
    ...settings.filter(isWired).map((setting) => {
      const { variable, key, describe: what } = setting;
      // config.json is in the data directory, so it cannot set that directory.
      const place = key === "dataDir" ? "–" : `\`${key}\``;
      return `| ${variable ? `\`${variable}\`` : "–"} | ${place} | ${showDefault(setting.default)} | ${what} |`;
    }),
    ...(unused.length > 0
      ? [
          "",
          `Reserved, checked at the start and without effect in this version: ${unused.map(({ variable, key }) => `\`${variable ?? key}\``).join(", ")}.`,
        ]
      : []),
    "",
  ].join("\n");
}

const fresh = describe(await loadSettings());
if (!process.argv.includes("--check")) writeFileSync(page, fresh);
else if (!existsSync(page) || fresh !== readFileSync(page, "utf8")) {
  console.error("docs/reference/settings.md is out of date: run npm run docs");
  process.exit(1);
}
