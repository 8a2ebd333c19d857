// Bundles the binary and the library. A few files start faster than a tree of modules, and `npx` then installs
// only two dependencies. Shared code is in chunks. Code behind `import()` is loaded on demand.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { minifySync } from "vite";
import { buildObservatory } from "./build-observatory.mjs";
import { operationTypes } from "./operation-types.mjs";
import { packagesOf, thirdPartyNotices } from "./third-party-notices.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

/** Provides `require` for bundled CommonJS packages. */
const bundledRequire = (here) =>
  `import{createRequire as __createRequire}from"node:module";const require=__createRequire(${here});`;

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: "src/main.ts", index: "src/library.ts", "hook-read": "src/recall-alone.ts" },
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  metafile: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["@photostructure/sqlite", "esbuild"],
  alias: {
    "@modelcontextprotocol/server/_shims": join(root, "scripts", "sdk-shims.mjs"),
    // The CommonJS entry of this package loads its parts in a way that bundlers cannot follow.
    "jsonc-parser": "jsonc-parser/lib/esm/main.js",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: "none",
  banner: { js: bundledRequire("import.meta.url") },
  logLevel: "warning",
});
// The second minifier finds what esbuild leaves, about 3% of the packed size.
for (const file of Object.keys(metafile.outputs).map((name) => resolve(root, name))) {
  const { code, errors } = minifySync(file, readFileSync(file, "utf8"), { module: true });
  if (errors.length > 0) throw new Error(`${file} cannot be minified: ${errors[0]?.message}`);
  writeFileSync(file, code);
}
const observatory = join(dist, "observatory");

// Clients start this program for every hook, so it is a separate file that loads nothing else. The file is
// CommonJS, because ES modules start more slowly.
await build({
  absWorkingDir: root,
  entryPoints: ["src/hook.ts"],
  outfile: join(dist, "hook.js"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  plugins: [
    {
      name: "what is loaded only without a server",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/recall-alone\.ts$/ }, () => ({ path: "./hook-read.mjs", external: true })),
    },
  ],
});

// An old Node.js must be able to read this file, so it is CommonJS and copied unchanged.
const launchers = ["thoughtbox.js", "program.js", "hook.js"];
for (const name of ["thoughtbox.js", "program.js"])
  copyFileSync(join(root, "src", "launch", name.replace(/js$/, "cjs")), join(dist, name));
writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
chmodSync(join(dist, "thoughtbox.js"), 0o755);

// Remove files from earlier builds.
const types = ["index.d.mts", "index.d.cts", "operations.d.mts"];
const wanted = new Set([
  ...Object.keys(metafile.outputs).map((file) => resolve(root, file)),
  ...[...launchers, ...types].map((name) => join(dist, name)),
]);
for (const file of readdirSync(dist, { recursive: true }).map((name) => join(dist, name)))
  if (/\.[cm]?[jt]s$/.test(file) && !wanted.has(file) && !file.startsWith(observatory + sep)) rmSync(file);

/** Bundles the declarations in memory and loads them. */
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

// Prebuild the lists that a client requests first, so that the answer does not wait for the catalogue.
const prompts = await declared.listPrompts(declared.createContentFiles(join(root, "content")));
rmSync(join(dist, "lists"), { recursive: true, force: true });
mkdirSync(join(dist, "lists"), { recursive: true });
const toolsOf = (toolset) => declared.toolDefinitions(declared.catalogue, toolset);
const writeLists = (toolset, more) =>
  writeFileSync(
    join(dist, "lists", `${toolset}.json`),
    JSON.stringify({ tools: toolsOf(toolset), prompts, ...more }),
  );
const namesOf = (toolset) => toolsOf(toolset).map(({ name }) => name);
// The smaller toolsets contain only tools of the default toolset, so the tools' names are enough.
writeLists("daily", { smaller: { gateway: namesOf("gateway"), core: namesOf("core") } });
writeLists("full");

// Generate the types from the library's own descriptions.
const { createThoughtbox } = await import(pathToFileURL(join(dist, "index.mjs")));
const { operations } = await createThoughtbox();
const api = readFileSync(join(root, "src", "library", "api.d.ts"), "utf8");
writeFileSync(join(dist, "index.d.mts"), api.replaceAll("./operations.d.ts", "./operations.d.mts"));
// The same types for programs that use `require`, which Node has allowed since 20.19.
writeFileSync(
  join(dist, "index.d.cts"),
  `import type * as api from "./index.mjs" with { "resolution-mode": "import" };
export type * from "./index.mjs" with { "resolution-mode": "import" };
export declare const createThoughtbox: typeof api.createThoughtbox;
export declare const ThoughtboxError: typeof api.ThoughtboxError;
export type ThoughtboxError = api.ThoughtboxError;
`,
);
const reshapeOf = (name) => declared.catalogue.find((one) => one.name === name)?.spellings.reshape;
writeFileSync(join(dist, "operations.d.mts"), operationTypes(operations, declared.errorCatalogue, reshapeOf));

const bundled = [...packagesOf(Object.keys(metafile.inputs)), ...(await buildObservatory(root, observatory))];
writeFileSync(join(dist, "third-party-notices.txt"), thirdPartyNotices(root, bundled));
