import * as z from "zod";
import { cleanText } from "../../../domain/transcripts/clean-text.ts";
import { messageText } from "../../../domain/transcripts/entry.ts";
import { createLineSplitter, type Line } from "../../../domain/transcripts/json-lines.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import type { OpenTranscript } from "../../../ports/transcript-files.ts";
import { defineMemory } from "../define-memory.ts";
import { cwdPrefix, maxBytesTotal, maxFiles, rootDir, scannedSchema, sessionSchema } from "./fields.ts";
import { choosePrefix, openRoot } from "./open-root.ts";
import { belongsTo, createScan, describeSession, readHead, type Scan, type TranscriptHead } from "./scan.ts";
import { suggestAfterDigest } from "./suggest.ts";

const modes = ["summary", "last"] as const;

/** Files up to this size in bytes are read from the beginning, so that their line numbers are known. */
const wholeBytes = 512 * 1024;
/** Bytes to read from the end of a file, because a session may end with megabytes of tool output. */
const fileBytes = 4 * 1024 * 1024;
const pieceBytes = 256 * 1024;
const longestText = 2_000;

const itemSchema = z.strictObject({
  ref: z.strictObject({ path: z.string(), line: z.int().optional(), byte: z.int() }),
  session: sessionSchema.optional(),
  message: z
    .strictObject({ role: z.literal("assistant"), ts: z.string().optional(), text: z.string() })
    .optional(),
});
type Item = z.input<typeof itemSchema>;

const opening =
  /^(?:[#*\s>-]{0,8})(?:summary|in summary|to summari[sz]e|tl;?dr|recap|done|what (?:i|was) (?:did|done|changed)|changes made|all (?:done|set)|implemented|completed|fixed|result)\b/i;
const heading =
  /^\s{0,3}(?:#{1,4}|\*\*)\s{0,4}(?:summary|what changed|changes|result|next steps|recap|verification)\b/im;
const bullet = /^\s{0,8}(?:[-*•]|\d{1,2}[.)])\s/gm;

const shortest = 40;
const looked = 8_000;

/**
 * True if an agent's message summarises its work: it starts with a summary, has a heading for one, or ends
 * with a list.
 */
function looksLikeSummary(text: string): boolean {
  const early = text.slice(0, looked).trim();
  if (early.length < shortest) return false;
  if (opening.test(early) || heading.test(early)) return true;
  return early.length >= 200 && (early.match(bullet)?.length ?? 0) >= 3;
}

export const transcriptsDigest = defineMemory({
  name: "transcripts_digest",
  title: "Digest transcripts",
  summary:
    "Returns the latest summaries that agents wrote at the end of their sessions in this project, one per session. Nothing is stored.",
  effect: "read",
  anywhere: true,
  input: {
    root_dir: rootDir.optional(),
    cwd_prefix: cwdPrefix.optional(),
    mode: z
      .enum(modes)
      .default("summary")
      .describe(
        "summary: messages that summarise a session. last: the last message of each session. Default: summary.",
      ),
    max_files: maxFiles,
    max_bytes_total: maxBytesTotal,
    max_items: z.int().min(1).max(100).default(6).describe("At most this many messages, 1–100. Default: 6."),
  },
  advanced: ["max_files", "max_bytes_total"],
  output: {
    root_dir: z.string(),
    filters: z.strictObject({ cwd_prefix: z.string().nullable(), mode: z.enum(modes) }),
    scanned: scannedSchema,
    digest: z.array(itemSchema),
  },
  trim: { list: { key: "digest", oldest: "last", stub: ({ ref }) => ({ ref }) } },
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "of every project", given: "transcripts", input: { cwd_prefix: "/" } },
    {
      title: "how each session ended",
      given: "transcripts",
      input: { cwd_prefix: "/home/ada/shop", mode: "last", max_items: 3 },
    },
  ],

  async handle(asked, memory) {
    const root = await openRoot(memory, asked.root_dir);
    const prefix = await choosePrefix(memory, asked.cwd_prefix);
    const scan = createScan(memory, { maxFiles: asked.max_files, maxBytes: asked.max_bytes_total });
    const accepts = asked.mode === "last" ? () => true : looksLikeSummary;
    const digest: Item[] = [];
    const listing = await root.list();
    await scan.each(root, listing, async (file) => {
      const portion = scan.portion(fileBytes);
      const head = await readHead(portion, file);
      if (!belongsTo(head, prefix, memory.settings)) return;
      const item = await findLast(scan, portion, file, head, accepts);
      if (item) digest.push(item);
      if (digest.length >= asked.max_items) scan.stop();
    });
    const scanned = scan.account();
    if (digest.length === 0 && scanned.truncated) suggestAfterDigest(memory, root, asked, listing, prefix);
    return {
      root_dir: root.directory,
      filters: { cwd_prefix: prefix ?? null, mode: asked.mode },
      scanned,
      digest,
    };
  },
});

type Portion = ReturnType<Scan["portion"]>;

/** Finds the agent's last message for which `accepts` returns true, within the budget of this file. */
async function findLast(
  scan: Scan,
  portion: Portion,
  file: OpenTranscript,
  head: TranscriptHead,
  accepts: (text: string) => boolean,
): Promise<Item | undefined> {
  const whole = file.bytes <= Math.min(wholeBytes, head.bytes.length + portion.left());
  let found: Item | undefined;
  const look = (line: Line) => {
    const { entry, skipped } = readTranscriptLine(line);
    if (skipped !== undefined) scan.skipped.add(skipped);
    if (entry?.role !== "assistant" || entry.thread !== undefined) return;
    const text = messageText({ ...entry, blocks: entry.blocks.filter(({ type }) => type === "text") });
    if (text === "" || !accepts(text)) return;
    found = {
      ref: { path: file.path, ...(whole && { line: line.number }), byte: line.start },
      session: describeSession(head.session),
      message: {
        role: "assistant",
        ...(entry.at !== undefined && { ts: entry.at }),
        text: cleanText(text, longestText),
      },
    };
  };
  if (whole) await scan.lines(file, { first: head.bytes }, look);
  else
    for await (const piece of readBack(portion, file)) {
      piece(look);
      if (found) break;
    }
  return found;
}

/** Reads from the end of the file backwards, on demand. Each piece consists of whole lines. */
async function* readBack(
  portion: Portion,
  file: OpenTranscript,
): AsyncGenerator<(take: (line: Line) => void) => void> {
  let rest: Buffer = Buffer.alloc(0);
  for (let end = file.bytes; end > 0; ) {
    if (portion.left() <= 0) return portion.cutShort();
    const from = Math.max(0, end - Math.min(pieceBytes, portion.left()));
    const piece = await portion.read(file, from, end - from);
    if (piece.length < end - from) return;
    const joined = Buffer.concat([piece, rest]);
    // A read from the middle starts with a partial line, which belongs to the previous piece.
    const start = from === 0 ? 0 : joined.indexOf(0x0a) + 1;
    rest = start === 0 && from > 0 ? joined : joined.subarray(0, start);
    end = from;
    if (start > 0 || from === 0)
      yield (take) => {
        const splitter = createLineSplitter((line) => take({ ...line, start: line.start + from + start }));
        splitter.push(joined.subarray(start));
        splitter.finish();
      };
  }
}
