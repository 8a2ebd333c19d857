// Bundles the binary. One file starts faster than a tree of modules, and `npx` then installs a single dependency.
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const outfile = join(root, "dist", "thoughtbox.js");

await build({
  absWorkingDir: root,
  entryPoints: ["src/main.ts"],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["@photostructure/sqlite"],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  banner: {
    js: '#!/usr/bin/env node\nimport{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
chmodSync(outfile, 0o755);
