import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { cipherGraphOf } from "../analysis/cipher-graph.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { type Address, nodeId } from "../ledger/thought.ts";
import { readDecisionThought } from "../memory/decisions/decision.ts";
import { createStemmer } from "../search/words/porter.ts";
import { stopWords } from "../search/words/word-lists.ts";
import { toStems, wordsIn } from "../search/words/words.ts";
import { hasCause, inverseFrequency, isNarration } from "../why/reason-words.ts";
import { findReasons, type Passage, type Reason } from "../why/reasons.ts";
import { forbids, isPasted, isStep } from "./kind-of-sentence.ts";
import { type Intent, isWord, longestQuestion } from "./read-intent.ts";
import type { Remark, RemarkKind } from "./remarks.ts";
import { standingThoughts, withoutNotation } from "./standing-remarks.ts";
import { allWordsOf, isAlike } from "./word-recall.ts";

const longestText = 40_000;
const innerCapital = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;

type StemsOf = (text: string) => ReadonlySet<string>;

/** Creates functions that stem the words of a text, with or without the parts of identifiers. */
function createStems() {
  const stemOf = createStemmer();
  const written: StemsOf = (text) => new Set(toStems(text.slice(0, longestText), stemOf).split(" "));
  const all: StemsOf = (text) => new Set([...written(text), ...written(text.replaceAll(innerCapital, " "))]);
  return { written, all };
}

const tellingStems = (stemsOf: StemsOf, text: string): string[] => {
  const telling = [...wordsIn(text, true)].filter(({ word }) => !stopWords.has(word));
  return [...stemsOf(telling.map(({ word }) => word).join(" "))].filter((word) => word !== "");
};

/** Words that describe almost anything and therefore reveal little about a text's subject. */
const vague = /^(?:old|new|large|big|small|long|short|good|bad|first|last|next|other|same)$/;
const vagueWeight = 0.25;
/** The weight of a part of an identifier, relative to the same word in a sentence. */
const partWeight = 0.9;

/** Returns a function that measures how much of the question a text contains, from 0 to 1. Rare words count more. */
export function createRelevance(about: string, texts: readonly string[]): (text: string) => number {
  const stems = createStems();
  const asked = tellingStems(stems.all, about.slice(0, longestQuestion));
  const idf = inverseFrequency(texts.map(stems.all));
  const weigh = (word: string) => idf(word) * (vague.test(word) ? vagueWeight : 1);
  const all = asked.reduce((sum, word) => sum + weigh(word), 0);
  return (text) => {
    const [words, parts] = [stems.written(text), stems.all(text)];
    if (!asked.some((word) => isWord(word) && parts.has(word))) return 0;
    const shareOf = (word: string) => (words.has(word) ? 1 : parts.has(word) ? partWeight : 0);
    const found = asked.reduce((sum, word) => sum + shareOf(word) * weigh(word), 0);
    return all === 0 ? 0 : found / all;
  };
}

const sharedByAlike = 3;

/** Returns a function that finds the first item that shares at least three words with a text. */
export function createLikeness<Item extends { text: string }>(
  items: readonly Item[],
): (text: string) => Item | undefined {
  const { written } = createStems();
  const split = (text: string) => tellingStems(written, text.replaceAll(innerCapital, " "));
  const known = items.map((item) => ({ item, stems: new Set(split(item.text)) }));
  return (text) => {
    const stems = known.length === 0 ? [] : split(text);
    return known.find((one) => stems.filter((stem) => one.stems.has(stem)).length >= sharedByAlike)?.item;
  };
}

/** Returns a function that is true for words that none of the texts contains. */
export function createAbsent(texts: readonly string[]): (word: string) => boolean {
  const { all } = createStems();
  const known = all(texts.join("\n"));
  return (word) => [...all(word)].some((stem) => !known.has(stem));
}

type Quoted = Pick<Reason, "text" | "place">;

export type SessionReasons = {
  /** What the user wanted, or the recorded question that was found. */
  asked?: Quoted;
  because?: Quoted;
  /** The best passage, if no passage gives a reason. */
  found?: Quoted;
};

/**
 * Returns what the user wanted, and the best reason near the thoughts that were found. Skips text that was
 * replaced, or that the answer already shows as a remark. Marks a hypothesis and shows it after its evidence.
 */
