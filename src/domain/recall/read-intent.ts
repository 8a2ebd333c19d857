import { stopWords } from "../search/words/word-lists.ts";
import { wordsIn } from "../search/words/words.ts";
import type { RemarkKind } from "./remarks.ts";

/** The kind of answer that a question asks for, and its subject. */
export type Intent = {
  /** The question without words that only indicate a kind. Empty if no other words remain. */
  about: string;
  kinds: ReadonlySet<RemarkKind>;
  /** True if only remarks of these kinds answer the question. */
  only: boolean;
  /** Set if the question asks why, what the user asked for, or whether something is allowed. */
  wants?: "reason" | "request" | "permission";
};

const stillValid = /\bstill (?:apply|applies|valid|true|holds?)\b/giu;
const kindWords: readonly (readonly [RegExp, RemarkKind | undefined])[] = [
  [
    /\b(?:decid(?:e|ed|ing)|decisions?|cho(?:ose|se|sen|ice)|settled?|agreed?|chang(?:e|ed) (?:our|my|your) minds?|revers(?:e|ed|al))\b/giu,
    "decided",
  ],
  [
    /\b(?:refus(?:e|ed|al) or correct(?:ed)?|refus(?:e|ed|als?)|corrections?|(?<=\busers? )correct(?:ed)?|forb(?:id|ade|idden)|(?:dis)?allow(?:ed)?|permitted)\b/giu,
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
  [stillValid, "decided"],
  [
    /\b(?:why|reasons?|happen(?:ed|s)?|remember|recall|know|known|already|before|earlier|last time|so far|anything|us(?:e|ed|ing)|asked(?: for)?)\b/giu,
    undefined,
  ],
  [
    /\b(?:how (?:long|often|many|much|large|big|small|far|fast)|(?:may|can|could|should|must) (?:i|we)|th(?:is|e) file|(?:(?:written|structured|organi[sz]ed|built|designed|implemented|done|made|laid out) )?(?:like this|(?:in )?this way)|exists?(?=\W*$)|works?(?=\W*$| for\b))\b/giu,
    undefined,
  ],
];

const pathForm =
  /(?:^|[\s"'`(])((?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[a-z][a-z0-9]{0,7})(?=$|[\s"'`),:;?!]|\.(?:\s|$))/giu;

const wanted = [
  [/\bwhy\b/iu, "reason"],
  [/\basked\b/iu, "request"],
  [/^\s*(?:may|can|could|should|must) (?:i|we)\b/iu, "permission"],
] as const;

/** Reads the kind and subject of a question. "Why does this file exist" is about `file`. */
export function readIntent(question: string, file?: string): Intent {
  const kinds = new Set<RemarkKind>();
  let about = question.replaceAll(pathForm, (_, path: string) => ` ${subjectOfPath(path)}`);
  for (const [words, kind] of kindWords) {
    const rest = about.replaceAll(words, " ");
    if (kind !== undefined && rest !== about) kinds.add(kind);
    about = rest;
  }
  if (kinds.has("corrected")) about = about.replaceAll(/\busers?\b/giu, " ");
  const hasSubject = tellingWords(about).length > 0;
  const only = question.search(stillValid) !== -1 || [...kinds].some((kind) => kind !== "decided");
  const wants = wanted.find(([words]) => words.test(question))?.[1];
  return {
    about: hasSubject ? about : file ? subjectOfPath(file) : kinds.size > 0 ? "" : question,
    kinds,
    only,
    ...(wants && { wants }),
  };
}

/** True if a question contains nothing that can be searched for. */
export const isEmptyQuestion = ({ about, kinds }: Intent): boolean =>
  about !== "" ? !tellingWords(about).some(isWord) : kinds.size === 0;

/** False for a single letter or a number with one or two digits, which occur in many texts by chance. */
export const isWord = (text: string): boolean => /\p{L}.|.\p{L}|\d{3}|\p{Lo}/u.test(text);

/** True if at least two of the question's names, and at least half of them, appear in no result. */
export function isAboutUnknown(question: string, { about }: Intent, missing: readonly string[]): boolean {
  const named = namingWords(question, [...new Set(tellingWords(about).filter(isName))]);
  const lacking = new Set(missing.flatMap(tellingWords));
  const unknown = named.filter((word) => lacking.has(word)).length;
  return unknown >= 2 && unknown * 2 >= named.length;
}

/** False for a number, date or time, because these are not names. */
const isName = (word: string): boolean => isWord(word) && !/^\d/.test(word);

const tellingWords = (text: string): string[] =>
  [...wordsIn(text)].flatMap(({ word }) => (stopWords.has(word) ? [] : [word]));

/** True if the question is only about this file. */
export function isAboutFile({ about }: Intent, file: string): boolean {
  const named = new Set(tellingWords(subjectOfPath(file)));
  return tellingWords(about).every((word) => named.has(word));
}

const adverbs =
  /^(?:once|twice|again|ever|never|always|often|sometimes|soon|later|yet|now|today|currently|\w{3,}ly)$/iu;

const partOfTime = /^\d{1,2}(?:[tz]\d*)?$/iu;

/**
 * Returns the words that were not found and are names of things. A word after "I" or "we" is an action, not a thing.
 */
export const namingWords = (question: string, missing: readonly string[]): string[] => {
  const done = new Set(
    [...question.matchAll(/\b(?:i|we|you|they)\s+([\p{L}\p{N}]+)/giu)].map(([, word = ""]) =>
      word.toLowerCase(),
    ),
  );
  return missing.filter(
    (word) => !adverbs.test(word) && !partOfTime.test(word) && !done.has(word.toLowerCase()),
  );
};

/** Returns the filename. Omits folders and the extension, which unrelated files share. */
const subjectOfPath = (path: string): string => path.replace(/^.*\//s, "").replace(/(?<=.)\.\w+$/, "");

export const longestQuestion = 2_000;

export const filesIn = (question: string): string[] => [
  ...new Set([...question.slice(0, longestQuestion).matchAll(pathForm)].map(([, path = ""]) => path)),
];
