import * as z from "zod";
import { adoptCells, fromTemplate } from "../../../domain/notebook/cell-content.ts";
import { notebookFailure } from "../../../domain/notebook/failures.ts";
import { languages, notebookLimits, titleOf } from "../../../domain/notebook/notebook.ts";
import { decodeSrcMd } from "../../../domain/notebook/src-md.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { limit, offset, offsetPage, offsetPageSchema } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { notebookSchema, shownOfMany, toNotebookAnswer } from "./cells/cell-answer.ts";
import { findNotebook } from "./find-notebook.ts";
import { language, name, nameSpelling, notebookId } from "./notebook-fields.ts";

export const notebookCreate = defineOperation({
  name: "notebook.create",
  family: "ledger",
  title: "Create a notebook",
  summary: "Creates a notebook of prose and runnable code in the project, blank or from a template.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: {
    name,
    language: language.default("typescript").describe("Language of the code cells. Default: typescript."),
    template: z
      .enum(["blank", "sequential-feynman"])
      .default("blank")
      .describe("blank, or sequential-feynman to understand something by explaining it. Default: blank."),
    tsconfig: z
      .string()
      .max(notebookLimits.tsconfig)
      .optional()
      .describe("Text of a tsconfig.json. Only options that change what the code does are used."),
    net: z
      .boolean()
      .default(false)
      .describe("Gives the notebook's cells network access, if the operator allows it. Default: false."),
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

  async handle({ template, tsconfig, ...choice }, { notebooks, callerState, content, clock, newId, once }) {
    const file = decodeSrcMd(await content.read(`notebooks/${template}.src.md`));
    const notebook = await notebooks.createNotebook(
      {
        id: newId(),
        project: callerState.project,
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

export const notebookLoad = defineOperation({
  name: "notebook.load",
  family: "ledger",
  title: "Load a notebook",
  summary:
    "Creates a notebook from a .src.md file written by Thoughtbox or Srcbook. Does not run any cells. The notebook has no network access.",
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
      .describe("File to load instead of content, from the exports directory or another allowed directory."),
  },
  output: z.strictObject({ notebookId: z.string(), notebook: notebookSchema }),
  errors: ["INVALID_PAYLOAD", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "from text",
      given: "a session with thoughts",
      input: {
        sessionId: "$session",
        content:
          '<!-- srcbook:{"language":"javascript"} -->\n\n# Sums\n\n###### add.js\n\n```javascript\n1 + 1\n```\n',
      },
    },
  ],

  async handle({ content, path }, { notebooks, exports, callerState, clock, newId, once, fail }) {
    if ((content === undefined) === (path === undefined))
      return fail("INVALID_PAYLOAD", "Pass either content or path.");
    const { language, tsconfig, cells } = decodeSrcMd(content ?? (await exports.read(path ?? "")));
    const titled = cells.some(({ type }) => type === "title")
      ? cells
      : [{ type: "title" as const, text: titleOf({ cells }) }, ...cells];
    const draft = {
      id: newId(),
      project: callerState.project,
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

export const notebookList = defineOperation({
  name: "notebook.list",
  family: "ledger",
  title: "List notebooks",
  summary: "Lists the project's notebooks, most recently changed first.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "caller",
  input: {
    trash: z.boolean().default(false).describe("Lists the deleted notebooks. Default: false."),
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

  async handle({ trash, limit, offset }, { notebooks, callerState }) {
    const page = await notebooks.listNotebooks({ project: callerState.project, trash, limit, offset });
    return { notebooks: page.notebooks, ...offsetPage(offset, page.notebooks.length, page.total) };
  },
});

export const notebookDelete = defineOperation({
  name: "notebook.delete",
  family: "ledger",
  title: "Delete a notebook",
  summary: "Moves a notebook to the trash. notebook.restore restores it. Needs confirm: true.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  scope: "caller",
  input: {
    notebookId,
    confirm: z.boolean().default(false).describe("Must be true. Default: false."),
  },
  output: z.strictObject({ notebookId: z.string(), deleted: z.literal(true), restorable: z.literal(true) }),
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "confirmed",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook", confirm: true },
    },
  ],

  async handle({ notebookId, confirm }, context) {
    const notebook = await findNotebook(context, notebookId);
    if (!confirm) {
      return context.fail("INVALID_PAYLOAD", `Deleting “${titleOf(notebook)}” needs confirm: true.`, {
        details: { cells: notebook.cells.length },
        recovery: { hint: "Pass confirm: true. You can restore the notebook later." },
      });
    }
    await context.notebooks.trashNotebook(context.callerState.project, notebookId, context.clock().getTime());
    return { notebookId, deleted: true as const, restorable: true as const };
  },
});

export const notebookRestore = defineOperation({
  name: "notebook.restore",
  family: "ledger",
  title: "Restore a notebook",
  summary: "Restores a notebook from the trash, with all its cells, versions and runs.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "caller",
  input: { notebookId },
  output: z.strictObject({ notebookId: z.string(), notebook: notebookSchema }),
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "a deleted one",
      given: "a deleted notebook",
      input: { sessionId: "$session", notebookId: "$notebook" },
    },
  ],

  async handle({ notebookId }, { notebooks, callerState, clock }) {
    const restored = await notebooks.restoreNotebook(callerState.project, notebookId, clock().getTime());
    if (!restored) throw notebookFailure("unknown_notebook", { notebookId });
    return { notebookId, notebook: toNotebookAnswer(restored, shownOfMany) };
  },
});
