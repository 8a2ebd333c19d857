import * as z from "zod";
import type { LineHash } from "../../../domain/actions/action.ts";
import { decisionStates } from "../../../domain/memory/decisions/decision.ts";
import {
  describeNumbers,
  findLater,
  findUndone,
  groupLines,
  hunkOf,
  type LineGroup,
  type Undone,
} from "../../../domain/why/answer.ts";
import { declaredNames } from "../../../domain/why/reason-words.ts";
import { findMessage, type Subject } from "../../../domain/why/reasons.ts";
import { count, figure } from "../../../kernel/numbers.ts";
import { quote } from "../../../kernel/text.ts";
import type { Commit } from "../../../ports/repository.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { budgetFields } from "../../pipeline/fit/budget.ts";
import type { Json } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { describeNamed } from "../git/trailers.ts";
import { findNaming, groundShape } from "../ground/read-ground.ts";
import { type Attributed, attribute, type SourceLine, uncommitted } from "./blamed-file.ts";
import { findOrigin } from "./find-origin.ts";
import { type OpenedFile, openCommit, openFile, openRecord } from "./find-subject.ts";
import { type Explained, fitAnswers } from "./fit-answers.ts";
import { describeGivenUp } from "./given-up.ts";
import { readReasons } from "./read-reason.ts";
import { commitSchema, readWriter, showCommit, toTime, writerSchema } from "./writer.ts";

const reasonSchema = z.strictObject({ text: z.string(), thought: z.string() });
export const momentSchema = z.strictObject({
  at: z.string(),
  what: z.string(),
  sessionId: z.string().optional(),
});

export const whyAnswerSchema = z.strictObject({
  file: z.string(),
  lines: z.string(),
  /** Absent for uncommitted lines. */
  commit: commitSchema.optional(),
  /** Absent if no imported session wrote the lines. */
  by: writerSchema.optional(),
  asked: reasonSchema.optional(),
  /** What the agent had proposed, if the user only agreed. */
  proposal: reasonSchema.optional(),
  /** The earlier request that a short one continues. */
  earlier: reasonSchema.optional(),
  because: reasonSchema.optional(),
  /** An earlier statement about the same work, if it adds something to `because`. */
  context: reasonSchema.optional(),
  given_up: z.array(momentSchema).optional(),
  since: z.array(momentSchema).optional(),
  /** Number of other edits that could have written the lines. */
  other_candidates: z.int().optional(),
});
export type WhyAnswer = z.infer<typeof whyAnswerSchema>;

const pinnedSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  state: z.enum(decisionStates).optional(),
  ...groundShape,
});
export type PinnedCard = z.infer<typeof pinnedSchema>;

const lineNumber = z.int().min(1).max(10_000_000);
/** A larger budget also shows more edits, up to a limit, because each edit takes time to explain. */
const limits = { least: 5, chars: 1_500, most: 50 } as const;
const mostPinned = 5;
const reasonChars = 400;
const defaultChars = 1_200;
/** The number of characters that an answer needs to report the caller's budget. */
const reported = 90;

