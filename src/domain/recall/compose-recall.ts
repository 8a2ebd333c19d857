import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { type Address, nodeId } from "../ledger/address.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { readDecisionThought } from "../memory/decisions/decision.ts";
import { createStemmer } from "../search/words/porter.ts";
import { stopWords } from "../search/words/word-lists.ts";
import { toStems, wordsIn } from "../search/words/words.ts";
import { inverseFrequency, isNarration } from "../why/reason-words.ts";
import { findReasons, type Passage, type Reasons } from "../why/reasons.ts";
import { isPasted, isStep } from "./kind-of-sentence.ts";
import type { Remark, RemarkKind } from "./remarks.ts";
import { standingThoughts, withoutNotation } from "./standing-remarks.ts";

/** What kind of answer a question wants, apart from what it is about. */
export type Intent = {
  /** The question without words that only name a kind. Empty if it contains nothing else. */
  about: string;
  kinds: ReadonlySet<RemarkKind>;
};

const kindWords: readonly (readonly [RegExp, RemarkKind | undefined])[] = [
  [
    /\b(?:decid(?:e|ed|ing)|decisions?|cho(?:ose|se|sen|ice)|settled?|agreed?|chang(?:e|ed) (?:our|my|your) minds?|revers(?:e|ed|al))\b/giu,
    "decided",
  ],
  [
    /\b(?:refus(?:e|ed|al) or correct(?:ed)?|refus(?:e|ed|als?)|corrections?|forb(?:id|ade|idden)|(?:dis)?allow(?:ed)?|permitted)\b/giu,
    "corrected",
  ],
  [
    /\b(?:tr(?:y|ied)(?: that| and| which)(?: has| have)? failed|tr(?:y|ied|ies|ying)|reject(?:ed|s)?|abandon(?:ed)?|dead ends?|g(?:a|i)ve up|given up|ruled out|attempt(?:ed|s)?|instead(?: of)?|alternatives?)\b/giu,
    "rejected",
  ],
  [
    /\b(?:open questions?|questions? (?:are|is) (?:still )?open|unresolved|unanswered|still (?:open|unclear)|left to do|to do next|unfinished)\b/giu,
    "open",
  ],
  [
    /\b(?:why|reasons?|happen(?:ed|s)?|remember|recall|know|known|already|before|earlier|last time|so far|anything|us(?:e|ed|ing)|asked(?: for)?|still (?:apply|applies|valid|true|holds?))\b/giu,
    undefined,
  ],
  [
    /\b(?:how (?:long|often|many|much|large|big|small|far|fast)|(?:may|can|could|should|must) (?:i|we)|th(?:is|e) file|(?:written )?like this|exists?(?=\W*$)|works?(?=\W*$| for\b))\b/giu,
    undefined,
  ],
];

