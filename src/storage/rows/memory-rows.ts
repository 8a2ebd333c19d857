import { choosePlaces } from "../../domain/memory/agents.ts";
import { type CardNode, isThinkType } from "../../domain/memory/cards/card.ts";
import type { Entry, EntryKind, EntryMark } from "../../domain/memory/entry.ts";
import type { GraphState, GraphVersion } from "../../domain/memory/graph.ts";
import type { Conflict, ConflictStatus, StoredTaskEvent, Tag } from "../../domain/memory/steps/outcomes.ts";
import type { BranchRow, KnownTag } from "../../domain/memory/steps/rows.ts";
import type { TaskEvent } from "../../domain/tasks/decision.ts";
import { eventId } from "../../domain/tasks/item.ts";
import type { Reader, Workspace } from "../../ports/memory/memory-store.ts";
import { parseColumn, type Row } from "./row.ts";

/** The workspace query for callers that are not agents. */
export const newestQuery = `SELECT b.name AS checkout, w.project_guard, w.project, f.target AS focus
  FROM {memory_workspaces} w JOIN {memory_branches} b ON b.bid = w.checkout LEFT JOIN {memory_focus} f ON f.wid = w.wid
  WHERE w.name = ?1`;

/** A single statement, because every memory call starts with it. The caller's own row comes first. */
export const workspaceQuery = `SELECT b.name AS checkout, w.project_guard, w.project, f.target AS focus, a.key, a.agent_id,
    a.target AS own_focus, a.cleared, c.name AS own_checkout
  FROM {memory_workspaces} w JOIN {memory_branches} b ON b.bid = w.checkout LEFT JOIN {memory_focus} f ON f.wid = w.wid
  LEFT JOIN {memory_agents} a ON a.wid = w.wid AND a.at_ms > ?2
    AND (a.key IN (?3, ?4) OR a.target = f.target OR a.bid = w.checkout)
  LEFT JOIN {memory_branches} c ON c.bid = a.bid AND c.deleted_at_ms IS NULL
  WHERE w.name = ?1 ORDER BY CASE WHEN a.key IN (?3, ?4) THEN 0 ELSE 1 END LIMIT 8`;

export const workspaceParameters = (name: string, { agent, afterMs }: Reader) =>
  [name, afterMs, agent.keys[0] ?? "", agent.keys[1] ?? ""] as const;

export function decodeWorkspace(
  name: string,
  rows: readonly Row[],
  { agent }: Reader,
): Workspace | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const textOf = (row: Row, column: string) =>
    typeof row[column] === "string" ? (row[column] as string) : undefined;
  const known = rows.flatMap((row) => {
    const key = textOf(row, "key");
    if (key === undefined) return [];
    return {
      key,
      agentId: textOf(row, "agent_id"),
      focus: textOf(row, "own_focus"),
      cleared: textOf(row, "cleared"),
      checkout: textOf(row, "own_checkout"),
    };
  });
  const newest = { checkout: String(first["checkout"]), focus: textOf(first, "focus") };
  const guards = { projectGuard: textOf(first, "project_guard"), project: textOf(first, "project") };
  return { name, ...guards, ...choosePlaces(newest, known, agent) };
}

export const branchColumns = `b.bid, b.uid, b.name, b.base, b.base_seq, b.depth, b.created_at_ms, b.deleted_at_ms`;

export function decodeBranch(row: Row): BranchRow {
  return {
    bid: Number(row["bid"]),
    uid: String(row["uid"]),
    name: String(row["name"]),
    base: typeof row["base"] === "number" ? row["base"] : undefined,
    baseSeq: Number(row["base_seq"]),
    depth: Number(row["depth"]),
    createdAtMs: Number(row["created_at_ms"]),
    deletedAtMs: typeof row["deleted_at_ms"] === "number" ? row["deleted_at_ms"] : undefined,
  };
}

/** The columns that `decodeEntry` reads from a row `e`. */
export const entryColumns =
  "e.seq, e.kind, e.title, e.format, e.meta, e.content, e.agent_id, e.ts_ms, e.source_event_id";

/** Adds fields one by one, because a pack decodes a hundred entries and a spread would be much slower. */
export function decodeEntry(row: Row): Entry {
  const ts_ms = Number(row["ts_ms"]);
  const entry = {
    seq: Number(row["seq"]),
    ts: new Date(ts_ms).toISOString(),
    ts_ms,
    branch: String(row["branch_name"]),
    doc: String(row["doc_name"]),
    kind: String(row["kind"]) as EntryKind,
  } as Entry;
  if (row["title"] !== null) entry.title = String(row["title"]);
  if (row["format"] !== null) entry.format = String(row["format"]);
  if (row["meta"] !== null) entry.meta = parseColumn<Record<string, unknown>>(row["meta"]);
  entry.content = String(row["content"]);
  if (row["agent_id"] !== null) entry.agent_id = String(row["agent_id"]);
  if (row["source_event_id"] !== null) entry.source_event_id = String(row["source_event_id"]);
  return entry;
}

export const decodeMark = ({ seq, format, meta }: Row): EntryMark => ({
  seq: Number(seq),
  format: format === null ? undefined : String(format),
  meta: meta === null ? undefined : parseColumn<Record<string, unknown>>(meta),
});

export function decodeTag(row: Row): Tag {
  return {
    name: String(row["name"]),
    seq: Number(row["seq"]),
    branch: String(row["branch"]),
    doc: String(row["doc"]),
    created_at_ms: Number(row["created_at_ms"]),
  };
}

/** Decodes a tag that may make a name unavailable. A tag whose branch was deleted still occupies its name. */
export const decodeAnyTag = (row: Row): KnownTag => ({
  ...decodeTag(row),
  hidden: row["deleted_at_ms"] !== null,
});

type EventBody = TaskEvent & { agent_id?: string | undefined };

export function decodeEvent(row: Row): StoredTaskEvent {
  return {
    event_id: eventId(Number(row["number"])),
    seq: Number(row["seq"]),
    ts_ms: Number(row["ts_ms"]),
    target: String(row["target"]),
    ...parseColumn<EventBody>(row["body"]),
  };
}

export function decodeConflict(row: Row): Conflict & { order: number } {
  const state = (column: "base" | "ours") =>
    row[column] === null ? null : parseColumn<GraphState>(row[column]);
  return {
    order: Number(row["cid"]),
    conflict_id: String(row["id"]),
    kind: row["kind"] === "edge" ? "edge" : "node",
    key: String(row["key"]),
    from: String(row["from_name"]),
    into: String(row["into_name"]),
    doc: String(row["doc_name"]),
    status: String(row["status"]) as ConflictStatus,
    base: state("base"),
    theirs: parseColumn<GraphState>(row["theirs"]),
    ours: state("ours"),
    created_at_ms: Number(row["created_at_ms"]),
    ...(row["resolved_at_ms"] !== null && { resolved_at_ms: Number(row["resolved_at_ms"]) }),
    ...(row["resolution"] !== null && {
      resolution: String(row["resolution"]) as NonNullable<Conflict["resolution"]>,
    }),
  };
}

export function toCard(version: GraphVersion): CardNode[] {
  if (version.kind !== "node" || !isThinkType(version.type)) return [];
  const { id, title, text, meta, last_seq, last_ts_ms, type, status = "open", tags = [] } = version;
  const card = { id } as CardNode;
  if (title !== undefined) card.title = title;
  if (text !== undefined) card.text = text;
  if (meta !== undefined) card.meta = meta;
  return [Object.assign(card, { last_seq, last_ts_ms, type, status, tags })];
}
