import type { Address } from "../ledger/address.ts";
import type { Session } from "../ledger/session.ts";
import type { Term } from "./question.ts";

/** How much there is to search. `first` and `last` are the numbers of the oldest and the newest text of it. */
export type Extent = { texts: number; sessions: number; first: number; last: number };

/** The newest that contain a word, newest first: texts by their seq, sessions by what they are called. */
export type Holders = { texts: readonly number[]; headings: readonly number[] };

/** The place of a text. */
export type TextPlace = {
  seq: number;
  /** Undefined for a text without a session, such as a note. */
  sid: number | undefined;
  /** Counts the arrivals of a session. */
  position: number;
  /** In bytes. */
  size: number;
  /** When a text without a session was written. */
  created?: string;
};

export type SessionFacts = { sid: number; texts: number; created: string };

export type Heading = { sid: number; title: string; description: string; tags: string };

export type ReadTexts = { texts: readonly { seq: number; text: string }[]; headings: readonly Heading[] };

/** By the number of a text or a session. */
export type Timed = { id: number; time: string };

/** What a page shows of a hit. Of a text also its beginning; what a session is called is in the session. */
export type ShownHit = {
  session?: Session;
  note?: { workspace: string; branch: string; doc: string; seq: number; title?: string };
  address?: Address;
  /** The last thought that revised it. */
  revisedBy?: Address;
  timestamp: string;
  beginning?: string;
};

/**
 * What ranking needs to know of a store: seven questions. A source looks at one scope only (a project, a session, what
 * the filters let through); what is outside of it, or in the trash, is in none of the answers and none of the counts.
 */
export interface RankSource {
  extent(): Promise<Extent>;
  /** At most `texts` and `headings` of them. A list shorter than asked for is complete. */
  newest(word: Term, max: { texts: number; headings: number }): Promise<Holders>;
  /** The newest texts that contain both. */
  both(one: Term, other: Term, max: number): Promise<readonly number[]>;
  /** In any order; texts that are gone are left out. */
  places(seqs: readonly number[]): Promise<readonly TextPlace[]>;
  sessions(sids: readonly number[]): Promise<readonly SessionFacts[]>;
  /** Texts of these sessions that contain the word; of each at most a few hundred. */
  within(sids: readonly number[], word: Term): Promise<readonly TextPlace[]>;
  /** The beginning of each text, some ten thousand characters of it, and what sessions are called. */
  texts(seqs: readonly number[], sids: readonly number[]): Promise<ReadTexts>;
}

/** The same, and what else a search needs: the order of arrival, and what a page shows. */
export interface SearchSource extends RankSource {
  /** The newest that contain all of the words, or any of them. */
  holding(
    words: readonly Term[],
    joint: "all" | "any",
    max: { texts: number; headings: number },
  ): Promise<Holders>;
  /** The newest texts, whatever they say. */
  everything(max: number): Promise<readonly number[]>;
  /** When texts were written and sessions begun, both in the order of their arrival, newest first. */
  times(seqs: readonly number[], sids: readonly number[]): Promise<{ texts: Timed[]; headings: Timed[] }>;
  /**
   * Thoughts of other projects that contain every word, at most 100 of them: a hint that must cost next to
   * nothing.
   */
  elsewhere(words: readonly Term[]): Promise<number>;
  /** One for each, in this order, with the first `length` characters of a text; `undefined` for what is gone. */
  show(
    hits: readonly { seq?: number | undefined; sid?: number | undefined }[],
    length: number,
  ): Promise<(ShownHit | undefined)[]>;
  /** So many characters of a text from a place on; some may count as two. */
  part(seq: number, from: number, length: number): Promise<string>;
}
