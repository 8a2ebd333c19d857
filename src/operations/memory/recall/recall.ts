import * as z from "zod";
import { limits } from "../../../domain/ledger/limits.ts";
import {
  type ChosenRemark,
  chooseRemarks,
  createAbsent,
  createRelevance,
  createShown,
  leastRelevance,
  orderParts,
  sharedFile,
  shorten,
} from "../../../domain/recall/compose-recall.ts";
import {
  filesIn,
  isAboutFile,
  isAboutUnknown,
  isEmptyQuestion,
  isWord,
  namingWords,
  readIntent,
} from "../../../domain/recall/read-intent.ts";
import type { Remark, RemarkKind } from "../../../domain/recall/remarks.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { ListPlan } from "../../pipeline/fit/trim.ts";
import { defineMemory } from "../define-memory.ts";
import { groundShape } from "../ground/read-ground.ts";
import { remarksOfMemory } from "../hooks/gather-recall.ts";
import { projectOf } from "../hooks/hook-fields.ts";
import { describeSession, saidSchema, sessionSchema, stubSession } from "./describe-session.ts";
import { explainChange, explainFile } from "./explain-file.ts";
import { type Marks, markRemarks } from "./mark-remarks.ts";
import { filesNear, omitOwnRequest, type ReadSession, readSessions } from "./read-sessions.ts";

const most = { sessions: 3, hits: 12, perSession: 2, remarks: 3, asked: 6, notes: 3, missing: 10 };
/** The share of the best score that a session's best hit needs for the session to be shown. */
const leastShare = 0.4;

const remarkSchema = z.strictObject({
  ...groundShape,
  text: z.string(),
  instead: z.string().optional(),
  /** What changed in the files to which the replacement is pinned. */
  instead_moved: z.array(z.string()).optional(),
  was: z.string().optional(),
  at: z.string(),
  by: z.string(),
  id: z.string(),
  rests_on_reversed: z.array(z.string()).optional(),
});
/** Reduces a remark to the text and what a reader must know before relying on it. */
const stubRemark = ({ ground, instead, text, at, by, id }: Record<string, unknown>) => ({
  ...(ground !== undefined && { ground }),
  text,
  ...(instead !== undefined && { instead }),
  at,
  by,
  id,
});

const lists: readonly ListPlan[] = [
  { key: "notes", oldest: "last", stub: (note) => note },
  { key: "why", oldest: "last", stub: ({ file, lines, text }) => ({ file, lines, text }) },
  { key: "open", oldest: "last", stub: stubRemark },
  { key: "dead_ends", oldest: "last", stub: stubRemark },
  { key: "decisions", oldest: "last", stub: stubRemark },
  { key: "related", oldest: "last", stub: stubSession, mayBeEmpty: true },
  { key: "sessions", oldest: "last", stub: stubSession },
];

/** Returns the lists with the answer's first list last. Only that list always keeps an item. */
function lastFirst(answer: Record<string, unknown>): ListPlan[] {
  const shown = Object.keys(answer).filter((key) => Array.isArray(answer[key]) && answer[key].length > 0);
  const first = shown.find((key) => lists.some((list) => list.key === key));
  return lists
    .toSorted((a, b) => shown.indexOf(b.key) - shown.indexOf(a.key))
    .map((list) => (list.key === first ? list : { ...list, mayBeEmpty: true }));
}

