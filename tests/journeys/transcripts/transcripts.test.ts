import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { doors } from "../../support/test-app.ts";
import {
  claudeLine,
  claudePath,
  claudeRoot,
  codexPath,
  codexRoot,
  writeLines,
} from "../../support/transcripts.ts";
import { everywhere, withTranscripts } from "./with-transcripts.ts";

describe.each(doors)("transcripts over %s", (backend) => {
  test("can be searched, opened and digested, and are imported only once", async () => {
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

  test("with a small budget reaches the sessions behind one large file, and suggests a sufficient budget", async () => {
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

test("the call that open suggests keeps the entry as a note on the current step", async () => {
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
