import type { Session } from "../ledger/session.ts";
import type { Address } from "../ledger/thought.ts";
import type { Term } from "./question.ts";

/** The size of the scope. `first` and `last` are the seqs of the oldest and newest text in the scope. */
export type Extent = { texts: number; sessions: number; first: number; last: number };

/**
 * The newest matches for a word, newest first: the seqs of texts, and the numbers of sessions whose heading matches.
 */
export type Holders = { texts: readonly number[]; headings: readonly number[] };

export type TextPlace = {
  seq: number;
  /** `undefined` for a text without a session, such as a note. */
  sid: number | undefined;
  /** The text's position in its session. */
  position: number;
  /** In bytes. */
  size: number;
  /** When a text without a session was written. */
  created?: string;
};

export type SessionFacts = { sid: number; texts: number; created: string };

export type Heading = { sid: number; title: string; description: string; tags: string };

export type ReadTexts = { texts: readonly { seq: number; text: string }[]; headings: readonly Heading[] };

/** `id` is the seq of a text or the number of a session. */
export type Timed = { id: number; time: string };

/** What a page shows for a hit. `beginning` is set for a text. A session's heading is in `session`. */
export type ShownHit = {
  session?: Session;
  note?: { workspace: string; branch: string; doc: string; seq: number; title?: string };
  address?: Address;
  /** The last thought that revised this one. */
  revisedBy?: Address;
  timestamp: string;
  beginning?: string;
};

/**
 * The seven queries that ranking needs from a store. A source covers one scope: a project, a session, and the filters.
 * Nothing outside the scope or in the trash affects a result or a count.
 */
export interface RankSource {
  extent(): Promise<Extent>;
  /** Finds at most `max.texts` texts and `max.headings` sessions. A shorter list is complete. */
  newest(word: Term, max: { texts: number; headings: number }): Promise<Holders>;
  /** Finds the newest texts that contain both terms. */
  both(one: Term, other: Term, max: number): Promise<readonly number[]>;
  /** Returns places in any order. Omits deleted texts. */
  places(seqs: readonly number[]): Promise<readonly TextPlace[]>;
  sessions(sids: readonly number[]): Promise<readonly SessionFacts[]>;
  /** Finds, for each word, the texts in these sessions that contain it, up to a few hundred per session. */
  within(sids: readonly number[], words: readonly Term[]): Promise<readonly (readonly TextPlace[])[]>;
  /** Reads about the first ten thousand characters of each text, and the headings of sessions. */
  texts(seqs: readonly number[], sids: readonly number[]): Promise<ReadTexts>;
}

/** A matching session and the number of its matching texts. The number is 0 if only the heading matches. */
export type SessionMatches = { sessionId: string; texts: number };

/** What a search needs in addition to ranking: the order of arrival, and the contents of a page. */
export interface SearchSource extends RankSource {
  /** Finds the newest texts and sessions that contain all of the words, or any of them. */
  holding(
    words: readonly Term[],
    joint: "all" | "any",
    max: { texts: number; headings: number },
  ): Promise<Holders>;
  /** Finds all sessions with matches, in any order. Counts every text, so it is slower than `newest`. */
  matches(words: readonly Term[], joint: "all" | "any"): Promise<readonly SessionMatches[]>;
  /** Lists the newest texts, with or without matches. */
  everything(max: number): Promise<readonly number[]>;
  /** Returns when the texts were written and the sessions began, each in order of arrival, newest first. */
  times(seqs: readonly number[], sids: readonly number[]): Promise<{ texts: Timed[]; headings: Timed[] }>;
  /**
   * Counts the thoughts in other projects that contain every word, up to 100. The count is only a hint and
   * must be cheap to compute.
   */
  elsewhere(words: readonly Term[]): Promise<number>;
  /**
   * Returns one result per hit, in the same order, with the first `length` characters of a text. `undefined`
   * if the hit was deleted.
   */
  show(
    hits: readonly { seq?: number | undefined; sid?: number | undefined }[],
    length: number,
  ): Promise<(ShownHit | undefined)[]>;
  /** Returns `length` characters of a text from `from`. Some characters are two code units in JavaScript. */
  part(seq: number, from: number, length: number): Promise<string>;
}
