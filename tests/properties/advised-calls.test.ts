import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { chanceFor } from "../support/seeded-random.ts";
import { createTestApp, type TestClient } from "../support/test-app.ts";

type Args = Record<string, unknown>;
type Advised = { operation: string; args: Args };
type Chance = ReturnType<typeof chanceFor>;

const effects = new Map(catalogue.map(({ name, effect }) => [name, effect]));

/** Returns every call in an answer. A template for evidence is completed before it is sent. */
function callsIn(value: unknown, failed: Args): Advised[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => callsIn(one, failed));
  const { operation, args, patch, evidence_template: _completed, ...rest } = value as Args;
  const own =
    typeof operation === "string" && effects.has(operation)
      ? [{ operation, args: { ...(patch === true && failed), ...(args as Args) } }]
      : [];
  return [...own, ...Object.values(rest).flatMap((one) => callsIn(one, failed))];
}

const cardTypes = ["frame", "hypothesis", "question", "test", "evidence", "decision", "update"];
const letters = "OHECQRPAX";

/** Returns a call that an agent might make. Some of its IDs may be slightly too high to exist yet. */
function nextCall(chance: Chance, n: number): [name: string, args: Args] {
  const pick = <Value>(values: readonly Value[]): Value => values[chance.upTo(values.length - 1)] as Value;
  const maybe = (args: Args): Args => (chance.next() < 0.5 ? args : {});
  const target = { target: `${pick(["PLAN", "TASK", "TASK"])}-00${1 + chance.upTo(3)}` };
  const task = { target: `TASK-00${1 + chance.upTo(2)}` };
  const card = `CARD-${1 + chance.upTo(9)}`;
  const agent = maybe({ agent_id: pick(["ann", "ben"]) });
  const branch = pick(["main", "try", "try/2", "nowhere"]);
  const small = maybe({ max_chars: pick([300, 700, 2_000, 6_000]) });
  const path = pick(["s:0", "s:1", "s:7"]);
  const makes: readonly (() => [string, Args])[] = [
    () => ["thought", { thought: `S${n}|${pick([...letters])}|Something about ${n}` }],
    () => ["notes_commit", { content: `note ${n} ${"x".repeat(chance.upTo(900))}`, ...maybe(target) }],
    () => ["tasks_create", { title: `Goal ${n}`, ...maybe({ steps: ["Look", `Do ${n}`] }), ...agent }],
    () => [
      "tasks_create",
      {
        ...{ title: `Task ${n}`, parent: `PLAN-00${1 + chance.upTo(2)}` },
        steps: [{ title: "Look", success_criteria: ["green"], tests: ["npm test"], blockers: [] }],
      },
    ],
    () => ["tasks_focus_set", target],
    () => [pick(["tasks_done", "tasks_verify", "tasks_close_step"]), { ...task, path, ...agent }],
    () => ["tasks_close_step", { ...task, path, checkpoints: "all", ...agent }],
    () => ["tasks_complete", { ...target, ...maybe({ status: pick(["PARKED", "CANCELED", "ACTIVE"]) }) }],
    () => [
      "tasks_edit",
      { ...task, depends_on: [`TASK-00${1 + chance.upTo(3)}`], ...maybe({ expected_revision: 1 }) },
    ],
    () => ["tasks_step_lease_claim", { ...task, path, agent_id: pick(["ann", "ben"]) }],
    () => ["tasks_step_lease_release", { ...task, path, agent_id: pick(["ann", "ben"]) }],
    () => ["tasks_jobs_create", { title: `Job ${n}`, prompt: "Look.", ...maybe({ task_id: "TASK-001" }) }],
    () => ["tasks_jobs_claim", { runner_id: "runner" }],
    () => [
      "tasks_jobs_complete",
      {
        job_id: `JOB-00${1 + chance.upTo(2)}`,
        claim_revision: chance.upTo(3),
        status: "DONE",
        summary: "Done.",
      },
    ],
    () => [
      "think_card",
      {
        ...{ type: pick(cardTypes), title: `Card ${n} a vs b`, text: "CMD: npm test" },
        ...maybe(target),
        card: {
          tags: pick([[], ["v:draft"], ["assumption"], ["a:core"], ["dead-end"]]),
          ...maybe({ status: pick(["open", "rejected", "closed"]) }),
          ...maybe({ supports: [card] }),
          ...maybe({ blocks: [`CARD-${1 + chance.upTo(9)}`] }),
        },
      },
    ],
    () => ["think_pin", { targets: [card], ...maybe(target) }],
    () => ["think_set_status", { targets: [card], status: pick(["open", "closed"]), ...maybe(target) }],
    () => ["think_publish", { card_id: card, ...maybe(target) }],
    () => ["think_link", { from: card, rel: "supports", to: `CARD-${1 + chance.upTo(9)}` }],
    () => ["branch_create", { name: pick(["try", "try/2"]), ...maybe({ from: branch }) }],
    () => ["checkout", { ref: branch }],
    () => [
      "graph_apply",
      {
        branch: pick(["main", "try"]),
        ops: [{ op: "node_upsert", id: `n${chance.upTo(2)}`, type: "fact", title: `t${n}` }],
      },
    ],
    () => [
      "graph_merge",
      { from: pick(["try", "try/2"]), ...maybe({ into: "main" }), ...maybe({ merge_to_base: true }) },
    ],
    () => ["merge", { from: branch, ...maybe({ into: "main" }) }],
    () => ["branch_delete", { name: branch }],
    () => ["branch_rename", { old: branch, new: pick(["try", "try/2", "kept"]) }],
    () => ["commit", { artifact: `a${n}`, message: `m${n}` }],
    () => ["tag_create", { name: pick(["v1", "v2"]), ...maybe({ from: branch }) }],
    () => ["reset", { ref: pick(["v1", "main", "notes@3"]) }],
    () => [
      "open",
      { id: pick([card, "TASK-001", "PLAN-002", "JOB-001", "v1", "try", "notes@4", "n1", "latest"]) },
    ],
    () => [
      pick(["context_pack", "tasks_resume_super", "export", "tasks_radar"]),
      { ...maybe(target), ...small },
    ],
    () => [
      pick(["think_pack", "think_watch", "think_context", "think_frontier", "think_next"]),
      { ...maybe(target), ...small },
    ],
    () => [
      pick(["show", "think_query", "graph_query", "trace_hydrate"]),
      { ...maybe(target), ...small, limit: 1 + chance.upTo(5) },
    ],
    () => [pick(["log", "reflog", "docs_list"]), { ...maybe({ ref: branch }), ...small }],
    () => [
      pick(["branch_list", "tag_list", "graph_conflicts", "anchors_list", "anchors_lint", "tasks_jobs_list"]),
      small,
    ],
    () => [
      pick(["status", "diagnostics", "changes", "think_lint", "graph_validate", "trace_validate"]),
      small,
    ],
    () => ["diff", { from: branch, to: "main", ...small }],
    () => ["graph_diff", { from: "main", to: branch, ...small }],
    () => ["tasks_context", { ...small, ...maybe({ include_all: true }) }],
    () => ["anchor_snapshot", { anchor: "a:core" }],
    () => ["load_context", maybe({ latest: true })],
    () => ["session.search", { query: `something ${chance.upTo(n)}` }],
    () => ["think_playbook", { name: "debug" }],
  ];
  return pick(makes)();
}

