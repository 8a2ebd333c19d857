import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { type CipherGraph, cipherGraphOf, isDeadEnd } from "../analysis/cipher-graph.ts";
import { type Address, nodeId } from "../ledger/address.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { stopWords } from "../search/words/word-lists.ts";
import { wordsIn } from "../search/words/words.ts";
import { findReasons, inverseFrequency, type Passage, type Reasons, wordsOf } from "../why/reasons.ts";
import { type Remark, type RemarkKind, remarksOf } from "./remarks.ts";

/** What kind of answer a question wants, apart from what it is about. */
export type Intent = {
  /** The question without the words that only name a kind. The whole question if nothing is left. */
  about: string;
  kinds: ReadonlySet<RemarkKind>;
};

const kindWords: readonly (readonly [RegExp, RemarkKind | undefined])[] = [
  [/\b(?:decid(?:e|ed|ing)|decisions?|cho(?:ose|se|sen)|settled|agreed?)\b/giu, "decided"],
  [
    /\b(?:tr(?:y|ied|ies|ying)|reject(?:ed|s)?|refus(?:e|ed)|abandon(?:ed)?|dead ends?|g(?:a|i)ve up)\b/giu,
    "rejected",
  ],
  [/\b(?:open questions?|unresolved|unanswered|still open|left to do)\b/giu, "open"],
  [
    /\b(?:why|reasons?|happen(?:ed|s)?|remember|recall|know|known|already|before|earlier|last time)\b/giu,
    undefined,
  ],
];

export function readIntent(question: string): Intent {
  const kinds = new Set<RemarkKind>();
  let about = question;
  for (const [words, kind] of kindWords) {
    const rest = about.replaceAll(words, " ");
    if (kind !== undefined && rest !== about) kinds.add(kind);
    about = rest;
  }
  const hasSubject = [...wordsIn(about)].some(({ word }) => !stopWords.has(word));
  return { about: hasSubject ? about : question, kinds };
}

const longestQuestion = 2_000;

/** How much of the question a text contains, from 0 to 1. Words that few texts contain count more. */
export function createRelevance(about: string, texts: readonly string[]): (text: string) => number {
  const asked = [...wordsOf(about.slice(0, longestQuestion))];
  const idf = inverseFrequency(texts.map(wordsOf));
  const all = asked.reduce((sum, word) => sum + idf(word), 0);
  return (text) => {
    const words = wordsOf(text);
    const found = asked.reduce((sum, word) => sum + (words.has(word) ? idf(word) : 0), 0);
    return all === 0 ? 0 : found / all;
  };
}

/** Thoughts of a session that are neither given up nor revised, and on no branch that was abandoned. */
export function standingThoughts(thoughts: readonly ChainedThought[]): ChainedThought[] {
  const graph = cipherGraphOf(thoughts);
  const abandoned = new Set(lastOfAbandoned(thoughts, graph).map(({ data }) => data.branchId));
  return thoughts.filter(
    ({ data }) =>
      !graph.isRejected(data) &&
      !graph.edgesTo(data).some(({ relation }) => relation === "revises") &&
      !(data.branchId !== undefined && abandoned.has(data.branchId)),
  );
}

/** The last thoughts of branches that ended with giving up. */
function lastOfAbandoned(thoughts: readonly ChainedThought[], graph: CipherGraph): ChainedThought[] {
  const last = new Map<string, ChainedThought>();
  for (const thought of thoughts)
    if (thought.data.branchId !== undefined) last.set(thought.data.branchId, thought);
  return [...last.values()].filter(({ data }) => isDeadEnd(graph, data));
}

/** What was said in so many words. A revised or rejected thought speaks only through what replaced it. */
export function standingRemarks(thoughts: readonly ChainedThought[]): Remark[] {
  const standing = new Set(standingThoughts(thoughts).map(({ data }) => nodeId("", data)));
  const ids = new Map(thoughts.map((thought) => [remarkId(thought), nodeId("", thought.data)]));
  const said = remarksOf(thoughts).filter(
    ({ kind, id }) => kind === "rejected" || standing.has(ids.get(id) ?? ""),
  );
  const abandoned = lastOfAbandoned(thoughts, cipherGraphOf(thoughts)).map(
    (thought): Remark => ({
      kind: "rejected",
      text: `branch ${thought.data.branchId}: ${withoutNotation(thought.data.thought)}`,
      at: thought.data.timestamp,
      author: thought.data.agentId ?? "agent",
      id: remarkId(thought),
    }),
  );
  return [...said, ...abandoned];
}

const withoutNotation = (text: string): string => text.replace(/^S\d+\|[A-Z]\|(?:[\^⊕⊖S\d, ]*\|)?/u, "");

/** As remarks name a thought. */
const remarkId = ({ sessionId, data: { branchId, thoughtNumber } }: ChainedThought): string =>
  `${sessionId.slice(0, 8)}#${branchId === undefined ? "" : `${branchId}/`}${thoughtNumber}`;

/** What the user wanted, and the best reason that stands, near the thoughts that were found. */
export function reasonsNear(
  about: string,
  thoughts: readonly ChainedThought[],
  found: Address,
  chars: number,
): Reasons {
  const passages = standingThoughts(thoughts).flatMap(({ sessionId, data }): Passage[] => {
    if (data.agentId === "tool") return [];
    const by = data.agentId === "user" ? "user" : "agent";
    const after = by === "user" && data.thoughtNumber > found.thoughtNumber;
    const text = withoutNotation(data.thought);
    return [{ text, by, after, edits: 0, turns: 0, place: nodeId(sessionId, data) }];
  });
  return findReasons({ path: "", hunk: [], near: [], line: about }, passages, chars);
}

const leastRelevance = 0.2;
const longestRemark = 280;

export type ChosenRemark = Remark & { relevance: number };

/** The most relevant of some kinds, each once, the newest first among equals. */
export function chooseRemarks(
  remarks: readonly Remark[],
  kinds: readonly RemarkKind[],
  relevanceOf: (text: string) => number,
  { most, isAsked }: { most: number; isAsked: boolean },
): ChosenRemark[] {
  const seen = new Set<string>();
  return remarks
    .filter(({ kind }) => kinds.includes(kind))
    .map((remark) => ({ ...remark, relevance: relevanceOf(remark.text) }))
    .filter(({ relevance }) => isAsked || relevance >= leastRelevance)
    .sort((a, b) => b.relevance - a.relevance || compare(b.at, a.at) || compare(a.id, b.id))
    .filter(({ text }) => {
      const said = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ");
      if (seen.has(said)) return false;
      seen.add(said);
      return true;
    })
    .slice(0, most)
    .map((remark) => ({ ...remark, text: shorten(remark.text) }));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const shorten = (text: string, max = longestRemark): string => {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= max ? line : `${clipWhole(line, max - 1)}…`;
};

/** Words of the question that none of the hits contains, and none stands near. */
export function missingWords(
  about: string,
  hits: readonly { matched: readonly string[]; nearby: readonly string[] }[],
): string[] {
  const near = new Set(
    hits.flatMap(({ matched, nearby }) => [...matched, ...nearby]).flatMap((word) => [...wordsOf(word)]),
  );
  const asked = [...wordsIn(about.slice(0, longestQuestion))].map(({ word }) => word);
  return [...new Set(asked)].filter(
    (word) => !stopWords.has(word) && [...wordsOf(word)].some((part) => !near.has(part)),
  );
}