const pathForm =
  /(?:^|[\s"'`(])((?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[a-z][a-z0-9]{0,7})(?=$|[\s"'`),:;?!]|\.(?:\s|$))/giu;

/** A question such as "why does this file exist" is about the file that is named beside it. */
export function readIntent(question: string, file?: string): Intent {
  const kinds = new Set<RemarkKind>();
  let about = question.replaceAll(pathForm, (_, path: string) => ` ${subjectOfPath(path)}`);
  for (const [words, kind] of kindWords) {
    const rest = about.replaceAll(words, " ");
    if (kind !== undefined && rest !== about) kinds.add(kind);
    about = rest;
  }
  if (kinds.has("corrected")) about = about.replaceAll(/\busers?\b/giu, " ");
  const hasSubject = [...wordsIn(about)].some(({ word }) => !stopWords.has(word));
  return { about: hasSubject ? about : file ? subjectOfPath(file) : kinds.size > 0 ? "" : question, kinds };
}

/** Folders and extensions are shared by unrelated files. */
const subjectOfPath = (path: string): string => path.replace(/^.*\//s, "").replace(/(?<=.)\.\w+$/, "");

const longestQuestion = 2_000;
const longestText = 40_000;
const innerCapital = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;

/** How much of the question a text contains, from 0 to 1. Uses search words, and rare ones count more. */
export function createRelevance(about: string, texts: readonly string[]): (text: string) => number {
  const stemOf = createStemmer();
  // Names in code count whole and in parts.
  const stemsOf = (text: string): ReadonlySet<string> => {
    const some = text.slice(0, longestText);
    return new Set(
      `${toStems(some, stemOf)} ${toStems(some.replaceAll(innerCapital, " "), stemOf)}`.split(" "),
    );
  };
  const telling = [...wordsIn(about.slice(0, longestQuestion), true)].filter(
    ({ word }) => !stopWords.has(word),
  );
  const asked = [...stemsOf(telling.map(({ word }) => word).join(" "))].filter((word) => word !== "");
  const idf = inverseFrequency(texts.map(stemsOf));
  const all = asked.reduce((sum, word) => sum + idf(word), 0);
  return (text) => {
    const words = stemsOf(text);
    const found = asked.reduce((sum, word) => sum + (words.has(word) ? idf(word) : 0), 0);
    return all === 0 ? 0 : found / all;
  };
}

/** What the user wanted, and the best reason that was not replaced, near the thoughts found. */
export function reasonsNear(
  about: string,
  thoughts: readonly ChainedThought[],
  found: Address,
  chars: number,
): Reasons {
  const passages = standingThoughts(thoughts).flatMap(({ sessionId, data }): Passage[] => {
    if (data.agentId === "tool" || (data.agentId === "user" && isPasted(data.thought))) return [];
    const by = data.agentId === "user" ? "user" : "agent";
    const after = by === "user" && data.thoughtNumber > found.thoughtNumber;
    const decision = readDecisionThought(data.thought);
    const text = decision
      ? [decision.title, decision.because].filter(Boolean).join(": ")
      : withoutNotation(data.thought);
    if (by === "agent" && isQuestion(text)) return [];
    return [{ text, by, after, edits: 0, turns: 0, place: nodeId(sessionId, data) }];
  });
  const { asked, because } = findReasons({ path: "", hunk: [], near: [], line: about }, passages, chars);
  return {
    ...(asked && { asked }),
    ...(because && { because: { ...because, text: withoutNarration(because.text) } }),
  };
}

const leastRelevance = 0.35;
const longestRemark = 280;
/** A user's text is denser than any other, and a reader needs to know about a change of mind. */
const preferred = { corrected: 0.15, revised: 0.1 };

export type ChosenRemark = Remark & { relevance: number };

export type Choice = {
  most: number;
  /** Whether the question names this kind. */
  isAsked(kind: RemarkKind): boolean;
  /** The question names nothing else. */
  isOpen: boolean;
  /** Whether a remark belongs to the first session found. */
  isBest(remark: Remark): boolean;
};

/** The most relevant of some kinds, newest first among equals. Omits an item that another one contains. */
export function chooseRemarks(
  remarks: readonly Remark[],
  kinds: readonly RemarkKind[],
  relevanceOf: (text: string) => number,
  { most, isAsked, isOpen, isBest }: Choice,
): ChosenRemark[] {
  const seen: string[] = [];
  const weigh = (remark: Remark): number => {
    const found = relevanceOf([remark.text, remark.was, remark.instead].filter(Boolean).join(" "));
    return found * (isNarration(remark.text) ? 0.5 : 1);
  };
  const isWanted = (remark: ChosenRemark): boolean =>
    (isOpen && (isAsked(remark.kind) || remark.kind === "corrected")) ||
    remark.relevance >= leastRelevance ||
    ((isAsked(remark.kind) || remark.relevance > 0) && isBest(remark));
  const worth = ({ kind, was, relevance }: ChosenRemark): number =>
    relevance + (kind === "corrected" ? preferred.corrected : was === undefined ? 0 : preferred.revised);
  return remarks
    .filter(({ kind }) => kinds.includes(kind))
    .map((remark) => ({ ...remark, relevance: weigh(remark) }))
    .filter(isWanted)
    .sort((a, b) => worth(b) - worth(a) || compare(b.at, a.at) || compare(a.id, b.id))
    .filter(({ text }) => {
      const said = text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
        .trim();
      if (seen.some((longer) => longer.includes(said))) return false;
      seen.push(said);
      return true;
    })
    .slice(0, most)
    .map((remark) => ({
      ...remark,
      text: shorten(remark.text),
      ...(remark.was !== undefined && { was: shorten(remark.was, longestBeside) }),
      ...(remark.instead !== undefined && { instead: shorten(remark.instead, longestBeside) }),
    }));
}

const longestBeside = 160;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** One line that ends with a sentence, or else with a word. */
export const shorten = (text: string, max = longestRemark): string => {
  const line = text.trim().replaceAll(/\s+/g, " ");
  if (line.length <= max) return line;
  const cut = clipWhole(line, max - 2);
  const sentences = cut.match(/^.*[.!?](?=\s)/su)?.[0] ?? "";
  if (sentences.length >= max / 3) return `${sentences} …`;
  return `${cut.replace(/\s+\S*$/u, "")} …`;
};

/** A question gives no reason. */
const isQuestion = (text: string): boolean => /^[^.!?]*\?\s*$/u.test(text);

/** The sentences of a reason, without those that only announce the agent's next action. */
export function withoutNarration(text: string): string {
  const sentences = text.split(/(?<=[.!?:])\s+/u);
  const telling = sentences.filter((sentence) => !isStep(sentence));
  while (telling.length > 1 && /:$|^\d+\.$/.test(telling.at(-1) ?? "")) telling.pop();
  return telling.length === 0 ? text : telling.join(" ");
}

/** Files that a question names by path. */
export const filesIn = (question: string): string[] => [
  ...new Set([...question.slice(0, longestQuestion).matchAll(pathForm)].map(([, path = ""]) => path)),
];

/** The file that most of the sessions edited near their hits, if at least two did or there is only one session. */
export function sharedFile(edited: readonly ReadonlySet<string>[]): string | undefined {
  const counts = new Map<string, number>();
  for (const paths of edited) for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  const [best, next] = [...counts].sort(([a, n], [b, m]) => m - n || compare(a, b));
  if (!best) return undefined;
  return best[1] > 1 || next === undefined ? best[0] : undefined;
}
