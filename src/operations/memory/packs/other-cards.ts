import { kindOf } from "../../../domain/tasks/ids.ts";
import type { Continuation, Json } from "../../pipeline/fit/trim.ts";

const placeFields = ["workspace", "target", "ref", "graph_doc", "step"] as const;

/** Where a view was cut: all its cards, page by page; of a session its thoughts. */
export function otherCards(args: Json): Continuation {
  const { workspace, target, branch, view } = args;
  if (typeof target === "string" && kindOf(target) === undefined)
    return { operation: "show", args: { workspace, branch: `session/${target}` }, shows: "its thoughts" };
  const place = Object.fromEntries(
    placeFields.flatMap((field) => (field in args ? [[field, args[field]]] : [])),
  );
  const drafts = args["all_lanes"] === true || args["include_drafts"] === true || view === "audit";
  const named = typeof branch === "string" && target === undefined ? { ref: branch } : {};
  return {
    operation: "think_query",
    args: { ...place, ...named, ...(drafts && { include_drafts: true }) },
    shows: "all cards, page by page",
  };
}
