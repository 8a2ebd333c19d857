import { expect, test } from "vitest";
import { clip } from "../../src/kernel/text.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import fc from "../support/fast-check.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { noon } from "../support/stores/stores.ts";
import { createTestApp, startThinking, type TestClient } from "../support/test-app.ts";
import { codexPath, writeTranscripts } from "../support/transcripts.ts";

type Args = Record<string, unknown>;
type Json = Record<string, any>;

const workspace = "acme/repo";

/** Data written before anything is read: long names, wide letters, much metadata. A letter may take many units. */
const text = (maxLength: number) =>
  fc.oneof(
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength, size: "max" })
      .map((letters) => clip(letters, maxLength)),
    fc
      .tuple(fc.constantFrom("a", '"', "\\", "\u0001", "😀", "日"), fc.nat({ max: maxLength }))
      .map(([unit, length]) => unit.repeat(length + 1).slice(0, maxLength - (maxLength % 2))),
  );
const id = text(256).map((raw) => clip(`n${raw.replaceAll(/[\p{C}\p{Z}|]/gu, "x")}`, 256));
const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,126}$/, { size: "max" }).map((raw) => `b${raw}`);
const value = fc.oneof(text(60), fc.integer(), fc.array(text(20)), fc.record({ deep: text(200) }));
const meta = fc.dictionary(fc.stringMatching(/^k[a-z]{1,9}$/), value, { maxKeys: 4 });
const data = fc.record({
  notes: fc.array(fc.record({ content: text(2_000).map((raw) => `c${raw}`), title: text(400), meta }), {
    minLength: 4,
    maxLength: 14,
    size: "max",
  }),
  nodes: fc.uniqueArray(
    fc.record({ id, type: text(20).map(() => "fact"), title: text(400), text: text(2_000), meta }),
    { selector: (node) => node.id, minLength: 4, maxLength: 14, size: "max" },
  ),
  branches: fc.uniqueArray(name, { minLength: 2, maxLength: 12, size: "max" }),
});
type Data = typeof data extends fc.Arbitrary<infer Value> ? Value : never;

type Place = Data & { branch: string; sessionId: string; conflictId: string; commitRef: string };

/** Writes everything that a memory read can show: notes, graphs, conflicts, commits, tags, a session. */
async function fill(client: TestClient, { notes, nodes, branches }: Data): Promise<Place> {
  const call = (operation: string, args: Args) => client.call(operation, { workspace, ...args });
  const branch = branches[0] ?? "b";
  for (const note of notes) await call("notes_commit", note);
  const upserts = nodes.map((node) => ({ op: "node_upsert", ...node, tags: ["t"] }));
  const edges = nodes.map((node) => ({ op: "edge_upsert", from: node.id, rel: "r", to: nodes[0]?.id }));
  await call("graph_apply", { ops: [...upserts, ...edges] });
  for (const one of branches) await call("branch_create", { name: one });
  for (const [n, note] of notes.entries()) {
    await call("notes_commit", { branch, ...note });
    const { entries: commits } = await call("commit", { artifact: note.content, message: note.title });
    await call("tag_create", { name: `${branch}${n}`.slice(-128), from: `notes@${commits[0].seq}` });
  }
  const collide = (title: string) => nodes.map((node) => ({ op: "node_upsert", id: node.id, type: title }));
  await call("graph_apply", { branch, ops: collide("theirs") });
  await call("graph_apply", { branch: "main", ops: collide("ours") });
  const [{ conflict_id }] = (await call("graph_merge", { from: branch, into: "main" })).conflicts;
  const { commits } = await call("log", { limit: 1 });
  const sessionId = await startThinking(client);
  for (const { content } of notes) await client.call("thought", { sessionId, thought: content });
  // Edges with a missing end, for graph_validate: the base deletes nodes that the branch links to.
  const last = nodes.at(-1)?.id ?? "n";
  await call("branch_create", { name: "loose" });
  await call("graph_apply", {
    branch: "loose",
    ops: nodes.slice(0, -1).map((node) => ({ op: "edge_upsert", from: node.id, rel: "loose", to: last })),
  });
  await call("graph_apply", { branch: "main", ops: [{ op: "node_delete", id: last }] });
  await call("graph_merge", { from: "loose", into: "main" });
  await fillThinking(call, notes);
  return {
    notes,
    nodes,
    branches,
    branch,
    sessionId,
    conflictId: conflict_id,
    commitRef: `notes@${commits[0].seq}`,
  };
}

