import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import type { TaskDecision, TaskFacts } from "./decision.ts";
import type { Item, NewStep, Step } from "./item.ts";
import { completeItem, createItem, editItem } from "./item-changes.ts";
import { claimLease, releaseLease, renewLease } from "./lease.ts";
import { eventEntry, noteEntry, projectChange } from "./projection.ts";
import { lintTask, radarOf } from "./radar.ts";
import { closeStep, decompose, defineStep, doneStep, noteStep, verifyStep } from "./step-changes.ts";
import { countSteps, firstOpen } from "./steps.ts";

const next = { plan: 1, task: 1, step: 10 };
const plan = createItem({ workspace: "w", parent: undefined, next, now_ms: 1 }, { title: "Ship it" }).item;

const withChecks: NewStep = {
  title: "Parse",
  success_criteria: ["reads all files"],
  tests: ["npm test parse"],
};

function taskWith(...steps: NewStep[]): TaskFacts {
  const made = createItem(
    { workspace: "w", parent: plan, next, now_ms: 1 },
    { title: "Parser", parent: "PLAN-001", steps },
  );
  return {
    workspace: "w",
    item: made.item,
    steps: made.steps,
    openTasks: 0,
    event: 1,
    now_ms: 2,
    nextStep: made.nextStep ?? 0,
  };
}

/** Returns the facts after a decision is applied. */
function carryOut(facts: TaskFacts, { item, steps, nextStep = facts.nextStep }: TaskDecision): TaskFacts {
  const changed = new Map([...facts.steps, ...steps].map((step) => [step.step_id, step]));
  return { ...facts, item, steps: [...changed.values()], event: facts.event + 1, nextStep };
}

describe("creating", () => {
  test("makes a plan without a parent, and a task with one", () => {
    expect(plan).toMatchObject({ id: "PLAN-001", kind: "plan", status: "TODO", revision: 1 });
    expect(taskWith().item).toMatchObject({ id: "TASK-001", kind: "task", parent: "PLAN-001" });
  });

  test("gives steps paths in order and unique IDs", () => {
    expect(taskWith(withChecks, { title: "Write" }).steps).toMatchObject([
      { step_id: "STEP-0000000A", path: "s:0", criteria_confirmed: false },
      { step_id: "STEP-0000000B", path: "s:1" },
    ]);
  });

  test.each([
    ["a task without a plan", { title: "x", kind: "task" as const }, undefined, /invalid_task/],
    ["a task below a missing plan", { title: "x", parent: "PLAN-009" }, undefined, /unknown_target/],
    ["a task below a task", { title: "x", parent: "TASK-001" }, taskWith().item, /wrong_target/],
    ["a plan with steps", { title: "x", steps: [withChecks] }, undefined, /invalid_task/],
    ["a plan with a parent", { title: "x", kind: "plan" as const, parent: "PLAN-001" }, plan, /invalid_task/],
  ])("refuses %s", (_what, creation, parent: Item | undefined, reason) => {
    expect(() => createItem({ workspace: "w", parent, next, now_ms: 1 }, creation)).toThrow(reason);
  });
});

