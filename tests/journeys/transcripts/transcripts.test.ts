import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createTestApp, doors } from "../../support/test-app.ts";
import {
  claudeLine,
  claudePath,
  claudeRoot,
  claudeSession,
  codexPath,
  codexRoot,
  writeLines,
  writeTranscripts,
} from "../../support/transcripts.ts";

const everywhere = { cwd_prefix: "/" };

function withTranscripts(backend: (typeof doors)[number] = "memory", env: Record<string, string> = {}) {
  const app = createTestApp({ backend, env });
  writeTranscripts(app);
  return { app, client: app.modern() };
}

describe.each(doors)("transcripts over %s", (backend) => {
  test("are searched, opened and digested, and become a session once", async () => {
    const { app, client } = withTranscripts(backend);
    const root_dir = claudeRoot(app);
    const found = await client.call("transcripts_search", { query: "pool", cwd_prefix: "/home/ada/shop" });
    expect(found).toMatchObject({
      root_dir: codexRoot(app),
      filters: { cwd_prefix: "/home/ada/shop", dedupe: true },
      scanned: { files: 1, truncated: false },
      projects: [{ name: "shop", confidence: "high", files: 1, hits: 2 }],
    });
    const [hit] = found.hits;
    expect(hit).toMatchObject({ ref: { path: codexPath, line: 4 }, session: { id: "0190-shop" } });

    const opened = await client.call("transcripts_open", { ref: hit.ref });
    expect(opened).toMatchObject({
      ref: hit.ref,
      session: { cwd: "/home/ada/shop" },
    });
    expect(opened.entries.map(({ text }: { text: string }) => text)).toContain("The pool may be too small.");

    const { digest } = await client.call("transcripts_digest", everywhere);
    expect(digest).toMatchObject([
      { ref: { path: codexPath }, message: { text: expect.stringContaining("## Summary") } },
    ]);

    const ref = { path: claudePath };
    const first = await client.call("transcripts_import", { ref, root_dir });
    expect(first).toMatchObject({
      ...{ outcome: "imported", added: 6, observations: 1, corrections: 1, branches: 0 },
      transcript: { format: "claude-code" },
      session: { title: "Why does checkout time out?" },
      skipped: { "file-history-snapshot": 1 },
    });
    const again = await client.call("transcripts_import", { ref, root_dir });
    expect(again).toMatchObject({ outcome: "unchanged", added: 0, sessionId: first.sessionId });
    const { sessionId } = first;
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 10 });
    expect(thoughts.map(({ thought }: { thought: string }) => thought)).toEqual([
      "Why does checkout time out?",
      "The pool may be too small.",
      "S3|O|S2|`npm test` failed.\n> 1 failed",
      "The pool holds 10 connections.",
      "S5|R|^S4|No, look at the workers instead.",
      "40 workers share the pool.",
    ]);
    expect(thoughts[4]).toMatchObject({ agentId: "user", revisesThought: 4 });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });
});

