import type { Candidate, Group } from "./candidates.ts";
import { type NamedDate, nearness } from "./dates.ts";
import { fading, headingWeights, lengthShare, reach, saturation, weights } from "./measures.ts";
import type { Heading } from "./source.ts";
import type { WordList } from "./word-lists.ts";

/** What the presence of a word says when `held` of `all` texts hold it; never negative. */
export function rarity(held: number, all: number): number {
  return Math.log(1 + (Math.max(all - held, 0) + 0.5) / (held + 0.5));
}

/** BM25's share of a word that stands there so often; `length` is 1 for a text of the usual length. */
const share = (often: number, length: number): number =>
  (often * (saturation + 1)) / (often + saturation * length);

/** What is the same for all texts of one question. */
export type Yardstick = {
  lists: readonly { bit: number; rarity: number; rarityInSessions: number }[];
  dates: readonly NamedDate[];
  usualSize: number;
  usualSession: number;
  /** The rarities of all words of the question, those that stand nowhere included. */
  whole: number;
};

/** The mean size of the texts and of the sessions that came into question is what counts as usual. */
export function createYardstick(
  lists: readonly WordList[],
  groups: readonly Group[],
  texts: readonly Candidate[],
  dates: readonly NamedDate[],
  all: { texts: number; sessions: number; words: number },
): Yardstick {
  const sessions = groups.filter(({ texts: size }) => size !== undefined);
  const weighed = lists.map((list) => {
    const { bit, held, cut } = list;
    const holding = groups.reduce((sum, { holders }) => sum + (holders.has(bit) ? 1 : 0), 0);
    const inSessions = cut ? (holding * held) / Math.max(1, list.texts.length) : holding;
    return {
      bit,
      rarity: rarity(held, all.texts),
      rarityInSessions: rarity(Math.min(all.sessions, inSessions), all.sessions),
    };
  });
  const known = weighed.reduce((sum, list) => sum + list.rarity, 0);
  return {
    lists: weighed,
    dates,
    usualSize: mean(texts.map(({ size }) => size)),
    usualSession: mean(sessions.map(({ texts: size = 1 }) => size)),
    whole: known + (all.words - lists.length) * rarity(0, all.texts),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length || 1;

/** Scores every text of a group, and the best of them for the group. */
export function scoreGroup(group: Group, yardstick: Yardstick): void {
  const base = scoreSession(group, yardstick);
  group.best = group.headingMask === 0 ? 0 : base + scoreHeading(group, yardstick);
  for (const text of group.byPosition.values()) {
    text.score = base + scoreText(text, group, yardstick);
    group.best = Math.max(group.best, text.score);
  }
}

/** What the session as a whole says, and how near it is to a date that was named. */
export function scoreSession({ holders, texts, created }: Group, yardstick: Yardstick): number {
  const { lists, dates, usualSession } = yardstick;
  const length =
    texts === undefined ? 1 : 1 - lengthShare.session + (lengthShare.session * texts) / usualSession;
  let score = dates.length > 0 ? weights.date * nearness(created, dates) : 0;
  for (const { bit, rarityInSessions } of lists) {
    const often = holders.get(bit);
    if (often !== undefined) score += rarityInSessions * share(often, length);
  }
  return score;
}

function scoreText(text: Candidate, group: Group, { lists, usualSize }: Yardstick): number {
  const length = 1 - lengthShare.text + (lengthShare.text * text.size) / usualSize;
  const around = neighboursOf(text, group);
  let score = 0;
  for (const { bit, rarity: worth } of lists) {
    let often = text.mask & bit ? 1 : 0;
    if (often) score += weights.alone * worth * share(1, length);
    for (const { mask, weight } of around) if (mask & bit) often += weight;
    if (often) score += worth * share(often, length);
  }
  return score;
}

/** Words as they would count in a text that holds them, the title's more often; without one, as if all were titles. */
export function scoreHeading(
  { headingMask }: Group,
  { lists, usualSize }: Yardstick,
  read?: { heading: Heading; masks: Record<keyof typeof headingWeights, number> },
): number {
  const size = read ? read.heading.title.length + read.heading.description.length : usualSize;
  const length = 1 - lengthShare.text + (lengthShare.text * size) / usualSize;
  let score = 0;
  for (const { bit, rarity: worth } of lists) {
    if ((headingMask & bit) === 0) continue;
    let often = read ? 0 : headingWeights.title;
    for (const field of ["title", "description", "tags"] as const)
      if (read && read.masks[field] & bit) often += headingWeights[field];
    score += weights.alone * worth * share(1, length) + worth * share(Math.max(often, 1), length);
  }
  return score;
}

function neighboursOf(text: Candidate, { byPosition }: Group): { mask: number; weight: number }[] {
  const around: { mask: number; weight: number }[] = [];
  for (let distance = 1; distance <= reach; distance += 1) {
    for (const at of [text.position - distance, text.position + distance]) {
      const mask = byPosition.get(at)?.mask;
      if (mask) around.push({ mask, weight: fading ** distance });
    }
  }
  return around;
}

/** The words of the texts around it. */
export const maskAround = (text: Candidate, group: Group): number =>
  neighboursOf(text, group).reduce((all, { mask }) => all | mask, 0);

/** Which share of the question these words are, rare ones counting more. */
export function coverOf(mask: number, { lists, whole }: Yardstick): number {
  const found = lists.reduce((sum, { bit, rarity: worth }) => sum + (mask & bit ? worth : 0), 0);
  return whole > 0 ? found / whole : 0;
}
