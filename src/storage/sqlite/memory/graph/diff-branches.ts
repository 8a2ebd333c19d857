import type { GraphChanges, GraphDifference } from "../../../../ports/memory/graph.ts";
import { differenceBetween } from "../merge/known-difference.ts";
import { type Place, requireBranchIn } from "../places.ts";
import { diffViews } from "./graph-diff.ts";
import { openView } from "./graph-view.ts";

/** What one branch shows in a graph that another does not. */
export function diffBranches(place: Place, { from, to, doc, before, limit }: GraphDifference): GraphChanges {
  const branch = (name: string) => requireBranchIn(place.connection, place.workspace, name).branch;
  const [one, other] = [branch(from), branch(to)];
  const known = differenceBetween(place, one, other, doc);
  return diffViews(openView(place, one.bid, doc), openView(place, other.bid, doc), before, limit, known);
}
