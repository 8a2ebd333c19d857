import type { Address } from "../ledger/address.ts";
import type { Session } from "../ledger/session.ts";
import type { Term } from "./question.ts";

/** The size of the scope. `first` and `last` are the numbers of its oldest and newest text. */
export type Extent = { texts: number; sessions: number; first: number; last: number };

/** The newest matches for a word, newest first: texts by seq, sessions by heading. */
export type Holders = { texts: readonly number[]; headings: readonly number[] };

/** The place of a text. */
export type TextPlace = {
  seq: number;
  /** Undefined for a text without a session, such as a note. */
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

/** By the number of a text or a session. */
export type Timed = { id: number; time: string };

/** What a page shows for a hit. For a text, also its beginning. A session's heading is in the session. */
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
 * The seven queries that ranking needs from a store. A source covers one scope only (a project, a session, what passes
 * the filters). Anything outside it, or in the trash, appears in no result and no count.
 */
export interface RankSource {
  extent(): Promise<Extent>;
  /** At most `texts` and `headings` of them. A shorter list is complete. */
  newest(word: Term, max: { texts: number; headings: number }): Promise<Holders>;
  /** The newest texts that contain both. */
  both(one: Term, other: Term, max: number): Promise<readonly number[]>;
  /** In any order. Omits deleted texts. */
  places(seqs: readonly number[]): Promise<readonly TextPlace[]>;
  sessions(sids: readonly number[]): Promise<readonly SessionFacts[]>;
  /** For each word, the texts in these sessions that contain it, at most a few hundred per session. */
  within(sids: readonly number[], words: readonly Term[]): Promise<readonly (readonly TextPlace[])[]>;
  /** The first ten thousand or so characters of each text, and the headings of sessions. */
  texts(seqs: readonly number[], sids: readonly number[]): Promise<ReadTexts>;
}

/** A session that matches, and how many of its texts do. 0 if only its heading does. */
export type SessionMatches = { sessionId: string; texts: number };

/** Adds what a search needs besides ranking: the order of arrival, and what a page shows. */
export interface SearchSource extends RankSource {
  /** The newest that contain all of the words, or any of them. */
  holding(
    words: readonly Term[],
    joint: "all" | "any",
    max: { texts: number; headings: number },
  ): Promise<Holders>;
  /** All sessions with matches, in any order. Counts every text, so it takes longer than a list of the newest. */
  matches(words: readonly Term[], joint: "all" | "any"): Promise<readonly SessionMatches[]>;
  /** The newest texts, whatever they contain. */
  everything(max: number): Promise<readonly number[]>;
  /** When texts were written and sessions begun, each in order of arrival, newest first. */
  times(seqs: readonly number[], sids: readonly number[]): Promise<{ texts: Timed[]; headings: Timed[] }>;
  /** Thoughts in other projects that contain every word, at most 100. This is only a hint, so it must be cheap. */
  elsewhere(words: readonly Term[]): Promise<number>;
  /** One for each, in this order, with the first `length` characters of a text. `undefined` if it was deleted. */
  show(
    hits: readonly { seq?: number | undefined; sid?: number | undefined }[],
    length: number,
  ): Promise<(ShownHit | undefined)[]>;
  /** This many characters of a text from a position on. Some may count as two. */
  part(seq: number, from: number, length: number): Promise<string>;
}
