import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

async function withTask() {
  const client = createTestApp().modern();
  await client.call("tasks_create", { title: "Logins below 200 ms" });
  await client.call("tasks_create", {
    parent: "PLAN-001",
    title: "Find what holds the connections",
    steps: [{ title: "Measure", success_criteria: ["a number per host"] }, { title: "Decide" }],
  });
  await client.call("tasks_focus_set", { target: "TASK-001" });
  return client;
}

test("a change is one event in the delta and in the trace, and updates the graph", async () => {
  const client = await withTask();
  const { event } = await client.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
  const { events } = await client.call("tasks_delta", {});
  const [own, plan] = events.slice(-2);
  expect(own).toMatchObject({ event_id: event.event_id, kind: "step_done", path: "s:0" });
  expect(plan).toMatchObject({ kind: "plan_active", target: "PLAN-001" });
  const { entries } = await client.call("show", { doc_kind: "trace" });
  expect(entries.at(-1)).toMatchObject({ kind: "event", source_event_id: event.event_id });
  const { nodes, edges } = await client.call("graph_query", { types: ["task", "step"] });
  expect(nodes.map(({ id, status }: { id: string; status: string }) => [id, status])).toContainEqual([
    "step:STEP-00000001",
    "done",
  ]);
  expect(edges).toContainEqual(expect.objectContaining({ from: "task:TASK-001", rel: "contains" }));
});

test("closing a step before it is verified is refused, and so is a stale revision", async () => {
  const client = await withTask();
  expect(await client.refusal("tasks_done", { path: "s:0" })).toMatchObject({
    code: "CHECKPOINTS_NOT_CONFIRMED",
  });
  expect(await client.refusal("tasks_edit", { title: "x", expected_revision: 7 })).toMatchObject({
    code: "REVISION_MISMATCH",
  });
});

test("closing a step with missing or invalid checkpoints is refused with the valid ones", async () => {
  const client = await withTask();
  const close = (args: object) => client.refusal("tasks_close_step", { path: "s:0", ...args });
  expect((await close({})).message).toContain(
    'checkpoints is required. What is confirmed: "gate", "all", or {',
  );
  const all = '{"criteria":{"confirmed":true},"tests":{"confirmed":true}}';
  for (const checkpoints of ["yes", { criteria: true }])
    expect(await close({ checkpoints })).toMatchObject({
      code: "INVALID_PAYLOAD",
      details: { hints: [{ kind: "choose_one", field: "checkpoints", expected: ["gate", "all", all] }] },
      recovery: { operation: "help", args: { topic: "tasks_close_step" } },
    });
  await client.call("tasks_close_step", { path: "s:0", checkpoints: JSON.parse(all) });
});

test("only one of four simultaneous agents can claim or close a step", async () => {
  const client = await withTask();
  const agents = ["a", "b", "c", "d"];
  const claims = await Promise.all(
    agents.map((agent_id) => client.reply("tasks_step_lease_claim", { path: "s:1", agent_id })),
  );
  expect(claims.filter(({ kind }) => kind === "result")).toHaveLength(1);
  const closings = await Promise.all(
    agents.map((agent_id) => client.reply("tasks_done", { path: "s:1", agent_id })),
  );
  expect(closings.filter(({ kind }) => kind === "result")).toHaveLength(1);
});

test("a named branch takes precedence over the focus, and the focus over the checkout", async () => {
  const client = await withTask();
  await client.call("notes_commit", { content: "by focus" });
  await client.call("notes_commit", { branch: "main", content: "by name" });
  expect((await client.call("show", { doc_kind: "notes" })).branch).toBe("task/TASK-001");
  await client.call("tasks_focus_clear", {});
  expect((await client.call("show", { doc_kind: "notes" })).entries).toMatchObject([{ content: "by name" }]);
  expect(await client.refusal("show", { target: "TASK-001", branch: "main" })).toMatchObject({
    code: "INVALID_PAYLOAD",
  });
});

describe("resuming with 4,000 or 300 characters", () => {
  async function fixture() {
    const client = await withTask();
    for (let n = 0; n < 30; n += 1)
      await client.call("think_add_note", { card: { title: `note ${n}`, text: "x".repeat(2_000) } });
    await client.call("think_pipeline", {
      step: "focus",
      hypothesis: "The pool is too small",
      test: "CMD: bench/login.sh",
      evidence: {
        title: "40 of 40 taken",
        meta: { source: "ci", run: { cmd: "psql", link: "https://ci/1" } },
      },
      decision: "Pool of 80",
      status: { decision: "accepted" },
    });
    return client;
  }

  test.each(["tasks_resume_super", "context_pack"])(
    "%s names the current step, the decision, the evidence and the hypothesis",
    async (name) => {
      const client = await fixture();
      const { capsule, cards, signals } = await client.call(name, { target: "TASK-001", max_chars: 4_000 });
      expect(capsule).toMatchObject({
        where: { target: "TASK-001", step: expect.stringContaining("s:0") },
        next: { title: expect.any(String) },
      });
      const named = (list: { title?: string; text?: string }[]) =>
        list.map(({ title, text }) => title ?? text);
      expect(named(signals.decisions)).toEqual(["Pool of 80"]);
      expect(named(signals.evidence)).toEqual(["40 of 40 taken"]);
      expect(named(cards)).toContain("The pool is too small");
    },
  );

  test.each(["tasks_resume_super", "context_pack", "think_pack", "think_watch"])(
    "%s keeps where and next under every budget",
    async (name) => {
      const client = await fixture();
      for (const max_chars of [300, 450, 700, 1_500, 4_000]) {
        const { capsule, budget } = await client.call(name, { max_chars });
        expect(budget.used_chars).toBeLessThanOrEqual(max_chars);
        expect(capsule).toMatchObject({ where: { target: "TASK-001" }, next: { title: expect.any(String) } });
      }
    },
  );
});

test("jobs are returned page by page, newest first, each once", async () => {
  const client = await withTask();
  for (let n = 1; n <= 5; n += 1)
    await client.call("tasks_jobs_create", { title: `job ${n}`, prompt: "Look.", target: "TASK-001" });
  const found: string[] = [];
  for (let cursor: number | undefined; ; ) {
    const page = await client.call("tasks_jobs_list", { target: "TASK-001", limit: 2, cursor });
    found.push(...page.jobs.map(({ title }: { title: string }) => title));
    cursor = page.pagination.next_cursor;
    if (cursor === undefined) break;
  }
  expect(found).toEqual([5, 4, 3, 2, 1].map((n) => `job ${n}`));
});

test("under a small budget, the suggested calls return each task once", async () => {
  const client = await withTask();
  for (let n = 2; n <= 12; n += 1)
    await client.call("tasks_create", { parent: "PLAN-001", title: `task ${n} ${"x".repeat(200)}` });
  const found: string[] = [];
  let args: Record<string, unknown> = { max_chars: 1_500 };
  for (;;) {
    const { tasks, suggestions, pagination } = await client.call("tasks_context", args);
    found.push(...tasks.map(({ id }: { id: string }) => id));
    if (!pagination.has_more) break;
    args = suggestions.find(({ operation }: { operation: string }) => operation === "tasks_context").args;
  }
  expect(found).toEqual(Array.from({ length: 12 }, (_, n) => `TASK-${String(n + 1).padStart(3, "0")}`));
});
