import * as z from "zod";
import { addressOf } from "../../../domain/ledger/address.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import { readDecisionThought } from "../../../domain/memory/decisions/decision.ts";
import {
  chooseRemarks,
  createRelevance,
  filesIn,
  readIntent,
  reasonsNear,
  sharedFile,
  shorten,
} from "../../../domain/recall/compose-recall.ts";
import { idOfThought, type Remark, type RemarkKind } from "../../../domain/recall/remarks.ts";
import { standingRemarks } from "../../../domain/recall/standing-remarks.ts";
import type { SearchPage } from "../../../ports/ledger-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { type CardMarks, groundShape, markCards } from "../ground/read-ground.ts";
import { remarksOfMemory } from "../hooks/gather-recall.ts";
import { projectOf } from "../hooks/hook-fields.ts";
import { explainFile, filesNear, type ReadSession, readSessions } from "./read-sessions.ts";

const most = { sessions: 3, hits: 12, perSession: 2, remarks: 3, asked: 6, notes: 3, missing: 10 };
const reasonChars = 320;
/** A session whose best hit scores below this share of the best is about something else. */
const leastShare = 0.4;

const remarkSchema = z.strictObject({
  /** What replaced it. */
  instead: z.string().optional(),
  text: z.string(),
  /** What it replaced. */
  was: z.string().optional(),
  at: z.string(),
  by: z.string(),
  id: z.string(),
  ...groundShape,
  /** Reversed decisions that it relies on. */
  rests_on_reversed: z.array(z.string()).optional(),
});
const saidSchema = z.strictObject({ text: z.string(), id: z.string() });
const sessionSchema = z.strictObject({
  sessionId: z.string(),
  title: z.string(),
  at: z.string(),
  asked: saidSchema.optional(),
  because: saidSchema.optional(),
  outcome: saidSchema.optional(),
});

export const recall = defineMemory({
  name: "recall",
  title: "Recall what is known",
  summary:
    "Answers what this project knows about a question in one call: sessions with request, reason and outcome, decisions, dead ends, open questions.",
  advice:
    "Call it before you begin. Its parts, the empty ones left out: best sessions, decisions and refusals, dead ends, open questions, why lines exist, words it found nothing about. Read on with open {id}.",
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
    note: z.string().optional(),
  },
  trim: {
    optional: ["missing"],
    list: [
      { key: "notes", oldest: "last", mayBeEmpty: true },
      { key: "why", oldest: "last", mayBeEmpty: true },
      { key: "open", oldest: "last", mayBeEmpty: true },
      { key: "dead_ends", oldest: "last", mayBeEmpty: true },
      { key: "decisions", oldest: "last", mayBeEmpty: true },
      { key: "sessions", oldest: "last", stub: ({ sessionId, title, at }) => ({ sessionId, title, at }) },
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
    const { about, kinds } = readIntent(question, file);
    const isOpen = about === "";
    const page = isOpen ? await listNewest(memory) : await findAbout(memory, about);
    const read = await readSessions(memory, page.hits);
    const remarks = [
      ...read.flatMap(({ thoughts, refusals, undone }) => [
        ...standingRemarks(thoughts),
        ...refusals,
        ...undone,
      ]),
      ...(await remarksOfMemory(memory.memory, workspace, about)),
    ];
    const relevanceOf = createRelevance(
      about,
      read.flatMap(({ thoughts }) => thoughts.map(({ data }) => data.thought)),
    );
    const cards = remarks.flatMap(({ id, place }) => (place ? [{ id, ...place }] : []));
    const marksOf = await markCards(memory, cards);
    const first = read[0]?.session.id.slice(0, 8);
    const isBest = ({ id }: Remark) => first !== undefined && id.startsWith(first);
    const choose = (wanted: readonly RemarkKind[]): z.infer<typeof remarkSchema>[] => {
      const isWanted = wanted.some((kind) => kinds.has(kind));
      const limit = isWanted ? most.asked : most.remarks;
      const isAsked = (kind: RemarkKind) => kinds.has(kind);
      const choice = { most: limit, isAsked, isOpen: isOpen && isWanted, isBest };
      return chooseRemarks(remarks, wanted, relevanceOf, choice).map((remark) =>
        showRemark(remark, remark.place && marksOf({ id: remark.id, ...remark.place })),
      );
    };
    const files = file === undefined ? filesIn(question) : [file];
    const shared = files.length > 0 || isOpen ? [] : await filesNear(memory, read.slice(0, most.sessions));
    const subject = files[0] ?? sharedFile(shared);
    const parts = {
      decisions: choose(["decided", "corrected"]),
      dead_ends: choose(["rejected"]),
      open: choose(["open", "unfinished"]),
      why: subject === undefined ? [] : await explainFile(memory, subject, file !== undefined),
      notes: page.hits
        .flatMap(({ note, snippet }) =>
          note ? [{ text: shorten(snippet.replaceAll(/[«»]/g, "")), id: `${note.doc}@${note.seq}` }] : [],
        )
        .slice(0, most.notes),
    };
    const best = read[0]?.hits[0]?.score ?? 0;
    const sessions = read
      .filter(({ hits: [first] }) => !isOpen && (first?.score ?? 0) >= leastShare * best)
      .slice(0, most.sessions)
      .map((one) => describeSession(one, about));
    const filled = Object.entries(parts).filter(([, list]) => list.length > 0);
    const known = sessions.length > 0 || filled.length > 0;
    const missing = known ? page.missing.slice(0, most.missing) : [];
    const note = known
      ? page.weak && "The sessions match only a little of the question."
      : "Nothing recorded in this project is about this question.";
    return {
      question,
      known,
      sessions,
      ...Object.fromEntries(filled),
      ...(missing.length > 0 && { missing }),
      ...(note && { note }),
    };
  },
});

