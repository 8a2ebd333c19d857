import { isNarration, wordsOf } from "./reason-words.ts";
import type { Passage } from "./reasons.ts";

/** How relevant a passage is. `shared` is the share of the edit's words that the passage contains, from 0 to 1. */
export type Scored = {
  passage: Passage;
  proposal: Passage | undefined;
  value: number;
  shared: number;
  /** The share of the words in the commit's subject that the passage contains, from 0 to 1. */
  topic: number;
  told: number;
};

const shortRequest = 12;
const leastTold = 0.06;
const shortestEarlier = 40;

export const byValue = (a: Scored, b: Scored): number => b.value - a.value;
const isBefore = ({ passage: { by, after } }: Scored): boolean => by === "user" && !after;

/** Finds the request in the edit's turn, even if an older request shares more words with the edit. */
export function findRequest(scored: readonly Scored[]): Scored | undefined {
  // A sub-agent's task and the user's request can be the same number of turns before the edit. Reversing the
  // list puts the sub-agent's task first.
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

/**
 * Factors by which a score is multiplied for each request in between. An older request is less likely to be
 * the reason for the work.
 */
const decay = { agreed: 0.5, continued: 0.8 };

/**
 * Finds the earlier request that a short one continues. That request states the purpose of the work. If the
 * user only agreed, the request before that message led to the agent's proposal.
 */
export function findEarlier(scored: readonly Scored[], { passage, proposal }: Scored): Scored | undefined {
  const { text, turns } = passage;
  if (text.length > longestShort) return undefined;
  const earlier = scored
    .filter(
      (one) =>
        isBefore(one) &&
        one.passage !== passage &&
        one.passage.turns >= turns &&
        one.passage.text.length >= shortestEarlier &&
        one.passage.text !== text &&
        one.proposal === undefined &&
        !/^[/<]/.test(one.passage.text),
    )
    .reverse();
  const step = proposal ? decay.agreed : decay.continued;
  const proposed = wordsOf(proposal?.text ?? "");
  const answeredBy = (question: string): number => {
    const words = [...wordsOf(question)];
    return words.filter((word) => proposed.has(word)).length / Math.max(1, words.length);
  };
  return earlier
    .map((one, at) => {
      const relation = one.shared + one.topic + answeredBy(one.passage.text) / 2;
      return { ...one, value: (relation + 0.03) * step ** at };
    })
    .filter(({ told }, at) => told >= leastTold || (proposal !== undefined && at === 0))
    .sort(byValue)[0];
}

const longestShort = 160;
const longestAssent = 80;
const assent =
  /^(?:y|yes|yeah|yep|yup|ok|okay|sure|right|correct|agreed|go|do (?:it|that|this|both)|let'?s (?:do|go|give|try|implement|start|use)|please|sounds good|looks good|lgtm|perfect|great|good|nice|cool|continue|proceed|implement)\b/i;

/** Finds the agent's proposal before a message in which the user only agrees or chooses by number. */
export function findProposal(
  { by, text }: Passage,
  before: readonly Passage[],
  rate: (text: string) => number,
): Passage | undefined {
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
    const [items] = readItems(one.text, new Set(chosen)).sort((a, b) => rate(b) - rate(a));
    if (items !== undefined) return { ...one, text: items };
  }
  return isAssent ? proposal : undefined;
}

const longestChoice = 160;
/** "let's do 2 and 3", "#4", "Option C". */
const itemNumber =
  /(?<!\b(?:all|both|these|the))(?:^|[\s#(,])(?:(?<=[Oo]ption )([A-Z])|#?(\d{1,2}))(?=$|[\s,.;:)?!])/g;
const itemStart =
  /^[\s#*>|-]*(?:(?:option|issue|item|step|task|phase|fix|bug)\s+)?#?([A-Z]|\d{1,2})(?:[.):]|\*\*| [—–|-] )/i;

/** Returns the items that the user chose. A message may contain several lists. */
function readItems(text: string, chosen: ReadonlySet<string>): string[] {
  let isIn = false;
  const lists: string[][] = [[]];
  for (const line of text.split("\n")) {
    const [, item] = itemStart.exec(line) ?? [];
    if (item !== undefined) isIn = chosen.has(item.toUpperCase());
    else if (line.trim() === "" || /^#/.test(line)) isIn = false;
    if (item === "1" || item === "A") lists.push([]);
    if (isIn) lists.at(-1)?.push(line);
  }
  return lists.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
}
