// Bundles the benchmark and its no-op servers, as the product is bundled, and runs it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = join(here, "dist");

await build({
  absWorkingDir: here,
  entryPoints: ["main.ts", "floors/noop-stdio.ts", "floors/noop-http.ts"],
  entryNames: "[name]",
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
await import(join(outdir, "main.js"));
