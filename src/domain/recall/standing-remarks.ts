import type { KeptAction } from "../actions/kept-action.ts";
import { type CipherGraph, cipherGraphOf, isDeadEnd } from "../analysis/cipher-graph.ts";
import { closingsIn } from "../ledger/branch-closing.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { type Address, nodeId } from "../ledger/thought.ts";
import { wordsOf } from "../why/reason-words.ts";
import { idOfThought, type Remark, remarksOf } from "./remarks.ts";

/** Returns the thoughts that were neither rejected nor revised, and are not on an abandoned branch. */
export function standingThoughts(
  thoughts: readonly ChainedThought[],
  graph: CipherGraph = cipherGraphOf(thoughts),
): ChainedThought[] {
  const abandoned = new Set(lastOfAbandoned(thoughts, graph).map(({ data }) => data.branchId));
  return thoughts.filter(
    ({ data }) =>
      !graph.isRejected(data) &&
      !graph.edgesTo(data).some(({ relation }) => relation === "revises") &&
      !(data.branchId !== undefined && abandoned.has(data.branchId)),
  );
}

function lastOfAbandoned(thoughts: readonly ChainedThought[], graph: CipherGraph): ChainedThought[] {
  const last = new Map<string, ChainedThought>();
  for (const thought of thoughts)
    if (thought.data.branchId !== undefined) last.set(thought.data.branchId, thought);
  const closings = closingsIn(thoughts);
  const isAbandoned = ({ branchId = "" }: Thought) => closings.get(branchId)?.outcome === "abandoned";
  return [...last.values()].filter(({ data }) => isDeadEnd(graph, data) || isAbandoned(data));
}

/** Returns remarks verbatim. A revised or rejected thought appears only with its replacement. */
export function standingRemarks(thoughts: readonly ChainedThought[]): Remark[] {
  const graph = cipherGraphOf(thoughts);
  const standing = standingThoughts(thoughts, graph);
  const standingIds = new Set(standing.map(idOfThought));
  const byAddress = new Map(thoughts.map((thought) => [keyOf(thought.data), thought]));
  const byId = new Map(thoughts.map((thought) => [idOfThought(thought), thought]));
  const revisions = standing.flatMap((thought): Remark[] => {
    const old = graph.edgesFrom(thought.data).find(({ relation }) => relation === "revises");
    const was = old && byAddress.get(keyOf(old.to));
    if (!was || thought.data.agentId === "user" || isDeadEnd(graph, thought.data)) return [];
    return [{ ...remarkOf("decided", thought), was: withoutNotation(was.data.thought) }];
  });
  const revised = new Set(revisions.map(({ id }) => id));
  const stated = remarksOf(thoughts);
  const conclusions = [...stated, ...revisions].flatMap(({ kind, id, text }) => {
    const thought = kind === "decided" && standingIds.has(id) ? byId.get(id) : undefined;
    return thought ? [{ thought, text }] : [];
  });
  const replacing = isOnOneSubject(thoughts) ? conclusions : [];
  const said = stated
    .filter(({ kind, id }) => !(kind === "decided" && revised.has(id)))
    .flatMap((remark): Remark[] => {
      const thought = byId.get(remark.id);
      if (thought && remark.kind === "open" && isConcluded(thought, remark, conclusions)) return [];
      if (standingIds.has(remark.id)) {
        const next =
          thought && remark.kind === "rejected" ? decidedNext(thought, remark, replacing) : undefined;
        return [next === undefined ? remark : { ...remark, instead: next }];
      }
      if (!thought || remark.kind !== "rejected") return [];
      // Omits revised thoughts, because the revision includes the text it replaced.
      if (!graph.isRejected(thought.data) && graph.edgesTo(thought.data).some(isRevision)) return [];
      const instead = replacementOf(thought.data, graph, standing);
      return [{ ...remark, ...(instead && { instead: withoutNotation(instead.data.thought) }) }];
    });
  const abandoned = lastOfAbandoned(thoughts, graph).map((thought): Remark => {
    const text = `branch ${thought.data.branchId}: ${withoutNotation(thought.data.thought)}`;
    const instead = decidedInstead(thought.data, thoughts, conclusions);
    return { ...remarkOf("rejected", thought), text, ...(instead !== undefined && { instead }) };
  });
  return [...revisions, ...said, ...abandoned];
}

type Conclusion = { thought: ChainedThought; text: string };

/** The maximum number of thoughts in a session on one subject. */
const longestOnOneSubject = 20;
export const isOnOneSubject = ({ length }: readonly ChainedThought[]): boolean =>
  length <= longestOnOneSubject;

/** Returns the first decision after a dead end in plain text, if the two share a word. Used only for short sessions. */
function decidedNext(
  { position, data }: ChainedThought,
  { text }: Remark,
  conclusions: readonly Conclusion[],
): string | undefined {
  const isLater = (one: Conclusion) =>
    one.thought.position === position
      ? data.thought.indexOf(one.text) > data.thought.indexOf(text)
      : one.thought.position > position;
  return conclusions
    .toSorted((a, b) => a.thought.position - b.thought.position)
    .find((one) => isLater(one) && sharesSubject(one.text, text, 1))?.text;
}

