import type { Entry } from "../../domain/memory/entry.ts";

/** Where a document of a branch stands; moved by `commit` and `reset`. */
export type Ref = { branch: string; doc: string; seq: number };

export type Commit = Entry & { parent: number | undefined };

export type RefMove = {
  seq: number;
  ts_ms: number;
  branch: string;
  doc: string;
  action: "commit" | "reset";
  previous: number | undefined;
  current: number;
  message: string;
};

export type Tag = { name: string; seq: number; branch: string; doc: string; created_at_ms: number };

export type RefReads = {
  /** The branch's own ref, else the one it inherited when it was made. */
  readRef(workspace: string, branch: string, doc: string): Promise<Ref | undefined>;
  /** Commits from the ref back along their parents, newest first; those with a lower seq than `before`. */
  readLog(
    workspace: string,
    start: number,
    before: number | undefined,
    limit: number,
  ): Promise<{ commits: Commit[]; hasMore: boolean }>;
  readCommit(workspace: string, seq: number): Promise<Commit | undefined>;
  readTag(workspace: string, name: string): Promise<Tag | undefined>;
  /** In the order of their making, newest first. */
  listTags(
    workspace: string,
    before: number | undefined,
    limit: number,
  ): Promise<{ tags: (Tag & { order: number })[]; hasMore: boolean }>;
  /** Newest first. */
  readReflog(
    workspace: string,
    branch: string,
    before: number | undefined,
    limit: number,
  ): Promise<{ moves: RefMove[]; hasMore: boolean }>;
};