/** Makes random calls and immediately follows the advice in each answer: all reads, and the first write. */
async function live(client: TestClient, chance: Chance, calls: number, done: Map<string, Advised>) {
  const problems: string[] = [];
  const follow = async ({ operation, args }: Advised, from: string) => {
    const reply = await client.reply(operation, args);
    done.set(JSON.stringify([operation, args]), { operation, args });
    if (reply.kind === "error")
      problems.push(`${from} advises ${operation} ${JSON.stringify(args)}: ${JSON.stringify(reply.error)}`);
  };
  for (let n = 1; n <= calls; n += 1) {
    const [name, args] = nextCall(chance, n);
    const advised = callsIn(await client.reply(name, args), args);
    const isRead = ({ operation }: Advised) => effects.get(operation) === "read";
    const from = `${name} ${JSON.stringify(args)}`;
    for (const call of advised.filter(isRead)) await follow(call, from);
    const write = advised.find((call) => !isRead(call));
    if (write) await follow(write, from);
  }
  return problems;
}

test("400 calls that answers suggest, in random states, succeed unchanged", {
  timeout: 120_000,
}, async () => {
  const done = new Map<string, Advised>();
  const problems: string[] = [];
  for (let round = 0; done.size < 420 && round < 60; round += 1) {
    const client = createTestApp({ backend: "fs", env: { THOUGHTBOX_WORKSPACE: `w${round}` } }).legacy();
    problems.push(...(await live(client, chanceFor(`advised ${round}`), 80, done)));
  }
  expect(problems).toEqual([]);
  expect(done.size).toBeGreaterThanOrEqual(400);
  expect(new Set([...done.values()].map(({ operation }) => operation)).size).toBeGreaterThan(20);
});
