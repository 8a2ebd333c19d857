import * as z from "zod";
import { cleanText } from "../../../domain/transcripts/clean-text.ts";
import {
  type Block,
  createTally,
  type Tally,
  type TranscriptEntry,
} from "../../../domain/transcripts/entry.ts";
import type { Line } from "../../../domain/transcripts/json-lines.ts";
import { chooseProject } from "../../../domain/transcripts/project-hints.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import type { OpenTranscript } from "../../../ports/transcript-files.ts";
import type { TrimPlan } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { projectSchema, refPath, rootDir, sessionSchema, tallySchema } from "./fields.ts";
import { openByName, openRoot, refuseForeign } from "./open-root.ts";
import { createScan, describeSession, readHead, type Scan } from "./scan.ts";
import { suggestCapture } from "./suggest.ts";

/** The line number is known only if lines were counted from the beginning. */
type Position = { line?: number; byte: number };

type WindowEntry = {
  ref: Position;
  role: string;
  kind: string;
  ts?: string;
  text: string;
};

type Wanted = { line?: number | undefined; byte?: number | undefined; before: number; after: number };
type Window = { ref: Position; entries: WindowEntry[]; skipped: Tally };

/** For the lines before a byte, at most this much is read backwards. */
const backBytes = 8 * 1024 * 1024;
/** Neighbouring lines beyond this total are dropped. */
const heldMost = 32 * 1024 * 1024;
/** The requested line may fill an answer, while its neighbours only show the context. */
const longest = { wanted: 60_000, around: 1_500 };

/** If there are no such blocks, returns the start of a sentence that explains why. */
async function readWindow(
  scan: Scan,
  file: OpenTranscript,
  { line, byte, before, after }: Wanted,
): Promise<Window | string> {
  const held: Line[] = [];
  let heldBytes = 0;
  let found: Line | undefined;
  let rest = after;
  const from = byte === undefined ? 0 : Math.max(0, byte - (before === 0 ? 0 : backBytes));
  // A read from the middle starts with a partial line.
  const isWhole = ({ start }: Line) => from === 0 || start > from || start === byte;

  await scan.lines(file, { from }, (each) => {
    if (!isWhole(each) || (found && rest <= 0)) return;
    const isIt = byte === undefined ? each.number === line : each.start === byte;
    if (found) rest -= 1;
    if (isIt) found = each;
    if (!found && before === 0) return;
    held.push({ ...each, bytes: each.bytes && Buffer.from(each.bytes) });
    heldBytes += each.bytes?.length ?? 0;
    while (!found && (held.length > before || heldBytes > heldMost))
      heldBytes -= held.shift()?.bytes?.length ?? 0;
    if (found && heldBytes > 2 * heldMost) rest = 0;
    if (found && rest <= 0) scan.stop();
  });
  if (!found) return byte === undefined ? `There is no line ${line}` : `No line begins at byte ${byte}`;
  const skipped = createTally();
  const wanted = found.start;
  const entries = held.flatMap((each) => {
    const read = readTranscriptLine(each);
    if (read.skipped !== undefined) skipped.add(read.skipped);
    const max = each.start === wanted ? longest.wanted : longest.around;
    return read.entry ? show(read.entry, positionOf(each, from), max) : [];
  });
  return { ref: positionOf(found, from), entries, skipped: skipped.counts() };
}

const positionOf = ({ number, start }: Line, from: number): Position => ({
  ...(from === 0 && { line: number }),
  byte: start,
});

function show({ blocks, role, at }: TranscriptEntry, ref: Position, max: number): WindowEntry[] {
  return blocks.map((block) => ({
    ref,
    role,
    kind: block.type === "tool_result" && block.failed ? "tool_error" : block.type,
    ...(at !== undefined && { ts: at }),
    text: cleanText(textOf(block), max),
  }));
}

const textOf = (block: Block): string => (block.type === "tool_call" ? block.command : block.text);

const line = z.int().min(1).max(maxCount);
const byte = z.int().min(0).max(9_000_000_000_000_000);
/** Finding a line by its number means reading the file from the beginning. */
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
    before_lines: around(3).describe("Lines before it, 0–200. Default: 3."),
    after_lines: around(6).describe("Lines after it, 0–200. Default: 6."),
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
            hint: "Read its beginning.",
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
