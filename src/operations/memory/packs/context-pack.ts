import * as z from "zod";
import { trimPack } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import {
  contextAdvanced,
  contextInput,
  contextOutput,
  contextPackPlan,
  contextTrim,
} from "./context-pack-parts.ts";
import { findContext, readContext } from "./read-context.ts";
import { packChars } from "./think-pack.ts";

export const contextPack = defineMemory({
  name: "context_pack",
  title: "Resume work",
  summary:
    "To resume: notes, trace and cards of a task, branch or session in one page, with what to do next.",
  toolset: "daily",
  effect: "read",
  defaultChars: packChars,
  input: contextInput,
  advanced: contextAdvanced,
  output: contextOutput,
  trim: contextTrim,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with cards", input: { context_budget: 4000 } },
    { title: "of a task", given: "a task in focus", input: { target: "TASK-001" } },
  ],

  async handle(input, memory) {
    const plan = await findContext(memory, input);
    return (await readContext(memory, plan, input, "context_pack_capsule")).result;
  },
});

export const contextPackExport = defineMemory({
  name: "context_pack_export",
  title: "Write a pack to a file",
  summary:
    "Writes what context_pack returns to a file below the exports directory, replacing its own earlier one.",
  effect: "write",
  input: {
    out_file: z.string().min(1).max(200).describe("Name of the file, such as context_pack.json."),
    ...contextInput,
    max_chars: z
      .int()
      .min(300)
      .max(1_000_000)
      .default(packChars)
      .describe("Longest pack in characters, at least 300; default 20000."),
  },
  advanced: contextAdvanced,
  output: { out_file: z.string(), bytes: z.int(), truncated: z.boolean() },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with cards", input: { out_file: "context_pack.json" } },
  ],

  async handle({ out_file, max_chars, ...asked }, memory) {
    const plan = await findContext(memory, asked);
    const { result } = await readContext(memory, plan, asked, "context_pack_capsule");
    const chars = Math.min(max_chars, asked.context_budget ?? max_chars);
    const safe = memory.settings.secrets.forAnswer(result);
    const { result: fitted, truncated } = trimPack(safe, contextPackPlan, { chars });
    const workspace = memory.settings.secrets.forAnswer(memory.workspace);
    const text = `${JSON.stringify(fitted)}\n`;
    const written = await memory.exports.write({
      fileName: "context_pack.json",
      content: [text],
      destination: out_file,
      isEarlier: (beginning) => isPackOf(workspace, beginning),
    });
    return { out_file: written, bytes: new TextEncoder().encode(text).length, truncated };
  },
});

const packBeginning = /^\{(?:"requested":\{[^{}]{0,1000}\},)?"capsule":\{(.{0,2000})/;
const ownWorkspace = /^"type":"context_pack_capsule","version":1,"where":\{"workspace":("(?:[^"\\]|\\.)*")/;

/** A pack that names another workspace is no earlier one; the shortest packs name none. */
function isPackOf(workspace: string, beginning: string): boolean {
  const capsule = packBeginning.exec(beginning)?.[1];
  const named = capsule === undefined ? undefined : ownWorkspace.exec(capsule)?.[1];
  return capsule !== undefined && (named === undefined || named === JSON.stringify(workspace));
}
