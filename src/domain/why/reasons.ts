import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";

/** A text that may give the reason for an edit, and where it was said. */
export type Passage = {
  text: string;
  by: "user" | "agent";
  /** Said after the edit. */
  after: boolean;
  /** How many other edits were made between. */
  edits: number;
  /** How many requests of the user were made between. */
  turns: number;
  /** How the thought is called, for the answer. */
  place: string;
};

/** What the edit is about: the lines it wrote, those near the line that was asked for, and that line. */
export type Subject = {
  path: string;
  hunk: readonly string[];
  near: readonly string[];
  line: string;
};

const causes =
  /\b(?:because|since|so that|therefore|the (?:issue|problem|bug|reason|cause)|instead of|need(?:s|ed)?|should|must|otherwise|avoid|prevent|ensure|fix(?:es|ed)?|missing|wrong|fail(?:s|ed|ing)?|better|broken|crash|race|leak|rather than)\b/i;
/** Whether a text gives a reason in so many words. */
export const hasCause = (text: string): boolean => causes.test(text);

const narration =
  /^(?:now|next|let me|let's|i'll|i will|okay|ok|great|good|perfect|first|then|now let me|time to)\b/i;
const stopWords = new Set(
  `a an and are as at be but by can do does for from has have if in into is it its not of on or so that the then there this to
  was we what when which will with you your i he she they me my our just now also here use used using let make
  function func const var let return if else for while class struct type interface import export package public private
  static void int string bool true false null nil none self this new def async await try catch throw err error test expect`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Words of a text: identifiers whole and in parts, with a crude stem. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [name] of text.slice(0, 40_000).matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) {
    const parts = name.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    for (const part of parts.length > 1 ? [name, ...parts] : [name]) {
      const word = stem(part.toLowerCase());
      if (word.length > 2 && !stopWords.has(part.toLowerCase()) && !stopWords.has(word)) words.add(word);
    }
  }
  return words;
}

const stem = (word: string): string =>
  word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, "") : word.replace(/s$/, "");

type Idf = (word: string) => number;

export function inverseFrequency(texts: readonly ReadonlySet<string>[]): Idf {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + texts.length / (1 + (counts.get(word) ?? 0)));
}

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
const narrated = 200;

/** Whether a text only says what is done next. */
export const isNarration = (text: string): boolean =>
  narration.test(text) && text.length < narrated && !hasCause(text);

function scorePassage(
  passage: Passage,
  words: ReadonlySet<string>,
  weights: ReadonlyMap<string, number>,
  idf: Idf,
  name: string,
): number {
  let [found, all] = [0, 0];
  for (const [word, weight] of weights) {
    all += weight * idf(word);
    if (words.has(word)) found += weight * idf(word);
  }
  const { text, by, after, edits, turns } = passage;
  const told = (all === 0 ? 0 : found / all) + (text.includes(name) ? 0.1 : 0) + (hasCause(text) ? 0.08 : 0);
  const length = 1 + Math.log(1 + Math.max(0, text.length - longText) / longText) / 2;
  const near = !after && edits === 0 && turns === 0 ? 0.12 : 0;
  return (
    (told / length + near) *
    0.9 ** edits *
    (turns > 0 ? 0.75 : 1) *
    (after ? 0.85 : 1) *
    (by === "user" ? 1.05 : 1) *
    (isNarration(text) ? 0.5 : 1)
  );
}

export type Reason = { text: string; place: string };
export type Reasons = { asked?: Reason; because?: Reason };

const continued = /^(?:This session is being continued from a previous conversation|\[Request interrupted)/;
const leastScore = 0.06;
const shortRequest = 12;

/** What the user wanted, and the best of what was said about it. Both are cuts, never the nearest passage alone. */
export function findReasons(subject: Subject, all: readonly Passage[], chars: number): Reasons {
  const passages = all.filter(({ text }) => !continued.test(text));
  const words = passages.map(({ text }) => wordsOf(text));
  const idf = inverseFrequency(words);
  const weights = weigh(subject);
  const name = subject.path.slice(subject.path.lastIndexOf("/") + 1);
  const scored = passages.map((passage, index) => ({
    passage,
    score: scorePassage(passage, words[index] ?? new Set(), weights, idf, name),
  }));
  const best = (which: (passage: Passage) => boolean) =>
    scored.filter(({ passage }) => which(passage)).sort((a, b) => b.score - a.score)[0];
  const request = best(
    ({ by, after, text, turns }) => by === "user" && !after && turns <= 2 && text.length >= shortRequest,
  );
  const nearest = passages
    .filter(({ by, after }) => by === "user" && !after)
    .sort((a, b) => a.turns - b.turns)[0];
  const asked = request?.passage ?? nearest;
  const said = best(({ by }) => by === "agent");
  const cut = (passage: Passage): Reason => ({
    text: cutReason(passage.text, weights, idf, chars),
    place: passage.place,
  });
  return {
    ...(asked && { asked: cut(asked) }),
    ...(said && said.score >= leastScore && { because: cut(said.passage) }),
  };
}

/** The run of sentences that says most about the edit. */
function cutReason(text: string, weights: ReadonlyMap<string, number>, idf: Idf, chars: number): string {
  const plain = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .trim();
  const whole = (plain === "" ? text.trim() : plain).replaceAll(/\s*\n\s*/g, "\n");
  if (whole.length <= chars) return whole.replaceAll("\n", " ");
  const sentences = whole.split(/(?<=[.!?:])\s+|\n+/).filter((sentence) => sentence !== "");
  const values = sentences.map((sentence) => {
    let value = causes.test(sentence) ? 1 : 0;
    for (const word of wordsOf(sentence)) if (weights.has(word)) value += idf(word);
    return value;
  });
  let chosen = { from: 0, to: 1, value: -1 };
  for (let from = 0; from < sentences.length; from += 1) {
    let [length, value] = [0, 0];
    for (let to = from; to < sentences.length; to += 1) {
      length += (sentences[to]?.length ?? 0) + 1;
      if (length > chars && to > from) break;
      value += values[to] ?? 0;
      if (value > chosen.value) chosen = { from, to: to + 1, value };
    }
  }
  const run = sentences.slice(chosen.from, chosen.to).join(" ");
  return run.length <= chars ? run : `${clipWhole(run, chars - 1)}…`;
}
