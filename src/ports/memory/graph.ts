import type { GraphVersion, NodeContent } from "../../domain/memory/graph.ts";
import type {
  Conflict,
  ConflictStatus,
  GraphMerge,
  GraphMergeOutcome,
  GraphPlace,
} from "../../domain/memory/steps/outcomes.ts";
import type { WantedFacets } from "../../domain/memory/views/selection.ts";
import type { NodeWithWords } from "../../domain/search/node-texts.ts";

/** A moment in a graph's history: after the write with this number, or at this time. */
export type GraphMoment = { seq: number; ms?: undefined } | { seq?: undefined; ms: number };

export type NodeQuery = GraphPlace & {
  ids?: readonly string[] | undefined;
  types?: readonly string[] | undefined;
  status?: string | undefined;
  tagsAny?: readonly string[] | undefined;
  tagsAll?: readonly string[] | undefined;
  /** Words that the title or text must contain. */
  text?: string | undefined;
  facets?: WantedFacets | undefined;
  includeDeleted: boolean;
  /** Reads the graph as of this moment. Omit for the current graph. Only supported by `queryGraph`. */
  asOf?: GraphMoment | undefined;
  before?: number | undefined;
  limit: number;
};

export type NodePage = { nodes: GraphVersion[]; hasMore: boolean };

export type EdgeQuery = GraphPlace & {
  ids: readonly string[];
  /** `among` selects edges with both nodes in `ids`. `touching` selects edges with at least one node in `ids`. */
  ends: "among" | "touching";
  before?: number | undefined;
  limit: number;
};

/**
 * Which edges to return with a page of nodes. `touching` selects all edges at these nodes. Omit this field to
 * get only the edges between nodes on the page.
 */
export type EdgesBeside = {
  touching?: readonly string[] | undefined;
  before?: number | undefined;
  limit: number;
};

export type WordOptions = { limit: number; earlier: boolean };

export type VersionsQuery = {
  id: string;
  /** If set, selects only versions in this document. */
  doc?: string | undefined;
  before?: number | undefined;
  limit: number;
};

/** A version, the place it was written to, and its writer if known. */
export type WrittenVersion = { version: GraphVersion; place: GraphPlace; agent?: string | undefined };

/** A page of edges. `total` counts all matching edges, up to `maxCountedEdges`. */
export type EdgePage = { edges: GraphVersion[]; total: number; hasMore: boolean };

/** The maximum number of edges that `total` counts. Counting more would delay other calls. */
export const maxCountedEdges = 10_000;

export type GraphDifference = {
  from: string;
  to: string;
  doc: string;
  before?: number | undefined;
  limit: number;
};

export type GraphChanges = { changes: GraphVersion[]; hasMore: boolean };

export type GraphHealth = {
  nodes: number;
  edges: number;
  /** Edges with a missing node, up to the requested limit. */
  dangling: { edge: GraphVersion; missing: string[] }[];
  danglingTotal: number;
};

/** A node without its text or tags, and the nodes that support it, newest edge first. */
export type SupportedNode = Pick<NodeContent, "type" | "title" | "status" | "meta"> & {
  id: string;
  supporters: string[];
};

export type Support = {
  limits: {
    /** Returns true for nodes whose support has already been read. Their support is not read again. */
    isKnown(id: string): boolean;
    nodes: number;
    levels: number;
    edges: number;
  };
  found: {
    nodes: SupportedNode[];
    /** IDs of nodes that an edge or the caller names but that are not in the view. */
    absent: string[];
    /** True if a limit was reached, so the result may be incomplete. */
    isCut: boolean;
  };
};

export type MergeOptions = {
  /** Cancels a merge if the caller has disconnected. A cancelled merge leaves nothing behind. */
  signal?: AbortSignal | undefined;
  /** Called during a large merge with the number of finished keys, and with their total once it is known. */
  onProgress?: ((done: number, total: number | undefined) => void) | undefined;
};

export type ConflictPage = {
  into: string;
  doc: string;
  status?: ConflictStatus | undefined;
  after: number;
  limit: number;
};

export type GraphReads = {
  /** Returns nodes, newest first. */
  queryNodes(workspace: string, query: NodeQuery): Promise<NodePage>;
  /** Returns nodes and the edges that belong to them, both newest first and from the same snapshot. */
  queryGraph(
    workspace: string,
    query: NodeQuery,
    edges: EdgesBeside,
  ): Promise<NodePage & { edges: EdgePage }>;
  /** Returns nodes and all nodes that support them, directly or indirectly. */
  readSupport(
    workspace: string,
    place: GraphPlace,
    ids: readonly string[],
    limits: Support["limits"],
  ): Promise<Support["found"]>;
  /** Returns live edges, newest first. */
  queryEdges(workspace: string, query: EdgeQuery): Promise<EdgePage>;
  /**
   * Returns the version of the node that is visible on the branch, in any document. If no version is visible
   * there, returns the node's newest version on any branch. Includes the node's newest edges, up to the
   * limit.
   */
  findNode(
    workspace: string,
    branch: string,
    id: string,
    edgesLimit: number,
  ): Promise<{ node: GraphVersion; place: GraphPlace; edges: EdgePage } | undefined>;
  /**
   * Returns the version that was written at this seq, even if newer ones exist. Does not find versions that a
   * deleted branch hides.
   */
  readVersion(
    workspace: string,
    seq: number,
  ): Promise<{ version: GraphVersion; place: GraphPlace } | undefined>;
  /**
   * For each word, returns the newest nodes that contain it and are current on an existing branch, at most
   * `limit` per word. Words must have the form that the index stores. If `earlier` is set, also returns the
   * newest superseded versions, even if they do not contain the words.
   */
  findWords(workspace: string, words: readonly string[], options: WordOptions): Promise<NodeWithWords[]>;
  /** Lists every version of a node on existing branches, newest first. */
  listVersions(
    workspace: string,
    query: VersionsQuery,
  ): Promise<{ versions: WrittenVersion[]; hasMore: boolean }>;
  /** Returns the states of `to` that differ from `from`, newest first. */
  diffGraph(workspace: string, difference: GraphDifference): Promise<GraphChanges>;
  /** Checks every edge. Lets other calls run in between if the graph is large. `signal` cancels the check. */
  checkGraph(
    workspace: string,
    place: GraphPlace,
    maxErrors: number,
    signal?: AbortSignal,
  ): Promise<GraphHealth>;
  previewGraphMerge(
    workspace: string,
    merge: GraphMerge,
    at: Date,
    options?: MergeOptions,
  ): Promise<GraphMergeOutcome>;
  listConflicts(
    workspace: string,
    page: ConflictPage,
  ): Promise<{ conflicts: (Conflict & { order: number })[]; hasMore: boolean }>;
  readConflict(workspace: string, id: string): Promise<Conflict | undefined>;
  /** Lists the branches and documents that have open conflicts, those with the most conflicts first. */
  countOpenConflicts(workspace: string): Promise<{ into: string; doc: string; open: number }[]>;
};
