import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const sessionId = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const at = "2026-11-15T12:00:00.000Z";

function writeExport(file: string, count: number): void {
  const session = {
    ...{ id: sessionId, title: "Long", tags: [], status: "active", thoughtCount: count, branchCount: 0 },
    ...{ createdAt: at, updatedAt: at, lastAccessedAt: at },
  };
  const nodes = Array.from({ length: count }, (_, n) => ({
    data: {
      ...{ thought: `thought ${n}`, thoughtNumber: n + 1, totalThoughts: count, nextThoughtNeeded: true },
      timestamp: at,
    },
  }));
  writeFileSync(file, JSON.stringify({ version: "1.0", session, nodes }));
}

function countThoughts(dataDir: string): number {
  if (!existsSync(join(dataDir, "thoughtbox.db"))) return 0;
  const db = openRaw(dataDir);
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM thoughts").get()?.["n"] ?? 0);
  } catch {
    // The tables are still being created.
    return 0;
  } finally {
    db.close();
  }
}

test("an import that is stopped in a long session keeps a valid beginning, and the next import continues it", async () => {
  const total = 6_500;
  const directory = tempDir();
  const [file, dataDir] = [join(directory, "long.json"), join(directory, "data")];
  writeExport(file, total);
  const stopping = new AbortController();
  const stopped = runCommand(["import", file], { dataDir, stop: stopping.signal });
  while (countThoughts(dataDir) === 0) await new Promise(setImmediate);
  stopping.abort();
  const { code, out, err } = await stopped;
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^thoughtbox: .*cancelled.*\n/);
  const held = countThoughts(dataDir);
  expect(held).toBeLessThan(total);
  expect((await runCommand(["verify", "--all"], { dataDir })).code).toBe(0);

  const again = await runCommand(["import", file], { dataDir });
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(again.out).toContain(`Imported ${(total - held).toLocaleString("en")} thoughts`);
  expect(countThoughts(dataDir)).toBe(total);
}, 60_000);

/** Runs the binary like a user, and sends SIGTERM once the first thoughts are stored. */
async function importAndStop(source: string, dataDir: string) {
  const child = spawn(process.execPath, [binary, "import", source], {
    env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, "exit");
  while (countThoughts(dataDir) === 0) await new Promise(setImmediate);
  const heldBefore = countThoughts(dataDir);
  child.kill("SIGTERM");
  const [code, signal] = await ended;
  const [out, err] = await said;
  return { code, signal, out, err, heldBefore, held: countThoughts(dataDir) };
}

/** The most that may be stored after SIGTERM: one import transaction, and one already in progress. */
const fewThoughts = 2_000;

test.each(["a file", "a tree of files"])(
  "SIGTERM ends the import of %s with the current transaction, and the next import completes it",
  async (kind) => {
    const total = 10_000;
    const directory = tempDir();
    const file = join(directory, "long.json");
    writeExport(file, total);
    const source = kind === "a file" ? file : join(directory, "source");
    if (source !== file) expect((await runCommand(["import", file], { dataDir: source })).code).toBe(0);

    const dataDir = join(directory, "data");
    const { code, signal, out, err, heldBefore, held } = await importAndStop(source, dataDir);
    expect({ code, signal, out }).toEqual({ code: 1, signal: null, out: "" });
    expect(err).toMatch(/^thoughtbox: .*(?:cancelled|Stopped).*\n/);
    expect(held).toBeLessThan(total);
    expect(held - heldBefore).toBeLessThanOrEqual(fewThoughts);
    expect((await runCommand(["verify", "--all"], { dataDir })).code).toBe(0);

    expect(await runCommand(["import", source], { dataDir })).toMatchObject({ code: 0, err: "" });
    expect(countThoughts(dataDir)).toBe(total);
    expect((await runCommand(["verify", "--all"], { dataDir })).code).toBe(0);
  },
  120_000,
);
