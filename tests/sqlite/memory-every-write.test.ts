import { describe, expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { noon } from "../support/stores/stores.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

/** All tables that a memory write changes, except indexes that are updated later. */
const ofMemory = /^(memory_|graph_(?!words|stale_words)|task_|note_totals$|workspace_changes$)/;

type Args = Record<string, unknown>;

/**
 * Counts down row writes and makes the write at zero fail, as a fault between any two statements in a
 * transaction.
 */
async function openCounted() {
  const app = createTestApp({ backend: "fs", clock: () => new Date(noon) });
  const client = app.modern();
  await client.call("init");
  const raw = openRaw(app.dataDir);
  const tables = raw
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => ofMemory.test(name));
  expect(tables.length).toBeGreaterThan(15);
  raw.exec("CREATE TABLE countdown (n INTEGER NOT NULL); INSERT INTO countdown VALUES (-1)");
  for (const table of tables)
    for (const write of ["INSERT", "UPDATE", "DELETE"])
      raw.exec(`CREATE TRIGGER count_${table}_${write} BEFORE ${write} ON ${table} BEGIN
        SELECT RAISE(ABORT, 'injected') FROM countdown WHERE n = 0; UPDATE countdown SET n = n - 1; END`);
  return {
    client,
    failAfter: (rows: number) => raw.prepare("UPDATE countdown SET n = ?").run(rows),
    snapshot: () =>
      tables.map((table) => [
        table,
        raw
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map(JSON.stringify as never),
      ]),
  };
}

type Story = { before: readonly (readonly [string, Args])[]; write: readonly [string, Args] };

const plan = ["tasks_create", { title: "A plan" }] as const;
const task = [
  "tasks_create",
  { parent: "PLAN-001", title: "A task", steps: [{ title: "Measure", success_criteria: ["a number"] }] },
] as const;
const focus = ["tasks_focus_set", { target: "TASK-001" }] as const;
const step = { target: "TASK-001", path: "s:0" };
const card = (id: string, type: string) => ({ id, type, title: `The ${type}` });
const hypothesis = ["think_card", { card: card("CARD-H", "hypothesis") }] as const;
const question = ["think_card", { card: card("CARD-Q", "question") }] as const;
const equals = [1, 2].map((n) => ["think_card", { card: card(`CARD-Q${n}`, "question") }] as const);
const job = ["tasks_jobs_create", { title: "Look", prompt: "Look." }] as const;
const claim = ["tasks_jobs_claim", { runner_id: "r1" }] as const;
const subgoal = ["think_subgoal_open", { question_id: "CARD-Q" }] as const;
const claimed = { job: "JOB-001", claim_revision: 2, runner_id: "r1" };
const anchor = { anchor: "a:store", title: "Store", kind: "part", content: "Rows." };