export function reasonsNear(
  about: string,
  thoughts: readonly ChainedThought[],
  { found, remarks, chars }: { found: Address; remarks: readonly Remark[]; chars: number },
): SessionReasons {
  const graph = cipherGraphOf(thoughts);
  const standing = standingThoughts(thoughts, graph);
  const byPlace = new Map(standing.map((thought) => [nodeId("", thought.data), thought]));
  const stated = createShown(remarks.map(({ text }) => text));
  const evidence = new Set<string>();
  const passages = standing.flatMap(({ sessionId, data }): Passage[] => {
    if (data.agentId === "tool" || (data.agentId === "user" && isPasted(data.thought))) return [];
    const by = data.agentId === "user" ? "user" : "agent";
    const after = by === "user" && data.thoughtNumber > found.thoughtNumber;
    const said = readDecisionThought(data.thought) ? "" : withoutNotation(data.thought);
    if (by === "agent" && (isQuestion(said) || stated.has(said))) return [];
    const types = graph.typesOf(data);
    const support = graph
      .edgesTo(data)
      .flatMap(({ relation, from }) => (relation === "supports" ? (byPlace.get(nodeId("", from)) ?? []) : []))
      .at(-1);
    const isGuess = types.includes("H");
    const place = nodeId(sessionId, (isGuess && support?.data) || data);
    if (types.includes("E") || isGuess) evidence.add(place);
    const text = !isGuess
      ? said
      : support
        ? `${withoutNotation(support.data.thought)} (hypothesis: ${said})`
        : `hypothesis: ${said}`;
    return [{ text, by, after, edits: 0, turns: 0, place }];
  });
  const reasons = findReasons({ path: "", hunk: [], near: [], line: about, isOpen: true }, passages, chars);
  const { because } = reasons;
  const hit = standing.find(({ data }) => nodeId("", data) === nodeId("", found));
  const question = hit && { text: withoutNotation(hit.data.thought), place: nodeId(hit.sessionId, hit.data) };
  const isAsked = hit && question && graph.typesOf(hit.data).includes("Q") && !stated.has(question.text);
  const asked = reasons.asked ?? (isAsked ? question : undefined);
  const told = because && withoutNarration(because.text);
  const best = because && told && !isQuestion(told) ? { ...because, text: told } : undefined;
  const isReason = best && (evidence.has(best.place) || givesReason(best.text));
  return { ...(asked && { asked }), ...(best && (isReason ? { because: best } : { found: best })) };
}

const givesReason = (text: string): boolean => hasCause(text) || /\bso\b/i.test(text);

/** Remembers which texts an answer contains, ignoring punctuation and letter case. */
export function createShown(texts: readonly string[]) {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  const known = texts.map(plain);
  return {
    /** True if the text is part of a text that the answer contains. */
    has: (text: string): boolean => known.some((longer) => ` ${longer} `.includes(` ${plain(text)} `)),
    add: (text: string): void => void known.push(plain(text)),
  };
}

export const leastRelevance = 0.35;
/**
 * The minimum relevance of a remark from the best session. It is lower than for other sessions, because the
 * best session already matches the question.
 */
export const leastOfBest = 0.15;
const longestRemark = 280;
/**
 * Bonuses for a remark's relevance. A user's corrections are the most informative, unless the question asks
 * for a reason. Readers also need to know about changes of mind.
 */
const preferred = { corrected: 0.15, revised: 0.1 };

export type ChosenRemark = Remark & { relevance: number };

export type Choice = {
  most: number;
  /** True if the question asks for remarks of this kind. */
  isAsked(kind: RemarkKind): boolean;
  /** True if the question names only kinds of remarks and no subject. */
  isOpen: boolean;
  /** True if the question asks for a reason. Corrections then get no bonus. */
  asksWhy: boolean;
  /** True if a remark belongs to the best session. */
  isBest(remark: Remark): boolean;
  /** What the answer already contains. */
  shown: ReturnType<typeof createShown>;
};

/**
 * Chooses the most relevant remarks of some kinds, newest first among equals. Omits a remark that another one contains.
 */
export function chooseRemarks(
  remarks: readonly Remark[],
  kinds: readonly RemarkKind[],
  relevanceOf: (text: string) => number,
  { most, isAsked, isOpen, asksWhy, isBest, shown }: Choice,
): ChosenRemark[] {
  const weigh = (remark: Remark): number => {
    const { said } = remark;
    // Relevance requires a match in the user's own words, not only in the refused command. Words that forbid
    // something are always relevant.
    if (said !== undefined && relevanceOf(said) === 0 && !forbids(said)) return 0;
    const found = relevanceOf([remark.text, remark.was, remark.instead].filter(Boolean).join(" "));
    return found * (isNarration(remark.text) ? 0.5 : 1);
  };
  const isWanted = (remark: ChosenRemark): boolean =>
    (isOpen && (isAsked(remark.kind) || remark.kind === "corrected")) ||
    remark.relevance >= leastRelevance ||
    (remark.relevance >= leastOfBest && isBest(remark));
  const worth = ({ kind, was, relevance }: ChosenRemark): number =>
    relevance +
    (kind === "corrected" ? (asksWhy ? 0 : preferred.corrected) : was === undefined ? 0 : preferred.revised);
  const wanted = remarks
    .filter(({ kind }) => kinds.includes(kind))
    .map((remark) => ({ ...remark, relevance: weigh(remark) }))
    .filter(isWanted);
  const longer = createShown([]);
  const isPart = new Set<Remark>();
  for (const remark of wanted.toSorted((a, b) => b.text.length - a.text.length || compare(b.at, a.at))) {
    if (longer.has(remark.text)) isPart.add(remark);
    else longer.add(remark.text);
  }
  return wanted
    .filter((remark) => !isPart.has(remark) && !shown.has(remark.text))
    .sort((a, b) => worth(b) - worth(a) || compare(b.at, a.at) || compare(a.id, b.id))
    .filter((remark, at, all) => !all.slice(0, at).some((other) => repeats(remark, other)))
    .slice(0, most)
    .map((remark) => {
      shown.add(remark.text);
      return {
        ...remark,
        text: shorten(remark.text),
        ...(remark.was !== undefined && { was: shorten(remark.was, longestBeside) }),
        ...(remark.instead !== undefined && { instead: shorten(remark.instead, longestBeside) }),
      };
    });
}

