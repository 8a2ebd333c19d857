import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { binary } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeLine, claudeRoot, clientHomes, writeLines } from "../../support/transcripts.ts";

const id = "aaaaaaaa-2222-4333-8444-555555555555";
const on = { THOUGHTBOX_CAPTURE: "on" };

function prepare() {
  const base = tempDir();
  const dataDir = join(base, "data");
  const cwd = join(base, "shop");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const line = (n: number, text: string, more: object = {}) =>
    claudeLine("assistant", `a${n}`, n === 1 ? null : `a${n - 1}`, [{ type: "text", text }], {
      ...{ cwd, sessionId: id },
      ...more,
    });
  const file = join(claudeRoot({ dataDir }), "-shop", `${id}.jsonl`);
  const run = async (typed: string, env: Record<string, string> = on) => {
    const done = await runCommand(`thoughtbox ${typed}`, { dataDir, env });
    expect(done.code, `${typed}: ${done.err}`).toBe(0);
    return done.out;
  };
  const texts = async (): Promise<string[]> => {
    const { sessions } = JSON.parse(await run("ls --json"));
    const found: string[] = [];
    for (const session of sessions) {
      const { thoughts } = JSON.parse(await run(`show ${session.id} --json`));
      found.push(...thoughts.map(({ thought }: { thought: string }) => thought));
    }
    return found;
  };
  return { base, dataDir, cwd, line, file, run, texts };
}

test("without consent no transcript is read", async () => {
  const { dataDir, line, file, texts } = prepare();
  writeLines(file, [line(1, "secret plans")]);
  const refused = await runCommand("thoughtbox capture --once", { dataDir });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("thoughtbox connect");
  expect(await texts()).toEqual([]);
});

test("new entries are added once, and a half-written line waits until it is complete", async () => {
  const { line, file, run, texts } = prepare();
  writeLines(file, [line(1, "one")], JSON.stringify(line(2, "two")).slice(0, 60));
  expect(await run("capture --once")).toContain("1 new thought");
  expect(await texts()).toEqual(["one"]);
  expect(await run("capture --once")).toContain("Nothing new");
  appendFileSync(file, `${JSON.stringify(line(2, "two")).slice(60)}\n${JSON.stringify(line(3, "three"))}\n`);
  expect(await run("capture --once")).toContain("2 new thoughts");
  expect(await texts()).toEqual(["one", "two", "three"]);
});

test("a transcript that begins without text is captured as soon as it contains some", async () => {
  const { cwd, line, file, run, texts } = prepare();
  writeLines(file, [{ type: "progress", uuid: "p1", parentUuid: null, cwd, sessionId: id }]);
  await run("capture --once");
  appendFileSync(file, `${JSON.stringify(line(1, "one"))}\n`);
  expect(await run("capture --once")).toContain("1 new thought");
  expect(await texts()).toEqual(["one"]);
  expect(JSON.parse(await run("capture status --json")).files[0].problem).toBeUndefined();
});

test("a transcript that got shorter adds nothing and loses nothing", async () => {
  const { line, file, run, texts } = prepare();
  writeLines(file, [line(1, "one"), line(2, "two")]);
  await run("capture --once");
  truncateSync(file, Math.floor(readFileSync(file).length / 2));
  await run("capture --once");
  expect(await texts()).toEqual(["one", "two"]);
});

test("a session belongs to the project of its directory", async () => {
  const { line, file, run } = prepare();
  writeLines(file, [line(1, "one")]);
  await run("capture --once");
  const { sessions } = JSON.parse(await run("ls --json"));
  expect(sessions).toMatchObject([{ project: "shop" }]);
  expect(await run("capture status")).toContain("shop");
});