const findAbout = ({ ledger, settings, caller, workspace }: MemoryContext, query: string) =>
  ledger.search({
    query,
    project: projectOf(settings, caller),
    workspace,
    order: "relevance",
    limit: most.hits,
    offset: 0,
    perSession: most.perSession,
    hideSecrets: settings.secrets.forAnswer,
  });

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

function describeSession(
  { session, hits, thoughts }: ReadSession,
  about: string,
): z.infer<typeof sessionSchema> {
  const [best] = hits;
  const place = best?.revisedBy ?? best?.address ?? { thoughtNumber: 1 };
  const { asked, because } = reasonsNear(about, thoughts, addressOf(place), reasonChars);
  const decided = [
    ...standingRemarks(thoughts).filter(({ kind }) => kind === "decided"),
    ...decisionsIn(thoughts),
  ]
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .at(-1);
  const show = ({ text, place: id }: { text: string; place: string }) => ({
    text,
    id: id.replace(session.id, session.id.slice(0, 8)),
  });
  const outcome = decided && { text: shorten(decided.text), id: decided.id };
  return {
    sessionId: session.id,
    title: session.title,
    at: best?.timestamp ?? session.updatedAt,
    ...(asked && { asked: show(asked) }),
    ...(because && { because: show(because) }),
    ...(outcome && outcome.text !== because?.text && { outcome }),
  };
}

/** Decisions that the session recorded with `decide`. */
const decisionsIn = (thoughts: ReadSession["thoughts"]): Remark[] =>
  thoughts.flatMap((thought): Remark[] => {
    const decision = readDecisionThought(thought.data.thought);
    if (!decision) return [];
    const text = [decision.title, decision.chosen].filter(Boolean).join(": ");
    const at = thought.data.timestamp;
    return [{ kind: "decided", text, at, author: "agent", id: idOfThought(thought) }];
  });

const showRemark = ({ text, was, instead, at, author, id }: Remark, marks: CardMarks | undefined) => ({
  ...(instead !== undefined && { instead }),
  text,
  ...(was !== undefined && { was }),
  at,
  by: author,
  id,
  ...marks?.ground,
  ...(marks && marks.doubts.length > 0 && { rests_on_reversed: marks.doubts.map((doubt) => doubt.id) }),
});
