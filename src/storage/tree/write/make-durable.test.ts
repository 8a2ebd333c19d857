import fs, { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../tests/support/temp-dir.ts";
import type { ProjectionMarks } from "../../../ports/projection-book.ts";
import { createDurability } from "./make-durable.ts";

/** Simulates Windows, where only files that are open for writing can be synced, and folders never can. */
function behaveLikeWindows(): string[] {
  const synced: string[] = [];
  const { open } = fs.promises;
  fs.promises.open = async (path, flags, ...rest) => {
    const file = await open(path, flags, ...rest);
    file.sync = async () => {
      if (flags === "r") throw Object.assign(new Error("EPERM"), { code: "EPERM" });
      synced.push(String(path));
    };
    return file;
  };
  onTestFinished(() => {
    fs.promises.open = open;
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  return synced;
}

test("on a system that syncs only files open for writing, the JSON files are synced", async () => {
  const root = tempDir();
  const folder = join(root, "session");
  mkdirSync(folder);
  const files = ["manifest.json", "001.json"].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, "{}");
  const feed = [
    { kind: "thought", seq: 1, sessionId: "one", entry: { data: { thoughtNumber: 1 } } },
  ] as unknown as never[];
  const source = { feed: { readFeed: async () => feed } } as never;
  const folders = { find: async () => ["session"] } as never;
  const marks = { projected: 1, durable: 0 } as ProjectionMarks;
  const synced = behaveLikeWindows();
  const reached = await createDurability(source, folders, root)(marks, () => false);
  expect(reached).toBe(1);
  expect(synced.sort()).toEqual(files.sort());
});
