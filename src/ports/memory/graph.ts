import type { GraphVersion } from "../../domain/memory/graph.ts";
import type {
  Conflict,
  ConflictStatus,
  GraphMerge,
  GraphMergeOutcome,
  GraphPlace,
} from "../../domain/memory/steps/outcomes.ts";
import type { WantedFacets } from "../../domain/memory/views/card-facets.ts";

/** After the write of that number, or at that time. */
export type GraphMoment = { seq: number; ms?: undefined } | { seq?: undefined; ms: number };

export type NodeQuery = GraphPlace & {
  ids?: readonly string[] | undefined;
  types?: readonly string[] | undefined;
  status?: string | undefined;
  tagsAny?: readonly string[] | undefined;
  tagsAll?: readonly string[] | undefined;
  /** Words that title or text contain. */
  text?: string | undefined;
  facets?: WantedFacets | undefined;
  includeDeleted: boolean;
  /** The graph as it was then; without, as it is. Only `queryGraph` looks back. */
  asOf?: GraphMoment | undefined;
  before?: number | undefined;
  limit: number;
};

export type NodePage = { nodes: GraphVersion[]; hasMore: boolean };

export type EdgeQuery = GraphPlace & {
  ids: readonly string[];
  /** `among`: both ends are. `touching`: one of them is. `into`: the edge leads to one of them. */
  ends: "among" | "touching" | "into";
  before?: number | undefined;
  limit: number;
};

/** Which edges go with a page of nodes: those between them, or all at the nodes that `touching` names, or all that lead `into` some. */
export type EdgesBeside = {
  touching?: readonly string[] | undefined;
  into?: readonly string[] | undefined;
  before?: number | undefined;
  limit: number;
};

export type WordOptions = { limit: number; earlier: boolean };

export type NodeWithWords = {
  node: GraphVersion & { kind: "node" };
  place: GraphPlace;
  /** A conflict about it waits for a decision. */
  conflict: boolean;
  superseded: boolean;
};

export type VersionsQuery = {
  id: string;
  /** Only of this document. */
  doc?: string | undefined;
  before?: number | undefined;
  limit: number;
};

/** A version with the place it was written to, and by whom if that is known. */
export type WrittenVersion = { version: GraphVersion; place: GraphPlace; agent?: string | undefined };

/** `total` counts up to `maxCountedEdges`. */
export type EdgePage = { edges: GraphVersion[]; total: number; hasMore: boolean };

/** Counting more would delay other calls. */
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
  /** Edges of which an end is missing, at most as many as were asked for. */
  dangling: { edge: GraphVersion; missing: string[] }[];
  danglingTotal: number;
};

export type MergeOptions = {
  /** Cancels a merge whose caller has left, without leaving anything behind. */
  signal?: AbortSignal | undefined;
  /** Called with how many keys of a large merge are done, and how many there are once that is known. */
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
  /** Newest first. */
  queryNodes(workspace: string, query: NodeQuery): Promise<NodePage>;
  /** Nodes with the edges that go with them, both newest first and of one moment. */
  queryGraph(
    workspace: string,
    query: NodeQuery,
    edges: EdgesBeside,
  ): Promise<NodePage & { edges: EdgePage }>;
  /** Live edges with both ends among `ids`, newest first. */
  edgesAmong(
    workspace: string,
    place: GraphPlace,
    ids: readonly string[],
    limit: number,
  ): Promise<GraphVersion[]>;
  /** Live edges, newest first. */
  queryEdges(workspace: string, query: EdgeQuery): Promise<EdgePage>;
  /**
   * The node as the branch shows it, in whichever document, else its newest version anywhere; with the newest of its
   * edges, at most so many.
   */
  findNode(
    workspace: string,
    branch: string,
    id: string,
    edgesLimit: number,
  ): Promise<{ node: GraphVersion; place: GraphPlace; edges: EdgePage } | undefined>;
  /** The version that was written at this seq, whatever came after it; not what a deleted branch hides. */
  readVersion(
    workspace: string,
    seq: number,
  ): Promise<{ version: GraphVersion; place: GraphPlace } | undefined>;
  /**
   * For each word, as the index stores it, the newest nodes that contain it and are current on an existing branch: at most
   * `limit`. With `earlier` the newest versions that another one superseded are among them, whatever they say.
   */
  findWords(workspace: string, words: readonly string[], options: WordOptions): Promise<NodeWithWords[]>;
  /** Every version of a node on the branches that are there, newest first. */
  listVersions(
    workspace: string,
    query: VersionsQuery,
  ): Promise<{ versions: WrittenVersion[]; hasMore: boolean }>;
  /** States of `to` that differ from `from`, newest first. */
  diffGraph(workspace: string, difference: GraphDifference): Promise<GraphChanges>;
  /** Looks at every edge, of a large graph in turns; `signal` ends it. */
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
  /** Where conflicts wait for a decision, the most of them first. */
  countOpenConflicts(workspace: string): Promise<{ into: string; doc: string; open: number }[]>;
};