describe("importing", () => {
  test("a transcript that grew continues its session, and the half line at its end waits", async () => {
    const { app, client } = withTranscripts();
    const file = join(claudeRoot(app), claudePath);
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const next = JSON.stringify(
      claudeLine("assistant", "a5", "a4", [{ type: "text", text: "Raised it to 50." }]),
    );
    appendFileSync(file, next.slice(0, 40));
    expect(await client.call("transcripts_import", args)).toMatchObject({
      outcome: "imported",
      skipped: { incomplete: 1 },
    });
    appendFileSync(file, `${next.slice(40)}\n`);
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "continued", added: 1 });
    const { sessionId } = await client.call("transcripts_import", args);
    expect(await client.call("session.get", { sessionId })).toMatchObject({ session: { thoughtCount: 7 } });
  });

  test("a message that was taken back and said anew is a branch; tools that ran side by side are none", async () => {
    const { app, client } = withTranscripts();
    const use = (id: string) => ({ type: "tool_use", id, name: "Read", input: { file_path: `/${id}` } });
    const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "ok" }];
    const message = { message: { role: "assistant", id: "msg-p", content: [] } };
    const path = "-home-ada-shop/22222222-2222-4333-8444-555555555555.jsonl";
    writeLines(join(claudeRoot(app), path), [
      ...claudeSession(),
      claudeLine("assistant", "p1", "a4", [], { message: { ...message.message, content: [use("x")] } }),
      claudeLine("assistant", "p2", "p1", [], { message: { ...message.message, content: [use("y")] } }),
      claudeLine("user", "q1", "p1", result("x")),
      claudeLine("user", "q2", "p2", result("y")),
      claudeLine("assistant", "a6", "q2", [{ type: "text", text: "Both are fine." }]),
      claudeLine("user", "u3", "a4", "What about the proxy?"),
      claudeLine("assistant", "a7", "u3", [{ type: "text", text: "The proxy is fine." }]),
    ]);
    const imported = await client.call("transcripts_import", { ref: { path }, root_dir: claudeRoot(app) });
    expect(imported).toMatchObject({ branches: 1, sub_agents: 0, added: 9 });
    const { sessionId } = imported;
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "fork-1", last: 5 });
    expect(thoughts).toMatchObject([
      { thought: "What about the proxy?", thoughtNumber: 7, branchFromThought: 6 },
      { thought: "The proxy is fine.", thoughtNumber: 8 },
    ]);
  });

  test("a sub-agent that the file of its parent repeats is one branch, not two", async () => {
    const { app, client } = withTranscripts();
    const frame = (line: object, agentId: string) => ({
      type: "progress",
      uuid: `frame-${agentId}`,
      data: { type: "agent_progress", agentId, message: line },
    });
    const asked = (agent: string) => claudeLine("user", `${agent}1`, null, "Count the workers.");
    const answered = (agent: string) =>
      claudeLine("assistant", `${agent}2`, `${agent}1`, [{ type: "text", text: "There are 40." }]);
    appendFileSync(
      join(claudeRoot(app), claudePath),
      ["a1b2", "c3d4"]
        .flatMap((agent) => [frame(asked(agent), agent), frame(answered(agent), agent)])
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const own = { isSidechain: true, agentId: "a1b2" };
    writeLines(join(claudeRoot(app), claudePath.replace(".jsonl", ""), "subagents", "agent-a1b2.jsonl"), [
      { ...asked("a1b2"), ...own },
      { ...answered("a1b2"), ...own },
    ]);
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    expect(await client.call("transcripts_import", args)).toMatchObject({
      branches: 2,
      sub_agents: 2,
      added: 10,
    });
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
  });

  test("sub-agents are branches, in the same file or in files of their own", async () => {
    const { app, client } = withTranscripts();
    const side = { isSidechain: true };
    appendFileSync(
      join(claudeRoot(app), claudePath),
      [
        claudeLine("user", "s1", null, "Count the workers.", side),
        claudeLine("assistant", "s2", "s1", [{ type: "text", text: "There are 40." }], side),
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const own = { ...side, agentId: "a1b2" };
    const folder = claudePath.replace(".jsonl", "");
    writeLines(join(claudeRoot(app), folder, "subagents", "agent-a1b2.jsonl"), [
      claudeLine("user", "z1", null, "Read the config.", own),
      claudeLine("assistant", "z2", "z1", [{ type: "text", text: "It says 10." }], own),
    ]);
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const imported = await client.call("transcripts_import", args);
    expect(imported).toMatchObject({ branches: 2, sub_agents: 2, added: 10 });
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
    const { sessionId } = imported;
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "agent-a1b2", last: 5 });
    expect(thoughts.map(({ thought }: { thought: string }) => thought)).toEqual([
      "Read the config.",
      "It says 10.",
    ]);
  });

  test("a session that begins with an image of megabytes is known for what it is", async () => {
    const { app, client } = withTranscripts();
    const path = "-home-ada-shop/55555555-2222-4333-8444-555555555555.jsonl";
    const source = { type: "base64", media_type: "image/png", data: "iVBO".repeat(750_000) };
    writeLines(join(claudeRoot(app), path), [
      claudeLine("user", "i1", null, [
        { type: "image", source },
        { type: "text", text: "What is this?" },
      ]),
      claudeLine("assistant", "i2", "i1", [{ type: "text", text: "A chart of the pool." }]),
    ]);
    const where = { ref: { path }, root_dir: claudeRoot(app) };
    expect(await client.call("transcripts_import", where)).toMatchObject({
      outcome: "imported",
      added: 2,
      session: { title: "What is this?" },
      project: { name: "shop", confidence: "high" },
    });
  });

  test("an import that is broken off is continued by the next, as if nothing had happened", async () => {
    const { app, client } = withTranscripts();
    const path = "-home-ada-shop/66666666-2222-4333-8444-555555555555.jsonl";
    writeLines(
      join(claudeRoot(app), path),
      Array.from({ length: 2_600 }, (_, n) =>
        claudeLine("assistant", `n${n}`, n === 0 ? null : `n${n - 1}`, [{ type: "text", text: `Step ${n}` }]),
      ),
    );
    const args = { ref: { path }, root_dir: claudeRoot(app) };
    const stop = new AbortController();
    const cancelled = client.reply("transcripts_import", args, { signal: stop.signal }).catch(() => {});
    while ((await client.call("session.list")).sessions.length === 0) await nextTurn();
    stop.abort();
    await cancelled;
    const { sessionId, outcome } = await client.call("transcripts_import", args);
    expect(["continued", "unchanged"]).toContain(outcome);
    const { app: other, client: undisturbed } = withTranscripts();
    writeLines(
      join(claudeRoot(other), path),
      readFileSync(join(claudeRoot(app), path), "utf8")
        .trimEnd()
        .split("\n"),
    );
    const whole = await undisturbed.call("transcripts_import", { ...args, root_dir: claudeRoot(other) });
    expect(whole.sessionId).toBe(sessionId);
    const { chain } = await undisturbed.call("session.verify", { sessionId });
    expect(chain).toMatchObject({ valid: true, length: 2_600 });
    expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true, chain });
  });

  test("thinking alone leaves out what was said, and a dry run stores nothing", async () => {
    const { app, client } = withTranscripts();
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app), include: "thinking" };
    const tried = await client.call("transcripts_import", { ...args, dry_run: true });
    expect(tried).toMatchObject({ dry_run: true, added: 3, observations: 1, corrections: 1 });
    expect((await client.call("session.list")).sessions).toEqual([]);
    expect(await client.call("transcripts_import", args)).toMatchObject({ added: 3 });
  });

  test("a thought of somebody's own stands beside the transcript, which goes on", async () => {
    const { app, client } = withTranscripts();
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    const { sessionId } = await client.call("transcripts_import", args);
    await client.call("load_context", { sessionId });
    await client.call("cipher", { sessionId });
    const own = await client.call("thought", { sessionId, thought: "My own conclusion." });
    expect(own).toMatchObject({ branchId: "own", thoughtNumber: 7 });
    appendFileSync(
      join(claudeRoot(app), claudePath),
      `${JSON.stringify(claudeLine("assistant", "a9", "a4", [{ type: "text", text: "Done." }]))}\n`,
    );
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "continued", added: 1 });
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "own" });
    expect(thoughts).toMatchObject([{ thought: "My own conclusion." }]);
  });

  test("a cancelled import stores nothing", async () => {
    const { app, client } = withTranscripts();
    const stop = new AbortController();
    const call = { signal: stop.signal, progress: () => stop.abort() };
    const args = { ref: { path: claudePath }, root_dir: claudeRoot(app) };
    // Nobody waits for the answer to a call that was cancelled.
    const answered = await client.reply("transcripts_import", args, call).catch(() => undefined);
    expect(stop.signal.aborted).toBe(true);
    expect(answered).toBeUndefined();
    expect((await client.call("session.list")).sessions).toEqual([]);
  });
});

