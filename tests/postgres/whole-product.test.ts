import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { binary } from "../support/server-process.ts";
import { hasPostgres } from "../support/stores/postgres-server.ts";
import { storageSettings } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";
import { claudeLine, claudeRoot, clientHomes, writeLines } from "../support/transcripts.ts";

function prepare(storage: "fs" | "postgres") {
  const dataDir = join(tempDir(), "data");
  const settings = storageSettings(storage, dataDir);
  const run = async (typed: string, env: Record<string, string> = {}) => {
    const done = await runCommand(`thoughtbox ${typed}`, { dataDir, env: { ...settings, ...env } });
    expect(done.code, `${typed}: ${done.err}`).toBe(0);
    return done.out;
  };
  return { dataDir, run, settings, app: createTestApp({ backend: storage, dataDir }) };
}

describe.skipIf(!hasPostgres)("the program on PostgreSQL", () => {
  test("captures transcripts once, and forgets them permanently", async () => {
    const { dataDir, run, settings } = prepare("postgres");
    const on = { THOUGHTBOX_CAPTURE: "on" };
    const sessionId = "aaaaaaaa-2222-4333-8444-555555555555";
    const cwd = join(dataDir, "..", "shop");
    mkdirSync(join(cwd, ".git"), { recursive: true });
    const file = join(claudeRoot({ dataDir }), "-shop", `${sessionId}.jsonl`);
    const typed = (...words: string[]) =>
      execFileSync(process.execPath, [binary, ...words], {
        ...{ cwd, encoding: "utf8" },
        env: {
          ...{ ...settings, ...on, ...clientHomes(dataDir) },
          ...{ HOME: join(dataDir, ".."), THOUGHTBOX_DATA_DIR: dataDir },
        },
      });
    writeLines(file, [
      claudeLine("assistant", "a1", null, [{ type: "text", text: "the basket is empty" }], {
        cwd,
        sessionId,
      }),
    ]);
    expect(typed("capture", "--once")).toContain("Nothing new");
    const [{ problem }] = JSON.parse(typed("capture", "status", "--json")).files;
    expect(problem).toMatch(/you have not agreed to store sessions for project shop in the database on \S+/);
    expect(typed("connect", "--capture=yes")).toMatch(/This applies to project shop in the database on \S+/);
    expect(typed("capture", "--once")).toContain("1 new thought");
    expect(typed("capture", "--once")).toContain("Nothing new");
    expect(await run("capture status", on)).toContain("shop");
    expect(await run("search basket --project shop")).toContain("«basket»");
    await run("capture forget shop --yes", on);
    expect(JSON.parse(await run("ls --json --project shop")).sessions).toEqual([]);
    expect(await run("trash")).toContain("The trash is empty");
    expect(typed("capture", "--once")).toContain("Nothing new");
  });

  test("restores a dump of either engine into the other without losses", async () => {
    const [there, back] = [prepare("postgres"), prepare("fs")];
    const client = there.app.modern();
    const sessionId = await startThinking(client, { title: "moves" });
    await client.call("thought", { sessionId, thought: "one" });
    await client.call("thought", { sessionId, thought: "or two", branchFromThought: 1, branchId: "alt" });
    await client.call("notes_commit", { content: "a note" });
    await client.call("tasks_create", { title: "A task" });
    const names = ["first", "second"].map((name) => join(tempDir(), `${name}.jsonl`));
    const [first = "", second = ""] = names;
    await there.run(`dump ${first}`);
    await back.run(`restore ${first}`);
    await back.run(`dump ${second}`);
    const again = prepare("postgres");
    await again.run(`restore ${second}`);
    expect(await again.run("verify")).toContain("nothing was changed or lost");
    expect(await again.run("search two")).toContain("«two»");
    expect(JSON.parse(await again.run("call show doc=notes")).entries).toMatchObject([{ content: "a note" }]);
  });

  test("supports the same commands for sessions", async () => {
    const { app, run } = prepare("postgres");
    const client = app.modern();
    const sessionId = await startThinking(client, { title: "kept" });
    await client.call("thought", { sessionId, thought: "first", nextThoughtNeeded: false });
    const short = sessionId.slice(0, 8);
    expect(await run("doctor")).toContain("PostgreSQL");
    await run(`rename ${short} renamed`);
    await run(`tag ${short} +blue`);
    expect(await run("ls")).toMatch(/renamed/);
    expect(await run(`show ${short}`)).toContain("first");
    await run(`rm ${short}`);
    expect(await run("trash")).toContain("renamed");
    await run(`undelete ${short}`);
    expect(await run(`read ${short}`)).toContain("first");
    expect(await run("verify")).toContain("1 session, 1 thought");
  });

  test("returns an export in the answer, unless a directory for exports is configured", async () => {
    const dataDir = join(tempDir(), "data");
    const app = createTestApp({ backend: "postgres", dataDir, env: { THOUGHTBOX_EXPORT_DIRS: "" } });
    const client = app.modern();
    const sessionId = await startThinking(client);
    const ended = await client.call("thought", { sessionId, thought: "so", nextThoughtNeeded: false });
    expect(ended.exportPath).toBeUndefined();
    const asked = { sessionId, format: "markdown", destination: "for-review" };
    const told = await client.call("session.export", asked);
    expect([told.path, told.content]).toEqual([undefined, expect.stringContaining("so")]);
    expect(existsSync(join(dataDir, "exports"))).toBe(false);

    const place = tempDir();
    const other = createTestApp({ backend: "postgres", dataDir, env: { THOUGHTBOX_EXPORT_DIRS: place } });
    const { path } = await other.modern().call("session.export", asked);
    expect(path.startsWith(join(place, "for-review"))).toBe(true);
    expect(existsSync(path)).toBe(true);
  });
});
