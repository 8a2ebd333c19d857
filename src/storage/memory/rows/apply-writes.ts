import type { WriteKind, WriteKinds, Writes } from "../../../domain/memory/steps/rows.ts";
import { numberOf } from "../../../domain/tasks/item.ts";
import { jobRank } from "../../../domain/tasks/job.ts";
import { publishMerges } from "../merge/merge-block.ts";
import { type Insert, insertRows, type Query, send, tell } from "../query.ts";
import { json, mergeWriters, supersede, writeVersions } from "./write-graph.ts";

/** Writes the rows of one kind. Most kinds are written to a single table. */
type Writer<Kind extends WriteKind> =
  | Insert<WriteKinds[Kind]>
  | ((rows: readonly WriteKinds[Kind][]) => Query<void>);

const entries: Insert<WriteKinds["entry"]> = {
  table: "memory_entries",
  columns: {
    seq: ({ seq }) => seq,
    doc: ({ doc }) => doc,
    bid: ({ bid }) => bid,
    kind: ({ kind }) => kind,
    title: ({ title }) => title ?? null,
    format: ({ format }) => format ?? null,
    meta: ({ meta }) => json(meta),
    content: ({ content }) => content,
    agent_id: ({ agentId }) => agentId ?? null,
    ts_ms: ({ tsMs }) => tsMs,
    origin: ({ origin }) => origin,
    source_event_id: ({ sourceEventId }) => sourceEventId ?? null,
    appended_on: ({ appendedOn }) => appendedOn ?? null,
  },
};

const agentsWith = (set: string): Insert<WriteKinds["agent"]> => ({
  table: "memory_agents",
  columns: {
    wid: ({ wid }) => wid,
    key: ({ key }) => key,
    agent_id: ({ agentId }) => agentId ?? null,
    seq: ({ seq }) => seq,
    at_ms: ({ atMs }) => atMs,
  },
  key: { of: ["wid", "key"], set },
});
/** Several agents may share a row. Its focus and checkout belong to the agent that set them last. */
const agentsByName = agentsWith(
  // The row may already contain a later write by the agent in the same batch.
  `at_ms = CASE WHEN excluded.seq < memory_agents.seq THEN memory_agents.at_ms ELSE excluded.at_ms END,
   seq = LARGER(memory_agents.seq, excluded.seq), agent_id = excluded.agent_id`,
);
const agentsHeard = agentsWith("seq = excluded.seq, at_ms = excluded.at_ms");

const tags: Insert<WriteKinds["tag"]> = {
  table: "memory_tags",
  columns: {
    wid: ({ wid }) => wid,
    name: ({ name }) => name,
    seq: ({ seq }) => seq ?? null,
    ordinal: ({ ordinal }) => ordinal,
    created_at_ms: ({ createdAtMs }) => createdAtMs,
  },
  key: {
    of: ["wid", "name"],
    set: "seq = excluded.seq, ordinal = excluded.ordinal, created_at_ms = excluded.created_at_ms",
  },
};

const focuses: Insert<WriteKinds["focus"]> = {
  table: "memory_focus",
  columns: { wid: ({ wid }) => wid, target: ({ target }) => target ?? null },
  key: { of: ["wid"], set: "target = excluded.target" },
};

const anchors: Insert<WriteKinds["anchor"]> = {
  table: "memory_anchors",
  columns: { wid: ({ wid }) => wid, id: ({ id }) => id, body: ({ anchor }) => json(anchor) },
  key: { of: ["wid", "id"], set: "body = excluded.body" },
};

const deleteFocus =
  "DELETE FROM memory_focus WHERE (wid, target) IN (SELECT l.wid, l.target FROM LIST(?, wid number, target text) l)";

/** Passes rows to a statement as its `LIST`. */
function* sendList(text: string, rows: readonly (readonly unknown[])[]): Query<void> {
  if (rows.length > 0) yield* send(text, JSON.stringify(rows));
}

