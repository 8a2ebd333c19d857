// Bundles the binary and the library. Few files start faster than a tree of modules, and `npx` then installs
// two dependencies. What several need lies in chunks, once; what `import()` names is loaded when it is needed.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildObservatory } from "./build-observatory.mjs";
import { operationTypes } from "./operation-types.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

/** For packages inside the bundle that know no `import`. */
const bundledRequire = (here) =>
  `import{createRequire as __createRequire}from"node:module";const require=__createRequire(${here});`;

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { thoughtbox: "src/main.ts", index: "src/library.ts" },
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  metafile: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["@photostructure/sqlite", "esbuild"],
  alias: { "@modelcontextprotocol/server/_shims": join(root, "scripts", "sdk-shims.mjs") },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  banner: { js: bundledRequire("import.meta.url") },
  logLevel: "warning",
});
const written = new Set(Object.keys(metafile.outputs).map((file) => resolve(root, file)));
const observatory = join(dist, "observatory");
for (const file of readdirSync(dist, { recursive: true }).map((name) => join(dist, name)))
  if (file.endsWith(".js") && !written.has(file) && !file.startsWith(observatory + sep)) rmSync(file);
chmodSync(join(dist, "thoughtbox.js"), 0o755);

/** The declarations themselves, bundled in memory. */
async function loadDeclarations() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export { errorCatalogue } from "./src/kernel/errors.ts";
        export { listPrompts } from "./src/mcp/prompts.ts";
        export { advertisedToolsets, toolDefinitions } from "./src/mcp/tools.ts";
        export { catalogue } from "./src/operations/catalogue.ts";
        export { createContentFiles } from "./src/storage/files/content-files.ts";
      `,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: { js: bundledRequire(JSON.stringify(import.meta.url)) },
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
const declared = await loadDeclarations();

// What a client asks for first, so that the answer need not wait for the catalogue.
const prompts = await declared.listPrompts(declared.createContentFiles(join(root, "content")));
mkdirSync(join(dist, "lists"), { recursive: true });
for (const toolset of declared.advertisedToolsets) {
  const tools = declared.toolDefinitions(declared.catalogue, toolset);
  writeFileSync(join(dist, "lists", `${toolset}.json`), JSON.stringify({ tools, prompts }));
}

// The types, from what the library says of itself.
const { createThoughtbox } = await import(pathToFileURL(join(dist, "index.js")));
const { operations } = await createThoughtbox();
copyFileSync(join(root, "src", "library", "api.d.ts"), join(dist, "index.d.ts"));
writeFileSync(join(dist, "operations.d.ts"), operationTypes(operations, declared.errorCatalogue));

await buildObservatory(root, observatory);
