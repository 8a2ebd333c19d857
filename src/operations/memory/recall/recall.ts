import * as z from "zod";
import { addressOf } from "../../../domain/ledger/address.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import { readDecisionThought } from "../../../domain/memory/decisions/decision.ts";
import {
  type ChosenRemark,
  chooseRemarks,
  createAbsent,
  createLikeness,
  createRelevance,
  createShown,
  leastRelevance,
  orderParts,
  reasonsNear,
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
import { idOfThought, type Remark, type RemarkKind } from "../../../domain/recall/remarks.ts";
import { type RequestFate, requestFates } from "../../../domain/recall/request-fate.ts";
import type { SearchPage } from "../../../ports/ledger-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { type CardMarks, groundShape, markCards, wordMoved } from "../ground/read-ground.ts";
import { remarksOfMemory } from "../hooks/gather-recall.ts";
import { projectOf } from "../hooks/hook-fields.ts";
import { explainFile, filesNear, type ReadSession, readSessions } from "./read-sessions.ts";

const most = { sessions: 3, hits: 12, perSession: 2, remarks: 3, asked: 6, notes: 3, missing: 10 };
const reasonChars = 320;
/** A session whose best hit scores below this share of the best is about something else. */
const leastShare = 0.4;

const remarkSchema = z.strictObject({
  ...groundShape,
  text: z.string(),
  /** What replaced it. */
  instead: z.string().optional(),
  /** What changed in the files that the replacement is about. */
  instead_moved: z.array(z.string()).optional(),
  /** What it replaced. */
  was: z.string().optional(),
  at: z.string(),
  by: z.string(),
  id: z.string(),
  /** Reversed decisions that it relies on. */
  rests_on_reversed: z.array(z.string()).optional(),
});
const saidSchema = z.strictObject({ text: z.string(), id: z.string(), ...groundShape });
/** What became of a request that was not carried out. */
const request = z.enum(requestFates).optional();
const sessionSchema = z.strictObject({
  sessionId: z.string(),
  /** Of the title, if that is a request. */
  request,
  title: z.string(),
  at: z.string(),
  asked: saidSchema.extend({ request }).optional(),
  because: saidSchema.optional(),
  /** The best passage, if none gives a reason. */
  found: saidSchema.optional(),
  outcome: saidSchema.optional(),
});

const stubSession = ({ sessionId, request: fate, title, at }: Record<string, unknown>) => ({
  sessionId,
  ...(fate !== undefined && { request: fate }),
  title,
  at,
});

/** Keeps what a reader must know before relying on the text. */
const stubRemark = ({ ground, instead, text, at, by, id }: Record<string, unknown>) => ({
  ...(ground !== undefined && { ground }),
  text,
  ...(instead !== undefined && { instead }),
  at,
  by,
  id,
});

export const recall = defineMemory({
  name: "recall",
  title: "Recall what is known",
  summary:
    "Returns what this project knows about a question in one call: sessions with request, reason and outcome, decisions, dead ends, open questions.",
  advice:
    "Call it before you begin. The answer starts with the part that fits the question best, and has sessions, decisions, refusals, dead ends, open questions, reasons for lines, and words without a match. Read more with open {id}.",
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
      .describe("A file that the question is about. Adds why its lines exist."),
  },
  output: {
    question: z.string(),
    /** False if nothing recorded here is about it. */
    known: z.boolean(),
    sessions: z.array(sessionSchema),
    /** Also what the user refused or corrected, in their own words. */
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
    /** Words of the question that are not near anything found. */
    missing: z.array(z.string()).optional(),
    /** Sessions that contain other words of a question about which nothing is known. */
    related: z.array(sessionSchema).optional(),
    note: z.string().optional(),
  },
  trim: {
    optional: ["missing"],
    lastFirst: true,
    list: [
      { key: "notes", oldest: "last", stub: (note) => note },
      { key: "why", oldest: "last", stub: ({ file, lines, text }) => ({ file, lines, text }) },
      { key: "open", oldest: "last", stub: stubRemark },
      { key: "dead_ends", oldest: "last", stub: stubRemark },
      { key: "decisions", oldest: "last", stub: stubRemark },
      { key: "related", oldest: "last", stub: stubSession },
      { key: "sessions", oldest: "last", stub: stubSession },
    ],
  },
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
    const page = isEmptyQuestion(intent)
      ? { hits: [], missing: [], weak: false }
      : isOpen
        ? await listNewest(memory)
        : await findAbout(memory, about);
    const read = await readSessions(memory, page.hits);
    const remarks = [
      ...read.flatMap(({ remarks: own }) => own),
      ...(await remarksOfMemory(memory.memory, workspace, about)),
    ];
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
      const choice = { most: limit, isAsked, isOpen: isOpen && isWanted, isBest, shown };
      return chooseRemarks(remarks, wanted, relevanceOf, choice);
    };
    const all = {
      decisions: choose(["decided", "corrected"]),
      dead_ends: choose(["rejected"]),
      open: choose(["open", "unfinished"]),
    };
    // If nothing of the kind was recorded, the rest may still help.
    const isAnswered =
      intent.only &&
      Object.values(all)
        .flat()
        .some(({ kind }) => kinds.has(kind));
    const chosen = isAnswered ? onlyKinds(all, kinds) : all;
    const isAbsent = createAbsent(
      Object.values(chosen)
        .flat()
        .flatMap(({ text, was = "", instead = "" }) => [text, was, instead]),
    );
    const lacking = page.missing.filter(isAbsent);
    const files = file === undefined ? filesIn(question) : [file];
    const best = read[0]?.hits[0]?.score ?? 0;
    const nearest = read
      .filter(({ hits: [hit] }) => !isOpen && (hit?.score ?? 0) >= leastShare * best)
      .slice(0, most.sessions);
    if (page.weak && files.length === 0 && isAboutUnknown(question, intent, lacking)) {
      const bare = { about, shown, relevanceOf, marksOf, isBare: true };
      return {
        question,
        known: false,
        sessions: [],
        note: nothingKnown,
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
    const why = subject === undefined ? [] : await explainFile(memory, subject, file !== undefined);
    if (files.length > 0) for (const { text } of why) shown.add(text);
    const sessions = nearest.map((one): z.infer<typeof sessionSchema> => {
      const short = one.session.id.slice(0, 8);
      const isCorrected = chosen.decisions.some(
        ({ kind, id }) => kind === "corrected" && id.startsWith(short),
      );
      const told = describeSession(one, { about, shown, relevanceOf, marksOf, isBare: isAnswered });
      const { asked, ...rest } = told;
      return asked && (wants === "request" || !isCorrected) ? told : rest;
    });
    for (const { because } of sessions) if (because && files.length === 0) shown.add(because.text);
    const list = (some: readonly ChosenRemark[]) => some.map((remark) => showRemark(remark, marksOf(remark)));
    const parts = {
      sessions,
      decisions: list(chosen.decisions),
      dead_ends: list(chosen.dead_ends),
      open: list(chosen.open),
      why: why.filter(({ text }) => files.length > 0 || !shown.has(text)),
      notes: page.hits
        .flatMap(({ note, snippet }) =>
          note ? [{ text: shorten(snippet.replaceAll(/[«»]/g, "")), id: `${note.doc}@${note.seq}` }] : [],
        )
        .slice(0, most.notes),
    };
    // A refusal is not a reason.
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
    const note = known
      ? page.weak && missing.length === 0 && "The sessions match only part of the question."
      : nothingKnown;
    const told = missing.length > 0 && { missing };
    return {
      question,
      known,
      ...(page.weak && told),
      ...(Object.fromEntries(
        order.flatMap((part) => (parts[part].length > 0 || part === "sessions" ? [[part, parts[part]]] : [])),
      ) as Pick<typeof parts, "sessions"> & Partial<typeof parts>),
      ...told,
      ...(note && { note }),
    };
  },
});

