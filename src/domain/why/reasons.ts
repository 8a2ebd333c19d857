import { createCut, cutRequest } from "./cut-reason.ts";
import {
  announcesChange,
  declaredNames,
  hasCause,
  type Idf,
  inverseFrequency,
  isAnnouncement,
  isNarration,
  isProcess,
  isProcessOnly,
  isRestated,
  wordsOf,
} from "./reason-words.ts";

/** A text that may give the reason for an edit, and its place. */
export type Passage = {
  text: string;
  by: "user" | "agent";
  /** Stated after the edit. */
  after: boolean;
  /** How many other edits are in between. */
  edits: number;
  /** How many user requests are in between. */
  turns: number;
  /** The thought's name in the answer. */
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
  /** The subject of the commit, which names what the change is for. */
  topic?: string;
  /** The edit is only near the line in time, so distances from it mean little. */
  isLoose?: boolean;
};

type Weights = ReadonlyMap<string, number>;

/** Words of the edit with their weights. */
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

/** How many of the weighted words a text contains, from 0 to 1. */
function shareOf(words: ReadonlySet<string>, weights: Weights, idf: Idf): number {
  let [found, all] = [0, 0];
  for (const [word, weight] of weights) {
    all += weight * idf(word);
    if (words.has(word)) found += weight * idf(word);
  }
  return all === 0 ? 0 : found / all;
}

const longText = 1_200;