test("a session outside any repository is not filed under the project of the capturing process", async () => {
  const { base, dataDir, line, file } = prepare();
  const elsewhere = join(base, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(join(base, "other", ".git"), { recursive: true });
  writeLines(file, [line(1, "one", { cwd: elsewhere })]);
  const typed = (...words: string[]) =>
    execFileSync(process.execPath, [binary, ...words], {
      cwd: join(base, "other"),
      env: { ...on, ...clientHomes(dataDir), HOME: base, THOUGHTBOX_DATA_DIR: dataDir },
      encoding: "utf8",
    });
  expect(typed("capture", "--once")).toContain("1 new thought");
  expect(JSON.parse(typed("ls", "--json", "--project", "_default")).sessions).toHaveLength(1);
});

test("secrets are masked before they are stored, even under warn", async () => {
  const { dataDir, line, file, run } = prepare();
  const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  writeLines(file, [line(1, `the token is ${token}`)]);
  await run("capture --once", { ...on, THOUGHTBOX_SECRETS: "warn" });
  const dump = join(dataDir, "..", "all.jsonl");
  await run(`dump ${dump}`);
  const stored = readFileSync(dump, "utf8");
  expect(stored).toContain("the token is [secret:github-token]");
  expect(stored).not.toContain(token);
});

test("excluded directories and those with an empty .thoughtboxignore are not captured", async () => {
  const { cwd, line, file, run, texts } = prepare();
  writeLines(file, [line(1, "one")]);
  await run("capture --once", { ...on, THOUGHTBOX_CAPTURE_EXCLUDE: join(cwd, "..", "sh*") });
  expect(await texts()).toEqual([]);
  expect(await run("capture status")).toContain("is excluded");
  writeFileSync(join(cwd, ".thoughtboxignore"), "# nothing of this\n");
  appendFileSync(file, `${JSON.stringify(line(2, "two"))}\n`);
  await run("capture --once");
  expect(await texts()).toEqual([]);
  writeFileSync(join(cwd, ".thoughtboxignore"), "secrets/\n");
  appendFileSync(file, `${JSON.stringify(line(3, "three"))}\n`);
  await run("capture --once");
  expect(await texts()).toEqual(["one", "two", "three"]);
});

test.each([
  ["edits", "Write"],
  ["reads", "Read"],
])("%s of files that .thoughtboxignore names are not stored", async (_, name) => {
  const { cwd, line, file, run } = prepare();
  writeFileSync(join(cwd, ".thoughtboxignore"), "secrets/\n*.pem\n");
  const edits = ["src/a.ts", "secrets/b.ts", "deep/key.pem"].flatMap((path, n) => {
    const input = { file_path: join(cwd, path), content: "x" };
    const more = { cwd, sessionId: id };
    return [
      claudeLine(
        "assistant",
        `e${n}`,
        n === 0 ? "a1" : `r${n - 1}`,
        [{ type: "tool_use", id: `t${n}`, name, input }],
        more,
      ),
      claudeLine(
        "user",
        `r${n}`,
        `e${n}`,
        [{ type: "tool_result", tool_use_id: `t${n}`, content: "ok" }],
        more,
      ),
    ];
  });
  const said = claudeLine("assistant", "a9", "r2", [{ type: "text", text: "done" }], { cwd, sessionId: id });
  writeLines(file, [line(1, "one"), ...edits, said]);
  await run("capture --once");
  const { sessions } = JSON.parse(await run("ls --json"));
  const { actions } = JSON.parse(await run(`show ${sessions[0].id} --json`));
  const pathsOf = ({ path, paths = [path] }: { path: string; paths?: string[] }) => paths;
  expect(actions.flatMap(pathsOf)).toEqual([join(cwd, "src/a.ts")]);
});

test("nothing is read while capture is paused", async () => {
  const { dataDir, line, file, run, texts } = prepare();
  writeLines(file, [line(1, "one")]);
  expect(await run("capture pause")).toContain("paused");
  expect((await runCommand("thoughtbox capture --once", { dataDir, env: on })).code).toBe(1);
  expect(await texts()).toEqual([]);
  expect(await run("capture resume")).toContain("Capture is on");
  await run("capture --once");
  expect(await texts()).toEqual(["one"]);
});

test("a session that a person deleted is not captured again", async () => {
  const { line, file, run, texts } = prepare();
  writeLines(file, [line(1, "one")]);
  await run("capture --once");
  const { sessions } = JSON.parse(await run("ls --json"));
  await run(`call session.delete sessionId=${sessions[0].id} confirm=true`);
  await run("trash --empty --yes");
  appendFileSync(file, `${JSON.stringify(line(2, "two"))}\n`);
  await run("capture --once");
  expect(await texts()).toEqual([]);
  expect(await run("capture status --json")).toContain("The session of this transcript was deleted.");
});

test("a sub-agent that writes to its own file becomes a branch, even if it started later", async () => {
  const { line, file, run } = prepare();
  writeLines(file, [line(1, "one", { timestamp: "2026-03-02T10:00:00Z" })]);
  await run("capture --once");
  const agent = join(file.replace(/\.jsonl$/, ""), "subagents", "agent-scout.jsonl");
  writeLines(agent, [
    line(1, "I look.", { isSidechain: true, agentId: "scout", timestamp: "2026-03-02T10:01:00Z" }),
  ]);
  await run("capture --once");
  const { sessions } = JSON.parse(await run("ls --json"));
  const { thoughts } = JSON.parse(await run(`show ${sessions[0].id} --json`));
  expect(thoughts).toMatchObject([
    { thought: "one" },
    { thought: "I look.", branchId: "agent-scout", branchFromThought: 1 },
  ]);
});

test("a thought sent to a captured session goes to branch own, and capture continues", async () => {
  const { line, file, run, texts } = prepare();
  writeLines(file, [line(1, "one")]);
  await run("capture --once");
  const { sessions } = JSON.parse(await run("ls --json"));
  const sent = JSON.parse(await run(`call thought sessionId=${sessions[0].id} thought=mine`));
  expect(sent).toMatchObject({ branchId: "own", thoughtNumber: 2 });
  appendFileSync(file, `${JSON.stringify(line(2, "two"))}\n`);
  expect(await run("capture --once")).toContain("1 new thought");
  const again = JSON.parse(await run(`call thought sessionId=${sessions[0].id} thought=more`));
  expect(again).toMatchObject({ branchId: "own", thoughtNumber: 3 });
  expect((await texts()).sort()).toEqual(["mine", "more", "one", "two"]);
});

test("a running session is active, and completed once its client has been idle for half an hour", async () => {
  const { dataDir, line, file, run } = prepare();
  const at = new Date();
  writeLines(file, [line(1, "one", { timestamp: at.toISOString() })]);
  await run("capture --once");
  const status = async () => JSON.parse(await run("ls --json")).sessions[0].status;
  expect(await status()).toBe("active");
  const now = new Date(at.getTime() + 3_600_000).toISOString();
  const asked = { ref: { path: `-shop/${id}.jsonl` }, root_dir: claudeRoot({ dataDir }) };
  const words = ["call", "transcripts_import", JSON.stringify(asked)];
  const again = await runCommand(words, { dataDir, env: on, now });
  expect(again.code, again.err).toBe(0);
  expect(await status()).toBe("completed");
});

test("a hook's message to the agent is not imported as evidence", async () => {
  const { cwd, line, file, run, texts } = prepare();
  const more = { cwd, sessionId: id };
  const call = [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "rm -r src" } }];
  const content = "PreToolUse:Bash hook error: Thoughtbox: the user refused this call 12 minutes ago.";
  const result = [{ type: "tool_result", tool_use_id: "t1", is_error: true, content }];
  writeLines(file, [
    line(1, "one"),
    claudeLine("assistant", "b1", "a1", call, more),
    claudeLine("user", "b2", "b1", result, more),
  ]);
  await run("capture --once");
  expect(await texts()).toEqual(["one"]);
});

