import * as z from "zod";
import { chooseProject } from "../../../domain/transcripts/project-hints.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import type { TrimPlan } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { projectSchema, refPath, rootDir, sessionSchema, tallySchema } from "./fields.ts";
import { openByName, openRoot, refuseForeign } from "./open-root.ts";
import { readWindow } from "./read-window.ts";
import { createScan, describeSession, readHead } from "./scan.ts";
import { suggestCapture } from "./suggest.ts";

const line = z.int().min(1).max(maxCount);
const byte = z.int().min(0).max(9_000_000_000_000_000);
/** The maximum number of bytes to read. To find a line by its number, a file is read from the beginning. */
const maxBytes = 1024 * 1024 * 1024;

const around = (byDefault: number) => z.int().min(0).max(200).default(byDefault);

export const transcriptsOpen = defineMemory({
  name: "transcripts_open",
  title: "Open a transcript",
  summary: "Reads one line of a transcript and the lines around it. Nothing is stored.",
  effect: "read",
  anywhere: true,
  input: {
    ref: z
      .strictObject({
        path: refPath,
        line: line.optional().describe("Line of the file, from 1."),
        byte: byte.optional().describe("Byte offset of the line, from 0. It takes precedence over line."),
      })
      .describe("Where to read: path with line, byte or both, as a search returns it."),
    root_dir: rootDir.optional(),
    before_lines: around(3).describe("How many lines to show before `ref`, 0–200. Default: 3."),
    after_lines: around(6).describe("How many lines to show after `ref`, 0–200. Default: 6."),
  },
  output: {
    root_dir: z.string(),
    ref: z.strictObject({ path: z.string(), line: z.int().optional(), byte: z.int() }),
    session: sessionSchema,
    project: projectSchema,
    entries: z.array(
      z.strictObject({
        ref: z.strictObject({ line: z.int().optional(), byte: z.int() }),
        role: z.string().optional(),
        kind: z.string().optional(),
        ts: z.string().optional(),
        text: z.string().optional(),
      }),
    ),
    skipped: tallySchema.optional(),
  },
  trim: (answer): TrimPlan => {
    const entries = (answer["entries"] ?? []) as { ref: { byte: number } }[];
    const { byte: wanted } = (answer["ref"] ?? {}) as { byte?: number };
    const before = entries.filter(({ ref }) => ref.byte < (wanted ?? 0)).length;
    const oldest = before * 2 > entries.length ? "first" : "last";
    return { optional: ["skipped"], list: { key: "entries", oldest, stub: ({ ref }) => ({ ref }) } };
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "by line",
      given: "transcripts",
      input: { ref: { path: "2026/03/02/rollout-2026-03-02-shop.jsonl", line: 3 } },
    },
  ],

  async handle({ ref, root_dir, before_lines: before, after_lines: after }, memory) {
    if (ref.line === undefined && ref.byte === undefined)
      return memory.fail("INVALID_PAYLOAD", "Pass ref.line or ref.byte.", {
        details: { hints: [{ kind: "choose_one", fields: ["ref.line", "ref.byte"] }] },
      });
    const root = await openRoot(memory, root_dir);
    const file = await openByName(memory, root, ref.path);
    try {
      const scan = createScan(memory, { maxFiles: 1, maxBytes: maxBytes });
      const head = await readHead(scan, file, { thorough: true });
      await refuseForeign(memory, file.path, head);
      const window = await readWindow(scan, file, { ...ref, before, after });
      if (typeof window === "string")
        return memory.fail("INVALID_PAYLOAD", `${window} in this transcript of ${file.bytes} bytes.`, {
          details: { path: file.path, bytes: file.bytes },
          recovery: {
            hint: "Read the beginning of the transcript.",
            operation: "transcripts_open",
            args: { root_dir: root.directory, ref: { path: file.path, byte: 0 } },
          },
        });
      const opened = { path: file.path, ...window.ref };
      await suggestCapture(memory, opened, window.entries);
      return {
        root_dir: root.directory,
        ref: opened,
        session: {
          ...describeSession(head.session),
          ...(head.session.cwd !== undefined && { cwd: head.session.cwd }),
        },
        project: chooseProject(head.hints),
        entries: window.entries,
        skipped: window.skipped,
      };
    } finally {
      await file.close();
    }
  },
});
