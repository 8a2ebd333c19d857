import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import {
  hasCause,
  type Idf,
  isAnnouncement,
  isItem,
  isLooking,
  isOffer,
  isProcess,
  isRetraction,
  namesOtherTest,
  splitSentences,
  withoutChatter,
  wordsOf,
} from "./reason-words.ts";

/** True for lines of code and tables, which do not state a reason. */
const isCode = (sentence: string): boolean =>
  /[{};]\s*$|^\s*(?:\/\/|\||#include\b|\+\+\+|---|@@)|:=|[^=!<>]==[^=]|\+=|=>|&&|^\s*[\w.]+\([^)]*\)\s*$/.test(
    sentence,
  );

/** The subject of an excerpt: the names of the file, functions and tests, and the weighted words of the edit. */
export type About = {
  name: string;
  names: readonly string[];
  weights: ReadonlyMap<string, number>;
  idf: Idf;
};

/** Placeholders for code blocks and pasted logs in an excerpt. */
const [dropped, log] = ["[…]", "[log]"];

/** In a proposal, the agent's suggestions count more than its findings. */
export type Speaker = "user" | "agent" | "proposal";

/**
 * Returns a function that excerpts the most relevant consecutive sentences, up to a length. Omits an agent's
 * interjections and remarks on its process.
 */
export function createCut(text: string, about: About, by: Speaker = "user"): (chars: number) => string {
  const plain = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, `\n${dropped}\n`)
    .replaceAll(/<\/?thinking>/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .trim();
  const all = splitSentences(plain === dropped ? text.trim() : plain.replaceAll(/\s*\n\s*/g, "\n"));
  const told = by === "agent" ? withoutAsides(all) : all;
  const kept = told.filter((sentence) => sentence !== "");
  const sentences = withoutEmptyLabels(kept.length === 0 ? all : kept);
  let values: number[] | undefined;
  return (chars) => {
    const whole = render(sentences);
    if (whole.length <= chars) return whole;
    values ??= sentences.map(
      (sentence, at) =>
        worthOf(sentence, sentences[at + 1], about) * (by === "proposal" && isOffer(sentence) ? 2 : 1),
    );
    return bestRun(sentences, values, chars);
  };
}

/** Drops an agent's remarks on its process and its retracted statements. Neither explains an edit. */
function withoutAsides(sentences: readonly string[]): string[] {
  const told = sentences
    .filter((_, at) => !isRetraction(sentences[at + 1] ?? ""))
    .map((sentence) => withoutChatter(sentence.trim()))
    .filter((sentence) => !isProcess(sentence) && !(isOffer(sentence) && /\?\s*$/.test(sentence)));
  const said = told.filter((sentence) => !isLooking(sentence));
  return said.join(" ").length < shortestRest ? told : said;
}

/** Truncates after a whole word. */
export function clipWords(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const clipped = clipWhole(text, Math.max(0, chars - 2));
  const end = /\s/.test(text.charAt(clipped.length)) ? clipped.length : clipped.lastIndexOf(" ");
  const whole = end < clipped.length / 2 ? clipped : clipped.slice(0, end);
  return `${whole.replace(/[\s,;:(–—-]+$/, "")} …`.slice(0, Math.max(1, chars));
}

const longRequest = 1.4;
const [shortestHead, shortestRest] = [12, 60];
const [longestHead, headShare] = [90, 0.45];
const order = /^(?:please )?(?:implement|execute|follow|do|continue with) (?:the following|this|the) plan\b/i;

/** True for "Implement the following plan:" and "Plan:", which do not describe the plan. */
const isLabel = (sentence: string): boolean =>
  order.test(sentence) || (sentence.length < 60 && /:\**$/.test(sentence));

/** A sentence that clients add to a plan. */
const planNote = /\s*If you need specific details from before exiting plan mode[\s\S]*$/;
const isHeading = (sentence: string): boolean => /^\s*#{1,6}\s/.test(sentence);

/**
 * Excerpts a request. Also quotes the beginning of a long request, because the beginning states the purpose.
 * The most relevant part is often only a detail.
 */
