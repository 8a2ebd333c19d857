import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { Meta } from "./entry.ts";

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

/** A version of a node or an edge before it has a place in the order of things. */
export type GraphState =
  | ({ kind: "node"; deleted: boolean } & NodeContent)
  | ({ kind: "edge"; deleted: boolean } & EdgeContent);

export type GraphVersion = GraphState & { last_seq: number; last_ts_ms: number };

/** The version without its place in the order of things. */
export function stateOf({ last_seq: _seq, last_ts_ms: _ts, ...state }: GraphVersion): GraphState {
  return state;
}

/** `|` is reserved in ids and relations, so that no node can have the key of an edge. */
export const edgeKey = ({ from, rel, to }: EdgeKey): string => `${from}|${rel}|${to}`;

export const keyOf = (state: GraphState): string => (state.kind === "node" ? state.id : edgeKey(state));

/** The fingerprint of a state nobody can see: absent and deleted are one. */
export const nothing = "deleted";

/** Two states with one fingerprint mean the same; what is deleted is equal whatever it was. */
export function fingerprint(state: GraphState): string {
  if (state.deleted) return nothing;
  const { kind, meta, ...rest } = state;
  const fields = kind === "node" ? nodeFields(rest as NodeContent) : {};
  return sha256Hex(canonicalJson({ kind, ...fields, meta: isEmpty(meta) ? undefined : meta })).slice(0, 32);
}

function nodeFields({ type, title, text, status, tags }: NodeContent) {
  return { type, title, text, status, tags: tags && tags.length > 0 ? [...tags] : undefined };
}

const isEmpty = (meta: Meta | undefined): boolean => meta === undefined || Object.keys(meta).length === 0;

/** Lower case, without doubles, in a stable order. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""))].sort();
}
