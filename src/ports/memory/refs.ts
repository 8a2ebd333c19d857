import type { Commit, Ref, Tag } from "../../domain/memory/steps/outcomes.ts";

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