/** Creates a plan, a task with steps and a lease, jobs, and cards of every kind. Nothing is in focus. */
async function fillThinking(call: (operation: string, args: Args) => Promise<Json>, notes: Data["notes"]) {
  const titles = notes.map(({ title }) => clip(title.replaceAll(/[\p{C}]/gu, "x"), 400).trim() || "x");
  const long = notes[0]?.content ?? "x";
  await call("tasks_create", { title: titles[0], description: long });
  for (const title of titles)
    await call("tasks_create", {
      parent: "PLAN-001",
      title,
      description: long,
      steps: titles.slice(0, 5).map((step) => ({ title: step, success_criteria: [step], blockers: [step] })),
    });
  await call("tasks_step_lease_claim", { target: "TASK-001", path: "s:0", agent_id: "ada" });
  for (const title of titles) await call("tasks_jobs_create", { title, prompt: long });
  for (const message of titles) await call("tasks_jobs_message", { job: "JOB-001", message });
  for (const scope of [{ branch: "main" }, { target: "TASK-001" }])
    for (const type of ["hypothesis", "question", "test", "evidence", "decision", "note"])
      for (const title of titles.slice(0, 4))
        await call("think_card", { ...scope, card: { type, title, text: `t${long}`, tags: ["pinned"] } });
  for (const [n, title] of titles.entries())
    await call("macro_anchor_note", {
      anchor: n < 2 ? `a:${"x".repeat(20)}${n}` : `a:n${n}`,
      title: clip(title, 200),
      kind: "part",
      description: clip(long, 4_000),
      depends_on: titles.slice(0, 9).map((_, m) => `a:gone-${m}`),
      refs: titles.map((ref) => clip(ref, 400)),
      content: `c${long}`,
      aliases: [`a:was-${n}`],
    });
  for (const title of titles.slice(0, 6)) {
    const rejected = [{ option: clip(title, 200), why: clip(long, 900) }];
    await call("decide", {
      title: clip(title, 200),
      chosen: clip(title, 200),
      rejected,
      because: `b${long}`,
    });
  }
  for (const title of titles) {
    const card = { type: "note", title, text: long, tags: ["a:n3", "pinned"] };
    await call("think_card", { branch: "main", card });
  }
  for (const [n, title] of titles.entries())
    await call("trace_sequential_step", {
      thought: long,
      message: title,
      ...{ thoughtNumber: 1 + (n % 3), totalThoughts: 9, nextThoughtNeeded: true },
      ...(n > 2 && { branchFromThought: 50 + n, branchId: `b${n}` }),
    });
  await call("tasks_runner_heartbeat", { runner_id: "r1", status: "live", meta: { long: clip(long, 900) } });
  await call("think_card", {
    branch: "main",
    card: { type: "note", title: "loose" },
    supports: titles.map((_, n) => `CARD-GONE-${n}-${"x".repeat(100)}`),
  });
}

/** A paged list: its key, what identifies its items, and whether pages are in reverse order. */
type Paged = { key: string; by: (item: Json) => unknown; reversed?: true };
type Read = { args: Args; paged?: Paged };

const entries: Paged = { key: "entries", by: ({ seq }) => seq, reversed: true };

