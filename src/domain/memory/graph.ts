import type { ThoughtboxError } from "../../kernel/errors.ts";
import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { quote } from "../../kernel/text.ts";
import type { Meta } from "./entry.ts";
import { memoryFailure } from "./failures.ts";
import { isReservedNode, memoryLimits } from "./limits.ts";

export type NodeContent = {
  id: string;
  type: string;
  title?: string | undefined;
  text?: string | undefined;
  status?: string | undefined;
  tags?: readonly string[] | undefined;
  meta?: Meta | undefined;
};

export type EdgeKey = { from: string; rel: string; to: string };
export type EdgeContent = EdgeKey & { meta?: Meta | undefined };

/** The contents of one version of a node or edge, without its seq. */
export type GraphState =
  | ({ kind: "node"; deleted: boolean } & NodeContent)
  | ({ kind: "edge"; deleted: boolean } & EdgeContent);

export type GraphVersion = GraphState & { last_seq: number; last_ts_ms: number };

export function stateOf({ last_seq: _seq, last_ts_ms: _ts, ...state }: GraphVersion): GraphState {
  return state;
}

/** Returns the key of an edge. `|` is reserved in IDs and relations, so no node can have such a key. */
export const edgeKey = ({ from, rel, to }: EdgeKey): string => `${from}|${rel}|${to}`;

/** Returns the two nodes of an edge, or `undefined` if the key belongs to a node. */
export function endsOf(key: string): [from: string, to: string] | undefined {
  const [from, , to] = key.split("|");
  return from === undefined || to === undefined ? undefined : [from, to];
}

export const keyOf = (state: GraphState): string => (state.kind === "node" ? state.id : edgeKey(state));

/** The fingerprint of any node or edge that is absent or deleted. */
export const deletedFingerprint = "deleted";

/** Identifies a state: equal states have equal fingerprints. All deleted nodes and edges share one. */
export function fingerprint(state: GraphState): string {
  if (state.deleted) return deletedFingerprint;
  const { kind } = state;
  const meta = isEmpty(state.meta) ? undefined : state.meta;
  return sha256Hex(canonicalJson(state.kind === "node" ? nodeFields(state, meta) : { kind, meta })).slice(
    0,
    32,
  );
}

function nodeFields({ type, title, text, status, tags }: NodeContent, meta: Meta | undefined) {
  return {
    kind: "node",
    type,
    title,
    text,
    status,
    tags: tags && tags.length > 0 ? [...tags] : undefined,
    meta,
  };
}

const isEmpty = (meta: Meta | undefined): boolean => meta === undefined || Object.keys(meta).length === 0;

/** Returns the tags in lower case, sorted and without duplicates. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""))].sort();
}

export type GraphOp =
  | ({ op: "node_upsert" } & NodeContent)
  | { op: "node_delete"; id: string }
  | ({ op: "edge_upsert" } & EdgeContent)
  | ({ op: "edge_delete" } & EdgeKey);

export const graphOpNames = ["node_upsert", "node_delete", "edge_upsert", "edge_delete"] as const;

/**
 * One operation as received. The type combines the fields of all operations, because tool schemas have no
 * unions.
 */
export type RawOp = Partial<NodeContent & EdgeContent> & { op: (typeof graphOpNames)[number] };

const fieldsOf = {
  node_upsert: { needs: ["id", "type"], takes: ["title", "text", "status", "tags", "meta"] },
  node_delete: { needs: ["id"], takes: [] },
  edge_upsert: { needs: ["from", "rel", "to"], takes: ["meta"] },
  edge_delete: { needs: ["from", "rel", "to"], takes: [] },
} as const satisfies Record<RawOp["op"], { needs: readonly string[]; takes: readonly string[] }>;

/** Refuses invalid input. `at` names the operation in the batch. */
export function checkOp(raw: RawOp, at: number): GraphOp {
  const { needs, takes } = fieldsOf[raw.op];
  const place = `ops[${at}]`;
  const given = Object.entries(raw).filter(([name, value]) => name !== "op" && value !== undefined);
  const stray = given.find(([name]) => ![...needs, ...takes].some((known) => known === name));
  if (stray)
    throw refuse(`${place}: ${raw.op} takes no ${quote(stray[0], 60)}.`, "type", `${place}.${stray[0]}`);
  for (const name of needs) {
    const value = raw[name];
    if (value === undefined) throw refuse(`${place}.${name} is required.`, "missing", `${place}.${name}`);
    checkWord(
      value,
      `${place}.${name}`,
      name === "type" || name === "rel" ? memoryLimits.word : memoryLimits.nodeId,
    );
  }
  for (const id of [raw.id, raw.from, raw.to])
    if (id !== undefined && isReservedNode(id))
      throw refuse(`${place}: IDs beginning with task: or step: are reserved for tasks.`, "prefix", place);
  for (const [n, tag] of (raw.tags ?? []).entries())
    if (tag.trim() !== "") checkWord(tag, `${place}.tags[${n}]`, memoryLimits.tag);
  return raw.op === "node_upsert"
    ? ({ ...raw, ...(raw.tags && { tags: normaliseTags(raw.tags) }) } as GraphOp)
    : (raw as GraphOp);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const control = /[\u0000-\u001f\u007f-\u009f]/;

function checkWord(value: string, path: string, longest: number): void {
  if (value.trim() === "") throw refuse(`${path} must not be empty.`, "non_empty", path);
  if (value.length > longest)
    throw refuse(`${path} must have at most ${longest} characters.`, "length", path);
  if (control.test(value)) throw refuse(`${path} must not contain control characters.`, "type", path);
  if (value.includes("|")) throw refuse(`${path} must not contain "|", which is reserved.`, "type", path);
}

const refuse = (problem: string, kind: string, field: string): ThoughtboxError =>
  memoryFailure("invalid_graph_op", { problem, kind, field });