test("a session is named after the request, and the client's own messages are left out", async () => {
  const { cwd, line, file, run, texts } = prepare();
  const more = { cwd, sessionId: id };
  const plan = "Implement the following plan:\n\n# Plan: Telemetry is off by default\n\nIt was on.";
  const command =
    "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the pool</command-args>";
  const synthetic = { ...line(9, "No response requested."), uuid: "s1" };
  writeLines(file, [
    claudeLine("user", "u0", null, "Operation stopped by hook: another session is active", more),
    claudeLine("user", "u1", null, plan, more),
    { ...synthetic, message: { ...synthetic.message, model: "<synthetic>" } },
    claudeLine("user", "u2", "u1", command, more),
  ]);
  await run("capture --once");
  expect(await texts()).toEqual([plan, "/review the pool"]);
  expect(JSON.parse(await run("ls --json")).sessions[0].title).toBe("Telemetry is off by default");
});

test("a session that begins with a bare command or half a sentence is named after what follows", async () => {
  const { cwd, line, file, run } = prepare();
  const more = { cwd, sessionId: id };
  const command = "<command-message>debug</command-message>\n<command-name>/debug</command-name>";
  writeLines(file, [
    claudeLine("user", "u0", null, command, more),
    line(1, "What should I look into?"),
    claudeLine("user", "u1", "a1", "when running:\n\n❯ shop build\n\nthe linker fails", more),
  ]);
  await run("capture --once");
  const [session] = JSON.parse(await run("ls --json")).sessions;
  expect(session.title).toBe("when running: ❯ shop build");
  expect(await run("capture status")).toContain(`session ${session.id.slice(0, 8)}`);
});

test("forget leaves no byte of a captured session, and its directory is not captured again", async () => {
  const { dataDir, cwd, line, file, run, texts } = prepare();
  const word = "xylophonequartz";
  writeLines(file, [line(1, `we chose ${word}`)]);
  await run("capture --once");
  const { sessions } = JSON.parse(await run("ls --json"));
  await run(`search ${word}`);
  await run(`call session.export sessionId=${sessions[0].id} destination=.`);
  const holding = () =>
    readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((name) => {
      const path = join(dataDir, name);
      return statSync(path).isFile() && readFileSync(path).includes(word);
    });
  expect(holding().length).toBeGreaterThan(1);
  const said = await run("capture forget shop --yes");
  expect(said).toContain("Erased 1 captured session from project shop.");
  expect(holding()).toEqual([]);
  appendFileSync(file, `${JSON.stringify(line(2, "two"))}\n`);
  await run("capture --once");
  expect(await texts()).toEqual([]);
  expect(JSON.parse(await run("capture status --json")).files[0].problem).toContain(`${cwd} is excluded`);
});

test("the models that answered become tags of the session, even if they answer after the first capture", async () => {
  const { file, cwd, line, run } = prepare();
  const said = (n: number, text: string, model: string) =>
    line(n, text, { message: { role: "assistant", model, content: [{ type: "text", text }] } });
  const tags = async () => JSON.parse(await run("ls --json")).sessions[0].tags;
  const asked = claudeLine("user", "a1", null, "Why is it slow?", { cwd, sessionId: id });
  writeLines(file, [asked]);
  await run("capture --once");
  expect(await tags()).toEqual(["transcript", "claude-code"]);
  writeLines(file, [asked, said(2, "Let me see.", "claude-opus-4-5"), said(3, "No answer", "<synthetic>")]);
  await run("capture --once");
  expect(await tags()).toEqual(["transcript", "claude-code", "model:claude-opus-4-5"]);
});
