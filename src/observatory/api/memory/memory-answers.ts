import type {
  BranchesAnswer,
  GraphAnswer,
  MemoryEdge,
  MemoryNode,
  WorkspacesAnswer,
} from "../../wire-memory.ts";
import type { Query } from "../query.ts";
import { answerCards, answerSignals } from "./card-answers.ts";
import { answerConflicts } from "./conflict-answers.ts";
import { askGraph, type MemorySource, plainEdge, wholeAnswer } from "./memory-source.ts";
import { nearNodes } from "./near-nodes.ts";
import { answerTasks } from "./task-answers.ts";

/** `/api/memory/{name}`; `undefined` for a name that nothing answers to. Locks and masks are the operations' own. */
export async function answerMemory(source: MemorySource, name: string, query: Query): Promise<unknown> {
  switch (name) {
    case "workspaces":
      return answerWorkspaces(source);
    case "branches":
      return answerBranches(source, query);
    case "tasks":
      return answerTasks(source, query);
    case "cards":
      return answerCards(source, query);
    case "signals":
      return answerSignals(source, query);
    case "graph":
      return answerGraph(source, query);
    case "conflicts":
      return answerConflicts(source, query);
    default:
      return undefined;
  }
}

async function answerWorkspaces(source: MemorySource): Promise<WorkspacesAnswer> {
  const { workspace, workspaces } = source;
  const inUse = await source.listWorkspaces(workspace);
  return { workspaces: [...new Set([...inUse, workspace, ...workspaces])], inUse, current: workspace };
}

async function answerBranches({ ask }: MemorySource, query: Query): Promise<BranchesAnswer> {
  const { workspace, checkout, branches, pagination } = (await ask("branch_list", {
    workspace: query.text("workspace"),
    cursor: query.text("cursor"),
    limit: 200,
    ...wholeAnswer,
  })) as Omit<BranchesAnswer, "checkout"> & { checkout: string | null };
  return { workspace, ...(checkout !== null && { checkout }), branches, pagination };
}

async function answerGraph({ ask, workspace: own }: MemorySource, query: Query): Promise<GraphAnswer> {
  const cursor = query.number("cursor", { min: 0, max: Number.MAX_SAFE_INTEGER, standard: 0 });
  const found = await askGraph<MemoryNode, MemoryEdge>(ask, {
    workspace: query.text("workspace"),
    branch: query.text("branch"),
    doc: query.text("doc"),
    cursor: cursor === 0 ? undefined : cursor,
  });
  const { branch, doc, pagination } = found;
  const workspace = query.text("workspace") ?? own;
  const id = query.text("id");
  const steps = query.number("steps", { min: 1, max: 3, standard: 2 });
  const { nodes, edges } = id === undefined ? found : nearNodes(found, id, steps);
  return { workspace, branch, doc, nodes, edges: edges.map(plainEdge), pagination };
}
