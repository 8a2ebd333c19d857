// The one gate: format and lint, types, dead code, tests. Stops at the first step that fails.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = (name) => join(root, "node_modules", ".bin", name);

const steps = [
  ["format and lint", bin("biome"), ["check", "--error-on-warnings", "."]],
  ["types", bin("tsc"), ["--noEmit"]],
  ["types of the Observatory", bin("tsc"), ["--noEmit", "-p", "ui"]],
  ["dead code", bin("knip"), []],
  ["tests", bin("vitest"), ["run", ...process.argv.slice(2)]],
];

for (const [what, command, args] of steps) {
  console.error(`thoughtbox: checking ${what} …`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    console.error(`thoughtbox: ${what} failed; the lines above say where.`);
    process.exit(status ?? 1);
  }
}
