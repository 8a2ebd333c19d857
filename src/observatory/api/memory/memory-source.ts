import { maxAnswerChars } from "../../../operations/pipeline/fit/budget.ts";
import type { MemoryStore } from "../../../ports/memory/memory-store.ts";
import type { Pagination } from "../../wire-memory.ts";
import type { Ask } from "../answer.ts";

/** `workspace` is the one of calls that name none. */
export type MemorySource = {
  ask: Ask;
  workspace: string;
  /** Those that the operator named, used or not. */
  workspaces: readonly string[];
  /** Those in use that a call could name, the last written first. */
  listWorkspaces(own: string): Promise<string[]>;
  /** All steps of a task, done ones too; of a workspace that an operation has answered for. */
  readSteps: MemoryStore["readSteps"];
  mask(text: string): string;
};

/** As many characters as an operation gives at most. */
export const wholeAnswer = { max_chars: maxAnswerChars };

export const plainEdge = ({ from, rel, to }: { from: string; rel: string; to: string }) => ({
  from,
  rel,
  to,
});

/** A page of a graph. */
export async function askGraph<Node, Edge>(
  ask: Ask,
  args: Record<string, unknown>,
): Promise<{ branch: string; doc: string; nodes: Node[]; edges: Edge[]; pagination: Pagination }> {
  const found = await ask("graph_query", { ...args, limit: 200, edges_limit: 1_000, ...wholeAnswer });
  return found as Awaited<ReturnType<typeof askGraph<Node, Edge>>>;
}
