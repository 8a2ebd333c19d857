/**
 * All parameters of the ranking. The parameters were measured together on three sets of questions with known
 * answers: LoCoMo (1,982 questions), REALTALK (705), and commit subjects with the sessions of those commits
 * (332). Each set was measured alone, together with the others, and in a store with 200,000 newer texts.
 * Change a parameter only if `bench --only recall` shows that no set loses more than 0.005.
 */

/** How many words of a question are used. Further words are ignored. */
export const maxWords = 16;

/** How many of the newest texts to list per word. Rare words have longer lists. */
export const listed = { first: 500, more: 1_000, rareUpTo: 5_000, headings: 200 };

/** How many of the words with truncated lists to search for in pairs, rarest first. */
export const together = { words: 4, listed: 300 };

/** How many of the best sessions to search for a word whose list was truncated. */
export const completedSessions = 25;

/** How many of the best texts to read. */
export const readTexts = 50;

/** BM25: `k1` limits how much repetitions of a word add, and `b` reduces the score of long texts and sessions. */
export const k1 = 1.2;
export const b = { text: 0.3, session: 0.75 };

/** The maximum distance of a neighbouring text, in positions. Each position halves the weight of a word. */
export const reach = 3;
export const fading = 0.5;

/** Weights of a score's parts: the text itself, two adjacent words, and a matching date. */
export const weights = { alone: 0.25, adjacent: 2, date: 18 };

/** A thought is omitted if its score is less than this share of its session's best score. */
export const nearBest = 0.5;

/** A word is rare if its weight is at least this share of the highest weight in the question. */
export const rareShare = 0.5;

/**
 * A word in a title counts more than one in a sentence. These weights were not measured, because the sets have no
 * titles.
 */
export const headingWeights = { title: 4, description: 2, tags: 2 };

/**
 * An answer is weak if its best hit covers less than this share of the question. An answer is weak for 83%
 * (LoCoMo) and 73% (REALTALK) of the questions about a different conversation, and for 12% and 15% of the
 * others.
 */
export const weakBelow = 0.35;