/** Every memory read, called in each way that produces a different kind of answer. Add new operations here. */
const reads: Record<string, (place: Place) => Read[]> = {
  show: ({ branch, sessionId }) => [
    { args: { doc: "notes" }, paged: entries },
    { args: { branch, doc: "notes", limit: 200 }, paged: entries },
    { args: { branch: `session/${sessionId}` }, paged: entries },
  ],
  diff: ({ branch }) => [{ args: { from: "main", to: branch }, paged: entries }],
  branch_list: () => [{ args: {}, paged: { key: "branches", by: ({ name: shown }) => shown } }],
  open: ({ nodes, sessionId, commitRef, branch, conflictId }) => [
    ...["PLAN-001", "TASK-001", "STEP-00000001", "evt_0000000000000001", "JOB-001", "runner:r1"].map(
      (id) => ({
        args: { id, include_drafts: true },
      }),
    ),
    ...["a:n3", "a:was-1", "CARD-1", conflictId, branch, `${branch}0`.slice(-128)].map((id) => ({
      args: { id },
    })),
    { args: { id: nodes[0]?.id } },
    { args: { id: commitRef } },
    { args: { id: sessionId } },
    { args: { id: `${sessionId}:1` } },
  ],
  status: () => [{ args: {} }],
  diagnostics: () => [{ args: {} }],
  changes: () => [{ args: { since: "0", limit: 200 } }],
  docs_list: ({ branch }) => [
    { args: {}, paged: { key: "docs", by: ({ doc, form }) => `${doc} ${form}` } },
    { args: { ref: branch }, paged: { key: "docs", by: ({ doc, form }) => `${doc} ${form}` } },
  ],
  log: () => [{ args: {}, paged: { key: "commits", by: ({ seq }) => seq } }],
  reflog: () => [{ args: {}, paged: { key: "moves", by: ({ seq }) => seq } }],
  tag_list: () => [{ args: {}, paged: { key: "tags", by: ({ name: shown }) => shown } }],
  graph_query: ({ branch, nodes }) => {
    const paged = { key: "nodes", by: ({ last_seq }: Json) => last_seq };
    return [
      { args: {}, paged },
      { args: { branch, types: ["theirs"], include_edges: false }, paged },
      { args: { include_deleted: true, ids: nodes.slice(0, 5).map((node) => node.id) }, paged },
    ];
  },
  graph_validate: () => [{ args: {} }],
  graph_diff: ({ branch }) => [
    {
      args: { from: "main", to: branch },
      paged: { key: "changes", by: ({ to }: Json) => to.last_seq },
    },
  ],
  graph_conflicts: () => [{ args: { into: "main" }, paged: { key: "conflicts", by: ({ order }) => order } }],
  graph_conflict_show: ({ conflictId }) => [{ args: { conflict_id: conflictId } }],
  tasks_focus_get: () => [{ args: {} }],
  tasks_radar: () => [{ args: { target: "TASK-001" } }, { args: { target: "PLAN-001" } }],
  tasks_context: () => [{ args: {} }],
  tasks_delta: () => [{ args: {}, paged: { key: "events", by: ({ event_id }) => event_id } }],
  tasks_resume_super: () => [{ args: { target: "TASK-001" } }],
  tasks_step_lease_get: () => [{ args: { target: "TASK-001", path: "s:0" } }],
  tasks_jobs_list: () => [{ args: {}, paged: { key: "jobs", by: ({ id }) => id } }],
  tasks_jobs_open: () => [{ args: { job: "JOB-001", include_prompt: true } }],
  trace_hydrate: ({ sessionId }) => [
    { args: { ref: "main" }, paged: entries },
    { args: { ref: `session/${sessionId}` }, paged: entries },
  ],
  trace_validate: () => [{ args: { ref: "main" } }],
  decisions: () => [{ args: {}, paged: { key: "decisions", by: ({ id }) => id } }],
  versions: () => [{ args: { id: "CARD-1" }, paged: { key: "versions", by: ({ seq }) => seq } }],
  walk: () => [{ args: { id: "CARD-1", depth: 3 } }],
  anchors_list: () => [{ args: {}, paged: { key: "anchors", by: ({ id }) => id } }],
  anchor_snapshot: () => [{ args: { anchor: "a:n3" } }, { args: { anchor: `a:${"x".repeat(20)}0` } }],
  anchors_export: () => [{ args: {} }, { args: { format: "text" } }],
  anchors_lint: () => [{ args: {} }],
  think_template: () => [{ args: { type: "evidence" } }],
  think_playbook: () => [{ args: { name: "debug" } }],
  think_query: () => [
    { args: { include_drafts: true }, paged: { key: "cards", by: ({ last_seq }) => last_seq } },
    { args: { target: "TASK-001" }, paged: { key: "cards", by: ({ last_seq }) => last_seq } },
  ],
  think_pins: () => [{ args: {}, paged: { key: "cards", by: ({ last_seq }) => last_seq } }],
  think_lint: () => [{ args: {} }],
  think_context: () => [{ args: {} }, { args: { target: "TASK-001", view: "audit" } }],
  think_frontier: () => [{ args: {} }],
  think_next: () => [{ args: {} }],
  think_pack: () => [{ args: { view: "audit" } }, { args: { target: "TASK-001" } }],
  think_watch: () => [{ args: {} }, { args: { target: "TASK-001" } }],
  context_pack: ({ sessionId }) => [
    { args: {} },
    { args: { target: "TASK-001" } },
    { args: { target: sessionId } },
  ],
  export: () => [{ args: { target: "TASK-001" } }],
  transcripts_search: () => [{ args: { query: "pool", cwd_prefix: "/" } }],
  transcripts_open: () => [{ args: { ref: { path: codexPath, line: 4 } } }],
  transcripts_digest: () => [{ args: { cwd_prefix: "/" } }],
  session_begin: () => [{ args: { client: "claude-code", event: "SessionStart" } }],
  recall: ({ notes }) => [{ args: { question: clip(notes[0]?.content ?? "c", 200) } }],
  why: ({ sessionId }) => [{ args: { id: `${sessionId}:1` } }],
  why_file: () => [{ args: { file: "package.json", text: true } }],
  why_session: ({ sessionId }) => [{ args: { sessionId } }],
  git_trailer: () => [{ args: {} }],
};

