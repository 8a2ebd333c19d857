// Rewrites the generated blocks of README.md: the operations from the catalogue, the settings from src/settings.ts, the
// performance from the last benchmark that was kept.
// With --check it writes nothing and fails when a block is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const readme = join(root, "README.md");

/** The declarations themselves, bundled in memory: no build has to be there, and none can be out of date. */
async function loadDeclarations() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export { catalogue } from "./src/operations/catalogue.ts";
        export { stages } from "./src/domain/stages/stages.ts";
        export { settings } from "./src/settings.ts";
      `,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

function operationsTable({ catalogue, stages }) {
  return [
    "| operation | stage | effect | toolset | what |",
    "|---|---|---|---|---|",
    ...catalogue.map(
      ({ name, family, stage, effect, toolset, summary }) =>
        `| \`${name}\` | ${family === "memory" ? "any" : stages[stage]} | ${effect} | ${toolset} | ${summary} |`,
    ),
  ];
}

/** A setting that none of these files mentions is checked at the start and then used by nobody. */
function settingsTable({ settings }) {
  const wiring = ["app.ts", "open-store.ts", "serve.ts", "main.ts"]
    .map((file) => readFileSync(join(root, "src", file), "utf8"))
    .join("\n");
  const isWired = ({ key }) => new RegExp(`\\b${key.split(".")[0]}\\b`).test(wiring);
  const isOffered = ({ key }) => !["databaseUrl", "tenant", "poolSize"].includes(key);
  const unused = settings.filter((setting) => !isWired(setting));
  return [
    "| variable | in config.json | default | what |",
    "|---|---|---|---|",
    ...settings
      .filter(isWired)
      .filter(isOffered)
      .map((setting) => {
        const { variable, key, describe } = setting;
        // config.json lies in the data directory, so it cannot name it.
        const place = key === "dataDir" ? "–" : `\`${key}\``;
        return `| ${variable ? `\`${variable}\`` : "–"} | ${place} | ${showDefault(setting.default)} | ${describe} |`;
      }),
    ...(unused.length > 0
      ? [
          "",
          `Reserved, checked at the start and without effect in this version: ${unused.map(({ variable, key }) => `\`${variable ?? key}\``).join(", ")}.`,
        ]
      : []),
  ];
}

function showDefault(value) {
  const items = Array.isArray(value) ? value : [value];
  return items.every((item) => item === undefined) ? "–" : items.map((item) => `\`${item}\``).join(", ");
}

/** What has a goal, and of the memory's many pages only those of the larger graph through the door. */
const isShown = ({ goal, id }) =>
  goal && (!id.startsWith("memory-") || /door-.*100000$|^memory-(?:use|writes)/.test(id));

function performanceTable() {
  const { machine, at, lines } = JSON.parse(
    readFileSync(join(root, "bench", "results", "latest.json"), "utf8"),
  );
  const rows = lines.filter(isShown);
  return [
    "| what | Thoughtbox | compared with | ratio | goal | |",
    "|---|---|---|---|---|---|",
    ...rows.map(({ what, ours, against, ratio, goal }) => {
      const other = against ? `${against.name}: ${showFigure(against.figure)}` : "";
      const times = ratio === undefined ? "" : `${short(ratio)} ×`;
      return `| ${what} | ${showFigure(ours)} | ${other} | ${times} | ${goal.text} | ${goal.met ? "met" : "**missed**"} |`;
    }),
    "",
    `Measured ${at.slice(0, 10)} on ${machine}.`,
  ];
}

const showFigure = ({ value, unit }) =>
  unit === "share" ? `${Math.round(value * 100)} %` : `${short(value)} ${unit}`;

const short = (value) =>
  Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));

function replaceBlock(text, name, lines) {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(opening), text.indexOf(closing)];
  if (start === -1 || end < start) throw new Error(`README.md has no block ${opening} … ${closing}`);
  return `${text.slice(0, start + opening.length)}\n${lines.join("\n")}\n${text.slice(end)}`;
}

const declarations = await loadDeclarations();
const current = readFileSync(readme, "utf8");
const withOperations = replaceBlock(current, "operations", operationsTable(declarations));
const withSettings = replaceBlock(withOperations, "settings", settingsTable(declarations));
const fresh = replaceBlock(withSettings, "performance", performanceTable());

if (!process.argv.includes("--check")) writeFileSync(readme, fresh);
else if (fresh !== current) {
  console.error("README.md is out of date: run node scripts/readme-blocks.mjs");
  process.exit(1);
}