describe("checkpoints", () => {
  const facts = taskWith(withChecks);

  test("refuse to complete an unverified step and list what is open", () => {
    expect(() => doneStep(facts, { path: "s:0" })).toThrow(/checkpoints_open.*"criteria":true,"tests":true/);
  });

  test("require both criteria and tests", () => {
    const half = carryOut(
      facts,
      verifyStep(facts, { path: "s:0", checkpoints: { criteria: { confirmed: true } } }),
    );
    expect(() => doneStep(half, { path: "s:0" })).toThrow(/"criteria":false,"tests":true/);
    const whole = carryOut(
      half,
      verifyStep(half, { path: "s:0", checkpoints: { tests: { confirmed: true } } }),
    );
    expect(doneStep(whole, { path: "s:0" }).steps).toMatchObject([{ completed: true }]);
  });

  test.each(["gate", "all"] as const)(
    "are confirmed by %s when a step is closed in one call",
    (checkpoints) => {
      expect(closeStep(facts, { step_id: "STEP-0000000A", checkpoints }).steps[0]).toMatchObject({
        completed: true,
        completed_at_ms: 2,
      });
    },
  );

  test("prevent closing a step without confirming them", () => {
    expect(() => closeStep(facts, { path: "s:0", checkpoints: {} })).toThrow(/checkpoints_open/);
  });

  test("must be confirmed again after the criteria change", () => {
    const verified = carryOut(facts, verifyStep(facts, { path: "s:0", checkpoints: "all" }));
    const redefined = carryOut(
      verified,
      defineStep(verified, { path: "s:0", success_criteria: ["and writes them"] }),
    );
    expect(() => doneStep(redefined, { path: "s:0" })).toThrow(/"criteria":true,"tests":false/);
  });

  test("prevent closing a step twice, or while a substep is open", () => {
    const below = carryOut(facts, decompose(facts, { parent: "s:0", steps: [{ title: "Header" }] }));
    expect(() => closeStep(below, { path: "s:0", checkpoints: "all" })).toThrow(/substeps_open.*s:0.s:0/);
    const inner = carryOut(below, doneStep(below, { path: "s:0.s:0" }));
    const outer = carryOut(inner, closeStep(inner, { path: "s:0", checkpoints: "all" }));
    expect(() => doneStep(outer, { path: "s:0" })).toThrow(/step_completed/);
    expect(() => decompose(outer, { parent: "s:0", steps: [{ title: "x" }] })).toThrow(/step_completed/);
  });

  test.each([
    [{}, /no_step_named/],
    [{ path: "s:7" }, /unknown_step/],
    [{ step_id: "STEP-FFFFFFFF" }, /unknown_step/],
    [{ step_id: "STEP-0000000A", path: "s:1" }, /unknown_step/],
  ])("apply only to an existing step: %o", (ref, reason) => {
    expect(() => doneStep(facts, ref)).toThrow(reason);
  });
});

describe("revisions", () => {
  const facts = taskWith({ title: "a" });

  test("increase with every change, and work makes a task active", () => {
    expect(noteStep(facts, { note: "seen" }).item).toMatchObject({ revision: 2, status: "ACTIVE" });
    expect(editItem(facts, { title: "b" }).item).toMatchObject({ revision: 2, status: "TODO", title: "b" });
  });

  test("cause a refusal if the caller expects another one", () => {
    expect(() => editItem(facts, { title: "b", expected_revision: 0 })).toThrow(/stale_revision/);
    expect(() => doneStep(facts, { path: "s:0", expected_revision: 2 })).toThrow(/stale_revision/);
    expect(doneStep(facts, { path: "s:0", expected_revision: 1 }).item.revision).toBe(2);
  });

  test("do not accept an edit without changes", () => {
    expect(() => editItem(facts, {})).toThrow(/invalid_task/);
  });
});

describe("completing", () => {
  const facts = taskWith({ title: "a" });

  test("a task requires closed steps, a plan requires closed tasks", () => {
    expect(() => completeItem(facts, {})).toThrow(/steps_open/);
    const closed = carryOut(facts, doneStep(facts, { path: "s:0" }));
    expect(completeItem(closed, {}).item.status).toBe("DONE");
    expect(() => completeItem({ ...facts, item: plan, steps: [], openTasks: 2 }, {})).toThrow(/tasks_open/);
  });

  test("a parked task stores when it resumes", () => {
    expect(completeItem(facts, { status: "PARKED", parked_for_s: 60 }).item).toMatchObject({
      status: "PARKED",
      parked_until_ts_ms: 60_002,
    });
    expect(() => completeItem(facts, { status: "DONE", parked_for_s: 60 })).toThrow(/invalid_task/);
    expect(() => completeItem(facts, { status: "PARKED", parked_for_s: 1, parked_until_ts_ms: 2 })).toThrow();
  });
});

