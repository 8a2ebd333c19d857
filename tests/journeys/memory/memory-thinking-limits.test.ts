import { describe, expect, test } from "vitest";
import { once } from "../../support/run/once.ts";
import { createTestApp, shareTestApp, type TestClient } from "../../support/test-app.ts";

type Args = Record<string, unknown>;
type Json = Record<string, any>;

const views = ["think_pack", "think_watch", "context_pack", "tasks_resume_super"] as const;

async function withTask(options: Parameters<typeof createTestApp>[0] = {}): Promise<TestClient> {
  const client = createTestApp(options).modern();
  await client.call("tasks_create", { title: "Logins below 200 ms" });
  await client.call("tasks_create", {
    parent: "PLAN-001",
    title: "Find what holds the connections",
    steps: [{ title: "Measure", success_criteria: ["a number per host"] }, { title: "Decide" }],
  });
  await client.call("tasks_focus_set", { target: "TASK-001" });
  return client;
}

describe("references to missing items are refused with a way out", () => {
  const nowhere: [string, Args][] = [
    ...["think_card", "think_add_note"].map((name): [string, Args] => [
      name,
      { branch: "nowhere", card: "x" },
    ]),
    ["think_pipeline", { branch: "nowhere", frame: "x" }],
    ["think_context", { branch: "nowhere" }],
    ...["think_query", "think_frontier", "think_next", "think_pack", "think_watch", "think_pins"].map(
      (name): [string, Args] => [name, { ref: "nowhere" }],
    ),
    ...["context_pack", "think_lint", "think_nominal_merge", "trace_hydrate", "trace_validate"].map(
      (name): [string, Args] => [name, { ref: "nowhere" }],
    ),
    ["think_link", { ref: "nowhere", from: "A", rel: "supports", to: "B" }],
    ["think_set_status", { ref: "nowhere", targets: ["A"], status: "closed" }],
    ["think_pin", { ref: "nowhere", targets: ["A"] }],
    ["think_publish", { ref: "nowhere", card_id: "A" }],
    ["think_subgoal_open", { ref: "nowhere", question_id: "A" }],
  ];

  test.each(nowhere)("%s on a missing branch", async (operation, args) => {
    const client = createTestApp().modern();
    await client.call("init");
    expect(await client.refusal(operation, args)).toMatchObject({
      code: "UNKNOWN_ID",
      recovery: { operation: "branch_list" },
    });
  });

  const unknown: [string, Args][] = [
    ["tasks_radar", { target: "TASK-009" }],
    ["tasks_resume_super", { target: "TASK-009" }],
    ["context_pack", { target: "TASK-009" }],
    ["tasks_done", { path: "s:9" }],
    ["tasks_verify", { path: "s:0.s:4", checkpoints: "gate" }],
    ["tasks_step_lease_claim", { step_id: "STEP-0000FFFF", agent_id: "ann" }],
    ["think_card", { card: "x", step: "s:9" }],
    ["think_watch", { step: "STEP-0000FFFF" }],
    ["think_set_status", { targets: ["CARD-404"], status: "closed" }],
    ["think_publish", { card_id: "CARD-404" }],
    ["think_link", { from: "CARD-404", rel: "supports", to: "CARD-405" }],
    ["tasks_jobs_open", { job: "JOB-404" }],
  ];

  test.each(unknown)("%s %j", async (operation, args) => {
    const client = await withTask();
    const { code, recovery } = await client.refusal(operation, args);
    expect([code, typeof recovery?.operation]).toEqual(["UNKNOWN_ID", "string"]);
  });

  test.each([
    ["tasks_done", "target must be", { target: { id: "TASK-001", kind: 7 }, path: "s:0" }],
    ["tasks_radar", "is not a plan", { target: { id: "TASK-001", kind: "plan" } }],
    ["think_pack", "Did you mean target", { targett: "TASK-001" }],
    ["tasks_step_lease_claim", "ttl_seq", { path: "s:0", agent_id: "ann", ttl_seq: 10_001 }],
    ["think_card", "agent_id", { card: "x", agent_id: "ann smith" }],
    ["think_card", "looks like JSON", { card: '{"title": "cut of' }],
    ["tasks_decompose", "steps", { steps: [] }],
  ])("%s: %s", async (operation, words, args) => {
    const { code, message, details } = await (await withTask()).refusal(operation, args);
    expect(code).toBe("INVALID_PAYLOAD");
    expect(message).toContain(words);
    expect(details?.["hints"]).not.toEqual([]);
  });

  test("another agent's lease blocks changes to its step and the steps below until it expires", async () => {
    const client = await withTask();
    await client.call("tasks_decompose", { parent: "s:0", steps: [{ title: "host one" }] });
    await client.call("tasks_step_lease_claim", { path: "s:0", agent_id: "ann", ttl_seq: 3 });
    const changes: [string, Args][] = [
      ["tasks_note", { note: "x" }],
      ["tasks_define", { title: "x" }],
      ["tasks_verify", { checkpoints: "gate" }],
      ["tasks_done", {}],
      ["tasks_close_step", { checkpoints: "gate" }],
      ["tasks_step_lease_claim", {}],
    ];
    for (const [operation, args] of changes)
      for (const path of ["s:0", "s:0.s:0"])
        expect(
          await client.refusal(operation, { ...args, path, agent_id: "bob" }),
          `${operation} ${path}`,
        ).toMatchObject({ code: "STEP_LEASE_HELD", recovery: { operation: "tasks_step_lease_get" } });
    expect((await client.refusal("tasks_step_lease_release", { path: "s:0", agent_id: "bob" })).code).toBe(
      "STEP_LEASE_NOT_HELD",
    );
    for (let n = 0; n < 3; n += 1) await client.call("tasks_note", { path: "s:1", note: `${n}` });
    expect((await client.call("tasks_step_lease_get", { path: "s:0" })).held).toBe(false);
    await client.call("tasks_note", { path: "s:0", note: "mine now", agent_id: "bob" });
  });
});

