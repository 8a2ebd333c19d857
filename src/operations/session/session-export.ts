import * as z from "zod";
import { answerBudget } from "../budget.ts";
import { defineOperation } from "../define.ts";
import { renderExport, saveExport } from "./write-export.ts";

export const sessionExport = defineOperation({
  name: "session.export",
  family: "ledger",
  title: "Export a session",
  summary:
    "Exports a whole session with every branch and revision; large ones and named destinations go to a file.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  session: "required",
  input: {
    format: z.enum(["json"]).default("json").describe("SessionExport 1.0, which carries the hash chain."),
    includeMetadata: z.boolean().default(true).describe("Whether the hash chain and salts are included."),
    destination: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe("Directory or file, inside the exports directory or one of THOUGHTBOX_EXPORT_DIRS."),
  },
  output: z.strictObject({
    sessionId: z.string(),
    format: z.string(),
    export: z.record(z.string(), z.unknown()).optional(),
    path: z.string().optional(),
    bytes: z.int(),
  }),
  errors: ["SESSION_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "into the answer", given: "a session with a branch", input: { sessionId: "$session" } },
    {
      title: "into a file",
      given: "a session with a branch",
      input: { sessionId: "$session", destination: "for-review" },
    },
  ],

  async handle({ format, includeMetadata, destination }, context) {
    const sessionId = context.handle.sessionId ?? "";
    context.ledger.touch(sessionId, context.clock().toISOString());
    const content = await renderExport(context, sessionId, includeMetadata);
    const answer = { sessionId, format, bytes: Buffer.byteLength(content) };
    if (destination === undefined && content.length <= answerBudget - 1_000) {
      return { ...answer, export: JSON.parse(content) as Record<string, unknown> };
    }
    return { ...answer, path: await saveExport(context, sessionId, content, destination) };
  },
});