export const recall = defineMemory({
  name: "recall",
  title: "Recall what is known",
  summary:
    "Returns what this project knows about a question in one call: sessions with request, reason and outcome, decisions, dead ends and open questions.",
  advice:
    "Call it before you begin. The answer starts with the best match and includes refusals, reasons for lines, and words without a match. Read more with open {id}.",
  effect: "read",
  toolset: "core",
  anywhere: true,
  defaultChars: 4_000,
  input: {
    question: z.string().min(1).max(limits.query).describe("A question in plain words."),
    file: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .describe("A file that the question is about. Adds the reasons for the file's lines."),
  },
  output: {
    question: z.string(),
    /** False if no record matches the question. */
    known: z.boolean(),
    sessions: z.array(sessionSchema),
    /** Includes refusals and corrections, in the user's own words. */
    decisions: z.array(remarkSchema).optional(),
    dead_ends: z.array(remarkSchema).optional(),
    open: z.array(remarkSchema).optional(),
    why: z
      .array(
        z.strictObject({
          file: z.string(),
          lines: z.string(),
          sessionId: z.string().optional(),
          at: z.string().optional(),
          text: z.string(),
        }),
      )
      .optional(),
    notes: z.array(saidSchema).optional(),
    /** Words of the question that do not occur near any result. */
    missing: z.array(z.string()).optional(),
    /** Sessions that contain some words of the question. Set if no session matches the whole question. */
    related: z.array(sessionSchema).optional(),
    note: z.string().optional(),
  },
  trim: (answer) => ({ optional: ["missing"], list: lastFirst(answer) }),
  errors: ["STORAGE_ERROR"],
  examples: [
    {
      title: "a question",
      given: "a session with thoughts",
      input: { question: "why did the login time out" },
    },
    {
      title: "about a file",
      given: "a repository with a captured session",
      input: { question: "how large is the pool", file: "src/pool.ts", max_chars: 2_000 },
    },
  ],

  async handle({ question, file }, memory) {
    const { workspace } = memory;
    const intent = readIntent(question, file);
    const { about, kinds, wants } = intent;
    const isOpen = about === "";
    const page =
      isOpen || isEmptyQuestion(intent)
        ? { hits: [], missing: [], weak: false }
        : await findAbout(memory, about);
    const ofMemory = await remarksOfMemory(memory, workspace, about);
    const read = isOpen ? await readNewest(memory, kinds, ofMemory) : await readSessions(memory, page.hits);
    const remarks = [...read.flatMap(({ remarks: own }) => own), ...ofMemory];
    const relevanceOf = createRelevance(
      about,
      read.flatMap(({ thoughts }) => thoughts.map(({ data }) => data.thought)),
    );
    const marksOf = await markRemarks(memory, remarks);
    const first = read[0]?.session.id.slice(0, 8);
    const isBest = ({ id }: Remark) => first !== undefined && id.startsWith(first);
    const shown = createShown([]);
    const choose = (wanted: readonly RemarkKind[]): ChosenRemark[] => {
      const isWanted = wanted.some((kind) => kinds.has(kind));
      const limit = isWanted ? most.asked : most.remarks;
      const isAsked = (kind: RemarkKind) => kinds.has(kind);
      const asksWhy = wants === "reason";
      const choice = { most: limit, isAsked, isOpen: isOpen && isWanted, asksWhy, isBest, shown };
      return chooseRemarks(remarks, wanted, relevanceOf, choice);
    };
    const all = {
      decisions: choose(["decided", "corrected"]),
      dead_ends: choose(["rejected"]),
      open: choose(["open", "unfinished"]),
    };
    // If the requested kind was not recorded, other results may still help.
    const isAnswered =
      intent.only &&
      Object.values(all)
        .flat()
        .some(({ kind }) => kinds.has(kind));
    const chosen = isAnswered ? onlyKinds(all, kinds) : all;
    const told = Object.values(chosen).flat();
    const isAbsent = createAbsent(told.flatMap(({ text, was = "", instead = "" }) => [text, was, instead]));
    const lacking = page.missing.filter(isAbsent);
    const files = file === undefined ? filesIn(question) : [file];
    const best = read[0]?.hits[0]?.score ?? 0;
    const nearest = read
      .filter(({ hits: [hit] }) => !isOpen && (hit?.score ?? 0) >= leastShare * best)
      .slice(0, most.sessions);
    if (page.weak && files.length === 0 && isAboutUnknown(question, intent, lacking)) {
      const bare = { about, shown, relevanceOf, marksOf, decisions: [], isBare: true, wantsRequest: false };
      return {
        question,
        known: false,
        note: nothingKnown,
        sessions: [],
        missing: namingWords(question, lacking).slice(0, most.missing),
        related: nearest.map((one) => describeSession(one, bare)),
      };
    }
    const corrections = chosen.decisions.filter(
      (one) => one.kind === "corrected" && one.relevance >= leastRelevance,
    );

    const shared =
      files.length > 0 || isOpen || isAnswered ? [] : await filesNear(memory, read.slice(0, most.sessions));
    const subject = files[0] ?? sharedFile(shared);
    const [leading] = chosen.decisions;
    const [now] = (leading && marksOf(leading).ground?.ground_now) ?? [];
    const changed = now === undefined || files.length > 0 ? [] : await explainChange(memory, now);
    const explained = subject === undefined ? [] : await explainFile(memory, subject, file !== undefined);
    const why = [...changed, ...explained.filter((row) => !changed.some((one) => one.file === row.file))];
    if (files.length > 0) for (const { text } of why) shown.add(text);
    const sessions = nearest.flatMap((one, at): z.infer<typeof sessionSchema>[] => {
      const own = told.filter(({ id }) => id.startsWith(one.session.id.slice(0, 8)));
      const marks = { shown, relevanceOf, marksOf, decisions: chosen.decisions };
      const wantsRequest = wants === "request";
      const described = describeSession(one, { about, ...marks, isBare: isAnswered, wantsRequest });
      const { asked, ...rest } = described;
      if (asked && (wantsRequest || !own.some(({ kind }) => kind === "corrected"))) return [described];
      const isQuoted = rest.because ?? rest.found ?? rest.outcome;
      return (at === 0 && !isAnswered) || isQuoted || own.length > 0 ? [rest] : [];
    });
    for (const { because } of sessions) if (because && files.length === 0) shown.add(because.text);
    const list = (some: readonly ChosenRemark[]) => some.map((remark) => showRemark(remark, marksOf(remark)));
    const parts = {
      sessions,
      decisions: list(chosen.decisions),
      dead_ends: list(chosen.dead_ends),
      open: list(chosen.open),
      why: why.filter(
        (row) =>
          files.length > 0 ||
          changed.includes(row) ||
          (!shown.has(row.text) && relevanceOf(row.text) >= leastRelevance),
      ),
      notes: page.hits
        .flatMap(({ note, snippet }) =>
          note ? [{ text: shorten(snippet.replaceAll(/[«»]/g, "")), id: `${note.doc}@${note.seq}` }] : [],
        )
        .slice(0, most.notes),
    };
    // If the question asks for a reason, ranks corrections last, because a refusal is not a reason.
    const rank = ({ kind, relevance }: ChosenRemark) =>
      kind === "corrected" && wants === "reason" ? 0 : relevance;
    const ranked = Object.entries(chosen).flatMap(([part, some]) =>
      some.length === 0 ? [] : [[part, Math.max(...some.map(rank))] as const],
    );
    const [top] = sessions;
    const quoted = top?.because ?? top?.found ?? top?.outcome ?? top?.asked;
    const order = orderParts(intent, {
      best: {
        ...Object.fromEntries(ranked),
        ...(quoted && { sessions: relevanceOf(quoted.text) }),
        ...(parts.why.length > 0 && { why: 0 }),
      },
      isCorrected: corrections.length > 0,
      isAboutFile: files[0] !== undefined && isAboutFile(intent, files[0]),
    });
    const known = Object.values(parts).some((list) => list.length > 0);
    const missing = known ? namingWords(question, lacking).slice(0, most.missing) : [];
    const partly =
      page.weak && missing.length === 0 ? "The sessions match only part of the question." : undefined;
    const isLacking = intent.only && !isAnswered && (known || isOpen);
    const note = isLacking ? noneOfKind(kinds, isOpen) : known ? partly : nothingKnown;
    const absent = missing.length > 0 && { missing };
    return {
      question,
      known,
      ...(note !== undefined && { note }),
      ...(page.weak && absent),
      ...(Object.fromEntries(
        order.flatMap((part) => (parts[part].length > 0 || part === "sessions" ? [[part, parts[part]]] : [])),
      ) as Pick<typeof parts, "sessions"> & Partial<typeof parts>),
      ...absent,
    };
  },
});

