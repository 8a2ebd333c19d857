// The check that every change must pass: format and lint, types, dead code, then tests. Stops at the first
// step that fails.
import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "./program-of.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const biome = programOf(root, "@biomejs/biome", "biome");
const tsc = programOf(root, "typescript", "tsc");
const knip = programOf(root, "knip");
const vitest = programOf(root, "vitest");

const readings = [
  ["format and lint", biome, ["check", "--error-on-warnings", "."]],
  ["types", tsc, ["--noEmit"]],
  ["types of the Observatory", tsc, ["--noEmit", "-p", "ui"]],
  ["dead code", knip, []],
  ["code that only tests use", knip, ["--production"]],
];

/** Prints a program's output after it exits, so that two programs do not mix their output. */
function read([what, [command, entry], args]) {
  return new Promise((resolve) => {
    const said = [];
    const child = spawn(command, [entry, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk));
    child.on("error", (error) => said.push(Buffer.from(`${error.message}\n`)));
    child.on("close", (status) => resolve({ what, status, said: Buffer.concat(said) }));
  });
}

function stopIfFailed(what, status) {
  if (status === 0) return;
  console.error(`thoughtbox: ${what} failed. See the lines above.`);
  process.exit(status > 0 ? status : 1);
}

console.error(`thoughtbox: checking ${readings.map(([what]) => what).join(", ")} …`);
for (const { what, status, said } of await Promise.all(readings.map(read))) {
  process.stderr.write(said);
  stopIfFailed(what, status);
}
console.error("thoughtbox: checking tests …");
const { status } = spawnSync(vitest[0], [vitest[1], "run", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
stopIfFailed("tests", status);