export const why = defineMemory({
  name: "why",
  title: "Ask why a line exists",
  summary:
    "Like git blame, with reasons: who wrote a line of code, what the user asked for, and why. Also works for a range, a file, a commit or a thought.",
  effect: "read",
  runsGit: true,
  toolset: "daily",
  anywhere: true,
  defaultChars,
  input: {
    file: z.string().min(1).max(1_024).optional().describe("Path of a file in a git repository."),
    line: lineNumber.optional().describe("Line of the file. Omit for the whole file."),
    to: lineNumber.optional().describe("Last line of a range. Default: line."),
    commit: z
      .string()
      .min(4)
      .max(200)
      .optional()
      .describe("Commit or range (main...HEAD). Can be combined with file."),
    id: z
      .string()
      .min(8)
      .max(200)
      .optional()
      .describe("Thought (session:number) or decision, instead of a file. Shows the lines that it led to."),
    max_chars: budgetFields.max_chars.optional(),
  },
  output: {
    repository: z.string(),
    head: z.string().optional(),
    answers: z.array(whyAnswerSchema),
    /** Cards that refer to a file or commit in the answer, and whether they still apply. */
    pinned: z.array(pinnedSchema).optional(),
    /**
     * Files without lines from the range of commits, because the range deleted them or only deleted lines. `why_file`
     * with `since` shows the lines.
     */
    shortened: z.array(z.string()).optional(),
    /** Number of further edits that wrote requested lines. */
    more: z.int().optional(),
    note: z.string().optional(),
  },
  trim: {
    list: [
      { key: "shortened", oldest: "last", mayBeEmpty: true },
      { key: "pinned", oldest: "last", mayBeEmpty: true },
      {
        key: "answers",
        oldest: "last",
        stub: ({ file, lines, by }) => ({ file, lines, ...(by !== undefined && { by }) }),
      },
    ],
    adjust: countDropped,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "of one line",
      given: "a repository with a captured session",
      input: { file: "src/pool.ts", line: 2 },
    },
    { title: "of a file", given: "a repository with a captured session", input: { file: "src/pool.ts" } },
  ],

  async handle({ file, line, to, commit, id, max_chars }, memory) {
    const subjects = [file ?? commit, id].filter((one) => one !== undefined);
    if (subjects.length !== 1) return refuseSubject(memory);
    const opened =
      file !== undefined
        ? await openFile(memory, file, { at: commit })
        : commit !== undefined
          ? await openCommit(memory, commit)
          : await openRecord(memory, id ?? "");
    const { repository, shortened = [] } = opened;
    const total = opened.parts[0]?.lines.length ?? 0;
    if (file !== undefined && line !== undefined && Math.min(line, to ?? line) > total)
      return refuseLine(memory, file, total);
    const most = Math.min(
      limits.most,
      Math.max(limits.least, Math.floor((max_chars ?? defaultChars) / limits.chars)),
    );
    const { answers, more, sessions } = await explainLines(memory, opened, { line, to, most });
    const [asked] = opened.commits ?? [];
    const byTrailer =
      asked === undefined ? undefined : await describeNamed(memory, repository, asked, sessions);
    const note = [opened.note, byTrailer].filter((one) => one !== undefined).join(" ") || undefined;
    const named = {
      paths: unique([
        ...answers.map(({ answer }) => answer.file),
        ...opened.parts.slice(0, 1).map(({ path }) => path),
      ]),
      commits: unique([
        ...answers.flatMap(({ answer }) => answer.commit?.sha ?? []),
        ...(opened.commits ?? []),
      ]),
      ids: id === undefined ? [] : [id],
    };
    const pinned = await findNaming(memory, named, mostPinned);
    const compose = (some: readonly WhyAnswer[]) => {
      const left = more + answers.length - some.length;
      return {
        repository: repository.root,
        ...(repository.head !== undefined && { head: repository.head }),
        answers: [...some],
        ...(pinned.length > 0 && { pinned }),
        ...(shortened.length > 0 && { shortened: [...shortened] }),
        ...(left > 0 && { more: left }),
        ...(note !== undefined && { note }),
      };
    };
    const room = max_chars === undefined ? defaultChars : max_chars - reported;
    return compose(fitAnswers(answers, (some) => JSON.stringify(compose(some)).length <= room));
  },
});

/** Explains the lines, newest edits first. Also returns how many more edits there are. */
export async function explainLines(
  memory: MemoryContext<never>,
  { repository, parts }: OpenedFile,
  {
    line,
    to,
    most = limits.least,
  }: { line?: number | undefined; to?: number | undefined; most?: number } = {},
): Promise<{ answers: Explained[]; more: number; sessions: ReadonlySet<string> }> {
  const groups: { group: LineGroup; attributed: Attributed; path: string }[] = [];
  for (const part of parts) {
    const range = rangeOf(part, line, to);
    const wanted =
      part.only ?? Array.from({ length: range.to - range.from + 1 }, (_, n) => range.from - 1 + n);
    const attributed = await attribute(memory, repository, part, wanted);
    const commits = part.lines.map((one) => one.commit);
    const isWanted = new Set(wanted.map((at) => at + 1));
    for (const group of groupLines(commits, attributed.found, range)) {
      const numbers = group.numbers.filter((number) => isWanted.has(number) && part.keep(attributed, number));
      if (numbers.length > 0) groups.push({ group: { ...group, numbers }, attributed, path: part.path });
    }
  }
  groups.sort((a, b) => timeOf(b.group) - timeOf(a.group));
  const answers: Explained[] = [];
  for (const { group, attributed, path } of groups.slice(0, most))
    answers.push(await explain(memory, path, group, attributed));
  const sessions = groups.flatMap(({ group }) => group.found?.known.places.map((one) => one.sessionId) ?? []);
  return { answers, more: groups.length - answers.length, sessions: new Set(sessions) };
}

