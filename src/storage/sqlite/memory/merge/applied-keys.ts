import type { HeldVersion } from "../../../../domain/memory/graph/plan-versions.ts";
import { countFields } from "../../../../domain/memory/merge/count-changes.ts";
import type { MergeKey } from "../../../../domain/memory/merge/decide-merge.ts";
import { nodeFacets } from "../../../../domain/memory/views/card-facets.ts";
import type { Row } from "../../connection/driver.ts";
import { parseColumn } from "../../connection/json-column.ts";
import type { MergeSides } from "./merge-facts.ts";

/** What writing a key to the target takes. */
export type AppliedKey = {
  /** How many of its fields become different. */
  fields: number;
  held: HeldVersion | undefined;
  facets: readonly string[];
};

const fields = ["title", "text", "status", "tags", "deleted"] as const;
const differs = (column: string): string => `(t.${column} IS NOT o.${column})`;
const differences = fields.map((field) => `${differs(field)} AS other_${field}`).join(", ");

/** Compares where the rows are: their texts, most of what a graph holds, are not carried over for it. */
export function readApplied({ place, into }: MergeSides, keys: readonly MergeKey[]): Map<string, AppliedKey> {
  const rows = place.connection
    .sql(
      `SELECT p.key AS n, t.kind, t.deleted, t.type, t.status, t.tags, o.seq AS held, o.bid AS held_bid,
       o.deleted AS held_deleted, o.replaces AS held_replaces, ${differences},
       t.kind = 'node' AND ${differs("type")} AS other_type, ${differs("meta")} AS other_meta,
       CASE WHEN ${differs("meta")} THEN t.meta END AS meta, CASE WHEN ${differs("meta")} THEN o.meta END AS held_meta
       FROM json_each(?) p CROSS JOIN graph_versions t ON t.seq = p.value ->> 0
       LEFT JOIN graph_versions o ON o.seq = p.value ->> 1`,
    )
    .all(JSON.stringify(keys.map(({ theirs, ours }) => [theirs?.seq ?? 0, ours?.seq ?? 0])));
  return new Map(
    rows.flatMap((row) => {
      const key = keys[Number(row["n"])]?.key;
      return key === undefined ? [] : [[key, decodeApplied(row, into.bid)] as const];
    }),
  );
}

function decodeApplied(row: Row, into: number): AppliedKey {
  const isLiveNode = row["kind"] === "node" && row["deleted"] === 0;
  return {
    fields: countFields({
      fields: [...fields, "type"].filter((field) => row[`other_${field}`] === 1),
      meta: row["other_meta"] === 1 ? [metaOf(row["meta"]), metaOf(row["held_meta"])] : undefined,
    }),
    held: typeof row["held"] === "number" ? decodeHeld(row, row["held"], into) : undefined,
    facets: isLiveNode ? [...new Set(nodeFacets(decodeMarks(row)))] : [],
  };
}

const metaOf = (column: unknown): unknown => (column === null ? undefined : parseColumn(column));

const decodeHeld = (row: Row, seq: number, into: number): HeldVersion => ({
  seq,
  own: row["held_bid"] === into,
  deleted: row["held_deleted"] === 1,
  replaces: typeof row["held_replaces"] === "number" ? row["held_replaces"] : undefined,
});

const decodeMarks = (row: Row) => ({
  id: "",
  type: String(row["type"]),
  status: row["status"] === null ? undefined : String(row["status"]),
  tags: row["tags"] === null ? undefined : parseColumn<string[]>(row["tags"]),
});