describe("leases", () => {
  const facts = taskWith({ title: "a" }, { title: "b" });
  const leased = carryOut(facts, claimLease(facts, { path: "s:0", agent_id: "ann", ttl_seq: 3 }));

  test("other agents and callers without a name cannot change the step or its substeps", () => {
    expect(() => doneStep(leased, { path: "s:0", agent_id: "bob" })).toThrow(/lease_held.*ann/);
    expect(() => doneStep(leased, { path: "s:0" })).toThrow(/lease_held/);
    expect(() => claimLease(leased, { path: "s:0", agent_id: "bob" })).toThrow(/lease_held/);
    const own = carryOut(
      leased,
      decompose(leased, { parent: "s:0", steps: [{ title: "x" }], agent_id: "ann" }),
    );
    expect(() => doneStep(own, { path: "s:0.s:0", agent_id: "bob" })).toThrow(/lease_held/);
    expect(doneStep(leased, { path: "s:1", agent_id: "bob" }).steps).toHaveLength(1);
  });

  test("the holder can continue, and closing the step ends the lease", () => {
    expect(doneStep(leased, { path: "s:0", agent_id: "ann" }).steps[0]?.lease).toBeUndefined();
  });

  test("a lease ends after its number of events, when it is released, or by force", () => {
    const late = { ...leased, event: 5 };
    expect(doneStep({ ...leased, event: 5 }, { path: "s:0", agent_id: "bob" }).steps).toHaveLength(1);
    expect(() => renewLease(late, { path: "s:0", agent_id: "ann" })).toThrow(/lease_not_held/);
    expect(() => releaseLease(leased, { path: "s:0", agent_id: "bob" })).toThrow(/lease_not_held.*ann/);
    expect(releaseLease(leased, { path: "s:0", agent_id: "ann" }).steps[0]?.lease).toBeUndefined();
    expect(claimLease(leased, { path: "s:0", agent_id: "bob", force: true }).steps[0]?.lease?.agent_id).toBe(
      "bob",
    );
  });

  test("renewing counts from now and keeps the revision", () => {
    const renewed = renewLease({ ...leased, event: 4 }, { path: "s:0", agent_id: "ann", ttl_seq: 10 });
    expect(renewed.steps[0]?.lease).toEqual({
      agent_id: "ann",
      claimed_event: 4,
      expires_event: 14,
      claimed_ms: leased.now_ms,
    });
    expect(renewed.item.revision).toBe(leased.item.revision);
  });

  test("whatever four agents try, each step is closed once and only by its holder", () => {
    const agent = fc.constantFrom("a", "b", "c", "d");
    const move = fc.record({ agent, step: fc.nat(2), claim: fc.boolean() });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        let now = taskWith({ title: "x" }, { title: "y" }, { title: "z" });
        const closed: string[] = [];
        for (const { agent: agent_id, step, claim } of moves) {
          const path = `s:${step}`;
          const holder = now.steps.find((one) => one.path === path)?.lease;
          try {
            const ref = { path, agent_id };
            now = carryOut(now, claim ? claimLease(now, { ...ref, ttl_seq: 5 }) : doneStep(now, ref));
            if (claim) continue;
            closed.push(path);
            if (holder && now.event - 1 <= holder.expires_event) expect(holder.agent_id).toBe(agent_id);
          } catch (thrown) {
            expect(String(thrown)).toMatch(/lease_held|step_completed/);
          }
        }
        expect(new Set(closed).size).toBe(closed.length);
      }),
    );
  });
});

