import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { hasCause, type Idf, isLooking, namesOtherTest, splitSentences, wordsOf } from "./reason-words.ts";

/** Lines of code and of tables, which a person would not quote as a reason. */
const isCode = (sentence: string): boolean =>
  /[{};]\s*$|^\s*(?:\/\/|\||#include\b|\+\+\+|---|@@)|:=|[^=!<>]==[^=]|\+=|=>|&&|^\s*[\w.]+\([^)]*\)\s*$/.test(
    sentence,
  );

/** What a cut is about: the file's name, the functions and tests, and the edit's words with their weights. */
export type About = {
  name: string;
  names: readonly string[];
  weights: ReadonlyMap<string, number>;
  idf: Idf;
};

/** Picks the run of sentences that is most relevant to the edit, for any length. */
export function createCut(
  text: string,
  about: About,
  isLeftOut: (sentence: string) => boolean = () => false,
): (chars: number) => string {
  const plain = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/<\/?thinking>/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .trim();
  const whole = (plain === "" ? text.trim() : plain).replaceAll(/\s*\n\s*/g, "\n");
  const all = splitSentences(whole);
  const kept = all.filter((sentence) => !isLeftOut(sentence));
  const sentences = kept.length === 0 ? all : kept;
  const length = sentences.length === all.length ? whole.length : sentences.join(" ").length;
  let values: number[] | undefined;
  return (chars) => {
    if (length <= chars) return sentences.map(withoutMarks).join(" ");
    values ??= sentences.map((sentence) => worthOf(sentence, about));
    const run = bestRun(sentences, values, chars);
    return run.length <= chars ? run : `${clipWhole(run, chars - 1)}…`;
  };
}

const longRequest = 1.4;
const [shortestHead, shortestRest] = [12, 60];
const [longestHead, headShare] = [90, 0.45];
const order = /^(?:please )?(?:implement|execute|follow|do|continue with) (?:the following|this|the) plan\b/i;

/** "Implement the following plan:" and "Plan:" do not name the plan. */
const isLabel = (sentence: string): boolean =>
  order.test(sentence) || (sentence.length < 60 && /:\**$/.test(sentence));

/** A long request states its purpose at the beginning. Its best part alone would be a detail. */
export function cutRequest(text: string, about: About): (chars: number) => string {
  const cut = createCut(text, about);
  const first = splitSentences(text)
    .map((sentence) =>
      sentence
        .replace(/^[#*\s>-]+/, "")
        .replaceAll("**", "")
        .trim(),
    )
    .find((sentence) => sentence.length >= shortestHead && !isLabel(sentence) && !isCode(sentence));
  return (chars) => {
    if (first === undefined || text.length < chars * longRequest) return cut(chars);
    const most = Math.max(longestHead, Math.floor(chars * headShare));
    const head = first.length <= most ? `${first} …` : `${clipWhole(first, most - 1)}…`;
    const room = chars - head.length - 1;
    if (room < shortestRest) return head.length <= chars ? head : `${clipWhole(head, chars - 1)}…`;
    const rest = cut(room);
    const isTwice = (part: string) => part.includes(first.slice(0, Math.min(first.length, part.length - 1)));
    if (!isTwice(rest)) return `${head} ${rest}`;
    const whole = cut(chars);
    return isTwice(whole) ? whole : rest;
  };
}

/** Words of the line itself count more than those of its hunk. */
function worthOf(sentence: string, { name, names, weights, idf }: About): number {
  let value =
    (hasCause(sentence) ? 1 : 0) +
    (name !== "" && sentence.includes(name) ? 2 : 0) +
    (names.some((one) => sentence.includes(one)) ? 2 : 0);
  for (const word of wordsOf(sentence)) value += (idf(word) * (weights.get(word) ?? 0)) / 2;
  if (names.length > 0 && namesOtherTest(sentence, names)) value *= 0.3;
  return value * (isCode(sentence) ? 0.2 : isLooking(sentence) ? 0.5 : 1);
}

function bestRun(sentences: readonly string[], values: readonly number[], chars: number): string {
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
  // A label without what it announces says nothing.
  const isIdle = (sentence = ""): boolean => /:\**\s*$/.test(sentence) || isCode(sentence);
  while (chosen.to - chosen.from > 1 && isIdle(sentences[chosen.to - 1])) chosen.to -= 1;
  const run = sentences.slice(chosen.from, chosen.to);
  const lead = leadOf(sentences, chosen.from);
  if (lead === undefined || lead.length > chars * leadShare) return run.map(withoutMarks).join(" ");
  const isNext = sentences[chosen.from - 1] === lead;
  const parts = [lead, ...(isNext ? [] : ["…"]), ...run];
  while (parts.length > (isNext ? 2 : 3) && parts.join(" ").length > chars) parts.pop();
  return parts.map(withoutMarks).join(" ");
}

const leadShare = 0.35;
const isItem = (sentence: string): boolean => /^\s*(?:[-*•]|\d{1,2}[.)])\s/.test(sentence);

/** The sentence that introduces a list, if the list would be quoted without it. */
function leadOf(sentences: readonly string[], from: number): string | undefined {
  let at = from;
  while (at >= 0 && isItem(sentences[at] ?? "")) at -= 1;
  const lead = at < from ? sentences[at] : undefined;
  return lead !== undefined && /:\**\s*$/.test(lead) ? lead : undefined;
}

/** A quotation needs neither the marks of a heading nor those of bold text. */
const withoutMarks = (sentence: string): string =>
  sentence
    .replace(/^\s*#{1,6}\s+(.*\w)$/, "$1:")
    .replace(/^\s*#{1,6}\s+/, "")
    .replaceAll("**", "");
