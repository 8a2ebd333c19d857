import { describe, expect, test } from "vitest";
import { createTestApp, startThinking } from "../../support/test-app.ts";

const step = (thoughtNumber: number, more: object = {}) => ({
  thought: `Step ${thoughtNumber}`,
  thoughtNumber,
  totalThoughts: 3,
  nextThoughtNeeded: true,
  ...more,
});

const codesOf = ({ warnings = [] }: { warnings?: { code: string }[] }) => warnings.map(({ code }) => code);

describe("a step of a trace", () => {
  test("is an entry that can be opened, on the checkout or on its task", async () => {
    const client = createTestApp().modern();
    const { ref, entry } = await client.call("trace_step", { step: "Measured", supports: "CARD-1" });
    expect(entry).toMatchObject({
      title: "Measured",
      content: "Measured",
      format: "trace_step",
      meta: { step: "Measured", supports: ["CARD-1"] },
    });
    expect((await client.call("open", { id: ref })).entry).toEqual(entry);
    await client.call("tasks_create", { title: "Plan" });
    const told = await client.call("trace_step", { step: "On the plan", target: "PLAN-001" });
    expect(told).toMatchObject({ branch: "plan/PLAN-001", doc: "PLAN-001-trace" });
  });

  test("gets at most two warnings about missing references, and is written anyway", async () => {
    const client = createTestApp().modern();
    const meta = { branchFromThought: 1, isRevision: true, totalThoughts: "many" };
    const written = await client.call("trace_step", { step: "x", meta });
    expect(codesOf(written)).toEqual(["SEQUENTIAL_META_INVALID", "SEQUENTIAL_META_INCOMPLETE"]);
    expect(codesOf(await client.call("trace_step", { step: "x", meta: { colour: "red" } }))).toEqual([]);
    const whole = { thoughtNumber: 2, branchFromThought: 1, branchId: "alt" };
    expect(codesOf(await client.call("trace_step", { step: "x", meta: whole }))).toEqual([]);
    expect((await client.call("trace_hydrate", {})).entries).toHaveLength(3);
  });

  test("is a checkpoint once per checkpoint_every steps", async () => {
    const client = createTestApp().modern();
    const marks: boolean[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { checkpoint } = await client.call("trace_step", { step: `s${n}`, checkpoint_every: 3 });
      await client.call("think_add_note", { card: `between ${n}` });
      marks.push(checkpoint);
    }
    expect(marks).toEqual([false, false, true, false, false, true, false]);
  });
});

describe("numbered steps", () => {
  test("an estimate below the step number is raised", async () => {
    const client = createTestApp().modern();
    const { entry } = await client.call("trace_sequential_step", step(5));
    expect(entry.meta).toMatchObject({ thoughtNumber: 5, totalThoughts: 5 });
  });

  test("forks and revisions become edges, and referenced steps outside the page count as missing", async () => {
    const client = createTestApp().modern();
    await client.call("trace_sequential_step", step(1));
    await client.call("trace_sequential_step", step(2, { branchFromThought: 1, branchId: "alt" }));
    await client.call("trace_step", {
      step: "x",
      meta: { thoughtNumber: 3, isRevision: true, revisesThought: 1 },
    });
    const whole = await client.call("trace_hydrate", {});
    expect(whole.sequential).toEqual({
      nodes: [
        { thoughtNumber: 1, seq: expect.any(Number) },
        { thoughtNumber: 2, seq: expect.any(Number), branchId: "alt" },
        { thoughtNumber: 3, seq: expect.any(Number), isRevision: true },
      ],
      edges: [
        { rel: "branch", from: 1, to: 2, branchId: "alt" },
        { rel: "revision", from: 1, to: 3 },
      ],
      missing: [],
    });
    const { sequential, pagination } = await client.call("trace_hydrate", { limit_steps: 1 });
    expect(sequential.missing).toEqual([{ rel: "revision", thoughtNumber: 1, referredBy: 3 }]);
    const before = await client.call("trace_hydrate", { limit_steps: 5, cursor: pagination.next_cursor });
    expect(before.entries).toEqual(whole.entries.slice(0, 2));
  });

  test("long statements are cut to whole characters within the byte limit", async () => {
    const client = createTestApp().modern();
    await client.call("trace_sequential_step", step(1, { thought: "日本😀".repeat(100) }));
    for (const statement_max_bytes of [0, 1, 3, 7, 11, 100]) {
      const [entry] = (await client.call("trace_hydrate", { statement_max_bytes })).entries;
      expect(Buffer.byteLength(entry.content)).toBeLessThanOrEqual(statement_max_bytes);
      expect("日本😀".repeat(100).startsWith(entry.content)).toBe(true);
      if (statement_max_bytes > 3)
        expect(Buffer.byteLength(entry.content)).toBeGreaterThan(statement_max_bytes - 4);
    }
  });
});

describe("checking a trace", () => {
  test("reports wrong order, duplicates, missing parents and missing fields, in the order of the entries", async () => {
    const client = createTestApp().modern();
    await client.call("trace_sequential_step", step(1));
    await client.call("trace_sequential_step", step(3));
    await client.call("trace_sequential_step", step(2));
    await client.call("trace_sequential_step", step(3));
    await client.call("trace_sequential_step", step(1, { branchId: "alt", branchFromThought: 9 }));
    await client.call("notes_commit", {
      branch: "main",
      doc: "trace",
      content: "x",
      format: "trace_sequential_step",
    });
    const { ok, errors, checked } = await client.call("trace_validate", {});
    expect({ ok, checked }).toEqual({ ok: false, checked: 6 });
    expect(errors.map(({ code, thoughtNumber }: Record<string, unknown>) => [code, thoughtNumber])).toEqual([
      ["OUT_OF_ORDER", 2],
      ["DUPLICATE_STEP", 3],
      ["PARENT_MISSING", 1],
      ["FIELD_MISSING", undefined],
      ["FIELD_MISSING", undefined],
      ["FIELD_MISSING", undefined],
    ]);
  });

  test("finds no errors in a session of the ledger", async () => {
    const client = createTestApp().modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "One" });
    await client.call("thought", { sessionId, thought: "Or", branchFromThought: 1, branchId: "alt" });
    await client.call("thought", { sessionId, thought: "No: two", revisesThought: 1 });
    const ref = `session/${sessionId}`;
    expect(await client.call("trace_validate", { ref })).toMatchObject({ ok: true, checked: 3, errors: [] });
    expect((await client.call("trace_hydrate", { ref })).sequential.edges).toHaveLength(2);
  });
});