const stories: Record<string, Story> = {
  "a plan": { before: [], write: plan },
  "a task with its branch, steps and graph": { before: [plan], write: task },
  "more steps": {
    before: [plan, task],
    write: ["tasks_decompose", { ...step, steps: [{ title: "Two" }], path: undefined }],
  },
  "a redefined step": { before: [plan, task], write: ["tasks_define", { ...step, title: "Measure twice" }] },
  "a note of a step": { before: [plan, task], write: ["tasks_note", { ...step, note: "Half way." }] },
  "confirmed criteria": { before: [plan, task], write: ["tasks_verify", { ...step, checkpoints: "gate" }] },
  "a closed step": {
    before: [plan, task],
    write: ["tasks_close_step", { ...step, checkpoints: "gate" }],
  },
  "a finished step": {
    before: [plan, task, ["tasks_verify", { ...step, checkpoints: "gate" }]],
    write: ["tasks_done", step],
  },
  "a lease": { before: [plan, task], write: ["tasks_step_lease_claim", { ...step, agent_id: "ann" }] },
  "an edited task": { before: [plan, task], write: ["tasks_edit", { target: "TASK-001", title: "Renamed" }] },
  "an abandoned task": {
    before: [plan, task],
    write: ["tasks_complete", { target: "TASK-001", status: "CANCELED" }],
  },
  "a job": { before: [], write: job },
  "a claim": { before: [job], write: claim },
  "a report": { before: [job, claim], write: ["tasks_jobs_report", { ...claimed, message: "Half way." }] },
  "a finished job": {
    before: [job, claim],
    write: ["tasks_jobs_complete", { ...claimed, status: "DONE" }],
  },
  "a card of a step": {
    before: [plan, task, focus, hypothesis],
    write: ["think_card", { card: card("CARD-T", "test"), supports: ["CARD-H"], step: "focus" }],
  },
  "a pipeline with its note": {
    before: [plan, task, focus],
    write: ["think_pipeline", { frame: "f", hypothesis: "h", test: "t", evidence: "e", decision: "d" }],
  },
  "a link": {
    before: [hypothesis, question],
    write: ["think_link", { from: "CARD-H", rel: "answers", to: "CARD-Q" }],
  },
  "statuses of several cards": {
    before: [hypothesis, question],
    write: ["think_set_status", { targets: ["CARD-H", "CARD-Q"], status: "closed" }],
  },
  "several pins": { before: [hypothesis, question], write: ["think_pin", { targets: ["CARD-H", "CARD-Q"] }] },
  "a published copy": { before: [hypothesis], write: ["think_publish", { card_id: "CARD-H", pin: true }] },
  "merged equal cards": { before: equals, write: ["think_nominal_merge", {}] },
  "a subgoal": { before: [question], write: subgoal },
  "a closed subgoal": {
    before: [question, subgoal],
    write: ["think_subgoal_close", { subgoal_id: "CARD-SUB-CARD-Q", return_card: "So it is." }],
  },
  "an anchor with its card": { before: [], write: ["macro_anchor_note", anchor] },
  "a step of a trace": { before: [], write: ["trace_step", { step: "looked" }] },
};

describe("no matter which row cannot be written, nothing is left of", () => {
  test.each(Object.entries(stories))("%s", async (_what, { before, write: [operation, args] }) => {
    const { client, failAfter, snapshot } = await openCounted();
    for (const [name, given] of before) {
      const outcome = await client.call(name, given);
      // The subgoal that is closed must be the one that was opened.
      if ("subgoal_id" in args && name === "think_subgoal_open") args["subgoal_id"] = outcome.subgoal_id;
    }
    const held = snapshot();
    let rows = 0;
    for (; ; rows += 1) {
      failAfter(rows);
      const reply = await client.reply(operation, args);
      failAfter(-1);
      if (reply.kind === "result") break;
      expect(reply).toMatchObject({ kind: "error", error: { code: "STORAGE_ERROR" } });
      expect(snapshot(), `after ${rows} rows`).toEqual(held);
    }
    expect(rows).toBeGreaterThan(1);
    expect(snapshot()).not.toEqual(held);
  });

  test("the copies of a session", async () => {
    const { client, failAfter, snapshot } = await openCounted();
    const sessionId = await startThinking(client);
    for (const thought of ["one", "two", "three"]) await client.call("thought", { sessionId, thought });
    const held = snapshot();
    let rows = 0;
    for (; rows < 200; rows += 1) {
      failAfter(rows);
      const { kind } = await client.reply("merge", { from: `session/${sessionId}` });
      failAfter(-1);
      if (kind === "result") break;
      expect(snapshot()).toEqual(held);
    }
    expect(rows).toBeGreaterThan(3);
    expect((await client.call("show", { doc: "notes" })).entries).toHaveLength(3);
  });

  test("the cards of a session", async () => {
    const { client, failAfter, snapshot } = await openCounted();
    const sessionId = await startThinking(client);
    for (const thought of ["S1|H|The pool is too small", "S2|E|S1|40 of 40 taken", "S3|C|S2|Pool of 80"])
      await client.call("thought", { sessionId, thought });
    const held = snapshot();
    let rows = 0;
    for (; rows < 200; rows += 1) {
      failAfter(rows);
      const { kind } = await client.reply("think_import", { sessionId });
      failAfter(-1);
      if (kind === "result") break;
      expect(snapshot()).toEqual(held);
    }
    expect(rows).toBeGreaterThan(6);
    expect((await client.call("think_query", {})).cards).toHaveLength(3);
  });
});