export function cutRequest(request: string, about: About): (chars: number) => string {
  const text = withoutLogs(request.replace(planNote, ""));
  const cut = createCut(text, about);
  const sentences = splitSentences(text).filter(
    (sentence) => bare(sentence).length >= shortestHead && !isLabel(bare(sentence)) && !isCode(sentence),
  );
  const at = sentences.findIndex((sentence) => sentence.trim() !== log);
  const first = at === -1 ? undefined : bare(sentences[at] ?? "");
  // Below the title of a plan, the first sentence states its goal.
  const goal = isHeading(sentences[at] ?? "")
    ? sentences.slice(at + 1).find((one) => !isHeading(one) && !isItem(one) && one.length >= shortestGoal)
    : undefined;
  return (chars) => {
    if (first === undefined || text.length < chars * longRequest) return cut(chars);
    const most = Math.max(longestHead, Math.floor(chars * headShare));
    const both = goal === undefined ? first : `${first}: ${bare(goal)}`;
    const opening = both.length <= most || first.length < most / 2 ? both : first;
    const head = opening.length <= most ? `${opening} …` : clipWords(opening, most);
    const room = chars - head.length - 1;
    if (room < shortestRest) return clipWords(head, chars);
    const rest = cut(room).replace(/^… /, "");
    const isTwice = (part: string) =>
      [first, ...(goal === undefined || opening === first ? [] : [bare(goal)])].some((one) =>
        part.includes(one.slice(0, Math.min(one.length, part.length - 2))),
      );
    if (!isTwice(rest)) return `${head} ${rest}`;
    const whole = cut(chars);
    return isTwice(whole) ? whole : rest;
  };
}

