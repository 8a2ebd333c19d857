import type { WriteKind, WriteKinds, Writes } from "../../../../domain/memory/steps/rows.ts";
import { numberOf } from "../../../../domain/tasks/item.ts";
import { jobRank } from "../../../../domain/tasks/job.ts";
import type { SqlValue } from "../../../rows/row.ts";
import type { WriteConnection } from "../../connection/access.ts";
import { bulkInsert, json } from "../../connection/insert.ts";
import { reachSeq, tellSeq } from "../../connection/sequence.ts";
import { insertWords, wordsOfText } from "../../ledger/ledger-writes.ts";
import { publishMerges } from "../large-merge/merge-block.ts";
import { mergeWriters } from "./write-merges.ts";
import { supersede, writeVersions } from "./write-versions.ts";

type Writer<Kind extends WriteKind> = (
  connection: WriteConnection,
  rows: readonly WriteKinds[Kind][],
) => void;

/**
 * Rows of a table, by one statement. `key` names what tells them apart and what changes if one is there: of several that
 * are the same, only the last is sent, because one statement cannot change a row twice.
 */
function insert<Row>(
  table: string,
  columns: { readonly [Column in string]: (row: Row) => SqlValue },
  key?: { of: readonly string[]; set: string },
  types: Readonly<Record<string, string>> = {},
): (connection: WriteConnection, rows: readonly Row[]) => void {
  const behind = key ? `ON CONFLICT (tenant, ${key.of.join(", ")}) DO UPDATE SET ${key.set}` : "";
  const write = bulkInsert<Row>(table, columns, { behind, types });
  const keyOf = (row: Row) => JSON.stringify(key?.of.map((column) => columns[column]?.(row)));
  return (connection, rows) => {
    const each = key ? [...new Map(rows.map((row) => [keyOf(row), row])).values()] : rows;
    connection.send(write(connection, each));
  };
}

const insertEntries = insert<WriteKinds["entry"]>("memory_entries", {
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
});

const agentColumns = {
  wid: ({ wid }: WriteKinds["agent"]) => wid,
  key: ({ key }: WriteKinds["agent"]) => key,
  agent_id: ({ agentId }: WriteKinds["agent"]) => agentId ?? null,
  seq: ({ seq }: WriteKinds["agent"]) => seq,
  at_ms: ({ atMs }: WriteKinds["agent"]) => atMs,
};
/** Whoever sets a place last is who it belongs to: several agents may share a conversation. */
const insertAgent = insert<WriteKinds["agent"]>("memory_agents", agentColumns, {
  of: ["wid", "key"],
  set: "seq = excluded.seq, at_ms = excluded.at_ms, agent_id = excluded.agent_id",
});