const longestBeside = 160;

/**
 * True if a remark repeats another one from its session. Remarks that mention different numbers are different
 * statements.
 */
function repeats(one: Remark, other: Remark): boolean {
  const sessionOf = ({ id }: Remark) => id.slice(0, 8);
  if (one.kind !== other.kind || sessionOf(one) !== sessionOf(other) || one.place || other.place)
    return false;
  const figures = ({ text }: Remark) => (text.match(/\d+/g) ?? []).join(" ");
  return figures(one) === figures(other) && isAlike(allWordsOf(one.text), allWordsOf(other.text));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Shortens text to one line that ends with a whole sentence or, if that is too long, a whole word. */
export const shorten = (text: string, max = longestRemark): string => {
  const line = text.trim().replaceAll(/\s+/g, " ");
  if (line.length <= max) return line;
  const cut = clipWhole(line, max - 2);
  const sentences = cut.match(/^.*[.!?](?=\s)/su)?.[0] ?? "";
  if (sentences.length >= max / 3) return `${sentences} …`;
  return `${cut.replace(/\s+\S*$/u, "")} …`;
};

/** True for a question. Questions are skipped, because they give no reason. */
const isQuestion = (text: string): boolean => /^[^.!?]*\?\s*$/u.test(text);

/** If fewer characters remain, the whole text is kept. They are usually only the beginning of a sentence. */
const shortestTelling = 30;

/** Drops sentences that only announce the agent's next action. Returns "" if no other sentence remains. */
export function withoutNarration(text: string): string {
  const sentences = text.split(/(?<=[.!?:])\s+/u);
  const telling = sentences.filter((sentence) => !isStep(sentence));
  while (telling.length > 1 && /:$|^\d+\.$/.test(telling.at(-1) ?? "")) telling.pop();
  const told = telling.join(" ");
  return told === "" || told.length >= shortestTelling ? told : text;
}

/**
 * Returns the file that the most sessions edited near their hits. If there are several sessions, at least two
 * must have edited the file.
 */
export function sharedFile(edited: readonly ReadonlySet<string>[]): string | undefined {
  const counts = new Map<string, number>();
  for (const paths of edited) for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  const [best, next] = [...counts].sort(([a, n], [b, m]) => m - n || compare(a, b));
  if (!best) return undefined;
  return best[1] > 1 || next === undefined ? best[0] : undefined;
}

/** The parts of an answer in their usual order. */
const parts = ["sessions", "decisions", "dead_ends", "open", "why", "notes"] as const;
type Part = (typeof parts)[number];

const partOf: Readonly<Record<RemarkKind, Part>> = {
  decided: "decisions",
  corrected: "decisions",
  rejected: "dead_ends",
  open: "open",
  unfinished: "open",
};

export type Found = {
  /**
   * How much of the question the best item in each part contains. Absent for empty parts and for sessions without
   * lines.
   */
  best: Partial<Record<Part, number>>;
  /** True if the question is about a correction or an action that the user refused. */
  isCorrected: boolean;
  /** True if the question is only about a file. */
  isAboutFile: boolean;
};

/** Orders the parts of an answer, starting with the part that answers the question. */
export function orderParts(
  { kinds, wants }: Intent,
  { best, isCorrected, isAboutFile: isFile }: Found,
): Part[] {
  const bestOf = (some: readonly Part[]): Part[] =>
    some.filter((part) => best[part] !== undefined).toSorted((a, b) => (best[b] ?? 0) - (best[a] ?? 0));
  const named = bestOf(parts.filter((part) => [...kinds].some((kind) => partOf[kind] === part)));
  const forbids = wants === "permission" || (isCorrected && wants === undefined);
  const leading: readonly Part[] =
    named.length > 0
      ? named
      : wants === "request"
        ? ["sessions"]
        : isFile && best.why !== undefined
          ? ["why"]
          : forbids && best.decisions !== undefined
            ? ["decisions"]
            : bestOf(["decisions", "sessions", "dead_ends", "open"]).slice(0, 1);
  const bare: readonly Part[] = best.sessions === undefined ? ["decisions", "dead_ends", "open"] : [];
  return [...new Set([...leading, ...bare, ...parts])];
}
