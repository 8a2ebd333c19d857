import { describe, expect, test } from "vitest";
import { fewWays, shareTestApp } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

type Entries = { entries: { seq: number; content?: string }[] };
const texts = ({ entries }: Entries) => entries.map(({ content }) => content);

describe.each(fewWays)("notes of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = () => inWorkspace(app[era]());

  test("are returned as they were written, in the order of writing", async () => {
    const { call } = open();
    const note = { content: "p99 fell\nto 20 ms – „gut“", title: "Evidence", format: "text" };
    const { entry } = await call("notes_commit", { ...note, meta: { run: { cmd: "x" } }, agent_id: "ada" });
    expect(entry).toMatchObject({ ...note, branch: "main", doc: "notes", kind: "note", agent_id: "ada" });
    expect(entry.meta).toEqual({ run: { cmd: "x" } });
    expect(Date.parse(entry.ts)).toBe(entry.ts_ms);
    await call("notes_commit", { content: "later" });
    const shown = await call("show", { doc_kind: "notes" });
    expect(shown.entries[0]).toEqual(entry);
    expect(texts(shown)).toEqual([note.content, "later"]);
    expect(shown.pagination).toEqual({ cursor: null, has_more: false, limit: 20, count: 2 });
  });

  test("are written to the named document, and each document is read separately", async () => {
    const { call } = open();
    await call("notes_commit", { content: "one", doc: "plan" });
    await call("notes_commit", { content: "two" });
    expect(texts(await call("show", { doc: "plan" }))).toEqual(["one"]);
    expect(texts(await call("show", { doc_kind: "notes" }))).toEqual(["two"]);
    expect(texts(await call("show"))).toEqual([]);
    expect(texts(await call("show", { doc: "unwritten" }))).toEqual([]);
  });

  test("are written once per idempotency key", async () => {
    const { call } = open();
    const note = { content: "once", idempotencyKey: "k" };
    expect(await call("notes_commit", note)).toEqual(await call("notes_commit", note));
    expect(texts(await call("show", { doc: "notes" }))).toEqual(["once"]);
  });

  test("are returned exactly once when following the cursor, newest page first", async () => {
    const { call } = open();
    const written = Array.from({ length: 7 }, (_, n) => `note ${n}`);
    for (const content of written) await call("notes_commit", { content });
    const met: (string | undefined)[] = [];
    let cursor: number | undefined;
    do {
      const page = await call("show", { doc: "notes", limit: 3, ...(cursor !== undefined && { cursor }) });
      met.unshift(...texts(page));
      expect(page.pagination.count).toBe(page.entries.length);
      cursor = page.pagination.next_cursor;
    } while (cursor !== undefined);
    expect(met).toEqual(written);
  });

  test("are returned exactly once under a small budget when following the suggested calls", async () => {
    const { call, client } = open();
    const written = Array.from({ length: 6 }, (_, n) => `${n}${"x".repeat(400)}`);
    const seqs: number[] = [];
    for (const content of written) seqs.push((await call("notes_commit", { content })).entry.seq);
    const met: number[] = [];
    let page = await call("show", { doc: "notes", max_chars: 700 });
    for (;;) {
      met.unshift(...page.entries.map(({ seq }: { seq: number }) => seq));
      const { budget, warnings: _told, suggestions, ...answer } = page;
      expect(JSON.stringify(answer).length).toBe(budget.used_chars);
      expect(budget.used_chars).toBeLessThanOrEqual(700);
      if (page.pagination.next_cursor === undefined) break;
      const [next] = suggestions ?? [
        { operation: "show", args: { workspace: page.workspace, cursor: page.pagination.next_cursor } },
      ];
      page = await client.call(next.operation, next.args);
    }
    expect(met).toEqual(seqs);
  });

  test("limits out of bounds are clamped, and the caller gets a warning", async () => {
    const { call } = open();
    await call("notes_commit", { content: "one" });
    for (const [limit, taken] of [
      [0, 1],
      [500, 200],
    ]) {
      const { pagination, warnings } = await call("show", { doc: "notes", limit });
      expect(pagination.limit).toBe(taken);
      expect(warnings).toMatchObject([{ code: "LIMIT_CLAMPED" }]);
    }
  });

  test("need an existing branch and a single destination", async () => {
    const { call, refusal } = open();
    await call("init");
    for (const name of ["show", "notes_commit"]) {
      const unknown = await refusal(name, { branch: "nowhere", content: name === "show" ? null : "x" });
      expect(unknown).toMatchObject({ code: "UNKNOWN_ID", recovery: { operation: "branch_list" } });
    }
    const both = await refusal("notes_commit", { content: "x", target: "TASK-001", doc: "notes" });
    expect(both).toMatchObject({
      code: "INVALID_PAYLOAD",
      details: { hints: [{ kind: "choose_one", fields: ["target", "branch", "doc"] }] },
    });
    expect(texts(await call("show", { doc: "notes" }))).toEqual([]);
  });

  test("that contain a secret are masked in answers, and the writer is warned", async () => {
    const { call } = open();
    const secret = `ghp_${"a1".repeat(18)}`;
    const { entry, warnings } = await call("notes_commit", { content: `token ${secret}` });
    expect(warnings).toMatchObject([{ code: "SECRET_DETECTED" }]);
    expect(JSON.stringify(entry)).not.toContain(secret);
    expect(JSON.stringify(await call("show", { doc: "notes" }))).not.toContain(secret);
  });
});
