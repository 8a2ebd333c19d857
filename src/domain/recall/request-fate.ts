import { stem } from "../search/words/porter.ts";
import { stopWords } from "../search/words/word-lists.ts";
import { wordsIn } from "../search/words/words.ts";

/** What happened to a request that was not carried out as asked. */
export const requestFates = [
  "refused by the user",
  "done differently",
  "declined by the agent",
  "reversed later",
] as const;
export type RequestFate = (typeof requestFates)[number];

/** A session's statements about requests. */
export type Answered = {
  /** Actions that the user refused, and the user's words. */
  refused: readonly { command: string; said: string; at: string }[];
  /** Other texts in which the user corrected the agent. */
  corrected: readonly string[];
  decided: readonly string[];
  /** What the agent decided or wrote, and when. */
  delivered: readonly { text: string; at: string }[];
  /** Decisions of the session that were reversed. */
  reversed: readonly string[];
};

const opening =
  /^(?:(?:please|now|ok(?:ay)?|so|hi|hey|hello)[,!. ]+|(?:can|could|would|will) you |i(?:['’]d like| want| need)(?: you)? to |(?:let['’]s|let us|we (?:should|need to|must)|you should|help me(?: to)?) )+/i;
const negation =
  /\b(?:never|don['’]?t|do not|mustn['’]?t|must not|should(?:n['’]t| not)|can(?:not|['’]t)|won['’]t|will not|not to|against|stop|instead of|rather than)\s+((?:\S+\s+){0,2}\S+)/giu;
/** Words that show that a text forbids only one way of doing something. */
const means = /\b(?:by|with|using|via|through|until|unless|before|yet)\b/i;

/**
 * Finds out what happened to a request. The request's first word names the action. A text forbids the request
 * if it negates that word and names the same subject. A refused request was done differently if the agent
 * later delivered something on the subject.
 */
export function fateOfRequest(request: string, answered: Answered): RequestFate | undefined {
  const [action, ...subject] = stemsOf(request.slice(0, longestRequest).trim().replace(opening, ""));
  if (action === undefined || subject.length === 0) return undefined;
  const names = (text: string) => {
    const found = new Set(stemsOf(text));
    return subject.some((word) => found.has(word));
  };
  const isNegated = (sentence: string) =>
    names(sentence) &&
    [...sentence.matchAll(negation)].some(([, after = ""]) => stemsOf(after).includes(action));
  const forbids = (text: string) =>
    sentencesOf(text).some((sentence) => isNegated(sentence) && !means.test(sentence));
  const isRefused = ({ command, said }: Answered["refused"][number]) =>
    forbids(said) ||
    (names(command) && stemsOf(command).includes(action) && sentencesOf(said).some(isNegated));
  if (answered.corrected.some(forbids)) return "refused by the user";
  const refusal = answered.refused.findLast(isRefused);
  if (refusal) {
    const isDelivery = ({ text, at }: Answered["delivered"][number]) =>
      at > refusal.at && names(text) && !sentencesOf(text).some(isNegated);
    return answered.delivered.some(isDelivery) ? "done differently" : "refused by the user";
  }
  if (answered.decided.some(forbids)) return "declined by the agent";
  const all = [action, ...subject];
  const isReversed = (title: string) =>
    all.filter((word) => stemsOf(title).includes(word)).length >= Math.min(2, all.length);
  return answered.reversed.some(isReversed) ? "reversed later" : undefined;
}

/** How many characters of a text are used. A longer text contains more than one request. */
const longestRequest = 300;

const stemsOf = (text: string): string[] => [
  ...new Set([...wordsIn(text)].flatMap(({ word }) => (stopWords.has(word) ? [] : [stem(word)]))),
];

const sentencesOf = (text: string): string[] => text.slice(0, 4_000).split(/(?<=[.!?])\s+|\n+/);