/** How near a passage is to the edit, as a factor and a bonus. A request applies to all edits that follow it. */
function nearness({ text, by, after, edits, turns }: Passage): { factor: number; bonus: number } {
  const isRequest = by === "user" && !after;
  const factor =
    (isRequest ? 1 : 0.9 ** edits) *
    (turns > 0 ? 0.75 : 1) *
    (after ? 0.85 : 1) *
    (by === "user" ? 1.05 : 1) *
    // Text that begins with the next action is about the next edit.
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

/** `text` is the cut with the requested length. `cut` makes one of any other length. */
export type Reason = { text: string; place: string; cut(chars: number): string };
export type Reasons = { asked?: Reason; because?: Reason };

const continued =
  /^(?:This session is being continued from a previous conversation|\[Request interrupted)|^`[\s\S]*` was refused by the user\.$/;
const least = { value: 0.06, shared: 0.04, told: 0.06 };
const shortRequest = 12;

/** How much a passage is worth quoting. `shared` is how many of the edit's words it contains, from 0 to 1. */
type Scored = {
  passage: Passage;
  proposal: Passage | undefined;
  value: number;
  shared: number;
  told: number;
};

const [reranked, excerpt] = [10, 280];
const topicWeight = 0.25;

/** What the user wanted, and the best reason found. Both are excerpts, never only the nearest passage. */
export function findReasons(subject: Subject, all: readonly Passage[], chars: number): Reasons {
  const passages = all
    .filter(({ text }) => text.trim() !== "" && !continued.test(text))
    .map((one) => (subject.isLoose ? { ...one, edits: Math.min(one.edits, 1) } : one));
  const proposals = passages.map((passage, at) => findProposal(passage, passages.slice(0, at)));
  const words = passages.map(({ text }, at) => wordsOf(`${text}\n${proposals[at]?.text ?? ""}`));
  const idf = inverseFrequency(words);
  const weights = weigh(subject);
  const topic: Weights = new Map([...wordsOf(subject.topic ?? "")].map((word) => [word, 1]));
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
  const scored = passages.map((passage, index): Scored => {
    const { text } = passage;
    const its = words[index] ?? new Set();
    const shared = shareOf(its, weights, idf);
    const { factor, bonus } = nearness(passage);
    const length = 1 + Math.log(1 + Math.max(0, text.length - longText) / longText) / 2;
    const told = rate(text, its, shared);
    return { passage, proposal: proposals[index], value: (told / length + bonus) * factor, shared, told };
  });
  /** Long texts contain many words of any edit. What counts is the part that would be quoted. */
  const rerate = (one: Scored): Scored => {
    const text = createCut(one.passage.text, about, isProcess)(excerpt);
    const its = wordsOf(text);
    const { factor, bonus } = nearness(one.passage);
    const quoted = (rate(text, its, shareOf(its, weights, idf)) + bonus) * factor;
    const isOff = one.passage.after && !isNamed(text);
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
    .sort(byValue)[0];
  const asked = findRequest(scored);
  const earlier = asked && findEarlier(scored, asked);
  const toReason = ({ passage, proposal }: Scored): Reason => {
    const own =
      passage.by === "user" ? cutRequest(passage.text, inRequest) : createCut(passage.text, about, isProcess);
    const parts =
      passage.by === "agent"
        ? []
        : [
            ...(proposal && proposal.text !== said?.passage.text
              ? [{ label: toWhat, cut: createCut(proposal.text, inRequest) }]
              : []),
            ...(earlier ? [{ label: before, cut: cutRequest(earlier.passage.text, inRequest) }] : []),
          ];
    const cut = (room: number): string => {
      let text = own(room);
      for (const [at, { label, cut: cutPart }] of parts.entries()) {
        const left = Math.floor((room - text.length) / (parts.length - at)) - label.length - 1;
        const part = left >= shortestCut ? cutPart(left) : "";
        if (part !== "" && part.length <= left) text += `${label}${part})`;
      }
      return text;
    };
    return { text: cut(chars), place: passage.place, cut };
  };
  return {
    ...(asked && { asked: toReason(asked) }),
    ...(said && { because: toReason(said) }),
  };
}

/** The function or test that the edit is about. A long edit declares many, so only the nearest count if they are known. */
function namesOf({ hunk, near, line, within }: Subject): string[] {
  const nearby = declaredNames([...near, line].join("\n"));
  return within === undefined ? [...nearby, ...declaredNames(hunk.join("\n"))] : [within, ...nearby];
}

const byValue = (a: Scored, b: Scored): number => b.value - a.value;
const isBefore = ({ passage: { by, after } }: Scored): boolean => by === "user" && !after;

/** The request of the turn, even if an older one shares more words with the edit. */
function findRequest(scored: readonly Scored[]): Scored | undefined {
  // A sub-agent's task comes after the user's request, at the same distance.
  const requests = scored
    .filter(isBefore)
    .reverse()
    .sort((a, b) => a.passage.turns - b.passage.turns);
  return (
    requests.find(
      ({ passage: { text }, proposal }) => text.length >= shortRequest || proposal !== undefined,
    ) ?? requests[0]
  );
}

/** A short request continues an earlier one, which states what the work is for. */
function findEarlier(scored: readonly Scored[], { passage }: Scored): Scored | undefined {
  const { text, turns } = passage;
  if (text.length > longestShort) return undefined;
  return scored
    .filter(
      (one) =>
        isBefore(one) &&
        one.passage !== passage &&
        one.passage.turns >= turns &&
        one.passage.text.length >= shortestCut &&
        one.proposal === undefined &&
        !one.passage.text.startsWith("/") &&
        one.told >= least.told,
    )
    .map((one) => ({ ...one, value: one.value * 0.95 ** (one.passage.turns - turns) }))
    .sort(byValue)[0];
}

const longestShort = 160;
const before = " (earlier: ";
const toWhat = " (to the proposal: ";
const shortestCut = 40;
const longestAssent = 80;
const assent =
  /^(?:y|yes|yeah|yep|yup|ok|okay|sure|right|correct|agreed|go|do (?:it|that|this|both)|let'?s (?:do|go|give|try|implement|start|use)|please|sounds good|looks good|lgtm|perfect|great|good|nice|cool|continue|proceed|implement)\b/i;

/** If the user only agrees or chooses by number, the request is what the agent proposed just before. */
function findProposal({ by, text }: Passage, before: readonly Passage[]): Passage | undefined {
  if (by !== "user") return undefined;
  const chosen =
    text.length > longestChoice
      ? []
      : [...text.matchAll(itemNumber)].map(([, letter, number]) => letter ?? number ?? "");
  const isAssent = text.length <= longestAssent && assent.test(text.trim());
  if (!isAssent && chosen.length === 0) return undefined;
  const turn = before.slice(before.findLastIndex((one) => one.by === "user") + 1);
  const proposal = turn.findLast((one) => one.text.length > longestAssent && !isNarration(one.text));
  const listed = chosen.length > 0 ? before.filter((one) => one.by === "agent").reverse() : [];
  for (const one of listed) {
    const items = readItems(one.text, new Set(chosen));
    if (items !== "") return { ...one, text: items };
  }
  return isAssent ? proposal : undefined;
}

const longestChoice = 160;
/** "let's do 2 and 3", "#4", "Option C". */
const itemNumber = /(?:^|[\s#(,])(?:(?<=[Oo]ption )([A-Z])|#?(\d{1,2}))(?=$|[\s,.;:)?!])/g;
const itemStart =
  /^[\s#*>|-]*(?:(?:option|issue|item|step|task|phase|fix|bug)\s+)?#?([A-Z]|\d{1,2})(?:[.):]|\*\*| [—–|-] )/i;

/** The items of a list that the user chose, each up to the next item. */
function readItems(text: string, chosen: ReadonlySet<string>): string {
  let isIn = false;
  return text
    .split("\n")
    .filter((line) => {
      const [, item] = itemStart.exec(line) ?? [];
      if (item !== undefined) isIn = chosen.has(item.toUpperCase());
      else if (line.trim() === "" || /^#/.test(line)) isIn = false;
      return isIn;
    })
    .join("\n");
}
