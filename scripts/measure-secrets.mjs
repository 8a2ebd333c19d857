// How often the detector is wrong: over our docs and the sources of every installed package, which hold no secrets of
// ours, and over made-up secrets of every kind. Prints the figures that docs/guide/security.md states.
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
      export { madeUpSecrets } from "./src/kernel/secrets/made-up-secrets.testing.ts";
    `,
    resolveDir: root,
    loader: "ts",
  },
  bundle: true,
  write: false,
  format: "esm",
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { findSecrets, madeUpSecrets } = await import(`data:text/javascript;base64,${code}`);

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
const found = madeUpSecrets.filter(([kind, secret]) =>
  findSecrets(kind === "url-password" ? `${secret}@example.org` : `it is ${secret}.`).some(
    (one) => one.kind === kind,
  ),
);

console.log(hits.join("\n"));
console.log(
  `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, ${lines} lines without a secret: ${hits.length} taken for one`,
);
console.log(`${madeUpSecrets.length} made-up secrets: ${found.length} found`);