type Chosen = Record<"decisions" | "dead_ends" | "open", ChosenRemark[]>;

function onlyKinds({ decisions, dead_ends, open }: Chosen, kinds: ReadonlySet<RemarkKind>): Chosen {
  const some = (list: readonly ChosenRemark[]) => (list.some(({ kind }) => kinds.has(kind)) ? [...list] : []);
  return { decisions: some(decisions), dead_ends: some(dead_ends), open: some(open) };
}

/** Finds hits that share a word with the question. Single letters and short numbers are not enough. */
async function findAbout(memory: MemoryContext, query: string) {
  const { ledger, settings, caller, workspace } = memory;
  const page = await ledger.search({
    query,
    project: projectOf(settings, caller),
    workspace,
    order: "relevance",
    limit: most.hits,
    offset: 0,
    perSession: most.perSession,
    hideSecrets: settings.secrets.forAnswer,
  });
  const hits = page.hits.filter(({ matched, nearby }) => [...matched, ...nearby].some(isWord));
  return { ...page, hits: await omitOwnRequest(memory, hits) };
}

const [newestSessions, mostNewest] = [8, 64];

/**
 * Reads the newest sessions for a question without a subject, such as "what was decided". Reads older
 * sessions if the newest contain no record of the requested kind.
 */
async function readNewest(
  memory: MemoryContext,
  kinds: ReadonlySet<RemarkKind>,
  ofMemory: readonly Remark[],
): Promise<ReadSession[]> {
  const { ledger, settings, caller } = memory;
  const isWanted = ({ kind }: Remark) => kinds.has(kind);
  const unranked = { snippet: "", score: 0, matched: [], nearby: [], cover: 0 };
  const read: ReadSession[] = [];
  for (let offset = 0; offset < mostNewest; offset += newestSessions) {
    const { sessions } = await ledger.listSessions({
      project: projectOf(settings, caller),
      tagMode: "all",
      limit: newestSessions,
      offset,
      sortBy: "updatedAt",
      sortOrder: "desc",
    });
    const hits = sessions.map((session) => ({ session, timestamp: session.updatedAt, ...unranked }));
    read.push(...(await readSessions(memory, await omitOwnRequest(memory, hits))));
    const isFound = [...ofMemory, ...read.flatMap(({ remarks }) => remarks)].some(isWanted);
    if (isFound || sessions.length < newestSessions) break;
  }
  return read;
}

const kindNames: Readonly<Record<RemarkKind, string>> = {
  corrected: "refusal or correction",
  rejected: "dead end",
  open: "open question",
  unfinished: "open question",
  decided: "decision",
};

/** States that no record is of the requested kind. The other results may still help. */
function noneOfKind(kinds: ReadonlySet<RemarkKind>, isOpen: boolean): string {
  const [name] = Object.entries(kindNames).flatMap(([kind, one]) =>
    kinds.has(kind as RemarkKind) ? [one] : [],
  );
  return isOpen
    ? `No ${name} is recorded in the newest ${mostNewest} sessions.`
    : `No ${name} is recorded about this.`;
}

const nothingKnown = "Nothing recorded in this project is about this question.";

const showRemark = (
  { text, was, instead, at, author, id }: Remark,
  { ground, doubts, instead: moved }: Marks,
) => ({
  ...ground,
  text,
  ...(instead !== undefined && { instead }),
  ...(moved && { instead_moved: [...moved] }),
  ...(was !== undefined && { was }),
  at,
  by: author,
  id,
  ...(doubts.length > 0 && { rests_on_reversed: doubts.map((doubt) => doubt.id) }),
});
