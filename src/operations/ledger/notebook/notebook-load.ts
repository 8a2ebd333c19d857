import * as z from "zod";
import { adoptCells } from "../../../domain/notebook/from-template.ts";
import { titleOf } from "../../../domain/notebook/notebook.ts";
import { decodeSrcMd } from "../../../domain/notebook/src-md/src-md.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { notebookSchema, shownOfMany, toNotebookAnswer } from "./cells/cell-answer.ts";

export const notebookLoad = defineOperation({
  name: "notebook.load",
  family: "ledger",
  title: "Load a notebook",
  summary:
    "Makes a notebook from a .src.md file, ours or one of Srcbook. Nothing runs, and the network stays off.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    content: z.string().min(1).max(3_000_000).optional().describe("Text of the .src.md file."),
    path: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("Or a file in the exports directory or an allowed one."),
  },
  output: z.strictObject({ notebookId: z.string(), notebook: notebookSchema }),
  errors: ["INVALID_PAYLOAD", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "a text",
      given: "a session with thoughts",
      input: {
        sessionId: "$session",
        content:
          '<!-- srcbook:{"language":"javascript"} -->\n\n# Sums\n\n###### add.js\n\n```javascript\n1 + 1\n```\n',
      },
    },
  ],

  async handle({ content, path }, { notebooks, exports, standing, clock, newId, once, fail }) {
    if ((content === undefined) === (path === undefined))
      return fail("INVALID_PAYLOAD", "Give either content or path.");
    const { language, tsconfig, cells } = decodeSrcMd(content ?? (await exports.read(path ?? "")));
    const titled = cells.some(({ type }) => type === "title")
      ? cells
      : [{ type: "title" as const, text: titleOf({ cells }) }, ...cells];
    const draft = {
      id: newId(),
      project: standing.project,
      language,
      tsconfig,
      net: false,
      cells: adoptCells(titled, language, newId),
      at: clock().getTime(),
    };
    const notebook = await notebooks.createNotebook(draft, once);
    return { notebookId: notebook.id, notebook: toNotebookAnswer(notebook, shownOfMany) };
  },
});
