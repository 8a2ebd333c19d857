import type { KeptAction } from "../domain/actions/kept-action.ts";
import type { Remark } from "../domain/ledger/remark.ts";

export type { KeptAction, Remark };

/** An action and the session it is part of. `order` grows with every row and never repeats. */
export type StoredAction = { order: number; sessionId: string; key: string; action: KeptAction };

export type ActionPage = {
  /** Selects only rows whose `order` is higher than this. Start with 0. */
  after: number;
  limit: number;
  type?: KeptAction["type"] | undefined;
};

/** Selects edits and refused edits by file name (without the folder) or by time. Ranges include both ends. */
export type ChangeQuery = { limit: number } & (
  | { files: readonly string[] }
  | { from: string; to: string }
  /** Selects all calls that the user refused at or after this time. */
  | { refusedSince: string }
);

/** A range of thought numbers in one chain. `branchId` is `undefined` for the main chain. */
export type EditSpan = { branchId: string | undefined; from: number; to: number };
export type EditPlace = { call: string; part: number; thoughtNumber: number };

/**
 * Stores what agents did, in addition to the thoughts. One action may belong to several sessions, because a
 * resumed or forked session repeats earlier actions. Sessions in the trash keep their actions.
 */
export interface Actions {
  /**
   * Adds the actions that the session does not have yet, in the given order and in one transaction. Returns how many
   * were added. Does nothing if the session does not exist.
   */
  record(sessionId: string, actions: readonly KeptAction[]): Promise<number>;
  /** Returns actions of one session, in the order they were recorded. The session may be in the trash. */
  readOfSession(sessionId: string, page: ActionPage): Promise<StoredAction[]>;
  /**
   * Returns actions in a project, or in all projects if `project` is `undefined`, in the order they were
   * recorded. Omits sessions in the trash.
   */
  readOfProject(project: string | undefined, page: ActionPage): Promise<StoredAction[]>;
  /**
   * Returns changes in a project, or in all projects if `project` is `undefined`, newest first. Omits
   * sessions in the trash.
   */
  findChanges(project: string | undefined, query: ChangeQuery): Promise<StoredAction[]>;
  /** Returns the actions of these calls in a session, in the order they were recorded. */
  findCalls(sessionId: string, calls: readonly string[]): Promise<StoredAction[]>;
  /**
   * Returns the thoughts after which a session edited files, in the order of the edits. The range `within`
   * includes both ends.
   */
  findEditPlaces(sessionId: string, within: EditSpan): Promise<EditPlace[]>;
  /** Returns the sessions that share actions with this one, except those in the trash. */
  findRelated(sessionId: string, limit: number): Promise<string[]>;
}

/** A remark and its position in the store's history. */
export type StoredRemark = { seq: number; remark: Remark };

export type RemarkPage = {
  after: number;
  limit: number;
};

/**
 * Stores people's remarks on thoughts. A remark is an event: it is added, never changed, and does not change
 * the thought. Each remark appears in the feed as a `remarked` change of the session. Sessions in the trash
 * keep their remarks.
 */
export interface Remarks {
  /**
   * Adds the remarks whose IDs the store does not have yet, in the given order and in one transaction. Returns how
   * many were added. Does nothing if the session does not exist.
   */
  record(sessionId: string, remarks: readonly Remark[]): Promise<number>;
  /** Returns the remarks on one session, in the order they were recorded. The session may be in the trash. */
  readOfSession(sessionId: string, page: RemarkPage): Promise<StoredRemark[]>;
}