test("cards that support each other in a ring are read, scored and merged like any others", async () => {
  const client = await withTask();
  const ids = ["CARD-A", "CARD-B", "CARD-C"];
  for (const [n, id] of ids.entries())
    await client.call("think_card", {
      card: { id, type: "hypothesis", title: id, tags: ["pinned"] },
      supports: [ids[(n + 1) % 3]],
      blocks: [ids[(n + 2) % 3]],
    });
  const own = { card: { id: "CARD-S", type: "hypothesis", title: "itself" }, supports: ["CARD-S"] };
  expect((await client.refusal("think_card", own)).code).toBe("INVALID_PAYLOAD");
  for (const view of views) {
    const { engine } = await client.call(view, { engine_signals_limit: 20 });
    expect(engine.signals.map(({ code }: Json) => code)).toContain("BM1_CONTRADICTION_SUPPORTS_BLOCKS");
  }
  expect(await client.call("think_lint", {})).toMatchObject({ ok: true });
  expect(await client.call("think_nominal_merge", {})).toMatchObject({ merged: 0 });
});

test("think_watch cuts the texts of a trace to a number of bytes, but never within a character", async () => {
  const client = await withTask();
  await client.call("trace_step", { step: "seen", message: "日".repeat(400) });
  const { trace } = await client.call("think_watch", { trace_statement_max_bytes: 100 });
  const contents: string[] = trace.entries.map(({ content }: Json) => content);
  expect(contents.some((content) => /日{20}/.test(content))).toBe(true);
  for (const content of contents) {
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(100);
    expect(content).not.toContain("\ufffd");
  }
});

