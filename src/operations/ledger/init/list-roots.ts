import * as z from "zod";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";

export const rootSchema = z.strictObject({ uri: z.string(), name: z.string().optional() });

export const listRoots = defineOperation({
  name: "list_roots",
  family: "ledger",
  title: "List roots",
  summary: "Shows the directories that the client offers as roots.",
  toolset: "full",
  stage: "entry",
  effect: "read",
  scope: "caller",
  input: {},
  output: z.strictObject({
    supported: z.boolean(),
    roots: z.array(rootSchema),
    problem: z.string().optional(),
  }),
  fit: shortens("roots"),
  errors: [],
  examples: [{ title: "what the client offers", input: {} }],

  async handle(_input, { caller, answers }) {
    if (!caller.can.roots) return { supported: false, roots: [] };
    if (!answers.roots) return { ask: "roots" };
    if ("failed" in answers.roots)
      return {
        supported: true,
        roots: [],
        problem: `The client did not tell its roots: ${answers.roots.failed}.`,
      };
    return { supported: true, roots: [...answers.roots] };
  },
});
