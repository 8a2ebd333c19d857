// Bundles the binary and the library. Few files start faster than a tree of modules, and `npx` then installs a single
// dependency. What both need lies in `shared.js`, once.
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { operationTypes } from "./operation-types.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

await build({
  absWorkingDir: root,
  entryPoints: { thoughtbox: "src/main.ts", index: "src/library.ts" },
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: "shared",
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["@photostructure/sqlite"],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
chmodSync(join(dist, "thoughtbox.js"), 0o755);

// The types, from what the library says of itself.
const { createThoughtbox } = await import(pathToFileURL(join(dist, "index.js")));
const { operations } = await createThoughtbox();
const { outputFiles } = await build({
  entryPoints: [join(root, "src", "kernel", "errors.ts")],
  format: "esm",
  write: false,
});
const { errorCatalogue } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
copyFileSync(join(root, "src", "library", "api.d.ts"), join(dist, "index.d.ts"));
writeFileSync(join(dist, "operations.d.ts"), operationTypes(operations, errorCatalogue));
