import * as z from "zod";
import { bareLine } from "../../../domain/actions/action.ts";
import { findRemoved, type RemovedLines } from "../../../domain/actions/line-diff.ts";
import type { Attribution } from "../../../domain/why/attribute-lines.ts";
import type { Json } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { attribute, uncommitted } from "./blamed-file.ts";
import { findOrigin } from "./find-origin.ts";
import { openFile, readBefore } from "./find-subject.ts";
import { commitSchema, readWriter, showCommit, type Writer, writerSchema } from "./writer.ts";

const lineNumber = z.int().min(1).max(10_000_000);
/** The maximum lines per run with text. Longer runs are split, so that a page can show a part. */
const longestRun = 100;

const runSchema = z.strictObject({
  from: z.int(),
  to: z.int(),
  /** `n` of the edit that wrote these lines. Absent if the edit is unknown. */
  writer: z.int().optional(),
  /** Absent for uncommitted lines. */
  commit: z.string().optional(),
  text: z.string().optional(),
});
/**
 * `from` is the first line in the earlier text. `before` is the line of the current file that follows the removed text.
 */
const removedSchema = z.strictObject({ before: z.int(), from: z.int(), text: z.string() });
type Run = z.infer<typeof runSchema>;

export const whyFile = defineMemory({
  name: "why_file",
  title: "Show who wrote each line",
  summary: "Maps every line of a file to the edit and session that wrote it.",
  effect: "read",
  runsGit: true,
  anywhere: true,
  input: {
    file: z
      .string()
      .min(1)
      .max(1_024)
      .describe("Path of a file in a git repository. For a deleted file, only removed lines are shown."),
    from: lineNumber
      .default(1)
      .describe("First line. Default: 1. To continue, pass next from the previous page."),
    to: lineNumber.optional().describe("Last line. Omit for the end of the file."),
    since: z
      .string()
      .min(4)
      .max(200)
      .optional()
      .describe("Commit or range (main...HEAD): the first page also shows the lines removed since then."),
    at: z
      .string()
      .min(4)
      .max(200)
      .optional()
      .describe("Shows the file as of this commit. Default: the current file."),
    text: z.boolean().default(false).describe("Include the text of the lines. Default: false."),
    writers: z
      .boolean()
      .default(true)
      .describe("Identify who wrote the lines, which takes longer. Default: true."),
  },
  output: {
    repository: z.string(),
    head: z.string().optional(),
    file: z.string(),
    /** Lines and characters in the whole file. */
    total: z.int(),
    chars: z.int(),
    runs: z.array(runSchema),
    removed: z.array(removedSchema).optional(),
    /** Set for a deleted file. `removed` then contains the file's last lines. */
    deleted: commitSchema.optional(),
    writers: z.array(writerSchema.extend({ n: z.int() })),
    commits: z.array(commitSchema),
    /** Set if the answer ends before the last requested line. */
    next: z.int().optional(),
  },
  trim: {
    list: [
      { key: "removed", oldest: "last", mayBeEmpty: true },
      { key: "runs", oldest: "last", stub: ({ from, to, writer }) => ({ from, to, writer }) },
    ],
    adjust: keepMentioned,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "of a file", given: "a repository with a captured session", input: { file: "src/pool.ts" } },
    {
      title: "with its text",
      given: "a repository with a captured session",
      input: { file: "src/pool.ts", from: 1, to: 2, text: true },
    },
    {
      title: "with the lines removed since a commit",
      given: "a repository with a captured session",
      input: { file: "src/pool.ts", since: "HEAD" },
    },
  ],

  async handle({ file, from, to, at: asOf, text, since, writers: hasWriters }, memory) {
    const { repository, parts, deletedBy } = await openFile(memory, file, {
      orDeleted: true,
      isBlamed: hasWriters,
      at: asOf,
    });
    const part = parts[0] ?? { path: file, lines: [] };
    const { path, lines } = part;
    const last = Math.min(to ?? lines.length, lines.length);
    const wanted = lines.flatMap((_, at) => (at + 1 >= from && at + 1 <= last ? [at] : []));
    const { found, commits } = hasWriters
      ? await attribute(memory, repository, part, wanted)
      : { found: [], commits: new Map() };
    const writers = new Map<string, Writer & { n: number }>();
    const runs: Run[] = [];
    for (const at of wanted) {
      const { commit = uncommitted, text: line = "" } = lines[at] ?? {};
      const writer = found[at] && (await numberOf(found[at]));
      const sha = commit === uncommitted ? undefined : commit.slice(0, 12);
      const run = runs.at(-1);
      const isFull = text && run && run.to - run.from + 1 >= longestRun;
      if (run && !isFull && run.writer === writer && run.commit === sha) {
        run.to = at + 1;
        if (text) run.text += `\n${line}`;
      } else
        runs.push({
          from: at + 1,
          to: at + 1,
          ...(writer !== undefined && { writer }),
          ...(sha !== undefined && { commit: sha }),
          ...(text && { text: line }),
        });
    }
    const texts = lines.map((line) => line.text);
    const before = since ?? (deletedBy && `${deletedBy}^`);
    const removed =
      before === undefined || from > 1
        ? undefined
        : findRemoved(await readBefore(memory, repository, before, path), texts, bareLine);
    const deletion = deletedBy && (await repository.readCommits([deletedBy])).get(deletedBy);
    const shown = new Set(runs.map(({ commit }) => commit));
    return {
      repository: repository.root,
      ...(repository.head !== undefined && { head: repository.head }),
      file: path,
      total: lines.length,
      chars: texts.reduce((sum, line) => sum + line.length + 1, 0),
      runs,
      ...(deletion && { deleted: showCommit(deletion) }),
      ...(removed && { removed: removed.flatMap(showRemoved) }),
      writers: [...writers.values()],
      commits: [...commits.values()].map(showCommit).filter(({ sha }) => shown.has(sha)),
    };

    async function numberOf(attribution: Attribution): Promise<number> {
      const key = `${attribution.class}\n${attribution.known.id}`;
      const known = writers.get(key);
      if (known) return known.n;
      const origin = await findOrigin(memory, attribution.known);
      const n = writers.size + 1;
      writers.set(key, { ...(await readWriter(memory, attribution, origin)), n });
      return n;
    }
  },
});

/** Shows removed lines. Splits long pieces, so that a short answer can show the first part. */
function showRemoved({ oldAt, before, lines }: RemovedLines): z.infer<typeof removedSchema>[] {
  return Array.from({ length: Math.ceil(lines.length / longestRun) }, (_, n) => ({
    before: before + 1,
    from: oldAt + n * longestRun + 1,
    text: lines.slice(n * longestRun, (n + 1) * longestRun).join("\n"),
  }));
}

/** Keeps only the edits and commits of the page's own lines. */
function keepMentioned(page: Json, whole: Json): Json {
  const { runs, writers, commits } = page as { runs: Run[]; writers: { n: number }[]; commits: Json[] };
  const [numbers, shas] = [new Set(runs.map(({ writer }) => writer)), new Set(runs.map((run) => run.commit))];
  const next = (runs.at(-1)?.to ?? 0) + 1;
  const last = (whole as { runs: Run[] }).runs.at(-1)?.to ?? 0;
  return {
    ...page,
    writers: writers.filter(({ n }) => numbers.has(n)),
    commits: commits.filter(({ sha }) => shas.has(String(sha))),
    ...(next <= last && { next }),
  };
}