describe("ten thousand cards with one tag", () => {
  const perBatch = 2_000;
  const client = shareTestApp().modern();
  const fill = once(async () => {
    for (let from = 0; from < 10_000; from += perBatch)
      await client.call("graph_apply", {
        ops: Array.from({ length: perBatch }, (_, n) => ({
          op: "node_upsert",
          id: `CARD-N${from + n}`,
          type: "hypothesis",
          title: `guess ${from + n}`,
          status: "open",
          tags: ["flood", "a:flood", "pinned", "v:canon"],
        })),
      });
  });

  test("are paged, packed, pinned and snapshotted within the limits that answers report", async () => {
    await fill();
    const page = await client.call("think_query", { tags_all: ["flood"], limit: 5 });
    expect(page.cards.map(({ id }: Json) => id)).toEqual(
      [9_999, 9_998, 9_997, 9_996, 9_995].map((n) => `CARD-N${n}`),
    );
    expect(page.pagination).toMatchObject({ has_more: true, next_cursor: page.cards[4].last_seq });
    expect((await client.call("think_pins", { limit: 200, max_chars: 75_000 })).cards).toHaveLength(200);
    for (const view of views.slice(0, 3)) {
      const { capsule, cards, budget } = await client.call(view, { max_chars: 4_000 });
      expect(budget.used_chars).toBeLessThanOrEqual(4_000);
      expect((capsule.known?.hypotheses ?? cards).length).toBeGreaterThanOrEqual(4);
    }
    const { stats, cards } = await client.call("anchor_snapshot", { anchor: "a:flood" });
    expect([stats, cards.length]).toEqual([{ links_count: 2_000, links_has_more: true }, 20]);
  });

  test("are not all compared at once: merging reports how many it compared, and accepts others by ID", async () => {
    await fill();
    const merge = (args: Args) => client.call("think_nominal_merge", args);
    expect(await merge({})).toMatchObject({ merged: 0, compared: 100 });
    expect(await merge({ limit_candidates: 9_000 })).toMatchObject({
      compared: 1_000,
      warnings: [{ code: "LIMIT_CLAMPED" }],
    });
    expect(await merge({ candidate_ids: ["CARD-N1", "CARD-N2"] })).toMatchObject({ compared: 2 });
  });
});

describe("the same cards give the same bytes", () => {
  /** Writes everything at the same times, so that stores assign the same numbers. */
  async function fill(client: TestClient, clock: { now: number }): Promise<void> {
    await client.call("notes_commit", { content: "Started." });
    clock.now += 1_000;
    await client.call("think_pipeline", {
      step: "focus",
      hypothesis: "The pool is too small",
      test: "CMD: bench/login.sh",
      decision: { title: "Pool of 80", tags: ["pinned", "v:draft"] },
    });
    clock.now += 1_000;
    await client.call("think_add_question", { card: "Redis vs Postgres?" });
  }

  /** Removes relative times from complete answers. */
  const timeless = (texts: readonly string[]) =>
    texts
      .map((text) => text.replaceAll(/ \((?:just now|\d+ \w+ ago)\)/g, ""))
      .map((text) =>
        JSON.parse(text, (key, value) => (key === "age" || key === "budget" ? undefined : value)),
      )
      .filter(({ truncated }) => truncated !== true);

  test("on another store and in another folder, and a year later only ages differ", async () => {
    const now: string[][] = [];
    const later: string[][] = [];
    for (const backend of ["memory", "fs"] as const) {
      const clock = { now: Date.UTC(2026, 0, 31, 23, 59, 58) };
      const client = await withTask({ backend, clock: () => new Date(clock.now) });
      await fill(client, clock);
      const read = async () => {
        const texts: string[] = [];
        for (const view of views)
          for (const max_chars of [300, 4_000, 20_000])
            for (const kind of ["smart", "explore", "audit"])
              texts.push(JSON.stringify(await client.call(view, { max_chars, view: kind })));
        return texts;
      };
      now.push(await read());
      clock.now += 366 * 86_400_000;
      later.push(await read());
    }
    const [first = [], second] = now;
    expect(new Set(first).size).toBeGreaterThan(views.length * 3);
    expect(second).toEqual(first);
    expect(later[1]).toEqual(later[0]);
    expect(timeless(first).length).toBeGreaterThan(views.length);
    expect(timeless(later[0] ?? [])).toEqual(timeless(first));
  });
});
