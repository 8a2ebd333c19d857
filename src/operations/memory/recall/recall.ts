import * as z from "zod";
import { addressOf } from "../../../domain/ledger/address.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import {
  type ChosenRemark,
  chooseRemarks,
  createRelevance,
  missingWords,
  readIntent,
  reasonsNear,
  shorten,
  standingRemarks,
} from "../../../domain/recall/compose-recall.ts";
import type { Remark } from "../../../domain/recall/remarks.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { SearchHit } from "../../../ports/ledger-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { remarksOfMemory } from "../hooks/gather-recall.ts";
import { projectOf } from "../hooks/hook-fields.ts";
import { openFile } from "../why/find-subject.ts";
import { explainLines } from "../why/why.ts";

const most = { sessions: 3, hits: 12, perSession: 2, remarks: 3, asked: 6, notes: 3, files: 3, missing: 10 };
const [thoughtsOfSession, around, refusalsOfSession] = [200, 12, 20];
const reasonChars = 320;

const remarkSchema = z.strictObject({ text: z.string(), at: z.string(), by: z.string(), id: z.string() });
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
  effect: "read",
  anywhere: true,
  defaultChars: 4_000,
  input: {
    question: z.string().min(1).max(limits.query).describe("A question in plain words."),
    file: z.string().min(1).max(1_024).optional().describe("A file it is about: adds why its lines exist."),
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
    notes: z.array(saidSchema).optional(),
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
    /** Words of the question that stand near nothing that was found. */
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
    const { ledger, settings, caller, workspace } = memory;
    const { about, kinds } = readIntent(question);
    const page = await ledger.search({
      query: about,
      project: projectOf(settings, caller),
      workspace,
      order: "relevance",
      limit: most.hits,
      offset: 0,
      perSession: most.perSession,
      hideSecrets: settings.secrets.forAnswer,
    });
    const found = groupHits(page.hits);
    const read = await Promise.all(found.map((hits) => readSessionOf(memory, hits)));
    const remarks = [
      ...read.flatMap(({ thoughts, refusals }) => [...standingRemarks(thoughts), ...refusals]),
      ...(await remarksOfMemory(memory.memory, workspace)),
    ];
    const relevanceOf = createRelevance(
      about,
      read.flatMap(({ thoughts }) => thoughts.map(({ data }) => data.thought)),
    );
    const choose = (
      wanted: readonly Remark["kind"][],
    ): { text: string; at: string; by: string; id: string }[] => {
      const isAsked = wanted.some((kind) => kinds.has(kind)) && found.length > 0;
      const limit = isAsked ? most.asked : most.remarks;
      return chooseRemarks(remarks, wanted, relevanceOf, { most: limit, isAsked }).map(showRemark);
    };
    const parts = {
      decisions: choose(["decided", "corrected"]),
      dead_ends: choose(["rejected"]),
      open: choose(["open", "unfinished"]),
      notes: page.hits
        .flatMap(({ note, snippet }) =>
          note ? [{ text: shorten(snippet), id: `${note.doc}@${note.seq}` }] : [],
        )
        .slice(0, most.notes),
      why: file === undefined ? [] : await explainFile(memory, file),
      missing: found.length === 0 ? [] : missingWords(about, page.hits).slice(0, most.missing),
    };
    const sessions = read.slice(0, most.sessions).map((session) => describeSession(session, about));
    const filled = Object.entries(parts).filter(([, list]) => list.length > 0);
    const known = sessions.length > 0 || filled.some(([name]) => name !== "missing");
    const note = known
      ? page.weak && "The sessions match only a little of the question."
      : "Nothing recorded in this project is about this question.";
    return {
      question,
      known,
      sessions,
      ...Object.fromEntries(filled),
      ...(note && { note }),
    };
  },
});

type SessionHits = { session: NonNullable<SearchHit["session"]>; hits: SearchHit[] };

/** Sessions in the order of their best hit. */
function groupHits(hits: readonly SearchHit[]): SessionHits[] {
  const groups = new Map<string, SessionHits>();
  for (const hit of hits) {
    if (!hit.session) continue;
    const group = groups.get(hit.session.id) ?? { session: hit.session, hits: [] };
    group.hits.push(hit);
    groups.set(hit.session.id, group);
  }
  return [...groups.values()];
}

type ReadSession = SessionHits & { thoughts: ChainedThought[]; refusals: Remark[] };

/** The newest thoughts of a session, those around its hits, and what the user refused in it. */
async function readSessionOf({ ledger, actions }: MemoryContext, found: SessionHits): Promise<ReadSession> {
  const { id } = found.session;
  const places = found.hits.flatMap(({ address, revisedBy }) => [
    ...(address ? [address] : []),
    ...(revisedBy ? [revisedBy] : []),
  ]);
  const pages = await Promise.all([
    ledger.readLatest(id, undefined, thoughtsOfSession),
    ...places.map(({ branchId, thoughtNumber }) =>
      ledger.readThoughts(id, {
        branchId,
        select: "range",
        from: Math.max(1, thoughtNumber - around),
        to: thoughtNumber + around,
        count: 2 * around + 1,
      }),
    ),
  ]);
  const byPosition = new Map(pages.flat().map((thought) => [thought.position, thought]));
  const refused = await actions.readOfSession(id, { after: 0, limit: refusalsOfSession, type: "refusal" });
  return {
    ...found,
    thoughts: [...byPosition.values()].sort((a, b) => a.position - b.position),
    refusals: refused.flatMap(({ action }): Remark[] => {
      if (action.type !== "refusal" || action.said === "") return [];
      const text = `refused ${action.command}: ${action.said}`;
      return [
        { kind: "corrected", text, at: action.at, author: "user", id: `${id.slice(0, 8)}!${action.call}` },
      ];
    }),
  };
}

function describeSession(
  { session, hits, thoughts }: ReadSession,
  about: string,
): z.infer<typeof sessionSchema> {
  const [best] = hits;
  const place = best?.revisedBy ?? best?.address ?? { thoughtNumber: 1 };
  const { asked, because } = reasonsNear(about, thoughts, addressOf(place), reasonChars);
  const decided = standingRemarks(thoughts)
    .filter(({ kind }) => kind === "decided")
    .at(-1);
  const show = ({ text, place: id }: { text: string; place: string }) => ({ text, id });
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

const showRemark = ({ text, at, author, id }: ChosenRemark) => ({ text, at, by: author, id });

/** Why the lines of a file exist, the newest edits first. A file that git does not know has no reasons. */
async function explainFile(memory: MemoryContext, file: string) {
  try {
    // What it refuses is caught here.
    const failing = memory as MemoryContext as MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">;
    const { answers } = await explainLines(memory, await openFile(failing, file));
    return answers.slice(0, most.files).flatMap(({ file: path, lines, by, asked, because }) => {
      const text = because?.text ?? asked?.text;
      return text === undefined
        ? []
        : [{ file: path, lines, ...(by && { sessionId: by.sessionId, at: by.at }), text: shorten(text) }];
    });
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError) || thrown.code === "STORAGE_ERROR") throw thrown;
    memory.warn({ code: "FILE_NOT_EXPLAINED", message: thrown.message });
    return [];
  }
}
