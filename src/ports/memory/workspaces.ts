export type Workspace = {
  name: string;
  checkout: string;
  projectGuard: string | undefined;
  lastEntry: { seq: number; ts_ms: number; branch: string; doc: string; kind: string } | undefined;
};

export type Branch = {
  name: string;
  base_branch: string | null;
  base_seq: number | null;
  created_at_ms: number;
};

export type WorkspaceReads = {
  schemaVersion(): Promise<number>;
  /** `undefined` until something was written there. */
  readWorkspace(name: string): Promise<Workspace | undefined>;
  /** By name, those after `after`. */
  listBranches(workspace: string, after: string, limit: number): Promise<Branch[]>;
  readBranch(workspace: string, name: string): Promise<Branch | undefined>;
};
