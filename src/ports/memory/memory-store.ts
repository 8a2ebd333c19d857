import type { Once } from "../../domain/ledger/requests.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../domain/memory/steps/outcomes.ts";
import type { MemoryStep, Outcomes } from "../../domain/memory/steps/step.ts";
import type { AnchorReads } from "./anchors.ts";
import type { BoardReads } from "./board.ts";
import type { DocumentReads } from "./documents.ts";
import type { GraphReads, MergeOptions } from "./graph.ts";
import type { RefReads } from "./refs.ts";
import type { TaskReads } from "./tasks.ts";
import type { CardReads } from "./thinking.ts";
import type { WorkspaceReads } from "./workspaces.ts";

export type CommitOptions = {
  at: Date;
  once?: Once | undefined;
  /** Binds the workspace to a project at its first write. */
  projectGuard?: string | undefined;
};

/** Notes, branches and graphs of all workspaces. Reads cost their page; writes are steps of one transaction. */
export type MemoryStore = WorkspaceReads &
  DocumentReads &
  GraphReads &
  RefReads &
  CardReads &
  AnchorReads &
  TaskReads &
  BoardReads & {
    /**
     * Does the steps in order, all or none: what a later one refuses, the earlier ones have not done either.
     * Creates the workspace with its branch `main` where it is new.
     */
    commit<const Steps extends readonly MemoryStep[]>(
      workspace: string,
      steps: Steps,
      options: CommitOptions,
    ): Promise<Outcomes<Steps>>;
    /**
     * The step `merge_graph` for any number of keys: readers see all of it or nothing, and nobody waits long meanwhile.
     * Fails with CONFLICT where the branches change faster than they can be merged.
     */
    mergeGraph(
      workspace: string,
      merge: GraphMerge,
      options: CommitOptions & MergeOptions,
    ): Promise<GraphMergeOutcome>;
  };
