import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { conflictId } from "./conflict-schema.ts";

export const graphConflictResolve = defineMemory({
  name: "graph_conflict_resolve",
  title: "Resolve a conflict",
  summary:
    "Decides a conflict: use_from writes theirs, what came in, as a new version; use_into keeps ours, what is there.",
  effect: "write",
  input: {
    conflict_id: conflictId,
    resolution: z
      .enum(["use_from", "use_into"])
      .describe(
        "use_from: theirs, the state of the branch merged from. use_into: ours, the state of the branch merged into.",
      ),
  },
  output: { conflict_id: z.string(), status: z.literal("resolved"), applied: z.boolean() },
  errors: ["UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "what came in stands",
      given: "a graph with a conflict",
      input: { conflict_id: "$conflict", resolution: "use_from" },
    },
  ],

  async handle({ conflict_id, resolution }, { commit }) {
    const [{ applied }] = await commit([{ do: "resolve_conflict", id: conflict_id, resolution }]);
    return { conflict_id, status: "resolved" as const, applied };
  },
});
