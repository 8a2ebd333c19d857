import type { Branch } from "../../domain/memory/steps/outcomes.ts";

export type Workspace = {
  name: string;
  checkout: string;
  /** The plan or task that calls without a target mean. */
  focus: string | undefined;
  projectGuard: string | undefined;
};

/** What happened last in a workspace. */
export type Activity = {
  lastTaskEvent?: { event_id: string; ts_ms: number } | undefined;
  lastEntry?: { seq: number; ts_ms: number; branch: string; doc: string; kind: string } | undefined;
};

/** By name, those after `after`; the deleted ones where asked for. */
export type BranchPage = { after: string; limit: number; deleted?: boolean | undefined };

export type WorkspaceReads = {
  schemaVersion(): Promise<number>;
  /** `undefined` until something was written there. */
  readWorkspace(name: string): Promise<Workspace | undefined>;
  readActivity(workspace: string): Promise<Activity>;
  /**
   * Names of those in use, of all or of those `among`; the last written first. Which one that is, the newest thousand
   * writes tell; workspaces that none of them went to follow, the newest first.
   */
  listWorkspaces(limit: number, among?: readonly string[]): Promise<string[]>;
  listBranches(workspace: string, page: BranchPage): Promise<Branch[]>;
  readBranch(workspace: string, name: string): Promise<Branch | undefined>;
  /** The branch of that name that was deleted last and can be restored. */
  readDeletedBranch(workspace: string, name: string): Promise<Branch | undefined>;
};
