import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { runCommand } from "../support/cli.ts";
import { openLedger, think } from "../support/ledger.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ledgerContents } from "../support/views/tree.ts";
import { later, loginSession, planSession, prepareStore } from "./prepared-store.ts";

const contentsOf = (directory: string) =>
  ledgerContents(openLedger("fs", { directory, clock: () => new Date(later) }));

/**
 * Dumps two sessions, one with eight thoughts and one with a single thought. In the first session, the second
 * and the last thought have critiques.
 */
async function prepareDump() {
  const dataDir = await prepareStore();
  const store = createSqliteStore({ kind: "directory", path: dataDir }, () => new Date(later));
  for (const thoughtNumber of [2, 5])
    await store.ledger.attachCritique({
      ...{
        sessionId: loginSession,
        address: { thoughtNumber },
        text: `Why ${thoughtNumber}?`,
        model: "critic-1",
      },
      ...{ timestamp: later, salt: "salt" },
    });
  await store.close();
  const intact = join(tempDir(), "intact.jsonl");
  const { code, err } = await runCommand(["dump", intact], { dataDir });
  expect(code, err).toBe(0);
  return { dataDir, intact, lines: readFileSync(intact, "utf8").trimEnd().split("\n") };
}

function writeLines(lines: readonly string[]): string {
  const file = join(tempDir(), "damaged.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

async function restore(file: string, dataDir: string) {
  const { code, out, err } = await runCommand(["restore", file, "--json"], { dataDir });
  expect(err).toBe("");
  return { code, ...JSON.parse(out) };
}

const verify = async (dataDir: string) => (await runCommand("verify --all", { dataDir })).code;

test.each([
  ["changed", (line: string) => [line.replace("idle sockets", "idle rockets")]],
  ["cut short", (line: string) => [line.slice(0, 60)]],
  ["missing", () => []],
])("restores a session up to a thought that was %s, and the rest from the intact dump", async (_, damage) => {
  const { dataDir, intact, lines } = await prepareDump();
  const at = lines.findIndex((line) => line.includes("idle sockets"));
  const damaged = writeLines(lines.flatMap((line, index) => (index === at ? damage(line) : [line])));
  const other = join(tempDir(), "data");
  const first = await restore(damaged, other);
  expect(first).toMatchObject({ code: 1, sessions: 2, imported: 2, thoughts: 3 });
  const problems = first.badLines.map(({ problem }: { problem: string }) => problem);
  expect(problems).toContain(
    "and 4 more thoughts were left out, because they follow a thought that is missing",
  );
  expect(await verify(other)).toBe(0);
  expect(await restore(intact, other)).toMatchObject({ code: 0, continued: 1, unchanged: 1, thoughts: 6 });
  expect(await contentsOf(other)).toEqual(await contentsOf(dataDir));
  expect(await verify(other)).toBe(0);
});

test("restores the thoughts after a damaged one if the store already contains that one", async () => {
  const { dataDir, intact } = await prepareDump();
  const other = join(tempDir(), "data");
  await restore(intact, other);
  const ledger = openLedger("fs", { directory: dataDir, clock: () => new Date(later) });
  await think(ledger, planSession, { thought: "Then the larger one" });
  const grown = join(tempDir(), "grown.jsonl");
  await runCommand(["dump", grown], { dataDir });
  const damaged = writeLines([
    readFileSync(grown, "utf8").trimEnd().replace("smallest table", "smallest cable"),
  ]);
  const { code, thoughts, badLines } = await restore(damaged, other);
  expect([code, thoughts, badLines.length]).toEqual([1, 1, 1]);
  expect(await verify(other)).toBe(0);
});

test("reports a session whose last thought is missing", async () => {
  const { lines } = await prepareDump();
  const last = lines.findIndex((line) => line.includes("Pin the resolver"));
  const other = join(tempDir(), "data");
  const { code, badLines } = await restore(writeLines(lines.filter((_, index) => index !== last)), other);
  expect(code).toBe(1);
  expect(badLines[0]).toMatchObject({ problem: "starts a session of 8 thoughts, but the dump has 7" });
  expect(await verify(other)).toBe(0);
});

test("refuses a thought if its session's line is damaged", async () => {
  const { lines } = await prepareDump();
  const at = lines.findIndex((line) => line.startsWith('{"session"') && line.includes(planSession));
  const damaged = lines.map((line, index) => (index === at ? line.slice(0, -5) : line));
  const other = join(tempDir(), "data");
  const { badLines, imported, thoughts } = await restore(writeLines(damaged), other);
  expect([imported, thoughts]).toEqual([1, 8]);
  expect(badLines).toEqual([
    { line: at + 1, problem: "is not a line of a dump" },
    { line: at + 2, problem: "belongs to no session" },
    { line: lines.length, problem: "counts 2 sessions, but 1 could be read" },
  ]);
  expect(await verify(other)).toBe(0);
});

test("reports a changed critique and the one after it, and restores both from the intact dump", async () => {
  const { dataDir, intact, lines } = await prepareDump();
  const at = lines.findIndex((line) => line.includes("Why 2?"));
  const damaged = writeLines(lines.map((line) => line.replace("Why 2?", "Why not?")));
  const other = join(tempDir(), "data");
  const { code, badLines, thoughts } = await restore(damaged, other);
  expect([code, thoughts]).toEqual([1, 9]);
  expect(badLines).toEqual([
    { line: at + 1, problem: "was changed after it was recorded" },
    { line: at + 2, problem: "was left out, because it follows something that is missing" },
  ]);
  expect(await verify(other)).toBe(0);
  expect(await restore(intact, other)).toMatchObject({ code: 0, thoughts: 0, badLines: [] });
  expect(await contentsOf(other)).toEqual(await contentsOf(dataDir));
});