/** Returns the first decision on the same subject, made after the abandoned branch began but not on it. */
function decidedInstead(
  { branchId }: Thought,
  thoughts: readonly ChainedThought[],
  conclusions: readonly Conclusion[],
): string | undefined {
  const branch = thoughts.filter(({ data }) => data.branchId === branchId);
  const [first] = branch;
  const fork = first?.data.branchFromThought;
  const forked = thoughts.find(
    ({ data }) => data.branchId === first?.data.branchFromBranch && data.thoughtNumber === fork,
  );
  const about = [forked, ...branch].map((one) => withoutNotation(one?.data.thought ?? "")).join("\n");
  return conclusions
    .filter(({ thought }) => first && thought.position > first.position && thought.data.branchId !== branchId)
    .toSorted((a, b) => a.thought.position - b.thought.position)
    .find(({ text }) => sharesSubject(text, about))?.text;
}

/** True if two texts share at least `least` words and so probably have the same subject. */
export function sharesSubject(one: string, other: string, least = 2): boolean {
  const words = wordsOf(other);
  return [...wordsOf(one)].filter((word) => words.has(word)).length >= least;
}

/**
 * True if a question is answered. Any later conclusion in the notation answers a question in the notation. A
 * question in plain text is answered by a later decision that shares two words with it.
 */
function isConcluded(asked: ChainedThought, { text }: Remark, conclusions: readonly Conclusion[]): boolean {
  return conclusions.some(({ thought, text: decided }) => {
    if (thought.position <= asked.position) return false;
    return asked.data.cipher ? thought.data.cipher !== undefined : sharesSubject(decided, text);
  });
}

const keyOf = (address: Address): string => nodeId("", address);
const isRevision = ({ relation }: { relation: string }): boolean => relation === "revises";

const remarkOf = (kind: Remark["kind"], thought: ChainedThought): Remark => ({
  kind,
  text: withoutNotation(thought.data.thought),
  at: thought.data.timestamp,
  author: thought.data.agentId ?? "agent",
  id: idOfThought(thought),
});

/** Finds the conclusion that was drawn from a rejected thought or its rejection. */
function replacementOf(
  rejected: Thought,
  graph: CipherGraph,
  standing: readonly ChainedThought[],
): ChainedThought | undefined {
  const by = graph
    .edgesTo(rejected)
    .filter(({ relation }) => relation === "rejects" || relation === "revises");
  const keys = new Set([keyOf(rejected), ...by.map(({ from }) => keyOf(from))]);
  return standing.find(
    ({ data }) =>
      graph.typesOf(data).includes("C") && graph.edgesFrom(data).some(({ to }) => keys.has(keyOf(to))),
  );
}

export const withoutNotation = (text: string): string =>
  text.replace(/^S\d+\|[A-Z]\|(?:[\^⊕⊖S\d, ]*\|)?/u, "");

type Edit = Extract<KeptAction, { type: "edit" }>;

const givingUp =
  /\b(?:revert(?:ed|ing|s)?|rolled? back|back(?:ed|ing)? out|undo(?:ing)?|undid|g(?:a|i)v(?:e|ing) up|(?:does|did|do)(?:n['’]t| not) (?:work|help|fix)|dead end|wrong approach|abandon(?:ed|ing)?|not worth|take (?:it|this|that) (?:out|back))\b/i;
const cleaningUp =
  /\b(?:debug(?:ging)?|console\.log|print(?:s|ed|ing|ln)?|log(?:s|ging)? (?:lines?|statements?)|temporar(?:y|ily)|leftover|clean(?:ing|ed)?[ -]?up|probe|scratch|no longer needed|(?:bug|issue|problem) is (?:now )?fixed)\b/i;
/** Returns the sentence that abandons something, and the sentence before it, which often gives the reason. */
function aroundGivingUp(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/u).filter((sentence) => sentence.trim() !== "");
  const at = sentences.findIndex((sentence) => givingUp.test(sentence));
  return sentences.slice(Math.max(0, at - 1), at + 1).join(" ");
}

/** An edit is undone if at least this share of its lines was removed later. */
const undoneShare = 0.5;

/**
 * Finds edits that the session reverted, if the thought before the reverting edit gives something up. Removed
 * debug lines are not a dead end, and neither is an edit that was made again later.
 */
export function undoneRemarks(
  edits: readonly Edit[],
  thoughts: readonly ChainedThought[],
): (Remark & { path: string })[] {
  const byAddress = new Map(thoughts.map((thought) => [keyOf(thought.data), thought]));
  const found = new Map<string, Remark & { path: string }>();
  for (const [at, { path, lines }] of edits.entries()) {
    const written = lines.flatMap(({ hash, written: isWritten, long }) => (isWritten && long ? [hash] : []));
    const isMost = (some: ReadonlySet<string>) => {
      const shared = written.filter((hash) => some.has(hash)).length;
      return shared > 0 && shared >= written.length * undoneShare;
    };
    const after = edits.slice(at + 1).filter((later) => later.path === path);
    const undone = after.findIndex(({ removed }) => isMost(new Set(removed)));
    const undoing = after[undone];
    const isBack = after
      .slice(undone + 1)
      .some((later) => isMost(new Set(later.lines.flatMap((line) => (line.written ? [line.hash] : [])))));
    if (isBack) continue;
    const said = undoing?.after && byAddress.get(keyOf(undoing.after));
    if (!said || said.data.agentId === "tool") continue;
    const text = withoutNotation(said.data.thought);
    if (!givingUp.test(text) || cleaningUp.test(text)) continue;
    const remark = remarkOf("rejected", said);
    found.set(remark.id, { ...remark, path, text: aroundGivingUp(text) });
  }
  return [...found.values()];
}