const memoryReads = catalogue.filter(({ family, effect }) => family === "memory" && effect === "read");

test("every memory read is tested here", () => {
  expect(memoryReads.length).toBeGreaterThan(5);
  expect(Object.keys(reads).sort()).toEqual(memoryReads.map(({ name: known }) => known).sort());
});

const extras = ["budget", "warnings", "suggestions"];
/** These operations also set `truncated` if another page follows. */
const saysPages = new Set(["branch_list", "anchor_snapshot", "open"]);

/** Checks the rules for every answer with a budget, and returns the answer. */
async function ask(client: TestClient, operation: string, args: Args): Promise<Json> {
  const result: Json = await client.call(operation, { workspace, ...args });
  const again = await client.call(operation, { workspace, ...args });
  const told = `${operation} ${JSON.stringify(args).slice(0, 300)}`;
  expect(JSON.stringify(again), `${told}: the same call, the same bytes`).toBe(JSON.stringify(result));
  const counted = JSON.stringify(
    Object.fromEntries(Object.entries(result).filter(([key]) => !extras.includes(key))),
  );
  const { budget, warnings = [] } = result;
  const codes = warnings.map(({ code }: Json) => code);
  const asked = [args["max_chars"], args["max_bytes"]].filter((value) => value !== undefined) as number[];
  const isPage = saysPages.has(operation) && !budget?.truncated && result["truncated"];
  const cut = isPage ? false : result["truncated"];
  if (asked.length > 0 || budget) {
    expect(counted.length, told).toBe(budget.used_chars);
    expect(budget.used_chars, told).toBeLessThanOrEqual(budget.max_chars);
    expect(budget.truncated, told).toBe(cut);
  } else expect(counted.length, told).toBeLessThanOrEqual(20_000);
  const [chars, bytes] = [args["max_chars"], args["max_bytes"]] as (number | undefined)[];
  if (chars !== undefined) expect(budget.max_chars).toBe(Math.min(Math.max(chars, 300), 75_000));
  if (bytes !== undefined) expect(Buffer.byteLength(counted), told).toBeLessThanOrEqual(Math.max(bytes, 300));
  if (budget && Math.min(budget.max_chars, bytes ?? budget.max_chars) < 2_000 && asked.length > 0) {
    const { suggestions = [] } = result;
    expect(Math.max(warnings.length, suggestions.length), told).toBeLessThanOrEqual(2);
    expect(JSON.stringify({ budget, warnings, suggestions }).length - 2, told).toBeLessThanOrEqual(600);
  }
  expect(codes.includes("BUDGET_MIN_CLAMPED"), told).toBe(asked.some((value) => value < 300));
  expect(codes.includes("BUDGET_TRUNCATED"), told).toBe(cut);
  return result;
}

