import type { WriteKind, WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import { numberOf } from "../../../../domain/tasks/item.ts";
import { jobRank } from "../../../../domain/tasks/job.ts";
import type { MemoryRows } from "../../../../ports/memory/rows.ts";
import type { Connection } from "../../connection/open-database.ts";
import { reachSeq } from "../../connection/sequence.ts";
import { publishMerges } from "../large-merge/merge-block.ts";
import { insert, json } from "./insert.ts";
import { mergeWriters } from "./write-merges.ts";
import { supersede, writeVersions } from "./write-versions.ts";

type Writer<Kind extends WriteKind> = (connection: Connection, rows: readonly WriteKinds[Kind][]) => void;

const agentColumns = {
  wid: ({ wid }: WriteKinds["agent"]) => wid,
  key: ({ key }: WriteKinds["agent"]) => key,
  agent_id: ({ agentId }: WriteKinds["agent"]) => agentId ?? null,
  seq: ({ seq }: WriteKinds["agent"]) => seq,
  at_ms: ({ atMs }: WriteKinds["agent"]) => atMs,
};
/** Whoever sets a place last is who it belongs to: several agents may share a conversation. */
const insertAgent = insert<WriteKinds["agent"]>(
  "memory_agents",
  agentColumns,
  `ON CONFLICT (wid, key) DO UPDATE SET seq = excluded.seq, at_ms = excluded.at_ms, agent_id = excluded.agent_id`,
);

/** In this order: what rows refer to comes before them. */
const writers: { [Kind in WriteKind]: Writer<Kind> } = {
  publishedMerge: publishMerges,
  // Before all others, so that a merge that is staged there gives way.
  sequence: (connection, numbers) => reachSeq(connection, Math.max(...numbers)),
  workspace: insert<WriteKinds["workspace"]>(
    "memory_workspaces",
    {
      wid: ({ wid }) => wid,
      name: ({ name }) => name,
      project_guard: ({ projectGuard }) => projectGuard ?? null,
      project: ({ project }) => project ?? null,
      created_at_ms: ({ createdAtMs }) => createdAtMs,
    },
    "ON CONFLICT (wid) DO UPDATE SET name = excluded.name",
  ),
  projectGuard: ({ sql }, rows) => {
    for (const { wid, projectGuard } of rows)
      sql("UPDATE memory_workspaces SET project_guard = ? WHERE wid = ?").run(projectGuard, wid);
  },
  branch: insert<WriteKinds["branch"]>(
    "memory_branches",
    {
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
    "ON CONFLICT (bid) DO UPDATE SET name = excluded.name, deleted_at_ms = excluded.deleted_at_ms",
  ),
  checkout: ({ sql }, rows) => {
    for (const { wid, bid } of rows)
      sql("UPDATE memory_workspaces SET checkout = ? WHERE wid = ?").run(bid, wid);
  },
  doc: insert<WriteKinds["doc"]>("memory_docs", {
    doc: ({ doc }) => doc,
    wid: ({ wid }) => wid,
    name: ({ name }) => name,
  }),
  stream: insert<WriteKinds["stream"]>("memory_streams", {
    bid: ({ bid }) => bid,
    doc: ({ doc }) => doc,
    form: ({ form }) => form,
    first_seq: ({ firstSeq }) => firstSeq,
  }),
  entry: insert<WriteKinds["entry"]>("memory_entries", {
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
  }),
  commit: insert<WriteKinds["commit"]>("memory_commits", {
    seq: ({ seq }) => seq,
    parent: ({ parent }) => parent ?? null,
  }),
  refMove: insert<WriteKinds["refMove"]>("memory_ref_moves", {
    seq: ({ seq }) => seq,
    bid: ({ bid }) => bid,
    doc: ({ doc }) => doc,
    action: ({ action }) => action,
    previous: ({ previous }) => previous ?? null,
    current: ({ current }) => current,
    message: ({ message }) => message,
    ts_ms: ({ tsMs }) => tsMs,
  }),
  tag: ({ sql }, rows) => {
    for (const { wid, name, seq, ordinal, createdAtMs } of rows)
      if (seq === undefined) sql("DELETE FROM memory_tags WHERE wid = ? AND name = ?").run(wid, name);
      else
        sql(`INSERT OR REPLACE INTO memory_tags (wid, name, seq, ordinal, created_at_ms)
             VALUES (?, ?, ?, ?, ?)`).run(wid, name, seq, ordinal, createdAtMs);
  },
  version: writeVersions,
  superseded: supersede,
  counter: insert<WriteKinds["counter"]>(
    "memory_counters",
    { wid: ({ wid }) => wid, name: ({ name }) => name, value: ({ value }) => value },
    "ON CONFLICT (wid, name) DO UPDATE SET value = max(value, excluded.value)",
  ),
  item: insert<WriteKinds["item"]>(
    "task_items",
    {
      wid: ({ wid }) => wid,
      id: ({ item }) => item.id,
      kind: ({ item }) => item.kind,
      number: ({ item }) => numberOf(item.id),
      parent: ({ item }) => item.parent ?? null,
      status: ({ item }) => item.status,
      body: ({ item }) => JSON.stringify(item),
    },
    "ON CONFLICT (wid, id) DO UPDATE SET parent = excluded.parent, status = excluded.status, body = excluded.body",
  ),
  step: insert<WriteKinds["step"]>(
    "task_steps",
    {
      wid: ({ wid }) => wid,
      task: ({ step }) => step.task,
      step_id: ({ step }) => step.step_id,
      body: ({ step }) => JSON.stringify(step),
    },
    "ON CONFLICT (wid, task, step_id) DO UPDATE SET body = excluded.body",
  ),
  taskEvent: insert<WriteKinds["taskEvent"]>("task_events", {
    wid: ({ wid }) => wid,
    number: ({ number }) => number,
    target: ({ event }) => event.target,
    seq: ({ event }) => event.seq,
    ts_ms: ({ event }) => event.ts_ms,
    body: ({ event: { event_id: _id, seq: _seq, ts_ms: _ts, target: _target, ...body } }) =>
      JSON.stringify(body),
  }),
  focus: ({ sql }, rows) => {
    for (const { wid, target, was } of rows)
      if (target === undefined)
        sql("DELETE FROM memory_focus WHERE wid = ?1 AND (?2 IS NULL OR target = ?2)").run(wid, was ?? null);
      else
        sql(`INSERT INTO memory_focus (wid, target) VALUES (?, ?)
             ON CONFLICT (wid) DO UPDATE SET target = excluded.target`).run(wid, target);
  },
  agent: insert<WriteKinds["agent"]>(
    "memory_agents",
    agentColumns,
    "ON CONFLICT (wid, key) DO UPDATE SET seq = excluded.seq, at_ms = excluded.at_ms",
  ),
  agentPlace: (connection, rows) => {
    for (const row of rows) {
      insertAgent(connection, [row]);
      const { wid, key, target, bid } = row;
      const ofAgent = "WHERE wid = ? AND key = ?";
      if (target !== undefined)
        connection.sql(`UPDATE memory_agents SET target = ? ${ofAgent}`).run(target, wid, key);
      if (bid !== undefined) connection.sql(`UPDATE memory_agents SET bid = ? ${ofAgent}`).run(bid, wid, key);
    }
  },
  focusDone: ({ sql }, rows) => {
    for (const { wid, target } of rows) {
      sql("UPDATE memory_agents SET target = NULL WHERE wid = ? AND target = ?").run(wid, target);
      sql("DELETE FROM memory_focus WHERE wid = ? AND target = ?").run(wid, target);
    }
  },
  job: insert<WriteKinds["job"]>(
    "task_jobs",
    {
      wid: ({ wid }) => wid,
      id: ({ job }) => job.id,
      number: ({ job }) => numberOf(job.id),
      status: ({ job }) => job.status,
      rank: ({ job }) => jobRank(job),
      lease_expires_at_ms: ({ job }) => job.lease_expires_at_ms ?? null,
      body: ({ job }) => JSON.stringify(job),
    },
    `ON CONFLICT (wid, id) DO UPDATE SET status = excluded.status, rank = excluded.rank,
     lease_expires_at_ms = excluded.lease_expires_at_ms, body = excluded.body`,
  ),
  jobEvent: insert<WriteKinds["jobEvent"]>("task_job_events", {
    seq: ({ seq }) => seq,
    wid: ({ wid }) => wid,
    job: ({ job }) => job,
    ts_ms: ({ tsMs }) => tsMs,
    body: ({ event }) => JSON.stringify(event),
  }),
  runner: insert<WriteKinds["runner"]>(
    "task_runners",
    {
      wid: ({ wid }) => wid,
      runner_id: ({ runner }) => runner.runner_id,
      body: ({ runner }) => JSON.stringify(runner),
    },
    "ON CONFLICT (wid, runner_id) DO UPDATE SET body = excluded.body",
  ),
  anchor: ({ sql }, rows) => {
    for (const { wid, id, anchor } of rows)
      if (anchor === undefined) sql("DELETE FROM memory_anchors WHERE wid = ? AND id = ?").run(wid, id);
      else
        sql(`INSERT INTO memory_anchors (wid, id, body) VALUES (?, ?, ?)
             ON CONFLICT (wid, id) DO UPDATE SET body = excluded.body`).run(wid, id, JSON.stringify(anchor));
  },
  ...mergeWriters,
  author: insert<WriteKinds["author"]>("graph_authors", {
    wid: ({ wid }) => wid,
    first_seq: ({ first }) => first,
    last_seq: ({ last }) => last,
    agent: ({ agent }) => agent,
  }),
  change: insert<WriteKinds["change"]>("workspace_changes", {
    seq: ({ seq }) => seq,
    wid: ({ wid }) => wid,
    type: ({ change }) => change.type,
    data: ({ change }) => JSON.stringify(change.data),
    ts_ms: ({ tsMs }) => tsMs,
  }),
  outcome: insert<WriteKinds["outcome"]>("idempotency", {
    scope: ({ scope }) => scope,
    key: ({ key }) => key,
    fingerprint: ({ fingerprint }) => fingerprint,
    outcome: ({ outcome }) => JSON.stringify(outcome),
    at: ({ at }) => at,
  }),
};

const inOrder = Object.entries(writers) as [WriteKind, Writer<WriteKind>][];

export const applyWrites: MemoryRows<Connection>["applyWrites"] = (connection, writes) => {
  for (const [kind, writer] of inOrder) {
    const rows = writes[kind];
    if (rows) writer(connection, rows as never);
  }
};
