import { describe, expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp } from "../support/test-app.ts";
import { type Call, facts, liveTheWeek } from "../support/week/live-the-week.ts";

/**
 * The minimum number of facts in each pack at 2,000, 4,000 and 20,000 characters. A task's pack contains only
 * the task's own eight facts.
 */
const packs: [operation: string, args: Record<string, unknown>, shown: [number, number, number]][] = [
  ["context_pack", { target: "PLAN-001" }, [12, 12, 12]],
  ["tasks_resume_super", { target: "PLAN-001" }, [12, 12, 12]],
  ["context_pack", { target: "TASK-002" }, [8, 8, 8]],
  ["tasks_resume_super", { target: "TASK-002" }, [8, 8, 8]],
  ["think_pack", { target: "TASK-002" }, [7, 8, 8]],
  ["think_watch", { target: "TASK-002" }, [7, 8, 8]],
  ["export", { target: "TASK-002" }, [7, 7, 8]],
];

const budgets = [2_000, 4_000, 20_000];

const factsIn = (answer: object): string[] => {
  const text = JSON.stringify(answer);
  return Object.keys(facts).filter((fact) => facts[fact]?.test(text));
};

/** Starts three agents, each with its own process, and a fourth that joins afterwards and asks. */
async function joinAfterTheWeek(backend: "binary" | "fs"): Promise<Call> {
  const dataDir = tempDir();
  const agent = (name: string): Call =>
    createTestApp({ backend, dataDir, env: { THOUGHTBOX_AGENT_ID: name } }).legacy().call;
  await liveTheWeek({ ada: agent("ada"), bo: agent("bo"), cy: agent("cy") });
  return agent("dee");
}

describe("an agent who joins after a week of three others", () => {
  test("learns the important facts about a plan, or about one task, from a single call", async () => {
    const cold = await joinAfterTheWeek("binary");
    const table: string[] = [];
    const shown: Record<string, number[]> = {};
    for (const [operation, args] of packs) {
      const counts: number[] = [];
      for (const max_chars of budgets) {
        const answer = await cold(operation, { ...args, max_chars });
        counts.push(factsIn(answer).length);
        expect(answer.budget.used_chars).toBeLessThanOrEqual(max_chars);
        table.push(
          `${operation} ${args["target"]}\t${max_chars}\t${counts.at(-1)} facts\t${answer.budget.used_chars}`,
        );
      }
      shown[`${operation} ${args["target"]}`] = counts;
    }
    if (process.env["WEEK_TABLE"]) process.stdout.write(`${table.join("\n")}\n`);
    for (const [operation, { target }, least] of packs)
      for (const [at, count] of (shown[`${operation} ${target}`] ?? []).entries())
        expect(count, `${operation} ${target} at ${budgets[at]}`).toBeGreaterThanOrEqual(least[at] ?? 0);
  });

  test("sees which tasks are ready and that a decision in conflict is not settled", async () => {
    const cold = await joinAfterTheWeek("fs");
    const { board, conflicts_open, capsule } = await cold("context_pack", { target: "PLAN-001" });
    expect(board).toMatchObject({ progress: "1 of 6 tasks done", ready: ["TASK-006"] });
    expect(board.tasks[0]).toMatchObject({ id: "TASK-002", holder: "bo" });
    expect(conflicts_open).toBe(1);
    expect(capsule.next.primary.calls).toEqual([
      { operation: "context_pack", args: expect.objectContaining({ target: "TASK-006" }) },
    ]);
    const task = await cold("context_pack", { target: "TASK-002" });
    expect(task.signals.decisions[0]).toMatchObject({
      id: "CARD-CAP",
      in_conflict: expect.stringMatching(/^CONFLICT-/),
    });
    expect(task.open_steps).toMatchObject([{ path: "s:1", holder: "bo", tests: ["make load"] }]);
    expect(task.capsule.where.step).toContain("Raise the cap to all hosts");
    const radar = await cold("tasks_radar", { target: "TASK-002" });
    expect(radar).toMatchObject({ conflicts_open: 1 });
    expect(radar.radar.blockers.join()).toMatch(/CONFLICT-/);
  });

  test("learns which step is next, its criteria and its blockers", async () => {
    const cold = await joinAfterTheWeek("fs");
    const { capsule, signals } = await cold("context_pack", { target: "TASK-003" });
    expect(capsule.next).toMatchObject({
      title: "s:0 Agree on a TTL",
      primary: {
        criteria: ["the TTL is in the contract"],
        blockers: ["the pricing team has not named a TTL"],
      },
    });
    expect(signals.blockers).toMatchObject([{ title: "the pricing team has not named a TTL" }]);
    expect((await cold("context_pack", { target: "TASK-005" })).signals.blockers).toMatchObject([
      { id: "TASK-002" },
      { id: "TASK-003" },
    ]);
    const resumed = await cold("tasks_resume_super", { target: "TASK-003" });
    expect(resumed.engine).toMatchObject({
      mode: "step_aware",
      step_tag: expect.stringMatching(/^step:step-/),
    });
  });

  test("learns about unpublished drafts and, without a target, which plan to continue", async () => {
    const cold = await joinAfterTheWeek("fs");
    const { engine, board } = await cold("context_pack", { target: "TASK-006" });
    expect(engine.signals.map(({ code }: { code: string }) => code)).toContain(
      "BM_LANE_DECISION_NOT_PUBLISHED",
    );
    expect(board.drafts[0]).toMatch(/^CARD-ALERT Alert above 350 ms for 5 minutes \(cy, /);
    const nowhere = await cold("context_pack", {});
    expect(nowhere.board.plans).toEqual(["PLAN-001 ACTIVE Checkout answers within 300 ms"]);
    expect(nowhere.capsule.next.primary.calls[0]).toMatchObject({ args: { target: "PLAN-001" } });
  });

  test("can run every call that any pack proposes unchanged", async () => {
    const cold = await joinAfterTheWeek("fs");
    const proposed = new Map<string, Proposed>();
    const targets = ["PLAN-001", ...[1, 2, 3, 4, 5, 6].map((n) => `TASK-00${n}`)];
    for (const target of targets)
      for (const operation of ["context_pack", "tasks_resume_super", "think_pack", "think_watch", "export"])
        for (const max_chars of [300, 500, 700, 900, 1_300, 1_700, 2_000, 2_500, 3_000, 4_000, 5_000, 20_000])
          for (const call of callsIn(await cold(operation, { target, max_chars })))
            proposed.set(JSON.stringify(call), call);
    expect(proposed.size).toBeGreaterThan(60);
    for (const { operation, args } of proposed.values()) await cold(operation, args);
  });
});

type Proposed = { operation: string; args: Record<string, unknown> };

/** Returns all calls in a value, except templates that have to be filled in first. */
function callsIn(value: unknown): Proposed[] {
  if (typeof value !== "object" || value === null) return [];
  const { operation, args } = value as Partial<Proposed>;
  if (typeof operation === "string" && args) return [{ operation, args }];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "evidence_template" ? [] : callsIn(member),
  );
}
