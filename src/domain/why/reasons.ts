import { createCut, cutRequest, type Speaker } from "./cut-reason.ts";
import {
  announcesChange,
  declaredNames,
  hasCause,
  type Idf,
  inverseFrequency,
  isAnnouncement,
  isItem,
  isLooking,
  isNarration,
  isProcess,
  isProcessOnly,
  isRestated,
  splitSentences,
  wordsOf,
} from "./reason-words.ts";
import { byValue, findEarlier, findProposal, findRequest, type Scored } from "./requests.ts";

/** A text that may give the reason for an edit. */
export type Passage = {
  text: string;
  by: "user" | "agent";
  /** True if the text was written after the edit. */
  after: boolean;
  /** The number of other edits between the text and the edit. */
  edits: number;
  /** The number of user requests between the text and the edit. */
  turns: number;
  /** True if an edit and then a failed command followed the text. Later edits then have another reason. */
  overtaken?: boolean;
  /** The thought's ID in the answer. */
  place: string;
};

/** What the edit is about: all lines that it wrote, the lines near the requested one, and the requested line itself. */
export type Subject = {
  path: string;
  hunk: readonly string[];
  near: readonly string[];
  line: string;
  /** The function, type or test that contains the line. */
  within?: string;
  /** The subject of the commit. The subject states the purpose of the change. */
  topic?: string;
  /** The body of the commit's message. */
  message?: string;
  /** True if no known edit contains the line. Only passages about the line itself are then used. */
  isUnseen?: boolean;
  /** True if the edit was made at about the same time as the line, but may not contain it. */
  isLoose?: boolean;
  /** True if there is no edit. Distances then mean nothing. */
  isOpen?: boolean;
};

type Weights = ReadonlyMap<string, number>;

/** Returns the words of the edit with their weights. */
function weigh({ hunk, near, line }: Subject): Weights {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(hunk.join("\n"), 1);
  add(near.join("\n"), 1);
  add(line, 2);
  return weights;
}

/** Returns the share of the words that a text contains, by weight, from 0 to 1. */
function shareOf(words: ReadonlySet<string>, weights: Weights, idf: Idf): number {
  let [found, all] = [0, 0];
  for (const [word, weight] of weights) {
    all += weight * idf(word);
    if (words.has(word)) found += weight * idf(word);
  }
  return all === 0 ? 0 : found / all;
}

const longText = 1_200;

/** Rates how close a passage is to the edit. A request applies to all edits that follow it. */
function nearness(
  { text, by, after, edits, turns, overtaken }: Passage,
  isAgreed: boolean,
): { factor: number; bonus: number } {
  const isRequest = by === "user" && !after;
  const factor =
    (isRequest ? 1 : 0.9 ** edits) *
    // Texts before the request are about other work, unless they contain the proposal that the request
    // accepts.
    (turns === 0 ? 1 : isRequest || isAgreed ? 0.75 : 0.5) *
    (!isRequest && overtaken ? 0.6 : 1) *
    (after ? 0.85 : 1) *
    (by === "user" ? 1.05 : 1) *
    // A text that begins by announcing the next action is about the next edit.
    (after
      ? isAnnouncement(text)
        ? 0.5
        : 1
      : !isNarration(text)
        ? 1
        : edits === 0 && announcesChange(text)
          ? 0.75
          : 0.5) *
    (isRestated(text) ? 0.7 : 1);
  return { factor, bonus: !after && (isRequest || edits === 0) && turns === 0 ? 0.12 : 0 };
}

/** `text` is the excerpt with the requested length. `cut` returns an excerpt with another length. */
export type Reason = { text: string; place: string; cut(chars: number): string };
export type Reasons = {
  asked?: Reason;
  /** What the agent had proposed, if the user only agreed. */
  proposal?: Reason;
  /** The earlier request that a short request continues. */
  earlier?: Reason;
  because?: Reason;
  /** An earlier passage about the same work with more details. */
  context?: Reason;
};

