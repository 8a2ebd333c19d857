/**
 * Every number of the ranking. They were measured together on three sets of questions with known answers:
 * LoCoMo (1,982 questions), REALTALK (705) and subjects of commits to the sessions they came from (332), each
 * alone, pooled, and under 200,000 newer texts. Change one only if none of the sets loses more than 0.005;
 * `bench --only recall` measures it.
 */

/** The number of words in a question that are searched for. */
export const maxWords = 16;

/** For each word, the newest texts are listed. The list is longer for rare words. */
export const listed = { first: 500, more: 1_000, rareUpTo: 5_000, headings: 200 };

/** For the rarest words whose list was cut, each pair is searched together. */
export const together = { words: 4, listed: 300 };

/** How many of the best sessions are searched for words whose list was cut. */
export const completedSessions = 25;

/** How many of the best texts are read. */
export const readTexts = 50;

/** BM25: `k1` is how soon a repeated word adds nothing, `b` is how much the length of a text or session discounts. */
export const k1 = 1.2;
export const b = { text: 0.3, session: 0.75 };

/** Words in neighbouring texts count too, half as much with each step. */
export const reach = 3;
export const fading = 0.5;

/** Weights of a score's parts: the text itself, two adjacent words, a matching date. */
export const weights = { alone: 0.25, adjacent: 2, date: 18 };

/** Thoughts below this share of their session's best score are omitted. */
export const nearBest = 0.5;

/** A word is rare if it weighs at least this share of the rarest word in the question. */
export const rareShare = 0.5;

/** A word in a title counts more than one in a sentence. Not measured on the sets, which have none. */
export const headingWeights = { title: 4, description: 2, tags: 2 };

/**
 * An answer is weak if its best hit covers less of the question than this. True for 83 % (LoCoMo) and 73 % (REALTALK)
 * of the questions about another conversation, and for 12 % and 15 % of those about its own.
 */
export const weakBelow = 0.35;
