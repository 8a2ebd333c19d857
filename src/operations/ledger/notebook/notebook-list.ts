import * as z from "zod";
import { languages } from "../../../domain/notebook/filename.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { limit, offset } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { offsetPage, offsetPageSchema } from "../../pipeline/paging.ts";

export const notebookList = defineOperation({
  name: "notebook.list",
  family: "ledger",
  title: "List notebooks",
  summary: "Lists the notebooks of the project, the latest changed first.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {
    trash: z.boolean().default(false).describe("Lists deleted notebooks instead; default false."),
    limit: limit(100, 20),
    offset,
  },
  advanced: ["trash"],
  output: z.strictObject({
    notebooks: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        language: z.enum(languages),
        cellCount: z.int(),
        net: z.boolean(),
        createdAt: z.int(),
        updatedAt: z.int(),
      }),
    ),
    ...offsetPageSchema,
  }),
  fit: pages("notebooks"),
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "all", given: "a notebook", input: { sessionId: "$session" } }],

  async handle({ trash, limit, offset }, { notebooks, standing }) {
    const page = await notebooks.listNotebooks({ project: standing.project, trash, limit, offset });
    return { notebooks: page.notebooks, ...offsetPage(offset, page.notebooks.length, page.total) };
  },
});
