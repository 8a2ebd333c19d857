import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Creates a data directory that a repository or an archive could contain. */
function plant(files: Readonly<Record<string, string>>) {
  const home = tempDir();
  const dataDir = join(home, "clone", "data");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(dataDir, name, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(join(dataDir, name), content, { mode: 0o600 });
  }
  mkdirSync(join(home, "clone", ".cursor"), { recursive: true });
  return { home, dataDir };
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const before = "# mine\n";

/** Each entry would make `connect` write, empty or delete a file that is not ours. */
const entries = {
  "deletes a file that is not ours": { kind: "own", before: null, after: hash("other") },
  "deletes a file that it claims to have created": { kind: "own", before: null, after: hash(before) },
  "writes a backup that it contains": {
    kind: "member",
    before: hash("evil\n"),
    after: hash(before),
    backup: "evil",
  },
  "removes a line": { kind: "block", before: "0", after: "0", inserted: "# mine" },
};

test.each(Object.entries(entries))("ignores a planted journal that %s", async (_, entry) => {
  const { home, dataDir } = plant({ "connect/cursor/evil": "evil\n" });
  const victim = join(home, ".bashrc");
  writeFileSync(victim, before);
  const journal = {
    client: "cursor",
    at: "2026-11-17T10:00:00.000Z",
    version: "0.0.0",
    programs: [],
    entries: [{ path: victim, ...entry }],
    folders: [],
  };
  writeFileSync(join(dataDir, "connect", "cursor.json"), JSON.stringify(journal), { mode: 0o600 });

  const removed = await runCommand("connect cursor --remove", { dataDir });
  expect(removed.out).toContain("It was not connected.");
  const connected = await runCommand("connect cursor --capture=no", { dataDir });
  expect(connected.code, connected.err).toBe(0);
  expect(readFileSync(victim, "utf8")).toBe(before);
});

test("ignores a planted answer about capture", async () => {
  const answer = { capture: "on", at: "2026-11-17T10:00:00.000Z" };
  const { dataDir } = plant({ "capture.json": JSON.stringify(answer) });
  const asked = async () => JSON.parse((await runCommand("connect --json", { dataDir })).out).capture;
  expect(await asked()).toBe("unasked");
  await runCommand("connect --capture=yes", { dataDir });
  expect(await asked()).toBe("on");
});