/** In this order: what rows refer to comes before them. */
const writers: { [Kind in WriteKind]: Writer<Kind> } = {
  publishedMerge: publishMerges,
  // Before all others, so that a merge that is staged there gives way.
  sequence: (connection, numbers) => {
    reachSeq(connection, Math.max(...numbers));
    tellSeq(connection);
  },
  workspace: insert<WriteKinds["workspace"]>(
    "memory_workspaces",
    {
      wid: ({ wid }) => wid,
      name: ({ name }) => name,
      project_guard: ({ projectGuard }) => projectGuard ?? null,
      project: ({ project }) => project ?? null,
      created_at_ms: ({ createdAtMs }) => createdAtMs,
    },
    { of: ["wid"], set: "name = excluded.name" },
  ),
  projectGuard: ({ sql, send }, rows) => {
    for (const { wid, projectGuard } of rows)
      send(
        sql("UPDATE memory_workspaces SET project_guard = ? WHERE tenant = @tenant AND wid = ?").run(
          projectGuard,
          wid,
        ),
      );
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
    { of: ["bid"], set: "name = excluded.name, deleted_at_ms = excluded.deleted_at_ms" },
  ),
  checkout: ({ sql, send }, rows) => {
    for (const { wid, bid } of rows)
      send(sql("UPDATE memory_workspaces SET checkout = ? WHERE tenant = @tenant AND wid = ?").run(bid, wid));
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
  entry: (connection, rows) => {
    // Entries carry their numbers themselves.
    reachSeq(connection, Math.max(...rows.map(({ seq }) => seq)));
    insertEntries(connection, rows);
    const notes = rows.filter(({ kind }) => kind === "note");
    const words = notes.flatMap(({ seq, title, content }) =>
      wordsOfText(seq, null, title === undefined ? content : `${title}\n${content}`),
    );
    if (words.length > 0) connection.send(insertWords(connection, words));
  },
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
  tag: ({ sql, send }, rows) => {
    for (const { wid, name, seq, ordinal, createdAtMs } of rows)
      send(
        seq === undefined
          ? sql("DELETE FROM memory_tags WHERE tenant = @tenant AND wid = ? AND name = ?").run(wid, name)
          : sql(`INSERT INTO memory_tags (tenant, wid, name, seq, ordinal, created_at_ms) VALUES (@tenant, ?, ?, ?, ?, ?)
              ON CONFLICT (tenant, wid, name) DO UPDATE SET seq = excluded.seq, ordinal = excluded.ordinal,
              created_at_ms = excluded.created_at_ms`).run(wid, name, seq, ordinal, createdAtMs),
      );
  },
  version: writeVersions,
  superseded: supersede,
  counter: insert<WriteKinds["counter"]>(
    "memory_counters",
    { wid: ({ wid }) => wid, name: ({ name }) => name, value: ({ value }) => value },
    { of: ["wid", "name"], set: "value = greatest(memory_counters.value, excluded.value)" },
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
    { of: ["wid", "id"], set: "parent = excluded.parent, status = excluded.status, body = excluded.body" },
    { parent: "text" },
  ),
  step: insert<WriteKinds["step"]>(
    "task_steps",
    {
      wid: ({ wid }) => wid,
      task: ({ step }) => step.task,
      step_id: ({ step }) => step.step_id,
      body: ({ step }) => JSON.stringify(step),
    },
    { of: ["wid", "task", "step_id"], set: "body = excluded.body" },
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
  focus: ({ sql, send }, rows) => {
    for (const { wid, target, was } of rows)
      send(
        target === undefined
          ? sql(`DELETE FROM memory_focus WHERE tenant = @tenant AND wid = ?1
              AND (?2::text IS NULL OR target = ?2)`).run(wid, was ?? null)
          : sql(`INSERT INTO memory_focus (tenant, wid, target) VALUES (@tenant, ?, ?)
              ON CONFLICT (tenant, wid) DO UPDATE SET target = excluded.target`).run(wid, target),
      );
  },
  agent: insert<WriteKinds["agent"]>("memory_agents", agentColumns, {
    of: ["wid", "key"],
    set: "seq = excluded.seq, at_ms = excluded.at_ms",
  }),
  agentPlace: (connection, rows) => {
    const { sql, send } = connection;
    for (const row of rows) {
      insertAgent(connection, [row]);
      const { wid, key, target, bid } = row;
      const ofAgent = "WHERE tenant = @tenant AND wid = ? AND key = ?";
      if (target !== undefined)
        send(sql(`UPDATE memory_agents SET target = ? ${ofAgent}`).run(target, wid, key));
      if (bid !== undefined) send(sql(`UPDATE memory_agents SET bid = ? ${ofAgent}`).run(bid, wid, key));
    }
  },
  focusDone: ({ sql, send }, rows) => {
    const ofTarget = "WHERE tenant = @tenant AND wid = ? AND target = ?";
    for (const { wid, target } of rows) {
      send(sql(`UPDATE memory_agents SET target = NULL ${ofTarget}`).run(wid, target));
      send(sql(`DELETE FROM memory_focus ${ofTarget}`).run(wid, target));
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
    {
      of: ["wid", "id"],
      set: `status = excluded.status, rank = excluded.rank,
     lease_expires_at_ms = excluded.lease_expires_at_ms, body = excluded.body`,
    },
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
    { of: ["wid", "runner_id"], set: "body = excluded.body" },
  ),
  anchor: ({ sql, send }, rows) => {
    for (const { wid, id, anchor } of rows)
      send(
        anchor === undefined
          ? sql("DELETE FROM memory_anchors WHERE tenant = @tenant AND wid = ? AND id = ?").run(wid, id)
          : sql(`INSERT INTO memory_anchors (tenant, wid, id, body) VALUES (@tenant, ?, ?, ?)
              ON CONFLICT (tenant, wid, id) DO UPDATE SET body = excluded.body`).run(
              wid,
              id,
              JSON.stringify(anchor),
            ),
      );
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

/** Call inside a write. Nothing is waited for: the commit does. */
export function applyWrites(connection: WriteConnection, writes: Writes): void {
  for (const [kind, writer] of inOrder) {
    const rows = writes[kind];
    if (rows && rows.length > 0) writer(connection, rows as never);
  }
}
