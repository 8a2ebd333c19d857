import type { WriteKind, WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import type { MemoryRows } from "../../../../ports/memory/rows.ts";
import type { Connection } from "../../connection/open-database.ts";
import { reachSeq } from "../../connection/sequence.ts";
import { insert, json } from "./insert.ts";
import { supersede, writeVersions } from "./write-versions.ts";

type Writer<Kind extends WriteKind> = (connection: Connection, rows: readonly WriteKinds[Kind][]) => void;

/** In this order: what rows refer to comes before them. */
const writers: { [Kind in WriteKind]?: Writer<Kind> } = {
  // First, so that a merge that is staged there gives way.
  sequence: (connection, numbers) => reachSeq(connection, Math.max(...numbers)),
  workspace: insert<WriteKinds["workspace"]>("memory_workspaces", {
    wid: ({ wid }) => wid,
    name: ({ name }) => name,
    project_guard: ({ projectGuard }) => projectGuard ?? null,
    created_at_ms: ({ createdAtMs }) => createdAtMs,
  }),
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
  version: writeVersions,
  superseded: supersede,
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
