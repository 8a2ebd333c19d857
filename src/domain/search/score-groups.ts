import { type NamedDate, nearness } from "./dates.ts";
import { b, fading, headingWeights, k1, reach, weights } from "./measures.ts";
import type { Heading, SessionFacts, TextPlace } from "./source.ts";
import type { WordList } from "./words/word-lists.ts";

/** Returns the weight of a word that `held` of `all` texts contain. Never negative. */
export function rarity(held: number, all: number): number {
  return Math.log(1 + (Math.max(all - held, 0) + 0.5) / (held + 0.5));
}

/** Computes a word's part of the BM25 score from its frequency. `length` is 1 for a text of average length. */
const share = (often: number, length: number): number => (often * (k1 + 1)) / (often + k1 * length);

/** The values that are the same for all texts of one question. */
export type Yardstick = {
  words: readonly { word: number; bit: number; rarity: number; rarityInSessions: number }[];
  dates: readonly NamedDate[];
  avgdl: number;
  avgdlOfSessions: number;
  /** The sum of the rarities of all words of the question, including words that occur nowhere. */
  whole: number;
};

/** Computes these values. Averages are over the candidate texts and sessions. */
export function createYardstick(
  lists: readonly WordList[],
  candidates: Candidates,
  dates: readonly NamedDate[],
  all: { texts: number; sessions: number; words: number },
): Yardstick {
  const groups = [...candidates.groups()];
  const words = lists.map(({ number: word, bit, held, cut, texts }) => {
    let holding = 0;
    for (const { holders } of groups) if (holders[word]) holding += 1;
    const inSessions = cut ? (holding * held) / Math.max(1, texts.length) : holding;
    const rarityInSessions = rarity(Math.min(all.sessions, inSessions), all.sessions);
    return { word, bit, rarity: rarity(held, all.texts), rarityInSessions };
  });
  let size = 0;
  for (const text of candidates.texts()) size += text.size;
  const lengths = groups.flatMap(({ length }) => (length === undefined ? [] : [length]));
  const known = words.reduce((sum, word) => sum + word.rarity, 0);
  return {
    words,
    dates,
    avgdl: size / candidates.count() || 1,
    avgdlOfSessions: lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1,
    whole: known + (all.words - lists.length) * rarity(0, all.texts),
  };
}

/** Scores every candidate in a group. The group gets the score of its best candidate. */
export function scoreGroup(group: Group, yardstick: Yardstick): void {
  const base = scoreSession(group, yardstick);
  group.best = 0;
  for (const text of group.texts) {
    text.score = base + scoreText(text, yardstick);
    if (text.score > group.best) group.best = text.score;
  }
  if (!group.heading) return;
  group.heading.score = base + scoreHeading(group.heading, yardstick);
  group.best = Math.max(group.best, group.heading.score);
}

/** Scores the whole session, including how close it is to a date in the question. */
export function scoreSession({ holders, length, created }: Group, yardstick: Yardstick): number {
  const { words, dates, avgdlOfSessions } = yardstick;
  const relative = length === undefined ? 1 : 1 - b.session + (b.session * length) / avgdlOfSessions;
  let score = dates.length > 0 ? weights.date * nearness(created, dates) : 0;
  for (const { word, rarityInSessions } of words) {
    const often = holders[word] ?? 0;
    if (often > 0) score += rarityInSessions * share(often, relative);
  }
  return score;
}

/** Distances to neighbouring texts, nearest first, each with the weight of a word at that distance. */
const steps = Array.from({ length: reach }, (_, n) => n + 1).flatMap((distance) => [
  { step: -distance, weight: fading ** distance },
  { step: distance, weight: fading ** distance },
]);

function scoreText({ mask, size, position, group }: Candidate, { words, avgdl }: Yardstick): number {
  const relative = 1 - b.text + (b.text * size) / avgdl;
  const around = group.texts.length > 1 ? steps.map(({ step }) => maskAt(group, position + step)) : [];
  let score = 0;
  for (const { bit, rarity: worth } of words) {
    let often = 0;
    if (mask & bit) {
      often = 1;
      score += weights.alone * worth * share(1, relative);
    }
    for (let n = 0; n < around.length; n += 1) if ((around[n] ?? 0) & bit) often += steps[n]?.weight ?? 0;
    if (often > 0) score += worth * share(often, relative);
  }
  return score;
}

const maskAt = ({ byPosition }: Group, position: number): number => byPosition.get(position)?.mask ?? 0;

