/**
 * Every number of the ranking. They were measured together on three sets of questions with known answers:
 * LoCoMo (1,982 questions), REALTALK (705) and subjects of commits to the sessions they came from (332), each
 * alone, pooled, and under 200,000 newer texts. Change one only if none of the sets loses more than 0.005;
 * `bench --only recall` measures it.
 */

/** Words of a question that are looked for. */
export const maxWords = 16;

/** For each word the newest holders are listed; more of them where the word is rare enough to be worth it. */
export const listed = { first: 500, more: 1_000, rareUpTo: 5_000, headings: 200 };

/** Of the rarest words whose list was cut, each two are looked for together. */
export const together = { words: 4, listed: 300 };

/** So many of the best sessions are looked through for words whose list was cut. */
export const completedSessions = 25;

/** So many of the best texts are read. */
export const readTexts = 50;

/** BM25: `k1` is how soon a repeated word says nothing new, `b` how much the length of a text or a session discounts. */
export const k1 = 1.2;
export const b = { text: 0.3, session: 0.75 };

/** Words of the texts before and after count too, each step away half as much. */
export const reach = 3;
export const fading = 0.5;

/** What the parts of a score weigh: the text by itself, two words that stand together, a date that is met. */
export const weights = { alone: 0.25, adjacent: 2, date: 18 };

/** Of one session, thoughts below this share of its best score are left out. */
export const nearBest = 0.5;

/** A word is rare if it says at least this share of what the rarest word of the question says. */
export const rareShare = 0.5;

/** A word in a title counts more than one in a sentence. Not measured on the sets, which have none. */
export const headingWeights = { title: 4, description: 2, tags: 2 };

/**
 * An answer whose best hit covers less of the question is called weak: true for 83 % (LoCoMo) and 73 % (REALTALK) of
 * the questions of another conversation, and for 12 % and 15 % of its own.
 */
export const weakBelow = 0.35;
