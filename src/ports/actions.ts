import type { KeptAction } from "../domain/actions/kept-action.ts";
import type { Remark } from "../domain/ledger/remark.ts";

export type { KeptAction, Remark };

/** An action and the session it is part of. `order` grows with every row and never repeats. */
export type StoredAction = { order: number; sessionId: string; key: string; action: KeptAction };

export type ActionPage = {
  /** Rows with a higher `order`; 0 begins. */
  after: number;
  limit: number;
  type?: KeptAction["type"] | undefined;
};

/** Edits and refused edits, by the last name of their file, or by their time. Both ends are included. */
export type ChangeQuery = { limit: number } & (
  | { files: readonly string[] }
  | { from: string; to: string }
  /** Calls that the user refused since then, whatever they would have done. */
  | { refusedSince: string }
);

/** Numbers of thoughts. Omit the branch for the main chain. */
export type EditSpan = { branchId: string | undefined; from: number; to: number };
export type EditPlace = { call: string; part: number; thoughtNumber: number };

/**
 * What agents did, stored beside the thoughts. One action may belong to several sessions, because a resumed or forked
 * session repeats its past. Sessions in the trash keep their actions.
 */
export interface Actions {
  /**
   * Adds actions that the session does not have yet, in one transaction and in this order. Returns how many were added.
   * Does nothing if there is no such session.
   */
  record(sessionId: string, actions: readonly KeptAction[]): Promise<number>;
  /** Of one session, in the order they were recorded; also of one in the trash. */
  readOfSession(sessionId: string, page: ActionPage): Promise<StoredAction[]>;
  /** Of all sessions of a project that are not in the trash, in the order they were recorded. `undefined` = all projects. */
  readOfProject(project: string | undefined, page: ActionPage): Promise<StoredAction[]>;
  /** Changes of all sessions of a project that are not in the trash, the newest first. `undefined` = all projects. */
  findChanges(project: string | undefined, query: ChangeQuery): Promise<StoredAction[]>;
  /** What these calls of a session did, in the order it was recorded. */
  findCalls(sessionId: string, calls: readonly string[]): Promise<StoredAction[]>;
  /** After which thoughts of a strand a session edited files, in the order it was recorded. Both ends are included. */
  findEditPlaces(sessionId: string, within: EditSpan): Promise<EditPlace[]>;
  /** Sessions that share actions with this one, without those in the trash. */
  findRelated(sessionId: string, limit: number): Promise<string[]>;
}

/** A remark and its place in the order of everything that happened. */
export type StoredRemark = { seq: number; remark: Remark };

export type RemarkPage = {
  /** Remarks with a higher `seq`; 0 begins. */
  after: number;
  limit: number;
};

/**
 * People's remarks on thoughts. A remark is an event: it is added, never changed, and no thought changes with it. Each
 * one appears in the feed as the session's change `remarked`. Sessions in the trash keep their remarks.
 */
export interface Remarks {
  /**
   * Adds remarks whose ID the store does not have yet, in one transaction and in this order. Returns how many were
   * added. Does nothing if there is no such session.
   */
  record(sessionId: string, remarks: readonly Remark[]): Promise<number>;
  /** Of one session, in the order they were recorded; also of one in the trash. */
  readOfSession(sessionId: string, page: RemarkPage): Promise<StoredRemark[]>;
}
