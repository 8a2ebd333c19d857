import type { MemoryStore } from "../../../ports/memory/memory-store.ts";
import type { Pagination } from "../../wire-memory.ts";
import { type Ask, wholeAnswer } from "../answer.ts";

/** `workspace` is the default for calls that do not name one. */
export type MemorySource = {
  ask: Ask;
  workspace: string;
  /** The workspaces that the operator named, whether or not they are used. */
  workspaces: readonly string[];
  /** Workspaces in use that a call could name, most recently written first. */
  listWorkspaces(own: string): Promise<string[]>;
  /**
   * All steps of a task, including done ones. Call only after an operation has checked that the workspace may be read.
   */
  readSteps: MemoryStore["readSteps"];
  /** Call only after an operation has checked that the workspace may be read. */
  readOverview: MemoryStore["readOverview"];
  listHeard: MemoryStore["listHeard"];
  queryNodes: MemoryStore["queryNodes"];
  listNotes: MemoryStore["listNotes"];
  listDocs: MemoryStore["listDocs"];
  linkedCards: MemoryStore["linkedCards"];
  mask(text: string): string;
};

export const plainEdge = ({ from, rel, to }: { from: string; rel: string; to: string }) => ({
  from,
  rel,
  to,
});

export async function askGraph<Node, Edge>(
  ask: Ask,
  args: Record<string, unknown>,
): Promise<{ branch: string; doc: string; nodes: Node[]; edges: Edge[]; pagination: Pagination }> {
  const found = await ask("graph_query", { ...args, limit: 200, edges_limit: 1_000, ...wholeAnswer });
  return found as Awaited<ReturnType<typeof askGraph<Node, Edge>>>;
}
