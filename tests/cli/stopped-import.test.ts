import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
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
    // The tables are being made.
    return 0;
  } finally {
    db.close();
  }
}

test("an import that is stopped amid a long session leaves a whole beginning, and the next one continues it", async () => {
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