/** Reads all items page by page, following the advice in the answers if there is any. */
async function follow(client: TestClient, operation: string, args: Args, { key, reversed }: Paged) {
  const items: Json[] = [];
  let call = args;
  for (;;) {
    const result = await ask(client, operation, call);
    const { pagination } = result;
    const page: Json[] = result[key];
    expect(pagination.count, `${operation}: ${JSON.stringify(result).slice(0, 500)}`).toBe(page.length);
    items.push(...(reversed ? page.toReversed() : page));
    expect(pagination.next_cursor !== undefined).toBe(pagination.has_more);
    if (!pagination.has_more) return items;
    expect(page.length, `${operation} moves on`).toBeGreaterThan(0);
    call = { ...call, cursor: pagination.next_cursor };
    if (!result["truncated"]) continue;
    const more = result["suggestions"]?.find((one: { operation: string }) => one.operation === operation);
    // In an answer of less than 2,000 characters, there may be no room for a call with long arguments.
    if (!more) {
      expect(Math.min(result["budget"].max_chars, Number(args["max_bytes"] ?? 300))).toBeLessThan(2_000);
      expect(JSON.stringify(call).length).toBeGreaterThan(150);
      continue;
    }
    const { limit: asked, ...same } = call;
    expect(more.args).toMatchObject({ workspace, ...same });
    if (asked !== undefined) expect(more.args.limit ?? more.args.limit_steps).toBe(asked);
    call = more.args;
  }
}

/** Returns whether two values are equal, or one is the other cut short. */
function isSame(whole: unknown, shown: unknown): boolean {
  if (typeof whole !== "string" || typeof shown !== "string" || !shown.includes("…")) return whole === shown;
  return shown.split(" ").every((part, n) => whole.split(" ")[n]?.startsWith(part.replace(/…$/, "")));
}

const anyBudget = fc.oneof(
  fc.integer({ min: 1, max: 320 }),
  fc.integer({ min: 300, max: 2_000 }),
  fc.integer({ min: 300, max: 20_000 }),
);
const budgets = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.record({ max_chars: anyBudget }) },
  { weight: 2, arbitrary: fc.record({ max_bytes: anyBudget }) },
  { weight: 2, arbitrary: fc.record({ max_chars: anyBudget, max_bytes: anyBudget }) },
);

const histories = times("budget histories", 3);

test("with any content and budget, every read respects its budget, and pages show each item once", {
  timeout: enoughTime(histories, 80_000),
}, async () => {
  const seen = { truncated: 0, pages: 0 };
  await fc.assert(
    fc.asyncProperty(
      data,
      fc.array(budgets, { minLength: 2, maxLength: 2 }),
      fc.integer({ min: 1, max: 9 }),
      async (content, tried, limit) => {
        const app = createTestApp({ clock: () => new Date(noon) });
        const client = app.modern();
        writeTranscripts(app);
        const place = await fill(client, content);
        for (const [operation, waysToCall] of Object.entries(reads)) {
          for (const { args, paged } of waysToCall(place)) {
            const all = paged && (await follow(client, operation, { ...args, max_chars: 75_000 }, paged));
            for (const budget of tried) {
              if (!paged || !all) {
                seen.truncated += (await ask(client, operation, { ...args, ...budget }))["truncated"] ? 1 : 0;
                continue;
              }
              const found = await follow(client, operation, { limit, ...args, ...budget }, paged);
              const told = `${operation} ${JSON.stringify({ ...args, ...budget }).slice(0, 200)}`;
              expect(found.length, told).toBe(all.length);
              for (const [n, item] of found.entries())
                expect(isSame(paged.by(all[n] ?? {}), paged.by(item)), told).toBe(true);
              seen.pages += found.length;
            }
          }
        }
        await app.close();
      },
    ),
    { numRuns: histories, endOnFailure: true },
  );
  reportSoak("every read of the memory within any budget", `${histories} histories`);
  expect(seen.truncated).toBeGreaterThan(5);
  expect(seen.pages).toBeGreaterThan(100);
});
