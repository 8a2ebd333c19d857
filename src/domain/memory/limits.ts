/** Valid workspace names. Any other name is refused before it reaches a store. */
export const workspacePattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
export const branchPattern = /^(?!\/)(?!.*\.\.)[A-Za-z0-9._/-]{1,128}$/;
export const docPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
export const tagPattern = new RegExp(branchPattern);

/**
 * The branches of ledger sessions, plans and tasks. Thoughtbox manages them. Callers cannot create, rename or delete
 * them.
 */
const reservedBranch = /^(?:session|plan|task)\//;
export const isReservedBranch = (name: string): boolean => reservedBranch.test(name);

/** Node IDs that only the projection of tasks writes. */
const reservedNode = /^(?:task|step):/;
export const isReservedNode = (id: string): boolean => reservedNode.test(id);

export const memoryLimits = {
  /** The maximum depth of nested branches. */
  depth: 64,
  content: 262_144,
  title: 500,
  format: 64,
  nodeId: 256,
  word: 128,
  text: 65_536,
  /** The maximum length of a `meta` object as JSON, in characters. */
  meta: 65_536,
  graphOps: 2_000,
  tags: 64,
  tag: 128,
} as const;

export const defaultBranch = "main";
export const defaultDocs = { notes: "notes", graph: "graph", trace: "trace" } as const;

/** How long a focus or checkout belongs to an agent after the agent's last write, in milliseconds. */
export const placeLastsMs = 30 * 24 * 3_600_000;

export const mergeLimits = {
  /** The maximum number of keys per call. */
  keys: 100_000,
  /** The maximum number of notes or thoughts per call. */
  entries: 10_000,
  /** The maximum number of keys processed and written in one transaction, while other writers wait. */
  transaction: 500,
  /** The number of keys read or staged in one batch, if a merge needs several batches. */
  slice: 250,
  /** The number of keys compared in one batch, without a lock. */
  decided: 2_000,
  /** The number of keys listed in one batch. */
  listed: 2_000,
} as const;