/** Returns the words in a text's neighbours, as a bit mask. A session has no neighbours. */
export function maskAround({ seq, group, position }: Candidate): number {
  return seq === undefined ? 0 : steps.reduce((all, { step }) => all | maskAt(group, position + step), 0);
}

type ReadHeading = { heading: Heading; masks: Record<keyof typeof headingWeights, number> };

/**
 * Scores a heading like a text, but words in the title weigh more. Until the heading is read, weighs all words like
 * title words.
 */
export function scoreHeading({ mask }: Candidate, { words, avgdl }: Yardstick, read?: ReadHeading): number {
  const size = read ? read.heading.title.length + read.heading.description.length : avgdl;
  const relative = 1 - b.text + (b.text * size) / avgdl;
  let score = 0;
  for (const { bit, rarity: worth } of words) {
    if ((mask & bit) === 0) continue;
    let often = read ? 0 : headingWeights.title;
    for (const field of ["title", "description", "tags"] as const)
      if (read && read.masks[field] & bit) often += headingWeights[field];
    score += weights.alone * worth * share(1, relative) + worth * share(Math.max(often, 1), relative);
  }
  return score;
}

/** Returns the share of the question that these words make up. Rare words count more. */
export function coverOf(mask: number, { words, whole }: Yardstick): number {
  const found = words.reduce((sum, { bit, rarity: worth }) => sum + (mask & bit ? worth : 0), 0);
  return whole > 0 ? found / whole : 0;
}

/** A text, or a session whose heading matches. */
export type Candidate = {
  /** Undefined for a session. */
  seq: number | undefined;
  group: Group;
  position: number;
  size: number;
  /** The words that the candidate contains, as a bit mask. */
  mask: number;
  score: number;
  /** Breaks ties, highest first. Every session has a lower number than any text. */
  arrival: number;
};

/** The candidates of one session. A text without a session forms its own group. */
export type Group = {
  sid: number | undefined;
  texts: Candidate[];
  byPosition: Map<number, Candidate>;
  heading: Candidate | undefined;
  /** For each word, how many texts of the session contain the word. The heading counts as a text. */
  holders: number[];
  /** The number of texts in the session. `undefined` if the texts have no session. */
  length: number | undefined;
  created: string;
  best: number;
};

/** Larger than any session number. */
const beforeTexts = 2 ** 52;

/**
 * Collects candidates. If a text is found again, only its words are added. `words` is the number of words in the
 * question.
 */
export function createCandidates(words: number) {
  const bySeq = new Map<number, Candidate>();
  /** Keyed by session number, or by the negative seq of a text without a session. */
  const groups = new Map<number, Group>();

  function groupOf(key: number, sid: number | undefined, created: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const group: Group = {
      sid,
      texts: [],
      byPosition: new Map(),
      heading: undefined,
      holders: new Array<number>(words).fill(0),
      length: undefined,
      created,
      best: 0,
    };
    groups.set(key, group);
    return group;
  }

  return {
    texts: () => bySeq.values(),
    groups: () => groups.values(),
    count: () => bySeq.size,
    add({ seq, sid, position, size, created = "" }: TextPlace, mask: number): void {
      let text = bySeq.get(seq);
      if (!text) {
        const group = groupOf(sid ?? -seq, sid, created);
        text = { seq, group, position, size, mask: 0, score: 0, arrival: seq };
        bySeq.set(seq, text);
        group.texts.push(text);
        group.byPosition.set(position, text);
      }
      learn(text, mask);
    },
    addHeading(sid: number, bit: number): void {
      const group = groupOf(sid, sid, "");
      group.heading ??= {
        seq: undefined,
        group,
        position: 0,
        size: 0,
        mask: 0,
        score: 0,
        arrival: sid - beforeTexts,
      };
      learn(group.heading, bit);
    },
    /** Adds a session's facts. A deleted session has no heading. */
    describe({ sid, texts, created }: SessionFacts): void {
      const group = groups.get(sid);
      if (!group) return;
      group.length = texts;
      group.created = created;
    },
  };
}

export type Candidates = ReturnType<typeof createCandidates>;

function learn(candidate: Candidate, mask: number): void {
  const { holders } = candidate.group;
  for (let fresh = mask & ~candidate.mask; fresh !== 0; fresh &= fresh - 1) {
    const word = 31 - Math.clz32(fresh & -fresh);
    holders[word] = (holders[word] ?? 0) + 1;
  }
  candidate.mask |= mask;
}
