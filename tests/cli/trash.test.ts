import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

const filesBelow = (folder: string): string[] =>
  existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];

/** Creates one of everything that can be deleted, and a session that is kept. */
async function leaveTrash(dataDir: string) {
  const app = createTestApp({ backend: "fs", dataDir });
  const client = app.modern();
  const kept = await startThinking(client, { title: "Kept" });
  await client.call("thought", { sessionId: kept, thought: "Bananas are kept" });
  const sessionId = await startThinking(client, { title: "Gone" });
  await client.call("thought", { sessionId, thought: "Bananas are yellow" });
  await client.call("thought", { sessionId, thought: "Größe zählt", branchFromThought: 1, branchId: "alt" });
  await client.call("thought", {
    sessionId,
    thought: "Again",
    attachCritique: { thoughtNumber: 1, text: "Not all of them" },
    idempotencyKey: "once",
  });
  await client.call("session.search", { query: "bananas" });
  await client.call("session.delete", { sessionId, confirm: true });
  const pattern = { title: "Old habit", description: "d", content: "c" };
  await client.call("knowledge.create_pattern", pattern);
  await client.call("knowledge.update_pattern", { id: "old-habit", content: "c2" });
  await client.call("knowledge.delete_pattern", { id: "old-habit" });
  const { notebookId } = await client.call("notebook.create", { name: "Scrap" });
  await client.call("notebook.delete", { notebookId, confirm: true });
  await client.call("notes_commit", { content: "x" });
  await client.call("branch_create", { name: "side" });
  await client.call("branch_delete", { name: "side" });
  await app.close();
  return { sessionId, kept, notebookId };
}

test("trash lists deleted data, and erases it only if the user confirms", async () => {
  const dataDir = tempDir();
  const { sessionId, kept, notebookId } = await leaveTrash(dataDir);
  const listed = await runCommand("trash --json", { dataDir });
  const kinds = JSON.parse(listed.out).things.map(({ kind }: { kind: string }) => kind);
  expect(kinds.sort()).toEqual(["branch", "notebook", "pattern", "session"]);
  const { out } = await runCommand("trash", { dataDir });
  expect(out).toContain(`Restore: thoughtbox undelete ${sessionId.slice(0, 8)}\n`);
  expect(out).toContain("Erase them permanently: thoughtbox trash --empty");

  const declined = await runCommand("trash --empty", { dataDir, input: "no" });
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining("Erase 3 items permanently?") });
  const unasked = await runCommand("trash --empty", { dataDir, inputIsTerminal: false });
  expect(unasked).toMatchObject({
    code: 1,
    err: expect.stringContaining("This is not a terminal, so Thoughtbox cannot ask."),
  });
  expect(JSON.parse((await runCommand("trash --json", { dataDir })).out).total).toBe(4);

  const erased = await runCommand("trash --empty", { dataDir, input: "yes" });
  expect(erased).toMatchObject({ code: 0, out: "Erased 1 session, 1 notebook, 1 note.\n" });
  expect(JSON.parse((await runCommand("trash --json", { dataDir })).out).things).toMatchObject([
    { kind: "branch", id: "side" },
  ]);
  const left = filesBelow(join(dataDir, "trash")).concat(filesBelow(join(dataDir, "projects")));
  expect(left.filter((path) => path.includes(sessionId) || path.includes(notebookId))).toEqual([]);

  const app = createTestApp({ backend: "fs", dataDir });
  const client = app.modern();
  expect(await client.refusal("session.restore", { sessionId })).toMatchObject({ code: "SESSION_NOT_FOUND" });
  const { hits } = await client.call("session.search", { query: "bananas" });
  expect(hits.map((hit: { sessionId: string }) => hit.sessionId)).toEqual([kept]);
  expect(await client.call("list_sessions")).toMatchObject({ total: 1 });
  await startThinking(client, { title: "Next" });
  await app.close();
  for (const line of ["verify --all", "doctor"]) {
    const { code, out } = await runCommand(line, { dataDir });
    expect(code, out).toBe(0);
  }
});

test("keeps what was restored, and asks nothing if the trash is empty", async () => {
  const dataDir = tempDir();
  const { sessionId } = await leaveTrash(dataDir);
  await runCommand(`call session.restore sessionId=${sessionId}`, { dataDir });
  expect(await runCommand("trash --empty --yes", { dataDir })).toMatchObject({ code: 0 });
  expect((await runCommand(`read ${sessionId.slice(0, 8)}`, { dataDir })).out).toContain("Again");
  expect((await runCommand("trash --empty", { dataDir, inputIsTerminal: false })).out).toBe(
    "Nothing to erase.\n",
  );
  expect(await runCommand("trash --yes", { dataDir })).toMatchObject({ code: 2 });
});