const shortestGoal = 30;
const bare = (sentence: string): string =>
  sentence
    .replace(/^[#*\s>-]+/, "")
    .replaceAll("**", "")
    .trim();

const logLine =
  /^\s*(?:\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:at )?\S+\.\w{1,5}:\d+|at \S+ ?\(|(?:Running|Writing|Reading|Downloading|Using) .*\/|\^\s*$|(?:\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b\]?)|(?:---|===) |(?:FAIL|PASS|ok)\s|#+\[|Run \S+@|goroutine \d|Traceback |Caused by:|npm ERR!|[❯$%>] )/;
const common =
  /\b(?:the|a|an|to|is|are|was|i|we|you|it|this|that|these|and|or|of|in|for|with|not|can|should|when|if|but|my|our|be|have|has|do|does)\b/gi;

/** True if a program printed the line. */
function isLog(line: string): boolean {
  if (logLine.test(line)) return true;
  const words = line.trim().split(/\s+/).length;
  return words > 3 && (line.match(common) ?? []).length === 0 && !/^\s*(?:[-*•#]|\d{1,2}[.)])\s/.test(line);
}

const pasted = { lines: 4, share: 0.4, leadIn: 5 };

/** Removes pasted logs, which are not part of the request. Returns the whole text if it contains nothing else. */
export function withoutLogs(text: string): string {
  const lines = text.split("\n");
  const printed = lines.flatMap((line, at) => (isLog(line) ? [at] : []));
  const last = printed.at(-1) ?? 0;
  let first = printed[0] ?? 0;
  const filled = lines.slice(first, last + 1).filter((line) => line.trim() !== "").length;
  if (printed.length < pasted.lines || printed.length < filled * pasted.share) return text;
  // A line such as "I get this error:" introduces the log.
  const leadIn = lines.slice(0, first).findLastIndex((line) => /:\s*$/.test(line));
  if (leadIn !== -1 && first - leadIn <= pasted.leadIn) first = leadIn + 1;
  const rest = lines.slice(last + 1);
  while (rest.length > 0 && (rest[0] ?? "").search(common) === -1) rest.shift();
  const kept = [...lines.slice(0, first), log, ...rest].join("\n").trim();
  const isTold = kept.split("\n").some((line) => line.length >= shortestHead && line.search(common) !== -1);
  return isTold ? kept : text;
}

function worthOf(sentence: string, next: string | undefined, { name, names, weights, idf }: About): number {
  if (sentence === dropped || sentence === log) return 0;
  const isNamed = names.some((one) => sentence.includes(one));
  let value = (name !== "" && sentence.includes(name) ? 2 : 0) + (isNamed ? 2 : 0);
  for (const word of wordsOf(sentence)) value += (idf(word) * (weights.get(word) ?? 0)) / 2;
  const isCause = hasCause(sentence);
  if (isCause) value = value * 1.4 + 1;
  if (isNamed) value *= 1.3;
  if (names.length > 0 && namesOtherTest(sentence, names)) value *= 0.3;
  if (next !== undefined && isRetraction(next)) value *= 0.3;
  if (isAnnouncement(sentence) && !isCause) value *= 0.7;
  const isTitle = isLabel(bare(sentence)) || isHeading(sentence);
  if (isCode(sentence) || (isTitle && !isNamed)) return value * 0.2;
  return isLooking(sentence) ? value * 0.5 : value;
}

const isIdle = (sentence = ""): boolean =>
  sentence === dropped || /:\**\s*$/.test(sentence) || isHeading(sentence) || isCode(sentence);

function bestRun(sentences: readonly string[], values: readonly number[], chars: number): string {
  let chosen = { from: 0, to: 1, value: -1 };
  for (let from = 0; from < sentences.length; from += 1) {
    let [length, value] = [from > 0 ? 4 : 2, 0];
    for (let to = from; to < sentences.length; to += 1) {
      length += (sentences[to]?.length ?? 0) + 1;
      if (length > chars && to > from) break;
      value += values[to] ?? 0;
      if (value > chosen.value) chosen = { from, to: to + 1, value };
    }
  }
  // Drops a label at the end, because the text that it introduces is missing.
  while (chosen.to - chosen.from > 1 && isIdle(sentences[chosen.to - 1])) chosen.to -= 1;
  while (chosen.to - chosen.from > 1 && sentences[chosen.from] === dropped) chosen.from += 1;
  const lead = leadOf(sentences, chosen.from);
  const hasLead = lead !== undefined && lead.length <= chars * leadShare;
  const isNext = hasLead && sentences[chosen.from - 1] === lead;
  const skipsText = sentences.slice(0, chosen.from).some((one) => !isLabel(bare(one)) && one !== dropped);
  const before = hasLead ? [lead, ...(isNext ? [] : ["…"])] : skipsText ? ["…"] : [];
  const run = sentences.slice(chosen.from, chosen.to);
  const isOpen = () => chosen.from + run.length < sentences.length;
  const text = () => `${render([...before, ...run])}${isOpen() ? " …" : ""}`;
  while (run.length > 1 && text().length > chars) run.pop();
  return clipWords(text(), chars);
}

const render = (sentences: readonly string[]): string => sentences.map(withoutMarks).join(" ");

const longestEmptyLabel = 60;

/** Drops a label if code or another label follows it. */
function withoutEmptyLabels(sentences: readonly string[]): string[] {
  const isShort = (text: string) => text.length < longestEmptyLabel && /:\**\s*$/.test(text);
  const kept: string[] = [];
  for (const [at, sentence] of sentences.entries()) {
    const next = sentences[at + 1];
    const isEmpty = next === dropped || (next !== undefined && (isShort(next) || isHeading(next)));
    const last = kept.at(-1);
    if ((isShort(sentence) || (isHeading(sentence) && next === dropped)) && isEmpty && sentences.length > 2)
      continue;
    if (sentence === dropped && (last === undefined || last === dropped || !/:\**\s*$/.test(last))) continue;
    kept.push(sentence);
  }
  return kept.length === 0 ? [...sentences] : kept;
}

const leadShare = 0.35;

/** Returns the sentence before a list if an excerpt begins inside the list. */
function leadOf(sentences: readonly string[], from: number): string | undefined {
  let at = from;
  while (at >= 0 && isItem(sentences[at] ?? "")) at -= 1;
  const lead = at < from ? sentences[at] : undefined;
  return lead !== undefined && /:\**\s*$/.test(lead) ? lead : undefined;
}

/** Removes the Markdown of headings and bold text. */
const withoutMarks = (sentence: string): string =>
  sentence
    .replace(/^\s*#{1,6}\s+(.*\w)$/, "$1:")
    .replace(/^\s*#{1,6}\s+/, "")
    .replaceAll("**", "");