type Chosen = Record<"decisions" | "dead_ends" | "open", ChosenRemark[]>;

function onlyKinds({ decisions, dead_ends, open }: Chosen, kinds: ReadonlySet<RemarkKind>): Chosen {
  const some = (list: readonly ChosenRemark[]) => (list.some(({ kind }) => kinds.has(kind)) ? [...list] : []);
  return { decisions: some(decisions), dead_ends: some(dead_ends), open: some(open) };
}

type Marks = CardMarks & { instead?: readonly string[] | undefined };
type MarksOf = (remark: Pick<Remark, "text" | "instead" | "place"> & { id: string }) => Marks;

/** What a decision states, without its reasons and the options that it rejected. */
const claimOf = (text: string): string => text.replace(/\s*(?:Because|Rejected): .*$/su, "");

/** The marks of cards, and of every text that states the same as a marked card. */
async function markRemarks(memory: MemoryContext, remarks: readonly Remark[]): Promise<MarksOf> {
  const cards = remarks.flatMap(({ id, place, text }) =>
    place ? [{ id, ...place, text: claimOf(text) }] : [],
  );
  const marksOf = await markCards(memory, cards);
  const likeOf = createLikeness(
    cards.filter((card) => marksOf(card).ground?.ground === "moved" || marksOf(card).doubts.length > 0),
  );
  const marksLike = (text: string): CardMarks => {
    const like = likeOf(text);
    const marks = like && marksOf(like);
    if (!marks) return { doubts: [] };
    const { ground_moved: paths, ground_now } = marks.ground ?? {};
    const ground_moved = paths?.map((path) => (path.includes(": ") ? path : `${like.id}: ${path}`));
    return {
      doubts: marks.doubts,
      ...(ground_moved && { ground: { ground: "moved", ground_moved, ...(ground_now && { ground_now }) } }),
    };
  };
  return ({ id, place, text, instead }) => {
    const ground = instead === undefined ? undefined : marksLike(instead).ground;
    const own = place ? marksOf({ id, ...place }) : marksLike(text);
    return { ...own, ...(ground && { instead: wordMoved(ground) }) };
  };
}

