import * as z from "zod";
import { cleanText } from "../../../domain/transcripts/clean-text.ts";
import { messageText } from "../../../domain/transcripts/entry.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import type { OpenTranscript } from "../../../ports/transcript-files.ts";
import { defineMemory } from "../define-memory.ts";
import { cwdPrefix, maxBytesTotal, maxFiles, rootDir, scannedSchema, sessionSchema } from "./fields.ts";
import { choosePrefix, openRoot } from "./open-root.ts";
import { belongsTo, describeSession, readHead, type TranscriptHead } from "./read-head.ts";
import { createScan, type Scan } from "./scan.ts";
import { suggestAfterDigest } from "./suggest.ts";

const modes = ["summary", "last"] as const;

/** What is read of the end of a file. */
const tailBytes = 512 * 1024;
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

/** Whether a message of the agent sums up what was done: it says so first, has such a heading, or closes with a list. */
function looksLikeSummary(text: string): boolean {
  const early = text.slice(0, looked).trim();
  if (early.length < shortest) return false;
  if (opening.test(early) || heading.test(early)) return true;
  return early.length >= 200 && (early.match(bullet)?.length ?? 0) >= 3;
}

export const transcriptsDigest = defineMemory({
  name: "transcripts_digest",
  title: "Digest of transcripts",
  summary:
    "The latest summaries that agents wrote at the end of their sessions in this project, one a session. Nothing is stored.",
  effect: "read",
  anywhere: true,
  input: {
    root_dir: rootDir.optional(),
    cwd_prefix: cwdPrefix.optional(),
    mode: z
      .enum(modes)
      .default("summary")
      .describe("summary: messages that sum up; last: the last message of each session. Default summary."),
    max_files: maxFiles,
    max_bytes_total: maxBytesTotal,
    max_items: z.int().min(1).max(100).default(6).describe("Most messages, 1–100; default 6."),
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
    await scan.each(root, await root.list(), async (file) => {
      const head = await readHead(scan, file);
      if (!belongsTo(head, prefix, memory.settings)) return;
      const item = await findLast(scan, file, head, accepts);
      if (item) digest.push(item);
      if (digest.length >= asked.max_items) scan.stop();
    });
    const scanned = scan.account();
    if (digest.length === 0 && scanned.truncated) suggestAfterDigest(memory, root, asked, prefix);
    return {
      root_dir: root.directory,
      filters: { cwd_prefix: prefix ?? null, mode: asked.mode },
      scanned,
      digest,
    };
  },
});

/** The last message of the agent that is accepted, in a bounded part at the end of the file. */
async function findLast(
  scan: Scan,
  file: OpenTranscript,
  head: TranscriptHead,
  accepts: (text: string) => boolean,
): Promise<Item | undefined> {
  const whole = file.bytes <= tailBytes;
  const from = whole ? 0 : file.bytes - tailBytes;
  let found: Item | undefined;
  await scan.lines(file, { from, ...(whole && { first: head.bytes }) }, (line) => {
    // What begins in the middle begins with half a line.
    if (!whole && line.number === 1) return;
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
  });
  return found;
}
