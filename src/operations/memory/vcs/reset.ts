import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { checkoutOf } from "../scope.ts";
import { pointerSchema, ref, showPointer } from "./ref-schemas.ts";
import { requireCommit } from "./resolve-ref.ts";

export const reset = defineMemory({
  name: "reset",
  title: "Move a ref",
  summary:
    "Moves the checkout's ref for a document to another commit. The log continues from there. Entries are kept.",
  effect: "write",
  input: { ref: ref.describe("Commit such as notes@12, or a tag or branch that points to it.") },
  output: {
    workspace: z.string(),
    branch: z.string(),
    doc: z.string(),
    previous: pointerSchema.nullable(),
    current: pointerSchema,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "back to a tag", given: "a workspace with commits", input: { ref: "v1" } }],

  async handle({ ref }, memory) {
    const { workspace } = memory;
    const branch = checkoutOf(memory);
    const { doc, seq } = await requireCommit(memory, ref);
    const [{ previous, current }] = await memory.commit([{ do: "reset", branch, doc, seq }]);
    return {
      workspace,
      branch,
      doc,
      previous: previous ? showPointer(previous) : null,
      current: showPointer(current),
    };
  },
});
