// Bundles the benchmark and its no-op servers in the same way as the product, and runs the benchmark.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = join(here, "dist");

await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "main.ts", out: "main" },
    { in: "memory/main.ts", out: "memory" },
    { in: "floors/noop-stdio.ts", out: "noop-stdio" },
    { in: "floors/noop-http.ts", out: "noop-http" },
    { in: "servers/store-writer.ts", out: "store-writer" },
  ],
  outdir,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["@photostructure/sqlite", "esbuild", "playwright-core"],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
const which = process.argv[2] === "--memory" ? process.argv.splice(2, 1) && "memory.js" : "main.js";
await import(join(outdir, which));
