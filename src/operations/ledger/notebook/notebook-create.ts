import * as z from "zod";
import { fromTemplate } from "../../../domain/notebook/from-template.ts";
import { notebookLimits } from "../../../domain/notebook/limits.ts";
import { decodeSrcMd } from "../../../domain/notebook/src-md/src-md.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { notebookSchema, shownOfMany, toNotebookAnswer } from "./cells/cell-answer.ts";
import { language, name, nameSpelling } from "./notebook-fields.ts";

export const notebookCreate = defineOperation({
  name: "notebook.create",
  family: "ledger",
  title: "Create a notebook",
  summary: "Opens a notebook: prose and code that runs, kept with the project. Blank, or from a template.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    name,
    language: language.default("typescript").describe("Language of its code cells; default typescript."),
    template: z
      .enum(["blank", "sequential-feynman"])
      .default("blank")
      .describe("blank, or sequential-feynman: understand something by explaining it; default blank."),
    tsconfig: z
      .string()
      .max(notebookLimits.tsconfig)
      .optional()
      .describe("Text of a tsconfig.json; options that change what code means are obeyed."),
    net: z.boolean().default(false).describe("Whether its cells may use the network; default false."),
  },
  advanced: ["tsconfig", "net"],
  spellings: { aliases: { ...nameSpelling, "tsconfig.json": "tsconfig" } },
  output: z.strictObject({ notebookId: z.string(), notebook: notebookSchema }),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a blank one",
      given: "a session with thoughts",
      input: { sessionId: "$session", name: "Does the pool leak?" },
    },
    {
      title: "to understand something",
      given: "a session with thoughts",
      input: { sessionId: "$session", name: "Backpressure", template: "sequential-feynman" },
    },
  ],

  async handle({ template, tsconfig, ...choice }, { notebooks, standing, content, clock, newId, once }) {
    const file = decodeSrcMd(await content.read(`notebooks/${template}.src.md`));
    const notebook = await notebooks.createNotebook(
      {
        id: newId(),
        project: standing.project,
        language: choice.language,
        tsconfig,
        net: choice.net,
        cells: fromTemplate(file.cells, choice, newId),
        at: clock().getTime(),
      },
      once,
    );
    return { notebookId: notebook.id, notebook: toNotebookAnswer(notebook, shownOfMany) };
  },
});