describe("a hostile transcript", () => {
  const secret = `ghp_${"a1B2c3D4e5".repeat(4)}`.slice(0, 40);
  const evil = `Look\u001b[2J\u202e at \u0000 ${secret}`;
  const deep = `{"type":"user","uuid":"d1","message":{"role":"user","content":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
  const hostile = (path: string) => [
    deep,
    '{"__proto__":{"type":"user"},"uuid":"x","type":"constructor","message":{"role":"user","content":"x"}}',
    '{"type":"user","uuid":"y","message":{"__proto__":{"content":"inherited"}}}',
    `{"type":"user","uuid":"z","message":{"role":"user","content":"${"é".repeat(17 * 1024 * 1024)}"}}`,
    "null",
    "[1,2]",
    "not json at all",
    claudeLine("user", "h1", null, evil),
    claudeLine("assistant", "h2", "h1", [{ type: "text", text: `Half a pair: \ud800 in ${path}` }]),
    claudeLine("assistant", "h3", "h2", [{ type: "text", text: 7 }, null, "x", { type: "text" }]),
    { ...claudeLine("user", "h4", "h4", "A child of itself."), timestamp: "+275760-09-13T00:00:00Z" },
    { ...claudeLine("user", "h5", "h3", "Later"), cwd: 7, sessionId: {} },
  ];
  const path = "-home-ada-shop/33333333-2222-4333-8444-555555555555.jsonl";

  test.each(["warn", "redact"])("stores nothing unsafe and shows no secret (%s)", async (secrets) => {
    const { app, client } = withTranscripts("memory", { THOUGHTBOX_SECRETS: secrets });
    writeLines(join(claudeRoot(app), path), hostile(path), '{"type":"user","mess');
    const args = { ref: { path }, root_dir: claudeRoot(app) };
    const imported = await client.reply("transcripts_import", args);
    expect(imported).toMatchObject({
      kind: "result",
      result: { outcome: "imported", skipped: { malformed: 3, too_long: 1, incomplete: 1 } },
    });
    const { sessionId } =
      imported.kind === "result" ? (imported.result as { sessionId: string }) : { sessionId: "" };
    expect(JSON.stringify(imported)).not.toContain(secret);
    expect(JSON.stringify(imported)).toContain("SECRET_MASKED");
    const exported = JSON.stringify(await client.call("session.export", { sessionId, format: "json" }));
    expect(exported).not.toContain(secret);
    expect(exported).not.toMatch(/\\u001b|\\u0000|\u202e|\\ud800|inherited/);
    expect(exported).toContain("A child of itself.");
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
  });

  test("does not give a secret away to those who guess it, or look at what stands beside it", async () => {
    const { app, client } = withTranscripts();
    writeLines(join(claudeRoot(app), path), hostile(path));
    const root_dir = claudeRoot(app);
    const where = { root_dir, ...everywhere, max_bytes_total: 64 * 1024 * 1024 };
    const guess = await client.call("transcripts_search", { query: secret.slice(0, 8), ...where });
    expect(guess.hits).toEqual([]);
    const beside = await client.call("transcripts_search", { query: "Look", context_chars: 40, ...where });
    expect(beside.hits).toHaveLength(1);
    const opened = await client.call("transcripts_open", { ref: { path, line: 8 }, root_dir });
    for (const answer of [beside, opened]) {
      expect(JSON.stringify(answer)).not.toContain(secret.slice(0, 12));
      expect(JSON.stringify(answer)).not.toMatch(/\\u001b|\u202e/);
    }
  });
});

describe("nothing but transcripts is read", () => {
  test("links, second names, pipes and ways out are refused, and counted", async () => {
    const { app, client } = withTranscripts();
    const root = claudeRoot(app);
    const outside = join(app.dataDir, "..", "outside");
    mkdirSync(outside, { recursive: true });
    writeLines(join(outside, "canary.jsonl"), [claudeLine("user", "c", null, "the canary pool")]);
    symlinkSync(join(outside, "canary.jsonl"), join(root, "link.jsonl"));
    linkSync(join(outside, "canary.jsonl"), join(root, "second-name.jsonl"));
    symlinkSync(outside, join(root, "linked-folder"));
    const found = await client.call("transcripts_search", { query: "pool", root_dir: root, ...everywhere });
    expect(found.scanned).toMatchObject({ files: 1, refused: { link: 1, hard_link: 1 } });
    expect(JSON.stringify(found)).not.toContain("canary pool");
    for (const path of [
      "link.jsonl",
      "second-name.jsonl",
      "linked-folder/canary.jsonl",
      "../outside/canary.jsonl",
      "-home-ada-shop/../../outside/canary.jsonl",
      join(outside, "canary.jsonl"),
      "canary.txt",
      "x\0.jsonl",
    ])
      for (const name of ["transcripts_open", "transcripts_import"]) {
        const ref = name === "transcripts_open" ? { path, line: 1 } : { path };
        const error = await client.refusal(name, { ref, root_dir: root });
        expect(error.code, path).toBe("INVALID_PAYLOAD");
      }
    for (const root_dir of [outside, "/", `${root}/../..`, "relative", "/proc/self/root"])
      expect((await client.refusal("transcripts_search", { query: "x", root_dir })).code).toBe(
        "INVALID_PAYLOAD",
      );
  });

  test("a file that vanished is unknown, one that is not a transcript is refused as such", async () => {
    const { app, client } = withTranscripts();
    const gone = await client.refusal("transcripts_import", { ref: { path: "2026/gone.jsonl" } });
    expect(gone.code).toBe("UNKNOWN_ID");
    writeFileSync(join(codexRoot(app), "other.jsonl"), '{"some":"thing"}\n');
    const other = await client.refusal("transcripts_import", { ref: { path: "other.jsonl" } });
    expect(other).toMatchObject({ code: "INVALID_PAYLOAD", recovery: { operation: "transcripts_digest" } });
  });
});

describe("a line of 256 MB at the beginning of a transcript", () => {
  /** Zeros that take no room on the disk, then what the program wrote. */
  function hideBehindLine(file: string, rest: string): void {
    truncateSync(file, 256 * 1024 * 1024);
    appendFileSync(file, `\n${rest}`);
  }

  test("does not hide the next line, nor the next transcript, and is not held in memory", async () => {
    const { app, client } = withTranscripts();
    const root_dir = claudeRoot(app);
    const file = join(root_dir, claudePath);
    const text = readFileSync(file, "utf8");
    writeLines(join(root_dir, "-home-ada-shop", "next.jsonl"), [
      claudeLine("user", "n1", null, "A question about quokkas.", { sessionId: "next" }),
    ]);
    utimesSync(join(root_dir, "-home-ada-shop", "next.jsonl"), 1_700_000_000, 1_700_000_000);
    writeFileSync(file, "");
    hideBehindLine(file, text);
    const before = process.resourceUsage().maxRSS;

    const imported = await client.call("transcripts_import", { ref: { path: claudePath }, root_dir });
    expect(imported).toMatchObject({
      outcome: "imported",
      added: 6,
      transcript: { format: "claude-code" },
      skipped: { too_long: 1 },
    });
    const found = await client.call("transcripts_search", {
      ...{ query: "connections", cwd_prefix: "/home/ada/shop", root_dir },
      max_bytes_total: 512 * 1024 * 1024,
    });
    expect(found.hits).toMatchObject([{ ref: { path: claudePath, line: 7 } }]);
    const next = await client.call("transcripts_search", {
      ...{ query: "quokkas", cwd_prefix: "/home/ada/shop", root_dir },
    });
    expect(next).toMatchObject({
      scanned: { files: 2, truncated: true, stopped_by: "bytes" },
      hits: [{ session: { id: "next" } }],
    });
    const { entries } = await client.call("transcripts_open", {
      ...{ ref: { path: claudePath, line: 7 }, root_dir },
    });
    expect(JSON.stringify(entries)).toContain("The pool holds 10 connections.");
    const { digest } = await client.call("transcripts_digest", { ...everywhere, root_dir, mode: "last" });
    expect(digest[0].message.text).toBe("40 workers share the pool.");
    // In KiB, at its highest.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(128 * 1024);
  });
});

describe("a digest", () => {
  const kilobytes = (count: number) => "x".repeat(count * 1024);
  const output = (uuid: string, text: string, sessionId: string) =>
    claudeLine("user", uuid, "a1", [{ type: "tool_result", tool_use_id: "t1", content: text }], {
      sessionId,
    });
  const session = (sessionId: string, rest: readonly unknown[] = []) => [
    claudeLine("user", "u1", null, "Why is it slow?", { sessionId }),
    claudeLine(
      "assistant",
      "a1",
      "u1",
      [{ type: "text", text: `Summary: ${sessionId} was about the pool, which is small.` }],
      {
        sessionId,
      },
    ),
    ...rest,
  ];
  const texts = ({ digest }: { digest: { message: { text: string } }[] }) =>
    digest.map(({ message }) => message.text.split(" ")[1]);

  test("shows a session that ends with 500 KB of tool output, in one line or in many", async () => {
    const { app, client } = withTranscripts();
    const root_dir = claudeRoot(app);
    const many = Array.from({ length: 600 }, (_, at) => output(`m${at}`, kilobytes(1), "many"));
    writeLines(join(root_dir, "-home-ada-shop", "many.jsonl"), session("many", many));
    writeLines(
      join(root_dir, "-home-ada-shop", "one.jsonl"),
      session("one", [output("o1", kilobytes(600), "one")]),
    );
    const shown = await client.call("transcripts_digest", { ...everywhere, root_dir });
    expect(texts(shown).toSorted()).toEqual(["many", "one"]);
    const [first] = shown.digest;
    const { entries } = await client.call("transcripts_open", { ref: first.ref, root_dir, after_lines: 0 });
    expect(entries.at(-1).text).toBe(first.message.text);
  });

  test("of a small budget reaches the sessions behind one large file, and proposes a budget that suffices", async () => {
    const { app, client } = withTranscripts();
    const root_dir = claudeRoot(app);
    const large = Array.from({ length: 3_000 }, (_, at) => output(`m${at}`, kilobytes(1), "large"));
    const newest = join(root_dir, "-home-ada-shop", "large.jsonl");
    writeLines(newest, session("large", large));
    writeLines(join(root_dir, "-home-ada-shop", "small.jsonl"), session("small"));
    utimesSync(newest, 2_000_000_000, 2_000_000_000);
    const asked = { ...everywhere, root_dir };
    const little = await client.call("transcripts_digest", { ...asked, max_bytes_total: 600 * 1024 });
    expect(texts(little)).toEqual(["small"]);
    expect(little.scanned).toMatchObject({ truncated: true, stopped_by: "bytes" });

    const tiny = await client.call("transcripts_digest", { ...asked, max_bytes_total: 100 });
    const [more] = tiny.suggestions;
    expect(more).toMatchObject({ operation: "transcripts_digest" });
    expect(texts(await client.call("transcripts_digest", more.args))).toEqual(["large", "small"]);
  });
});

test("what was opened is kept as a note of the step that is being worked on", async () => {
  const { app, client } = withTranscripts();
  const id = "TASK-001";
  await client.call("tasks_create", { title: "Shop" });
  await client.call("tasks_create", { parent: "PLAN-001", title: "Pool", steps: ["Measure", "Fix"] });
  await client.call("tasks_focus_set", { target: id });
  const opened = await client.call("transcripts_open", {
    ref: { path: claudePath, line: 1 },
    root_dir: claudeRoot(app),
  });
  const [keep] = opened.suggestions;
  const { entry } = await client.call(keep.operation, keep.args);
  expect(entry).toMatchObject({ branch: `task/${id}`, meta: { step: { task_id: id, path: "s:0" } } });
  const { notes } = await client.call("context_pack", { target: id, step: "focus" });
  expect(notes.entries).toMatchObject([{ seq: entry.seq }]);
});
