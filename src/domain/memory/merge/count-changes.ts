import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import type { MergeKey } from "./decide-merge.ts";

/** How a version that comes in and the one that it replaces differ as they are stored. */
export type StoredDifference = {
  /** Fields that are stored differently, but for `meta`. */
  fields: readonly string[];
  /** Both, where they are stored differently; `undefined` for none. */
  meta?: readonly [unknown, unknown] | undefined;
};

export type ChangeCounts = {
  nodes_changed: number;
  edges_changed: number;
  node_fields_changed: number;
  edge_fields_changed: number;
};

/** The same `meta` may be written with its keys in another order. */
export function countFields({ fields, meta }: StoredDifference): number {
  if (!meta) return fields.length;
  const [incoming, held] = meta;
  const isSame =
    incoming !== undefined && held !== undefined && canonicalJson(incoming) === canonicalJson(held);
  return fields.length + (isSame ? 0 : 1);
}

export function countChanges(
  applied: readonly MergeKey[],
  fieldsOf: (key: MergeKey) => number,
): ChangeCounts {
  const counts = { nodes_changed: 0, edges_changed: 0, node_fields_changed: 0, edge_fields_changed: 0 };
  for (const key of applied) {
    counts[`${key.kind}s_changed`] += 1;
    counts[`${key.kind}_fields_changed`] += fieldsOf(key);
  }
  return counts;
}