/** Adds to `more` the edits that were dropped to fit the answer. */
function countDropped(page: Json, whole: Json): Json {
  const [shown, all] = [page, whole].map((one) => (one["answers"] as unknown[]).length);
  const more = Number(whole["more"] ?? 0) + (all ?? 0) - (shown ?? 0);
  return { ...page, ...(more > 0 && { more }) };
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const timeOf = ({ found }: LineGroup): number => found?.known.time ?? Number.NEGATIVE_INFINITY;

function refuseSubject({ fail }: MemoryContext<"INVALID_PAYLOAD">): never {
  return fail("INVALID_PAYLOAD", "Pass one of file, commit or id.", {
    recovery: { hint: "See the fields of why and an example.", operation: "help", args: { topic: "why" } },
  });
}

function refuseLine({ fail }: MemoryContext<"INVALID_PAYLOAD">, file: string, total: number): never {
  const hint =
    total === 0
      ? "Choose a file that is not empty."
      : `Ask for a line from 1 to ${total}, or for the whole file.`;
  return fail("INVALID_PAYLOAD", `${quote(file)} has ${total === 0 ? "no lines" : count(total, "line")}.`, {
    recovery: { hint, args: { line: Math.max(1, total) }, patch: true },
  });
}

function rangeOf({ lines }: OpenedFile["parts"][number], line: number | undefined, to: number | undefined) {
  if (line === undefined) return { from: 1, to: lines.length };
  const end = to ?? line;
  return { from: Math.min(line, end), to: Math.min(Math.max(line, end), lines.length) };
}

async function explain(
  memory: MemoryContext<never>,
  path: string,
  { commit, numbers, found }: LineGroup,
  attributed: Attributed,
): Promise<Explained> {
  const shown = attributed.commits.get(commit);
  const base = {
    file: path,
    lines: describeNumbers(numbers),
    ...(commit !== uncommitted && shown && { commit: showCommit(shown) }),
  };
  const subject = describeLines(path, numbers, found, attributed, commit === uncommitted ? undefined : shown);
  const message = findMessage(subject);
  if (!found) return { answer: base, reasons: {}, message };
  const { known } = found;
  const origin = await findOrigin(memory, known);
  const reasons = await readReasons(memory, known, origin, subject, reasonChars);
  const existing = new Set(attributed.lines.map(({ hash }) => hash));
  const tried = [
    ...findUndone(known, attributed.inFile, existing),
    ...attributed.refusals.filter(
      ({ sessionId: session, action }) =>
        known.places.some((one) => one.sessionId === session) && Date.parse(action.at) <= known.time,
    ),
  ];
  // If no edit contains the line, passages around another edit do not explain it.
  const isGuess = found.class === "commit";
  const given = isGuess ? [] : await describeGivenUp(memory, { path, known, reasons }, tried);
  const asked = numbers.flatMap((number) => attributed.lines[number - 1] ?? []);
  const later = isGuess ? [] : findLater(known, onceOnly(asked, attributed.lines), attributed.inFile);
  const answer: WhyAnswer = {
    ...base,
    by: await readWriter(memory, found, origin),
    ...(given.length > 0 && { given_up: given }),
    ...(later.length > 0 && { since: await describeLater(memory, later, asked.length) }),
    ...(found.others > 0 && { other_candidates: found.others }),
  };
  return { answer, reasons, message };
}

const mostLater = 3;

/** Returns the lines whose text occurs once in the file. An edit of an identical line does not count. */
function onceOnly(asked: readonly SourceLine[], lines: readonly SourceLine[]): Set<LineHash> {
  const counts = new Map<LineHash, number>();
  for (const { hash } of lines) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return new Set(asked.flatMap(({ hash }) => (counts.get(hash) === 1 ? [hash] : [])));
}

/**
 * Describes only edits that wrote or removed the requested lines. A reader could mistake a change next to the
 * requested lines for one of these edits.
 */
async function describeLater(
  context: MemoryContext<never>,
  later: readonly Undone[],
  asked: number,
): Promise<z.infer<typeof momentSchema>[]> {
  const sessions = new Map<string, z.infer<typeof momentSchema>>();
  for (const { known, lines } of later) {
    const { sessionId = "" } = (await findOrigin(context, known)) ?? {};
    const what = asked === 1 ? "this line" : `${figure(lines)} of these lines`;
    const moment = {
      at: toTime(known.time),
      what: `session ${sessionId.slice(0, 8)} edited ${what} again`,
      sessionId,
    };
    sessions.set(sessionId, moment);
  }
  return [...sessions.values()].slice(-mostLater);
}

/** Describes some lines and their surroundings, in order to find the reasons that match them best. */
function describeLines(
  path: string,
  numbers: readonly number[],
  found: LineGroup["found"],
  { lines }: Attributed,
  commit: Commit | undefined,
): Subject {
  const hashes = new Set(numbers.flatMap((number) => lines[number - 1]?.hash ?? []));
  const hunk = found ? hunkOf(found.known.edit, hashes) : hashes;
  const texts = lines.filter(({ hash }) => hunk.has(hash)).map(({ text }) => text);
  const [first = 1] = numbers;
  const near = lines.slice(Math.max(0, first - 4), first + 3).map(({ text }) => text);
  const above = lines.slice(Math.max(0, first - 400), first).map(({ text }) => text);
  const within = declaredNames(above.filter((text) => !/^\s{5}/.test(text)).join("\n")).at(-1);
  const subject = {
    path,
    hunk: texts.slice(0, 200),
    near,
    line: lines[first - 1]?.text ?? "",
    ...(within !== undefined && { within }),
    ...(commit && { topic: commit.subject, message: commit.body }),
    isUnseen: found?.class === "commit" || found?.class === "fill",
    isLoose: found?.class === "commit",
  };
  return subject;
}
