export type Call = (operation: string, args: Record<string, unknown>) => Promise<any>;

type Agents = { ada: Call; bo: Call; cy: Call };

/** Facts that an agent that joins on Monday must learn, and how to find them in an answer. */
export const facts: Readonly<Record<string, RegExp>> = {
  "why the plan exists": /abandon their carts/,
  "the step that is under way": /Raise the cap to all hosts/,
  "who holds it": /"bo"/,
  "what blocks a task": /pricing team has not named a TTL/,
  "what a task waits for": /TASK-002[^}]{0,40}TASK-003/,
  "what was decided": /Cap the pool at 20 connections/,
  "the evidence for it": /p95 fell from 2300 to 410 ms/,
  "what was given up": /Driver 5 removes the wait/,
  "a draft that no one else sees": /Alert above 350 ms for 5 minutes/,
  "a conflict that waits": /CONFLICT-[0-9a-f]{32}/,
  "a job that failed": /runner ran out of disk/,
  "the hand-over": /pool\.yml on host 7 is edited by hand/,
};

const day = (n: number, words: string) =>
  `Day ${n}. ${words} `.padEnd(160 + 37 * n, "What was seen is written down here. ");

/**
 * Has three agents work on a plan with six tasks for a week. Each writes more than the next needs to know.
 */
export async function liveTheWeek({ ada, bo, cy }: Agents): Promise<void> {
  await ada("tasks_create", {
    title: "Checkout answers within 300 ms",
    description: "One in nine customers abandon their carts while checkout takes 2.3 s.",
  });
  const task = (title: string, steps: object[]) =>
    ada("tasks_create", { kind: "task", parent: "PLAN-001", title, steps });
  await task("Measure where the time goes", [
    { title: "Trace one day", success_criteria: ["a number per host"] },
  ]);
  await task("Fix the connection pool", [
    { title: "Try the cap on one host", success_criteria: ["p95 is known"] },
    {
      title: "Raise the cap to all hosts",
      success_criteria: ["error rate stays below 0.1 %"],
      tests: ["make load"],
    },
  ]);
  await task("Cache the price list", [
    {
      title: "Agree on a TTL",
      success_criteria: ["the TTL is in the contract"],
      blockers: ["the pricing team has not named a TTL"],
    },
  ]);
  await task("Replace the database driver", [{ title: "Spike with driver 5" }]);
  await task("Roll out", [{ title: "Switch the flag on" }]);
  await ada("tasks_edit", { target: "TASK-005", depends_on: ["TASK-002", "TASK-003"] });
  await task("Alert on slow checkouts", [
    { title: "Choose the threshold", success_criteria: ["on-call agrees"] },
  ]);

  await ada("tasks_note", { target: "TASK-001", path: "s:0", note: day(1, "Traced every host.") });
  await ada("think_card", {
    target: "TASK-001",
    card: {
      type: "evidence",
      title: "Nine tenths of the time is spent waiting for a connection",
      text: "CMD: make trace",
    },
  });
  await ada("tasks_close_step", { target: "TASK-001", path: "s:0", checkpoints: "gate" });
  await ada("tasks_complete", { target: "TASK-001" });

  await ada("think_card", {
    target: "TASK-002",
    step: "focus",
    card: {
      id: "CARD-POOL",
      type: "hypothesis",
      title: "The pool is too small",
      text: day(2, "Waits grow with load."),
    },
  });
  await ada("think_card", {
    target: "TASK-002",
    card: { id: "CARD-CAP-TEST", type: "test", title: "One host with a cap of 20", text: "CMD: make load" },
    supports: ["CARD-POOL"],
  });
  await ada("think_pipeline", {
    target: "TASK-002",
    evidence: {
      id: "CARD-P95",
      title: "p95 fell from 2300 to 410 ms on host 7",
      text: "CMD: make load\nLINK: https://ci.example/77",
    },
    decision: {
      id: "CARD-CAP",
      title: "Cap the pool at 20 connections",
      text: day(3, "Above 20 the database swaps."),
    },
  });
  await ada("tasks_close_step", { target: "TASK-002", path: "s:0", checkpoints: "gate" });
  for (let n = 0; n < 6; n += 1)
    await ada("notes_commit", {
      target: "TASK-002",
      title: `Reading ${n}`,
      content: day(n, "Host readings."),
    });
  await ada("tasks_note", {
    target: "TASK-002",
    path: "s:1",
    note: "Handing over to bo: pool.yml on host 7 is edited by hand, commit it before the roll-out.",
  });
  await bo("tasks_step_lease_claim", { target: "TASK-002", path: "s:1" });

  await bo("think_card", {
    target: "TASK-004",
    card: {
      id: "CARD-DRIVER",
      type: "hypothesis",
      title: "Driver 5 removes the wait",
      text: day(4, "It pools by itself."),
    },
  });
  for (let n = 0; n < 5; n += 1)
    await bo("think_card", {
      target: "TASK-004",
      card: {
        type: "question",
        title: `Does driver 5 know option ${n}?`,
        text: day(n, "Not in its manual."),
      },
    });
  await bo("think_card", {
    target: "TASK-004",
    card: {
      type: "evidence",
      title: "Driver 5 loses prepared statements after a failover",
      text: "CMD: make failover",
    },
    blocks: ["CARD-DRIVER"],
  });
  await bo("think_set_status", { target: "TASK-004", targets: ["CARD-DRIVER"], status: "rejected" });
  await bo("tasks_complete", { target: "TASK-004", status: "CANCELED" });

  await cy("think_card", {
    target: "TASK-006",
    card: {
      id: "CARD-ALERT",
      type: "decision",
      title: "Alert above 350 ms for 5 minutes",
      tags: ["v:draft"],
      text: day(5, "On-call has not seen it."),
    },
  });
  for (let n = 0; n < 8; n += 1)
    await cy("notes_commit", { target: "TASK-006", content: day(n, "Thresholds of other teams.") });

  await cy("branch_create", { name: "try/cap", from: "task/TASK-002" });
  const recap = (title: string, branch: string) => ({
    branch,
    doc: "TASK-002-graph",
    ops: [{ op: "node_upsert", id: "CARD-CAP", type: "decision", title, status: "open", tags: ["v:canon"] }],
  });
  await cy("graph_apply", recap("Cap the pool at 40 connections", "try/cap"));
  await bo("graph_apply", recap("Cap the pool at 20 connections", "task/TASK-002"));
  await cy("graph_merge", { from: "try/cap", into: "task/TASK-002", doc: "TASK-002-graph" });

  await bo("tasks_jobs_create", {
    target: "TASK-002",
    title: "Load test with 200 users",
    prompt: day(6, "Run make load."),
  });
  const { job } = await cy("tasks_jobs_claim", { job: "JOB-001", runner_id: "ci-3" });
  await cy("tasks_jobs_complete", {
    job: "JOB-001",
    runner_id: "ci-3",
    claim_revision: job.revision,
    status: "FAILED",
    summary: "the runner ran out of disk after 140 users",
  });
  await bo("tasks_jobs_create", {
    target: "TASK-002",
    title: "Load test on a larger runner",
    prompt: "Run make load there.",
  });
}