const continued =
  /^(?:This session is being continued from a previous conversation|\[Request interrupted)|^`[\s\S]*` was refused by the user\.$/;
const least = { value: 0.06, shared: 0.04, inLine: 0.25, inEdit: 0.07, topic: 0.25, context: 0.15 };
const [reranked, excerpt] = [10, 280];
const topicWeight = 0.25;
/** A further passage is shown only if its score is at least this share of the reason's score. */
const contextShare = 0.7;

/**
 * Finds what the user wanted, and the best reason. Each is an excerpt of the most relevant passage, which
 * need not be the nearest.
 */
export function findReasons(subject: Subject, all: readonly Passage[], chars: number): Reasons {
  const { isUnseen = false, isLoose = false, isOpen = false } = subject;
  const told = all.filter(({ text }) => text.trim() !== "" && !continued.test(text));
  const passages = isLoose
    ? told.map((one) => ({ ...one, edits: Math.min(one.edits, 1) }))
    : isOpen
      ? told
      : joinNear(told);
  const weights = weigh(subject);
  const topic = toWeights(subject.topic ?? "");
  const countShared = (text: string): number =>
    [...wordsOf(text)].filter((word) => weights.has(word) || topic.has(word)).length;
  const proposals = passages.map((passage, at) => findProposal(passage, passages.slice(0, at), countShared));
  const words = passages.map(({ text }, at) => wordsOf(`${text}\n${proposals[at]?.text ?? ""}`));
  const idf = inverseFrequency(words);
  const ofLine = toWeights([subject.line, ...subject.near].join("\n"));
  const name = subject.path.slice(subject.path.lastIndexOf("/") + 1);
  const names = namesOf(subject);
  const isNamed = (text: string): boolean => names.some((one) => text.includes(one));
  const about = { name, names, weights, idf };
  const inRequest = { name, names, idf, weights: new Map(weights) };
  for (const word of topic.keys()) inRequest.weights.set(word, (weights.get(word) ?? 0) + 1);
  const rate = (text: string, its: ReadonlySet<string>, shared: number): number =>
    shared +
    topicWeight * shareOf(its, topic, idf) +
    (text.includes(name) ? 0.1 : 0) +
    (isNamed(text) ? 0.1 : 0) +
    (hasCause(text) ? 0.08 : 0);
  const isAgreed = passages.some(({ turns }, at) => turns === 0 && proposals[at] !== undefined);
  const scored = passages.map((passage, index): Scored => {
    const { text } = passage;
    const its = words[index] ?? new Set();
    const shared = shareOf(its, weights, idf);
    const { factor, bonus } = nearness(passage, isAgreed);
    const length = 1 + Math.log(1 + Math.max(0, text.length - longText) / longText) / 2;
    const told = rate(text, its, shared);
    return {
      passage,
      proposal: proposals[index],
      value: (told / length + bonus) * factor,
      shared,
      topic: topicWeight * shareOf(its, topic, idf),
      told,
    };
  });
  const isAboutLine = (text: string): boolean =>
    isNamed(text) || shareOf(wordsOf(text), ofLine, idf) >= least.inLine;
  const isAboutEdit = (text: string): boolean =>
    isAboutLine(text) || shareOf(wordsOf(text), weights, idf) >= least.inEdit;
  const excerpts = new Map<string, string>();
  const excerptOf = (text: string): string => {
    const known = excerpts.get(text) ?? createCut(text, about, "agent")(excerpt);
    excerpts.set(text, known);
    return known;
  };
  /** Rates only the part that would be quoted, because a long text shares many words with any edit. */
  const rerate = (one: Scored): Scored => {
    const text = excerptOf(one.passage.text);
    const its = wordsOf(text);
    const { factor, bonus } = nearness(one.passage, isAgreed);
    const quoted = (rate(text, its, shareOf(its, weights, idf)) + bonus) * factor;
    const isOff =
      !/\p{L}/u.test(text) ||
      (one.passage.after && !isNamed(text)) ||
      splitSentences(text).every((sentence) => isLooking(sentence) || isProcess(sentence)) ||
      (isUnseen && !isAboutLine(text));
    return { ...one, value: isOff ? 0 : (one.value + quoted) / 2 };
  };
  const said = scored
    .filter(
      ({ passage: { by, text, edits, turns, after }, value, shared }) =>
        by === "agent" &&
        // Later thoughts are mostly about the next edit.
        (!after || isNamed(text)) &&
        !isProcessOnly(text) &&
        value >= least.value &&
        (shared >= least.shared || text.includes(name) || (hasCause(text) && !after && edits + turns === 0)),
    )
    .sort(byValue)
    .slice(0, reranked)
    .map(rerate)
    .filter(({ value }) => value > 0)
    .sort(byValue);
  const [best] = said;
  // Prefers the last passage before the edit if it gives a cause or the best passage is from an earlier
  // request.
  const near = said.find(({ passage }) => isNear(passage) && passage.place === lastNear(passages));
  const isNearer = (one: Scored): boolean =>
    !isNarration(excerptOf(one.passage.text)) &&
    (hasCause(excerptOf(one.passage.text)) || (best?.passage.turns ?? 0) > 0);
  const because = near && !isOpen && isNearer(near) ? near : best;
  const isToldWhy = because !== undefined && hasCause(excerptOf(because.passage.text));
  const context = said.find(
    ({ passage, value }) =>
      because !== undefined &&
      passage !== because.passage &&
      !passage.after &&
      !passage.overtaken &&
      value >= Math.max(least.context, because.value * contextShare) &&
      (hasCause(excerptOf(passage.text)) || (!isToldWhy && announcesChange(passage.text))) &&
      isAboutEdit(excerptOf(passage.text)) &&
      !isRepeated(excerptOf(passage.text), excerptOf(because.passage.text)),
  );
  const request = findRequest(scored);
  const isAsked = ({ passage: { text }, topic: shared }: Scored): boolean =>
    !isUnseen || shared >= least.topic * topicWeight || isAboutLine(text);
  const asked = request && isAsked(request) ? request : undefined;
  const proposal = asked?.proposal;
  const earlier = asked && findEarlier(scored, asked);
  const shown = [because, context].map((one) => one?.passage.text);
  const toReason = ({ text, place, by }: Passage, speaker: Speaker = by): Reason => {
    const cut =
      speaker === "user"
        ? cutRequest(text, inRequest)
        : createCut(text, speaker === "agent" ? about : inRequest, speaker);
    return { text: cut(chars), place, cut };
  };
  return {
    ...(asked && { asked: toReason(asked.passage) }),
    ...(proposal && !shown.includes(proposal.text) && { proposal: toReason(proposal, "proposal") }),
    ...(earlier && { earlier: toReason(earlier.passage) }),
    ...(because && { because: toReason(because.passage) }),
    ...(context && !isUnseen && { context: toReason(context.passage) }),
  };
}

/** Returns the part of a commit's message that explains a line, or `undefined` if there is none. */
export function findMessage(subject: Subject): ((chars: number) => string) | undefined {
  const { message = "", path } = subject;
  if (message.length < shortestMessage) return undefined;
  const words = splitSentences(message).map(wordsOf);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const about = { name, names: namesOf(subject), weights: weigh(subject), idf: inverseFrequency(words) };
  return createCut(message, about);
}

const shortestMessage = 30;

const isNear = ({ by, after, edits, turns }: Passage): boolean =>
  by === "agent" && !after && edits === 0 && turns === 0;

const lastNear = (passages: readonly Passage[]): string | undefined => passages.findLast(isNear)?.place;

const joined = { passages: 4, chars: 1_600, least: 400 };

/**
 * Joins an agent's texts right before an edit into one passage, starting with the text that gives a cause. Agents often
 * repeat themselves.
 */
function joinNear(passages: readonly Passage[]): Passage[] {
  const near: Passage[] = [];
  let chars = 0;
  for (const one of passages.filter(isNear).slice(-joined.passages).reverse()) {
    const hasReason = near.some(({ text }) => hasCause(text) && !isNarration(text));
    chars += one.text.length;
    if (near.length > 0 && chars > (hasReason ? joined.least : joined.chars)) break;
    near.unshift(one);
  }
  const last = near.at(-1);
  if (!last || near.length < 2) return [...passages];
  const text = withoutRepeats(near.map((one) => one.text));
  return passages.flatMap((one) => (one === last ? [{ ...one, text }] : near.includes(one) ? [] : [one]));
}

const repeated = 0.75;

function isRepeated(text: string, other: string): boolean {
  const [words, others] = [[...wordsOf(text)], wordsOf(other)];
  return words.filter((word) => others.has(word)).length >= repeated * words.length;
}

/** Joins texts, and drops each sentence that a later text repeats. */
function withoutRepeats(texts: readonly string[]): string {
  return texts
    .map((text, at) => {
      const later = wordsOf(texts.slice(at + 1).join("\n"));
      return splitSentences(text)
        .filter((sentence) => {
          const words = [...wordsOf(sentence)];
          const again = words.filter((word) => later.has(word)).length;
          return isItem(sentence) || words.length === 0 || again < repeated * words.length;
        })
        .join("\n");
    })
    .filter((text) => text.trim() !== "")
    .join("\n");
}

const toWeights = (text: string): Weights => new Map([...wordsOf(text)].map((word) => [word, 1]));

/**
 * Returns the functions or tests that the edit is about. A long edit declares many, so uses only the nearest
 * ones if they are known.
 */
function namesOf({ hunk, near, line, within }: Subject): string[] {
  const nearby = declaredNames([...near, line].join("\n"));
  return within === undefined ? [...nearby, ...declaredNames(hunk.join("\n"))] : [within, ...nearby];
}