/** Keeps only the last write to each row, because one statement cannot change a row twice. */
function lastOfEach<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): readonly Row[] {
  return rows.length < 2 ? rows : [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

/** The order matters: rows are written before the rows that refer to them. */
const writers: { [Kind in WriteKind]: Writer<Kind> } = {
  publishedMerge: publishMerges,
  // Runs before the rows are written, because it discards a merge that was staged at these numbers.
  sequence: (numbers) => tell({ reach: Math.max(...numbers) }),
  workspace: {
    table: "memory_workspaces",
    columns: {
      wid: ({ wid }) => wid,
      name: ({ name }) => name,
      project_guard: ({ projectGuard }) => projectGuard ?? null,
      project: ({ project }) => project ?? null,
      created_at_ms: ({ createdAtMs }) => createdAtMs,
    },
    key: { of: ["wid"], set: "name = excluded.name" },
  },
  projectGuard: (rows) =>
    sendList(
      `UPDATE memory_workspaces SET project_guard = g.project FROM LIST(?, wid number, project text) g
       WHERE memory_workspaces.wid = g.wid`,
      lastOfEach(rows, ({ wid }) => wid).map(({ wid, projectGuard }) => [wid, projectGuard]),
    ),
  branch: {
    table: "memory_branches",
    columns: {
      bid: ({ bid }) => bid,
      wid: ({ wid }) => wid,
      uid: ({ uid }) => uid,
      name: ({ name }) => name,
      base: ({ base }) => base ?? null,
      base_seq: ({ baseSeq }) => baseSeq,
      depth: ({ depth }) => depth,
      created_at_ms: ({ createdAtMs }) => createdAtMs,
      deleted_at_ms: ({ deletedAtMs }) => deletedAtMs ?? null,
      erased: ({ erased }) => (erased ? 1 : 0),
    },
    key: { of: ["bid"], set: "name = excluded.name, deleted_at_ms = excluded.deleted_at_ms" },
  },
  checkout: (rows) =>
    sendList(
      `UPDATE memory_workspaces SET checkout = c.bid FROM LIST(?, wid number, bid number) c
       WHERE memory_workspaces.wid = c.wid`,
      lastOfEach(rows, ({ wid }) => wid).map(({ wid, bid }) => [wid, bid]),
    ),
  doc: {
    table: "memory_docs",
    columns: { doc: ({ doc }) => doc, wid: ({ wid }) => wid, name: ({ name }) => name },
  },
  stream: {
    table: "memory_streams",
    columns: {
      bid: ({ bid }) => bid,
      doc: ({ doc }) => doc,
      form: ({ form }) => form,
      first_seq: ({ firstSeq }) => firstSeq,
    },
  },
  *entry(rows) {
    yield { insert: entries as Insert<never>, rows };
    yield { wrote: "entries", rows };
  },
  commit: {
    table: "memory_commits",
    columns: { seq: ({ seq }) => seq, parent: ({ parent }) => parent ?? null },
  },
  refMove: {
    table: "memory_ref_moves",
    columns: {
      seq: ({ seq }) => seq,
      bid: ({ bid }) => bid,
      doc: ({ doc }) => doc,
      action: ({ action }) => action,
      previous: ({ previous }) => previous ?? null,
      current: ({ current }) => current,
      message: ({ message }) => message,
      ts_ms: ({ tsMs }) => tsMs,
    },
  },
  *tag(rows) {
    const last = lastOfEach(rows, ({ wid, name }) => `${wid} ${name}`);
    yield* sendList(
      "DELETE FROM memory_tags WHERE (wid, name) IN (SELECT l.wid, l.name FROM LIST(?, wid number, name text) l)",
      last.filter(({ seq }) => seq === undefined).map(({ wid, name }) => [wid, name]),
    );
    yield* insertRows(
      tags,
      last.filter(({ seq }) => seq !== undefined),
    );
  },
  version: writeVersions,
  superseded: supersede,
  counter: {
    table: "memory_counters",
    columns: { wid: ({ wid }) => wid, name: ({ name }) => name, value: ({ value }) => value },
    key: { of: ["wid", "name"], set: "value = LARGER(memory_counters.value, excluded.value)" },
  },
  item: {
    table: "task_items",
    columns: {
      wid: ({ wid }) => wid,
      id: ({ item }) => item.id,
      kind: ({ item }) => item.kind,
      number: ({ item }) => numberOf(item.id),
      parent: ({ item }) => item.parent ?? null,
      status: ({ item }) => item.status,
      body: ({ item }) => JSON.stringify(item),
    },
    key: {
      of: ["wid", "id"],
      set: "parent = excluded.parent, status = excluded.status, body = excluded.body",
    },
    texts: ["parent"],
  },
  step: {
    table: "task_steps",
    columns: {
      wid: ({ wid }) => wid,
      task: ({ step }) => step.task,
      step_id: ({ step }) => step.step_id,
      body: ({ step }) => JSON.stringify(step),
    },
    key: { of: ["wid", "task", "step_id"], set: "body = excluded.body" },
  },
  taskEvent: {
    table: "task_events",
    columns: {
      wid: ({ wid }) => wid,
      number: ({ number }) => number,
      target: ({ event }) => event.target,
      seq: ({ event }) => event.seq,
      ts_ms: ({ event }) => event.ts_ms,
      body: ({ event: { event_id: _id, seq: _seq, ts_ms: _ts, target: _target, ...body } }) =>
        JSON.stringify(body),
    },
  },
  *focus(rows) {
    /** For each workspace, the last row whose effect does not depend on the stored focus. */
    const left = new Map<number, WriteKinds["focus"]>();
    const cleared: [wid: number, was: string][] = [];
    for (const row of rows) {
      const { wid, target, was } = row;
      const before = left.get(wid);
      if (target !== undefined || was === undefined || before?.target === was) left.set(wid, row);
      else if (!before) cleared.push([wid, was]);
    }
    const known = [...left.values()];
    yield* sendList(deleteFocus, cleared);
    const emptied = known.filter(({ target }) => target === undefined).map(({ wid }) => wid);
    if (emptied.length > 0) yield* send("DELETE FROM memory_focus WHERE wid IN NUMBERS(?)", emptied);
    yield* insertRows(
      focuses,
      known.filter(({ target }) => target !== undefined),
    );
  },
  *agent(rows) {
    // A row keeps the name of the agent that wrote first, even if others share its key in this batch.
    const merged = new Map<string, WriteKinds["agent"]>();
    for (const row of rows) {
      const key = `${row.wid} ${row.key}`;
      const { agentId } = merged.get(key) ?? row;
      merged.set(key, { ...row, agentId });
    }
    yield* insertRows(agentsHeard, [...merged.values()]);
  },
  *agentPlace(rows) {
    yield* insertRows(agentsByName, rows);
    const lastWith = (name: "target" | "bid") =>
      lastOfEach(
        rows.filter((row) => row[name] !== undefined),
        ({ wid, key }) => `${wid} ${key}`,
      ).map((row) => [row.wid, row.key, row[name]]);
    yield* sendList(
      `UPDATE memory_agents SET target = l.target, cleared = NULL
       FROM LIST(?, wid number, agent text, target text) l
       WHERE memory_agents.wid = l.wid AND memory_agents.key = l.agent`,
      lastWith("target"),
    );
    yield* sendList(
      `UPDATE memory_agents SET bid = l.bid FROM LIST(?, wid number, agent text, bid number) l
       WHERE memory_agents.wid = l.wid AND memory_agents.key = l.agent`,
      lastWith("bid"),
    );
  },
  *focusDone(rows) {
    const done = rows.map(({ wid, target }) => [wid, target]);
    // An agent without its own focus uses the workspace's focus. An agent may also lose its own focus to an
    // earlier row in the list, and then a later row that clears the workspace's focus affects it too.
    yield* sendList(
      `UPDATE memory_agents SET target = NULL, cleared = d.target FROM LIST(?1, wid number, target text) d
       WHERE memory_agents.wid = d.wid AND EXISTS (SELECT 1 FROM {memory_focus} f WHERE f.wid = d.wid AND f.target = d.target)
       AND coalesce((SELECT min(e.nth) FROM LIST(?1, wid number, target text) e
         WHERE e.wid = d.wid AND e.target = memory_agents.target), CASE WHEN memory_agents.target IS NULL THEN -1 END) < d.nth`,
      done,
    );
    yield* sendList(
      `UPDATE memory_agents SET target = NULL, cleared = d.target FROM LIST(?, wid number, target text) d
       WHERE memory_agents.wid = d.wid AND memory_agents.target = d.target`,
      done,
    );
    yield* sendList(deleteFocus, done);
  },
  focusTold: (rows) =>
    sendList(
      `UPDATE memory_agents SET cleared = NULL FROM LIST(?, wid number, agent text, target text) l
       WHERE memory_agents.wid = l.wid AND memory_agents.key = l.agent AND memory_agents.cleared = l.target`,
      rows.map(({ wid, key, target }) => [wid, key, target]),
    ),
  job: {
    table: "task_jobs",
    columns: {
      wid: ({ wid }) => wid,
      id: ({ job }) => job.id,
      number: ({ job }) => numberOf(job.id),
      status: ({ job }) => job.status,
      rank: ({ job }) => jobRank(job),
      lease_expires_at_ms: ({ job }) => job.lease_expires_at_ms ?? null,
      body: ({ job }) => JSON.stringify(job),
    },
    key: {
      of: ["wid", "id"],
      set: `status = excluded.status, rank = excluded.rank, lease_expires_at_ms = excluded.lease_expires_at_ms,
        body = excluded.body`,
    },
  },
  jobEvent: {
    table: "task_job_events",
    columns: {
      seq: ({ seq }) => seq,
      wid: ({ wid }) => wid,
      job: ({ job }) => job,
      ts_ms: ({ tsMs }) => tsMs,
      body: ({ event }) => JSON.stringify(event),
    },
  },
  runner: {
    table: "task_runners",
    columns: {
      wid: ({ wid }) => wid,
      runner_id: ({ runner }) => runner.runner_id,
      body: ({ runner }) => JSON.stringify(runner),
    },
    key: { of: ["wid", "runner_id"], set: "body = excluded.body" },
  },
  *anchor(rows) {
    const last = lastOfEach(rows, ({ wid, id }) => `${wid} ${id}`);
    yield* sendList(
      "DELETE FROM memory_anchors WHERE (wid, id) IN (SELECT l.wid, l.id FROM LIST(?, wid number, id text) l)",
      last.filter(({ anchor }) => anchor === undefined).map(({ wid, id }) => [wid, id]),
    );
    yield* insertRows(
      anchors,
      last.filter(({ anchor }) => anchor !== undefined),
    );
  },
  ...mergeWriters,
  author: {
    table: "graph_authors",
    columns: {
      wid: ({ wid }) => wid,
      first_seq: ({ first }) => first,
      last_seq: ({ last }) => last,
      agent: ({ agent }) => agent,
    },
  },
  change: {
    table: "workspace_changes",
    columns: {
      seq: ({ seq }) => seq,
      wid: ({ wid }) => wid,
      type: ({ change }) => change.type,
      data: ({ change }) => JSON.stringify(change.data),
      ts_ms: ({ tsMs }) => tsMs,
    },
  },
  outcome: {
    table: "idempotency",
    columns: {
      scope: ({ scope }) => scope,
      key: ({ key }) => key,
      fingerprint: ({ fingerprint }) => fingerprint,
      outcome: ({ outcome }) => JSON.stringify(outcome),
      at: ({ at }) => at,
    },
  },
};

const places = new Map(Object.keys(writers).map((kind, place) => [kind as WriteKind, place]));

/** Returns the kinds that are written, in the order of `writers`. */
function kindsIn(writes: Writes): readonly WriteKind[] {
  const kinds = Object.keys(writes) as WriteKind[];
  return kinds.length < 2 ? kinds : kinds.sort((one, other) => placeOf(one) - placeOf(other));
}

const placeOf = (kind: WriteKind): number => places.get(kind) ?? 0;

/** Writes any number of rows with a handful of statements. */
export function* applyWrites(writes: Writes): Query<void> {
  for (const kind of kindsIn(writes)) {
    const rows = writes[kind];
    if (!rows || rows.length === 0) continue;
    const writer = writers[kind] as Writer<never>;
    if ("table" in writer) yield { insert: writer, rows };
    else yield* writer(rows as never);
  }
}
