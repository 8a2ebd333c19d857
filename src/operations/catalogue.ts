import { help } from "./help/help.ts";
import { deepAnalysis } from "./ledger/analysis/deep-analysis.ts";
import { initOperations } from "./ledger/init/init-operations.ts";
import { knowledgeOperations } from "./ledger/knowledge/knowledge-operations.ts";
import { modelsOperations } from "./ledger/models/models-operations.ts";
import { notebookOperations } from "./ledger/notebook/notebook-operations.ts";
import { sessionOperations } from "./ledger/session/session-operations.ts";
import { thoughtOperations } from "./ledger/thought/thought-operations.ts";
import { anchorsOperations } from "./memory/anchors/anchors-operations.ts";
import { branchesOperations } from "./memory/branches/branches-operations.ts";
import { cardsOperations } from "./memory/cards/cards-operations.ts";
import { graphOperations } from "./memory/graph/graph-operations.ts";
import { jobsOperations } from "./memory/jobs/jobs-operations.ts";
import { leasesOperations } from "./memory/leases/leases-operations.ts";
import { notesOperations } from "./memory/notes/notes-operations.ts";
import { packsOperations } from "./memory/packs/packs-operations.ts";
import { tasksOperations } from "./memory/tasks/tasks-operations.ts";
import { thinkOperations } from "./memory/think/think-operations.ts";
import { traceOperations } from "./memory/trace/trace-operations.ts";
import { transcriptsOperations } from "./memory/transcripts/transcripts-operations.ts";
import { vcsOperations } from "./memory/vcs/vcs-operations.ts";
import { workspaceOperations } from "./memory/workspace/workspace-operations.ts";
import type { Operation } from "./pipeline/operation.ts";

/** Everything Thoughtbox can do, in the order in which help and docs show it. */
export const catalogue: readonly Operation[] = [
  ...initOperations,
  ...thoughtOperations,
  ...sessionOperations,
  deepAnalysis,
  ...modelsOperations,
  ...knowledgeOperations,
  ...notebookOperations,
  help,
  ...workspaceOperations,
  ...notesOperations,
  ...branchesOperations,
  ...vcsOperations,
  ...graphOperations,
  ...tasksOperations,
  ...leasesOperations,
  ...jobsOperations,
  ...cardsOperations,
  ...thinkOperations,
  ...packsOperations,
  ...transcriptsOperations,
  ...traceOperations,
  ...anchorsOperations,
];
