import * as z from "zod";
import { type MessageRole, messageText } from "../../../domain/transcripts/entry.ts";
import type { Line } from "../../../domain/transcripts/json-lines.ts";
import { chooseProject, type TranscriptProject } from "../../../domain/transcripts/project-hints.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { escapeInvisible } from "../../../kernel/text.ts";
import { defineMemory } from "../define-memory.ts";
import {
  cwdPrefix,
  maxBytesTotal,
  maxFiles,
  projectSchema,
  role,
  rootDir,
  scannedSchema,
  sessionSchema,
} from "./fields.ts";
import { choosePrefix, openRoot } from "./open-root.ts";
import { belongsTo, createScan, describeSession, readHead } from "./scan.ts";
import { suggestAfterSearch } from "./suggest.ts";

const hitSchema = z.strictObject({
  ref: z.strictObject({ path: z.string(), line: z.int(), byte: z.int() }),
  session: sessionSchema.optional(),
  project: projectSchema.optional(),
  message: z.strictObject({ role: z.string(), ts: z.string().optional(), snippet: z.string() }).optional(),
});
type Hit = Required<z.input<typeof hitSchema>>;

const unicodeEscape = Buffer.from("\\u");
const slashEscape = Buffer.from("\\/");

/**
 * Returns false only if no string in the line can contain the text, so most lines need no parsing. A line may escape
 * any character as `\u`, and a slash as `\/`.
 */
export function createLinePreCheck(text: string): (line: Buffer) => boolean {
  const spelled = Buffer.from(JSON.stringify(text).slice(1, -1));
  const hasSlash = text.includes("/");
  return (line) =>
    line.includes(spelled) || line.includes(unicodeEscape) || (hasSlash && line.includes(slashEscape));
}

export const transcriptsSearch = defineMemory({
  name: "transcripts_search",
  title: "Search transcripts",
  summary:
    "Searches the transcripts that coding agents leave on this machine, newest first, within a budget. Nothing is stored.",
  effect: "read",
  anywhere: true,
  input: {
    query: z.string().min(1).max(500).describe("Text to find, exactly as written (case matters)."),
    root_dir: rootDir.optional(),
    cwd_prefix: cwdPrefix.optional(),
    role: role.optional(),
    dedupe: z.boolean().default(true).describe("Leave out repeated messages. Default: true."),
    max_files: maxFiles,
    max_bytes_total: maxBytesTotal,
    hits_limit: z.int().min(1).max(200).default(20).describe("At most this many hits, 1–200. Default: 20."),
    context_chars: z
      .int()
      .min(20)
      .max(4_000)
      .default(300)
      .describe("Characters of a message around a hit, 20–4000. Default: 300."),
  },
  advanced: ["dedupe", "max_files", "max_bytes_total", "context_chars"],
  output: {
    root_dir: z.string(),
    filters: z.strictObject({
      cwd_prefix: z.string().nullable(),
      role: z.string().optional(),
      dedupe: z.boolean(),
    }),
    scanned: scannedSchema,
    projects: z.array(projectSchema.extend({ files: z.int(), hits: z.int() })).optional(),
    hits: z.array(hitSchema),
  },
  trim: { optional: ["projects"], list: { key: "hits", oldest: "last", stub: ({ ref }) => ({ ref }) } },
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "in all projects", given: "transcripts", input: { query: "pool", cwd_prefix: "/" } },
    {
      title: "what the agent said",
      given: "transcripts",
      input: { query: "pool", cwd_prefix: "/home/ada/shop", role: "assistant", hits_limit: 5 },
    },
  ],

  async handle(asked, memory) {
    const { query, dedupe, hits_limit, context_chars } = asked;
    const root = await openRoot(memory, asked.root_dir);
    const prefix = await choosePrefix(memory, asked.cwd_prefix);
    const scan = createScan(memory, { maxFiles: asked.max_files, maxBytes: asked.max_bytes_total });
    // Searches the masked text, so that a secret cannot be guessed letter by letter.
    const shown = memory.settings.secrets.forAnswer;
    const mayContain = createLinePreCheck(query);
    const hits: Hit[] = [];
    const seen = new Set<string>();
    const projects = new Map<string, TranscriptProject & { files: number; hits: number }>();

    const listing = await root.list();
    await scan.each(root, listing, async (file) => {
      const head = await readHead(scan, file);
      if (!belongsTo(head, prefix, memory.settings)) return;
      const project = chooseProject(head.hints, prefix);
      const counted = projects.get(project.id) ?? { ...project, files: 0, hits: 0 };
      projects.set(project.id, { ...counted, files: counted.files + 1 });
      const session = describeSession(head.session);

      await scan.lines(file, { first: head.bytes }, (line) => {
        if (hits.length >= hits_limit) return scan.stop();
        if (line.bytes !== undefined && !mayContain(line.bytes)) return;
        const hit = findHit(line);
        if (!hit) return;
        hits.push({
          ref: { path: file.path, line: line.number, byte: line.start },
          session,
          project,
          message: hit,
        });
        const known = projects.get(project.id);
        if (known) known.hits += 1;
      });

      function findHit(line: Line): Hit["message"] | undefined {
        const { entry, skipped } = readTranscriptLine(line);
        if (skipped !== undefined) scan.skipped.add(skipped);
        if (!entry || (asked.role !== undefined && entry.role !== (asked.role as MessageRole)))
          return undefined;
        const said = messageText(entry);
        if (!said.includes(query)) return undefined;
        const text = shown(said);
        const at = text.indexOf(query);
        const key = sha256Hex(`${project.id}\n${entry.role}\n${text}`);
        if (at === -1 || (dedupe && seen.has(key))) return undefined;
        seen.add(key);
        const snippet = snippetAround(text, at, query.length, context_chars);
        return { role: entry.role, ...(entry.at !== undefined && { ts: entry.at }), snippet };
      }
    });

    const scanned = scan.account();
    suggestAfterSearch(memory, root, { asked, prefix, listing, scanned, hits });
    return {
      root_dir: root.directory,
      filters: {
        cwd_prefix: prefix ?? null,
        ...(asked.role !== undefined && { role: asked.role }),
        dedupe,
      },
      scanned,
      projects: [...projects.values()].sort((a, b) => b.hits - a.hits || b.files - a.files).slice(0, 20),
      hits,
    };
  },
});

/** Returns at most `chars` characters, without terminal control characters. */
function snippetAround(text: string, at: number, length: number, chars: number): string {
  const spare = Math.max(0, chars - length);
  const start = Math.max(0, at - Math.floor(spare / 2));
  const end = Math.min(text.length, Math.max(at + Math.min(length, chars), start + chars));
  const cut = text
    .slice(start, end)
    .replace(/^[\udc00-\udfff]/, "")
    .replace(/[\ud800-\udbff]$/, "");
  return `${start > 0 ? "…" : ""}${escapeInvisible(cut)}${end < text.length ? "…" : ""}`;
}
