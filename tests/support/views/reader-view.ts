import { cpSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config.ts";
import type { Caller } from "../../../src/operations/pipeline/context.ts";
import { openRaw } from "../disk/raw-database.ts";
import { tempDir } from "../temp-dir.ts";
import { createTestApp, startThinking } from "../test-app.ts";

const caller: Caller = { era: "modern", transport: "stdio", can: { roots: false, sampling: false } };

/** Creates three sessions with branches, revisions and long texts. `log` is the state of SQLite's log. */
export async function makeStore(log: "written back" | "kept" = "written back") {
  const app = createTestApp({ backend: "fs", dataDir: join(tempDir(), "data") });
  const client = app.modern();
  const sessions: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const sessionId = await startThinking(client, { title: `session ${name}`, tags: [name, "all"] });
    for (let n = 1; n <= 8; n += 1) {
      const thought = `S${n}|O|${name} thinks ${n} ${`${name}${n}-`.repeat(n % 3 === 0 ? 2_000 : 20)}`;
      await client.call("thought", { sessionId, thought });
    }
    await client.call("thought", { sessionId, thought: "else", branchId: "alt", branchFromThought: 2 });
    await client.call("thought", { sessionId, thought: "again", revisesThought: 3 });
    await client.call("session.verify", { sessionId });
    sessions.push(sessionId);
  }
  // The last process to close the store writes the log back. A copy of the open store still has it.
  const dataDir = log === "kept" ? copyOf(app.dataDir) : app.dataDir;
  await app.close();
  if (log === "written back") {
    const raw = openRaw(dataDir);
    raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    raw.close();
  }
  return { dataDir, sessions };
}

export function copyOf(dataDir: string): string {
  const copy = join(tempDir(), "data");
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** Returns what a reader sees of each session, what `verify` finds, and what `doctor` reports on the file. */
export async function look(dataDir: string, sessions: readonly string[]) {
  const config = readConfig({ env: { THOUGHTBOX_DATA_DIR: dataDir, DISABLE_THOUGHT_LOGGING: "true" } });
  const contentDir = join(import.meta.dirname, "..", "..", "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {} });
  const ask = async (name: string, args: Record<string, unknown>): Promise<any> => {
    const reply = await app.perform(name, args, { caller });
    return reply.kind === "error" ? { refused: reply.error.code } : (reply as { result: unknown }).result;
  };
  try {
    const listed = await ask("list_sessions", { project: "*" });
    const views = [];
    for (const sessionId of sessions) {
      const exported = await ask("session.export", { sessionId });
      const single = await ask("read_thoughts", { sessionId, thoughtNumber: 4 });
      const last = await ask("read_thoughts", { sessionId, last: 20 });
      const structure = await ask("get_structure", { sessionId });
      const verdict = await ask("session.verify", { sessionId });
      const entry = listed.refused ?? listed.sessions.find(({ id }: { id: string }) => id === sessionId);
      const reads = [exported, single, last, structure, entry ?? { refused: "NOT_LISTED" }];
      views.push({
        seen: JSON.stringify(reads, (key, value) => (volatile.has(key) ? undefined : value)),
        refused: reads.flatMap((read) => read.refused ?? []) as string[],
        valid: verdict.valid === true,
        errors: (verdict.errors ?? []) as string[],
      });
    }
    const problems = await app.upkeep.inspect().then(
      (found) => found.problems,
      () => ["cannot be inspected"],
    );
    return { views, problems };
  } finally {
    await app.close().catch(() => {});
  }
}

/** Fields that change between reads without any damage. */
const volatile = new Set(["exportedAt", "lastAccessedAt", "status"]);
