import type { KnownDifference } from "../../../../domain/memory/merge/merge-questions.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { GraphChanges, GraphDifference } from "../../../../ports/memory/graph.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { findDoc, type Place, requireBranchIn } from "../places.ts";
import { diffViews } from "./graph-diff.ts";
import { openView } from "./graph-view.ts";

/** What one branch shows in a graph that another does not. */
export function diffBranches(place: Place, { from, to, doc, before, limit }: GraphDifference): GraphChanges {
  const branch = (name: string) => requireBranchIn(place.connection, place.workspace, name).branch;
  const [one, other] = [branch(from), branch(to)];
  const known = differenceBetween(place, one, other, doc);
  return diffViews(openView(place, one.bid, doc), openView(place, other.bid, doc), before, limit, known);
}

/** `undefined` if neither was made from the other, or they were never merged. */
function differenceBetween(
  place: Place,
  one: BranchRow,
  other: BranchRow,
  docName: string,
): KnownDifference | undefined {
  const child = one.base === other.bid ? one : other.base === one.bid ? other : undefined;
  if (!child) return undefined;
  const row = place.connection
    .sql("SELECT seq, keys FROM graph_known_differences WHERE bid = ? AND doc = ?")
    .get(child.bid, findDoc(place, docName) ?? 0);
  return row && { seq: Number(row["seq"]), keys: parseColumn<string[]>(row["keys"]) };
}