/** Hits that share at least one word with the question, not only letters and digits. */
async function findAbout({ ledger, settings, caller, workspace }: MemoryContext, query: string) {
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
  return { ...page, hits };
}

const newestSessions = 8;

/** A question that only names a kind, such as what was decided, is about the newest sessions. */
async function listNewest({
  ledger,
  settings,
  caller,
}: MemoryContext): Promise<Pick<SearchPage, "hits" | "missing" | "weak">> {
  const { sessions } = await ledger.listSessions({
    project: projectOf(settings, caller),
    tagMode: "all",
    limit: newestSessions,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  const unranked = { snippet: "", score: 0, matched: [], nearby: [], cover: 0 };
  const hits = sessions.map((session) => ({ session, timestamp: session.updatedAt, ...unranked }));
  return { hits, missing: [], weak: false };
}

type Telling = {
  about: string;
  shown: ReturnType<typeof createShown>;
  relevanceOf(text: string): number;
  marksOf: MarksOf;
  /** The rest of the answer is complete without it. */
  isBare: boolean;
};

function describeSession(
  { session, hits, thoughts, remarks, fateOf }: ReadSession,
  { about, shown, relevanceOf, marksOf, isBare }: Telling,
): z.infer<typeof sessionSchema> {
  const [best] = hits;
  const head = {
    sessionId: session.id,
    ...showFate(fateOf(session.title)),
    title: session.title,
    at: best?.timestamp ?? session.updatedAt,
  };
  if (isBare) return head;
  const place = best?.revisedBy ?? best?.address ?? { thoughtNumber: 1 };
  const decisions = decisionsIn(thoughts);
  const near = { found: addressOf(place), remarks, chars: reasonChars };
  const { asked, because, found } = reasonsNear(about, thoughts, near);
  // The user's plan is the request, not the outcome.
  const isOutcomeOf = ({ kind, author }: Remark) => kind === "decided" && author !== "user";
  const decided = [...remarks.filter(isOutcomeOf), ...decisions]
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .at(-1);
  const show = ({ text, place: from }: { text: string; place: string }) => {
    const id = from.replace(session.id, session.id.slice(0, 8));
    return { ...marksOf({ text, id }).ground, text, id };
  };
  const isNew = (said: { text: string } | undefined): boolean => said !== undefined && !shown.has(said.text);
  const isTold = remarks.some(({ text }) => shown.has(text));
  const isOutcome = decided && isNew(decided) && (!isTold || relevanceOf(decided.text) > 0);
  return {
    ...head,
    ...(asked && { asked: { ...showFate(fateOf(asked.text)), ...show(asked) } }),
    ...(because && isNew(because) && { because: show(because) }),
    ...(found && !isTold && isNew(found) && { found: show(found) }),
    ...(isOutcome && { outcome: show({ text: shorten(decided.text), place: decided.id }) }),
  };
}

const nothingKnown = "Nothing recorded in this project is about this question.";

const showFate = (fate: RequestFate | undefined) => fate && { request: fate };

/** Decisions that the session recorded with `decide`. */
const decisionsIn = (thoughts: ReadSession["thoughts"]): Remark[] =>
  thoughts.flatMap((thought): Remark[] => {
    const decision = readDecisionThought(thought.data.thought);
    if (!decision) return [];
    const text = [decision.title, decision.chosen].filter(Boolean).join(": ");
    const at = thought.data.timestamp;
    return [{ kind: "decided", text, at, author: "agent", id: idOfThought(thought) }];
  });

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
