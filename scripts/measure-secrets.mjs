// Measures how often the detector is wrong: on our docs and the sources of every installed package, which contain
// no secrets, and on generated secrets of every kind. Prints the figures for docs/guide/security.md.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const corpusBytes = 10_000_000;
const largestFile = 500_000;

const { outputFiles } = await build({
  stdin: {
    contents: `
      export { findSecrets } from "./src/kernel/secrets/secrets.ts";
      export { makeSecrets } from "./src/kernel/secrets/made-up-secrets.testing.ts";
    `,
    resolveDir: root,
    loader: "ts",
  },
  bundle: true,
  write: false,
  format: "esm",
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { findSecrets, makeSecrets } = await import(`data:text/javascript;base64,${code}`);

function filesIn(folder, pattern) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => pattern.test(file) && !file.includes("secrets"))
    .sort();
}

const sources = [
  ...filesIn(join(root, "docs"), /\.md$/),
  ...filesIn(join(root, "content"), /\.md$/),
  ...filesIn(join(root, "node_modules"), /\.(?:js|mjs|cjs|ts|md|json)$/),
];
let bytes = 0;
let lines = 0;
const files = [];
const hits = [];
for (const file of sources) {
  const { size } = statSync(file);
  if (!statSync(file).isFile() || size > largestFile || bytes + size > corpusBytes) continue;
  const text = readFileSync(file, "utf8");
  bytes += size;
  lines += text.split("\n").length;
  files.push(file);
  for (const { kind, start, end } of findSecrets(text))
    hits.push(
      `${kind}: ${relative(root, file)}:${text.slice(0, start).split("\n").length} ${JSON.stringify(text.slice(start, Math.min(end, start + 40)))}`,
    );
}

/** Fifty secrets of each kind, each with different key material. */
const kinds = new Map();
for (let seed = 1; seed <= 50; seed += 1)
  for (const [kind, secret] of makeSecrets(seed)) {
    const text = kind === "url-password" ? `${secret}@example.org` : `it is ${secret}.`;
    const tally = kinds.get(kind) ?? { made: 0, found: 0 };
    tally.made += 1;
    if (findSecrets(text).some((one) => one.kind === kind)) tally.found += 1;
    kinds.set(kind, tally);
  }
const tallies = [...kinds];
const sum = (field) => tallies.reduce((total, [, tally]) => total + tally[field], 0);
const percent = (part, whole) => `${((100 * part) / whole).toFixed(2)} %`;

console.log(hits.join("\n"));
for (const [kind, { made, found }] of tallies) if (found < made) console.log(`${kind}: ${found} of ${made}`);
console.log(
  `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, ${lines} lines without a secret: ${hits.length} taken for one`,
);
console.log(`${tallies.length} kinds, ${sum("made")} made-up secrets: ${sum("found")} found`);
console.log(
  `recall ${percent(sum("found"), sum("made"))}, precision with both together ${percent(sum("found"), sum("found") + hits.length)}`,
);
