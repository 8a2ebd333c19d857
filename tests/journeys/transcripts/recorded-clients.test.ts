import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import {
  layOut,
  mainFile,
  openRecorded,
  recordedClients,
  rootOf,
} from "../../support/recorded/recorded-sessions.ts";
import { tempDir } from "../../support/temp-dir.ts";

const decided = "We decided to raise the pool to 40, because ten connections starve 40 workers.";

function prepare() {
  const dataDir = join(tempDir(), "data");
  const run = async (typed: string, env: Record<string, string> = { THOUGHTBOX_CAPTURE: "on" }) => {
    const done = await runCommand(`thoughtbox ${typed}`, { dataDir, env });
    expect(done.code, `${typed}: ${done.err}${done.out}`).toBe(0);
    return done.out;
  };
  const sessions = async () => JSON.parse(await run("ls --json")).sessions;
  const thoughts = async (): Promise<Shown[]> => {
    const found: Shown[] = [];
    for (const { id } of await sessions()) found.push(...JSON.parse(await run(`show ${id} --json`)).thoughts);
    return found;
  };
  return { dataDir, run, sessions, thoughts };
}

/** Clients whose transcripts name the model. */
const modelOf: Readonly<Record<string, string>> = {
  "gemini-cli": "gemini-2.5-flash",
  "qwen-code": "scripted",
};

type Shown = { thought: string; branchId?: string; agentId?: string };

describe.each(recordedClients)("a session that %s recorded", (client) => {
  test("is captured once, with its thinking, failures and sub-agent", async () => {
    const { dataDir, run, sessions, thoughts } = prepare();
    layOut(client, dataDir);
    await run("capture --once");
    const models = modelOf[client] ? [`model:${modelOf[client]}`] : [];
    expect(await sessions()).toMatchObject([{ project: "shop", tags: ["transcript", client, ...models] }]);
    const all = await thoughts();
    const main = all.filter(({ branchId }) => branchId === undefined).map(({ thought }) => thought);
    expect(main).toEqual([
      expect.stringContaining("Look into the slow build."),
      "Checkout times out when 40 workers share ten connections.",
      "Does the test agree?",
      "S4|O|S3|`echo 1 failed; exit 3` failed.\n> 1 failed",
      decided,
    ]);
    const agent = all.filter(({ branchId }) => branchId !== undefined).map(({ thought }) => thought);
    if (client !== "gemini-cli")
      expect(agent).toEqual(["Look at the proxy", "The proxy closes after 60 s.", "Its timeout is 60 s."]);
    expect(await run("capture --once")).toContain("Nothing new");
  });

  test("shows what the agent did: edits line by line, commands with their exit status, the commit", async () => {
    const { dataDir, run, sessions } = prepare();
    layOut(client, dataDir);
    await run(`import --from ${client}`);
    const [{ id }] = await sessions();
    const { actions } = JSON.parse(await run(`call read_actions sessionId=${id}`));
    const [create, edit, failed, committed, ...more] = actions;
    expect(create).toMatchObject({ type: "edit", change: "create", written: 3, removed: 0 });
    expect(edit).toMatchObject({ type: "edit", change: "edit", written: 1, removed: 1 });
    expect(edit.path).toMatch(/shop\/pool\.ts$/);
    expect(failed).toMatchObject({
      type: "command",
      command: "echo 1 failed; exit 3",
      failed: true,
      exit: 3,
    });
    expect(committed).toMatchObject({ type: "command", commit: expect.stringMatching(/^[0-9a-f]{7}$/) });
    expect(committed.failed).toBeUndefined();
    expect(more).toEqual([]);
  });

  test("is found by search and by transcripts_search in place", async () => {
    const { dataDir, run } = prepare();
    layOut(client, dataDir);
    const root = rootOf(client, dataDir);
    const found = await run(`call transcripts_search query=starve cwd_prefix=/ root_dir=${root}`);
    expect(JSON.parse(found).hits).toHaveLength(1);
    await run("capture --once");
    expect(await run("search starve")).toContain("«starve» 40 workers");
  });

  test("adds new thoughts exactly once when it grows", async () => {
    const { dataDir, run, thoughts } = prepare();
    if (client === "opencode") {
      const db = openRecorded(dataDir);
      db.exec("DELETE FROM part WHERE data LIKE '%We decided%'");
      await run("capture --once");
      expect((await thoughts()).some(({ thought }) => thought === decided)).toBe(false);
      db.exec(`INSERT INTO part SELECT 'prt_1ea6129de0017NqORzDWKfx1SW', id, session_id, time_created, time_updated + 9,
        '${JSON.stringify({ type: "text", text: decided, time: { start: 1, end: 2 } })}'
        FROM message ORDER BY time_created DESC LIMIT 1`);
      await run("capture --once");
      db.close();
    } else {
      layOut(client, dataDir);
      const file = mainFile(client, dataDir);
      const whole = readFileSync(file, "utf8");
      const cut = whole.lastIndexOf("\n", whole.indexOf('"We decided')) + 1;
      writeFileSync(file, whole.slice(0, cut + 40));
      await run("capture --once");
      expect((await thoughts()).some(({ thought }) => thought === decided)).toBe(false);
      appendFileSync(file, whole.slice(cut + 40));
      await run("capture --once");
    }
    expect((await thoughts()).filter(({ thought }) => thought === decided)).toHaveLength(1);
  });
});

test("reading opencode's database leaves no file beside it", async () => {
  const { dataDir, run } = prepare();
  layOut("opencode", dataDir);
  await run("capture --once");
  expect(readdirSync(rootOf("opencode", dataDir))).toEqual(["opencode.db"]);
});

test("Gemini CLI's rewind becomes a branch, and a repeated message counts once", async () => {
  const { dataDir, run, thoughts } = prepare();
  layOut("gemini-cli", dataDir);
  const file = mainFile("gemini-cli", dataDir);
  const asked = {
    id: "u2",
    timestamp: "2026-11-17T17:00:00Z",
    type: "user",
    content: [{ text: "And mold?" }],
  };
  const again = { ...asked, id: "u3", content: [{ text: "And lld?" }] };
  const lines = [asked, asked, { $rewindTo: "u2" }, again];
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await run("capture --once");
  const last = (await thoughts()).slice(-2);
  expect(last).toMatchObject([
    { thought: "And mold?", thoughtNumber: 6 },
    { thought: "And lld?", thoughtNumber: 6, branchId: "fork-1" },
  ]);
});

test("what the user said when refusing a call is kept with the call", async () => {
  const { dataDir, run, sessions } = prepare();
  const db = openRecorded(dataDir);
  const state = {
    status: "error",
    input: { command: "git push --force" },
    error:
      "The user rejected permission to use this specific tool call with the following feedback: never push to main",
    time: { start: 1, end: 2 },
  };
  const part = JSON.stringify({ type: "tool", tool: "bash", callID: "refused", state });
  db.exec(`UPDATE part SET data = '${part}' WHERE data LIKE '%exit 3%'`);
  db.close();
  await run("capture --once");
  const [{ id }] = await sessions();
  const { actions } = JSON.parse(await run(`call read_actions sessionId=${id} type=refusal`));
  expect(actions).toMatchObject([{ command: "git push --force", said: "never push to main" }]);
});
