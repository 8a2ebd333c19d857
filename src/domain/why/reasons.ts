import { createCut, cutRequest } from "./cut-reason.ts";
import {
  hasCause,
  type Idf,
  inverseFrequency,
  isAnnouncement,
  isNarration,
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

/** What the edit is about: the lines it wrote, those near the requested line, and that line. */
export type Subject = {
  path: string;
  hunk: readonly string[];
  near: readonly string[];
  line: string;
};

/** Words of the edit with their weights. */
function weigh({ hunk, near, line }: Subject): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(hunk.join("\n"), 1);
  add(near.join("\n"), 1);
  add(line, 2);
  return weights;
}

const longText = 1_200;
type Score = { value: number; shared: number };

/**
 * `shared` is how many of the edit's words the passage contains, from 0 to 1. A request applies to all edits that
 * follow it.
 */
function scorePassage(
  passage: Passage,
  words: ReadonlySet<string>,
  weights: ReadonlyMap<string, number>,
  idf: Idf,
  name: string,
): Score {
  let [found, all] = [0, 0];
  for (const [word, weight] of weights) {
    all += weight * idf(word);
    if (words.has(word)) found += weight * idf(word);
  }
  const { text, by, after, edits, turns } = passage;
  const [isRequest, shared] = [by === "user" && !after, all === 0 ? 0 : found / all];
  const told = shared + (text.includes(name) ? 0.1 : 0) + (hasCause(text) ? 0.08 : 0);
  const length = 1 + Math.log(1 + Math.max(0, text.length - longText) / longText) / 2;
  const near = !after && (isRequest || edits === 0) && turns === 0 ? 0.12 : 0;
  const value =
    (told / length + near) *
    (isRequest ? 1 : 0.9 ** edits) *
    (turns > 0 ? 0.75 : 1) *
    (after ? 0.85 : 1) *
    (by === "user" ? 1.05 : 1) *
    // Text that begins with the next action is about the next edit.
    (isNarration(text) || (after && isAnnouncement(text)) ? 0.5 : 1);
  return { value, shared };
}

/** `text` is the cut with the requested length. `cut` makes one of any other length. */
export type Reason = { text: string; place: string; cut(chars: number): string };
export type Reasons = { asked?: Reason; because?: Reason };

const continued = /^(?:This session is being continued from a previous conversation|\[Request interrupted)/;
const least = { value: 0.06, shared: 0.04 };
const shortRequest = 12;

/** What the user wanted, and the best reason found. Both are excerpts, never only the nearest passage. */
export function findReasons(subject: Subject, all: readonly Passage[], chars: number): Reasons {
  const passages = all.filter(({ text }) => text.trim() !== "" && !continued.test(text));
  const proposals = passages.map((passage, at) => findProposal(passage, passages.slice(0, at)));
  const words = passages.map(({ text }, at) => wordsOf(`${text}\n${proposals[at]?.text ?? ""}`));
  const idf = inverseFrequency(words);
  const weights = weigh(subject);
  const name = subject.path.slice(subject.path.lastIndexOf("/") + 1);
  const scored = passages.map((passage, index) => ({
    passage,
    proposal: proposals[index],
    ...scorePassage(passage, words[index] ?? new Set(), weights, idf, name),
  }));
  type Scored = (typeof scored)[number];
  const best = (which: (one: Scored) => boolean) => scored.filter(which).sort((a, b) => b.value - a.value)[0];
  const request = best(
    ({ passage: { by, after, text, turns }, proposal }) =>
      by === "user" && !after && turns <= 2 && (text.length >= shortRequest || proposal !== undefined),
  );
  const nearest = scored
    .filter(({ passage: { by, after } }) => by === "user" && !after)
    .sort((a, b) => a.passage.turns - b.passage.turns)[0];
  const asked = request ?? nearest;
  const said = best(
    ({ passage: { by, text, edits, turns, after }, value, shared }) =>
      by === "agent" &&
      value >= least.value &&
      (shared >= least.shared || text.includes(name) || (hasCause(text) && !after && edits + turns === 0)),
  );
  const about = { name, weights, idf };
  const toReason = ({ passage, proposal }: Scored): Reason => {
    const own = (passage.by === "user" ? cutRequest : createCut)(passage.text, about);
    const before = proposal && proposal !== said?.passage ? createCut(proposal.text, about) : undefined;
    const cut = (room: number): string => {
      const text = own(room);
      const left = room - text.length - toWhat.length - 1;
      const proposed = before && left >= shortestCut ? before(left) : "";
      return proposed.length >= shortestCut ? `${text}${toWhat}${proposed})` : text;
    };
    return { text: cut(chars), place: passage.place, cut };
  };
  return {
    ...(asked && { asked: toReason(asked) }),
    ...(said && { because: toReason(said) }),
  };
}

const toWhat = " (to the proposal: ";
const shortestCut = 40;
const longestAssent = 80;
const assent =
  /^(?:y|yes|yeah|yep|yup|ok|okay|sure|right|correct|agreed|go|do (?:it|that|this|both)|let'?s (?:do|go|give|try|implement|start|use)|please|sounds good|looks good|lgtm|perfect|great|good|nice|cool|continue|proceed|implement)\b/i;

/** If the user only agrees, the request is what the agent proposed just before. */
function findProposal({ by, text }: Passage, before: readonly Passage[]): Passage | undefined {
  if (by !== "user" || text.length > longestAssent || !assent.test(text.trim())) return undefined;
  const turn = before.slice(before.findLastIndex((one) => one.by === "user") + 1);
  return turn.findLast((one) => one.text.length > longestAssent && !isNarration(one.text));
}
