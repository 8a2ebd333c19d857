import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { connectRaw, startThinking } from "../../support/raw-client.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { readSession } from "../../support/views/read-session.ts";

/** Creates a directory with a session in its JSON files, but without its database. */
async function loseDatabase() {
  const dataDir = join(tempDir(), "data");
  const client = await connectRaw(spawnServer(dataDir), "modern");
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "kept in the tree" });
  expect(await client.call("session", { subOperation: "verify", sessionId })).toMatchObject({ valid: true });
  client.server.child.kill("SIGKILL");
  await client.server.exited;
  expect(client.server.stderr()).toBe("");
  for (const end of ["", "-wal", "-shm"]) rmSync(join(dataDir, `thoughtbox.db${end}`));
  return { dataDir, sessionId };
}

test.each(["gone", "empty"])(
  "a database that is %s beside a full tree is reported once, with the command that imports the sessions",
  async (state) => {
    const { dataDir, sessionId } = await loseDatabase();
    if (state === "empty") writeFileSync(join(dataDir, "thoughtbox.db"), "");
    const client = await connectRaw(spawnServer(dataDir), "modern");
    expect((await client.call("list_sessions")).sessions).toEqual([]);
    const other = await connectRaw(spawnServer(dataDir), "modern");
    await startThinking(other);
    expect(client.server.stderr()).toBe(
      `thoughtbox: the database in ${dataDir} is new, but the JSON files beside it contain 1 session. To import: thoughtbox import ${dataDir}\n`,
    );
    expect(other.server.stderr()).toBe("");

    expect(await runCommand(["import", dataDir], { dataDir })).toMatchObject({ code: 0 });
    expect(await readSession(client, sessionId)).toEqual([["kept in the tree", 1]]);
  },
);

test("ls and doctor report sessions that only the files contain until they are imported", async () => {
  const { dataDir } = await loseDatabase();
  const command = `thoughtbox import ${dataDir}`;
  await runCommand(["ls"], { dataDir });
  const listed = await runCommand(["ls"], { dataDir });
  expect(listed.out).toContain("The JSON files contain 1 session that the store does not have.");
  expect(listed.out).toContain(command);
  expect((await runCommand(["ls", "-q"], { dataDir })).out.trim()).toBe("");
  const examined = await runCommand(["doctor"], { dataDir });
  expect(examined.out).toContain(
    "! old files  the JSON files contain 1 session that the store does not have",
  );
  expect(examined.out).toContain(`→ ${command}`);
  await runCommand(["import", dataDir], { dataDir });
  expect((await runCommand(["ls"], { dataDir })).out).not.toContain("JSON files");
  expect((await runCommand(["doctor"], { dataDir })).out).not.toContain("old files");
});

test("files of an earlier version that are imported in place are moved aside, unless one of them is unknown", async () => {
  const dataDir = join(tempDir(), "data");
  const ids = ["0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f", "1b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f"];
  const folders = ids.map((id) => join(dataDir, "projects", "shop", "sessions", "2025-12", id));
  for (const folder of folders) {
    mkdirSync(join(folder, "alt"), { recursive: true });
    const write = (name: string, content: object) =>
      writeFileSync(join(folder, name), JSON.stringify(content));
    const thought = { thought: "old", totalThoughts: 2, nextThoughtNeeded: true };
    const at = (minute: number) => ({ timestamp: `2025-12-07T08:0${minute}:00.000Z` });
    write("manifest.json", { version: "1.0", session: { title: "Old", status: "completed", tags: [] } });
    write("001.json", { ...thought, thoughtNumber: 1, ...at(1) });
    write("002.json", { ...thought, thoughtNumber: 2, ...at(3) });
    write("alt/001.json", { ...thought, thoughtNumber: 2, branchId: "alt", branchFromThought: 1, ...at(2) });
  }
  const [whole = "", damaged = ""] = folders;
  writeFileSync(join(damaged, "notes.txt"), "mine");
  const imported = await runCommand(["import", dataDir], { dataDir });
  expect(imported.out).toMatch(/quarantine\/\S+: contains the imported files/);
  const { out } = await runCommand(["doctor"], { dataDir });
  expect(out).toContain("1 of 2 changed or damaged");
  expect(existsSync(join(whole, "alt"))).toBe(false);
  expect(existsSync(join(damaged, "alt", "001.json"))).toBe(true);
  const read = await runCommand(["read", ids[0] ?? "", "--branch", "alt"], { dataDir });
  expect(read.out).toContain("old");
  expect((await runCommand(["ls"], { dataDir })).out.match(/completed/g)).toHaveLength(2);
});

test.each(["deleted", "replaced"])(
  "a server whose database was %s acknowledges nothing and advises a restart",
  async (how) => {
    const dataDir = join(tempDir(), "data");
    const client = await connectRaw(spawnServer(dataDir), "modern");
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "kept" });
    const backup = join(tempDir(), "backup.db");
    await runCommand(["backup", backup], { dataDir });
    if (how === "deleted") rmSync(dataDir, { recursive: true });
    else renameSync(backup, join(dataDir, "thoughtbox.db"));
    for (const thought of ["lost", "lost too"])
      expect((await client.gateway("thought", { sessionId, thought })).error).toMatchObject({
        code: "STORAGE_ERROR",
        recovery: { hint: expect.stringContaining("Restart") },
      });
    expect((await client.gateway("notes_commit", { content: "lost" })).error.code).toBe("STORAGE_ERROR");
    client.server.child.kill("SIGKILL");
    await client.server.exited;
    if (how === "deleted") return;
    for (const end of ["-wal", "-shm"]) rmSync(join(dataDir, `thoughtbox.db${end}`), { force: true });
    const next = await connectRaw(spawnServer(dataDir), "modern");
    expect(await readSession(next, sessionId)).toEqual([["kept", 1]]);
  },
);

test("an import that creates the store is not advised to import", async () => {
  const { dataDir } = await loseDatabase();
  expect(await runCommand(["import", dataDir], { dataDir })).toMatchObject({ code: 0, err: "" });
});