describe("reading", () => {
  test("the first open step is the deepest one that can be closed now", () => {
    const facts = taskWith({ title: "a" }, { title: "b" });
    const below = carryOut(
      facts,
      decompose(facts, { parent: "s:0", steps: [{ title: "a1" }, { title: "a2" }] }),
    );
    expect(firstOpen(below.steps)?.path).toBe("s:0.s:0");
    const closed = carryOut(below, doneStep(below, { path: "s:0.s:0" }));
    expect(firstOpen(closed.steps)?.path).toBe("s:0.s:1");
    expect(countSteps(closed.steps)).toMatchObject({ total: 4, open: 3, completed: 1 });
  });

  test("orders paths by number", () => {
    const facts = taskWith(...Array.from({ length: 12 }, (_, at) => ({ title: `t${at}` })));
    const closed = facts.steps
      .slice(0, 9)
      .reduce((now, { path }) => carryOut(now, doneStep(now, { path })), facts);
    expect(firstOpen(closed.steps)?.path).toBe("s:9");
  });

  test("the radar shows the current step, what to verify and the next step", () => {
    const { item, steps } = taskWith({ ...withChecks, blockers: ["no access"] }, { title: "Write" });
    expect(radarOf(item, steps, plan, [])).toEqual({
      now: "s:0 Parse",
      why: "PLAN-001: Ship it",
      verify: ["reads all files", "npm test parse"],
      next: ["s:1 Write"],
      blockers: ["no access"],
    });
    expect(radarOf(plan, [], undefined, [item])).toMatchObject({ now: "TASK-001 Parser" });
    expect(radarOf(item, [], plan, []).next).toEqual(["Add steps with tasks_decompose"]);
  });

  test("lint finds steps without criteria, and tasks without steps", () => {
    const { item, steps } = taskWith(withChecks, { title: "Write" });
    expect(lintTask(item, steps)).toMatchObject([{ code: "STEP_NO_CRITERIA", path: "s:1" }]);
    expect(lintTask(item, [])).toMatchObject([{ code: "TASK_NO_STEPS" }]);
  });
});

describe("the projection", () => {
  const made = createItem(
    { workspace: "w", parent: plan, next, now_ms: 1 },
    { title: "Parser", parent: "PLAN-001", steps: [{ title: "a" }] },
  );

  test("adds a new task with its steps as nodes, and as a node of its plan", () => {
    const [own, ofPlan] = projectChange(undefined, made, []);
    expect(own).toMatchObject({
      branch: "task/TASK-001",
      doc: "TASK-001-graph",
      states: [
        { id: "task:TASK-001", type: "task", status: "todo" },
        { id: "step:STEP-0000000A", status: "open", meta: { path: "s:0" } },
        { from: "task:TASK-001", rel: "contains", to: "step:STEP-0000000A" },
      ],
    });
    expect(ofPlan).toMatchObject({
      branch: "plan/PLAN-001",
      states: [{ id: "task:TASK-001" }, { from: "task:PLAN-001", rel: "contains", to: "task:TASK-001" }],
    });
  });

  test("creates a new version only for visible changes", () => {
    const facts: TaskFacts = { ...taskWith({ title: "a" }), item: { ...made.item, status: "ACTIVE" } };
    expect(projectChange(facts.item, noteStep(facts, { note: "x" }), facts.steps)).toEqual([]);
    const done = projectChange(facts.item, doneStep(facts, { path: "s:0" }), facts.steps);
    expect(done).toMatchObject([{ states: [{ id: "step:STEP-0000000A", status: "done" }] }]);
  });

  test("writes the event to the trace and the note to the notes, with the same event ID", () => {
    const facts = taskWith({ title: "a" });
    const decision = noteStep(facts, { path: "s:0", note: "Seen twice\nand more" });
    expect(eventEntry("TASK-001", decision.event, 7, "ann")).toMatchObject({
      source: "evt_0000000000000007",
      entry: {
        kind: "event",
        content: "Seen twice",
        meta: { event_id: "evt_0000000000000007", path: "s:0" },
      },
    });
    expect(noteEntry(decision, 7, "ann")).toMatchObject({
      kind: "note",
      content: "Seen twice\nand more",
      meta: { event_id: "evt_0000000000000007", step: { step_id: "STEP-0000000A" } },
    });
  });
});

test("a task has at most 1,000 steps, and all paths differ", () => {
  const facts = taskWith();
  const many = Array.from({ length: 100 }, () => ({ title: "x" }));
  let now = facts;
  for (let round = 0; round < 10; round++) now = carryOut(now, decompose(now, { steps: many }));
  expect(new Set(now.steps.map(({ path }: Step) => path)).size).toBe(1_000);
  expect(() => decompose(now, { steps: [{ title: "one more" }] })).toThrow(/too_many_steps/);
});
