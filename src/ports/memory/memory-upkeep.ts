export type MemoryInspection = {
  workspaces: number;
  branches: number;
  entries: number;
  /** Versions of nodes and edges, the superseded ones too. */
  versions: number;
  /** Sentences about what does not fit together; empty when all does. */
  problems: string[];
  /** Nodes that full-text search ought to know and does not. */
  lackingWords: number;
  /** Workspaces of which a restore was interrupted. Nobody sees them; the next restore begins anew. */
  unfinished: string[];
};

export interface MemoryUpkeep {
  /** Looks at every row once, so a large memory takes its time. */
  inspectMemory(signal?: AbortSignal): Promise<MemoryInspection>;
}
