import * as z from "zod";
import { addressOf, nodeId } from "../../../domain/ledger/thought.ts";
import { readDecisionThought } from "../../../domain/memory/decisions/decision.ts";
import {
  createShown,
  leastOfBest,
  leastRelevance,
  reasonsNear,
  shorten,
  withoutNarration,
} from "../../../domain/recall/compose-recall.ts";
import { isPasted } from "../../../domain/recall/kind-of-sentence.ts";
import { idOfThought, type Remark } from "../../../domain/recall/remarks.ts";
import { type RequestFate, requestFates } from "../../../domain/recall/request-fate.ts";
import { isOnOneSubject, sharesSubject, withoutNotation } from "../../../domain/recall/standing-remarks.ts";
import type { SearchHit } from "../../../ports/ledger-store.ts";
import { groundShape } from "../ground/read-ground.ts";
import type { MarksOf } from "./mark-remarks.ts";
import type { ReadSession } from "./read-sessions.ts";

const reasonChars = 320;

export const saidSchema = z.strictObject({
  ...groundShape,
  /** ID of a later decision or correction on the same subject in the same answer. */
  older_than: z.string().optional(),
  text: z.string(),
  id: z.string(),
});
/** Set if the request was not carried out. */
const request = z.enum(requestFates).optional();
export const sessionSchema = z.strictObject({
  sessionId: z.string(),
  /** Set if the title is a request that was not carried out. */
  request,
  title: z.string(),
  at: z.string(),
  asked: saidSchema.extend({ request }).optional(),
  because: saidSchema.optional(),
  /** The best passage, if no passage gives a reason. */
  found: saidSchema.optional(),
  outcome: saidSchema.optional(),
});

export const stubSession = ({ sessionId, request: fate, title, at }: Record<string, unknown>) => ({
  sessionId,
  ...(fate !== undefined && { request: fate }),
  title,
  at,
});

type Telling = {
  about: string;
  shown: ReturnType<typeof createShown>;
  relevanceOf(text: string): number;
  marksOf: MarksOf;
  /** The decisions and corrections that the answer shows. */
  decisions: readonly Remark[];
  /** If true, the answer shows only the session's ID, title, `request` and time. */
  isBare: boolean;
  /** True if the question asks what the user requested. */
  wantsRequest: boolean;
};

export function describeSession(
  { session, hits, thoughts, remarks, fateOf }: ReadSession,
  { about, shown, relevanceOf, marksOf, decisions, isBare, wantsRequest }: Telling,
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
  const near = { found: addressOf(place), remarks, chars: reasonChars };
  const { asked, because, found } = reasonsNear(about, thoughts, near);
  // Checks the subject only in a long session, which may cover several subjects.
  const isAbout = ({ text }: { text: string }, least = leastOfBest): boolean =>
    isOnOneSubject(thoughts) || relevanceOf(text) >= least;
  // Excludes a user's plan, which is the request and not the outcome.
  const isOutcomeOf = ({ kind, author }: Remark) => kind === "decided" && author !== "user";
  const decided = [...remarks.filter(isOutcomeOf), ...decisionsIn(thoughts)]
    .filter((one) => isAbout(one))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .at(-1);
  const show = ({ text, place: from }: { text: string; place: string }) => {
    const id = from.replace(session.id, session.id.slice(0, 8));
    return { ...marksOf({ text, id }).ground, text, id };
  };
  const showReason = ({ text, place: from }: { text: string; place: string }) => {
    const { id, ...told } = show({ text, place: from });
    const older_than = laterThan({ text, id }, decisions, thoughts);
    return { ...(older_than !== undefined && { older_than }), ...told, id };
  };
  const isNew = (said: { text: string } | undefined): boolean => said !== undefined && !shown.has(said.text);
  const isTold = remarks.some(({ text }) => shown.has(text));
  const isRepeated = decided && because && createShown([because.text]).has(decided.text);
  const isOutcome = decided && !isRepeated && isNew(decided) && (!isTold || relevanceOf(decided.text) > 0);
  const quoted = {
    ...(asked &&
      (wantsRequest || isAbout(asked)) && { asked: { ...showFate(fateOf(asked.text)), ...show(asked) } }),
    ...(because && isAbout(because) && isNew(because) && { because: showReason(because) }),
    ...(found && isAbout(found, leastRelevance) && !isTold && isNew(found) && { found: showReason(found) }),
    ...(isOutcome && { outcome: show({ text: shorten(decided.text), place: decided.id }) }),
  };
  if (isTold || quoted.because || quoted.found || quoted.outcome) return { ...head, ...quoted };
  const passage = passageOf(best, thoughts);
  const isPassage = passage && isNew(passage) && isAbout(passage, leastRelevance);
  return { ...head, ...quoted, ...(isPassage && { found: showReason(passage) }) };
}

/** Returns the best passage. Prefers an agent's or user's words to tool output and pasted text. */
function passageOf(hit: SearchHit | undefined, thoughts: ReadSession["thoughts"]) {
  const address = hit?.revisedBy ? undefined : hit?.address;
  const thought = address && thoughts.find(({ data }) => nodeId("", data) === nodeId("", address));
  if (!hit || !thought || thought.data.agentId === "tool") return undefined;
  if (isPasted(thought.data.thought) || readDecisionThought(thought.data.thought)) return undefined;
  const snippet = withoutNotation(hit.snippet.replaceAll(/[«»]|\*\*/g, ""));
  const text = shorten(withoutNarration(snippet), reasonChars);
  return text === "" || /:\s*…?$/u.test(text)
    ? undefined
    : { text, place: nodeId(thought.sessionId, thought.data) };
}

const showFate = (fate: RequestFate | undefined) => fate && { request: fate };

/** Returns the newest later decision of the same session on the same subject. */
function laterThan(
  said: { text: string; id: string },
  decisions: readonly Remark[],
  thoughts: ReadSession["thoughts"],
): string | undefined {
  const places = new Map(
    thoughts.flatMap((thought) => {
      const recorded = readDecisionThought(thought.data.thought)?.id;
      const ids = [idOfThought(thought), ...(recorded === undefined ? [] : [recorded])];
      return ids.map((id) => [id, thought.position] as const);
    }),
  );
  const placeOf = ({ id }: { id: string }) => places.get(id) ?? 0;
  return decisions
    .filter((one) => placeOf(one) > placeOf(said) && sharesSubject(one.text, said.text))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .at(-1)?.id;
}

/** Returns the decisions that the session recorded with `decide`. */
const decisionsIn = (thoughts: ReadSession["thoughts"]): Remark[] =>
  thoughts.flatMap((thought): Remark[] => {
    const decision = readDecisionThought(thought.data.thought);
    if (!decision) return [];
    const text = [decision.title, decision.chosen].filter(Boolean).join(": ");
    const at = thought.data.timestamp;
    return [{ kind: "decided", text, at, author: "agent", id: idOfThought(thought) }];
  });
