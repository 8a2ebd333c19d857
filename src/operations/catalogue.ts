import { help } from "./help/help.ts";
import { deepAnalysis } from "./ledger/analysis/deep-analysis.ts";
import { cipher } from "./ledger/init/cipher.ts";
import { getState } from "./ledger/init/get-state.ts";
import { loadContext } from "./ledger/init/load-context.ts";
import { navigate } from "./ledger/init/navigate.ts";
import { bindRoot, listRoots } from "./ledger/init/roots.ts";
import { startNew } from "./ledger/init/start-new.ts";
import { knowledgeListTags, knowledgeRestore } from "./ledger/knowledge/knowledge.ts";
import {
  knowledgeCreatePattern,
  knowledgeDeletePattern,
  knowledgeGetPattern,
  knowledgeListPatterns,
  knowledgeUpdatePattern,
} from "./ledger/knowledge/knowledge-pattern.ts";
import {
  knowledgeDeleteScratchpad,
  knowledgeListScratchpad,
  knowledgeReadScratchpad,
  knowledgeWriteScratchpad,
} from "./ledger/knowledge/knowledge-scratchpad.ts";
import {
  mentalModelsGetModel,
  mentalModelsListModels,
  mentalModelsListTags,
} from "./ledger/models/mental-models.ts";
import {
  notebookAddCell,
  notebookDeleteCell,
  notebookListCells,
  notebookMoveCell,
  notebookRestoreCell,
  notebookUpdateCell,
} from "./ledger/notebook/cells/notebook-cell.ts";
import { notebookGetCell } from "./ledger/notebook/cells/notebook-get-cell.ts";
import {
  notebookCreate,
  notebookDelete,
  notebookList,
  notebookLoad,
  notebookRestore,
} from "./ledger/notebook/notebook.ts";
import { notebookExport } from "./ledger/notebook/notebook-export.ts";
import { notebookInstallDeps } from "./ledger/notebook/running/notebook-install-deps.ts";
import { notebookRunAll } from "./ledger/notebook/running/notebook-run-all.ts";
import { notebookRunCell } from "./ledger/notebook/running/notebook-run-cell.ts";
import { listSessions, sessionList } from "./ledger/session/list-sessions.ts";
import {
  sessionAnalyze,
  sessionDelete,
  sessionGet,
  sessionRestore,
  sessionResume,
  sessionUpdate,
} from "./ledger/session/session.ts";
import { sessionDiscovery } from "./ledger/session/session-discovery.ts";
import { sessionExport } from "./ledger/session/session-export.ts";
import { sessionExtractLearnings } from "./ledger/session/session-extract-learnings.ts";
import { sessionImport } from "./ledger/session/session-import.ts";
import { sessionSearch } from "./ledger/session/session-search.ts";
import { sessionVerify } from "./ledger/session/session-verify.ts";
import { branchClose } from "./ledger/thought/branch-close.ts";
import { getStructure } from "./ledger/thought/get-structure.ts";
import { readActions } from "./ledger/thought/read-actions.ts";
import { readThoughts } from "./ledger/thought/read-thoughts.ts";
import { remark } from "./ledger/thought/remark.ts";
import { thought } from "./ledger/thought/thought.ts";
import {
  anchorSnapshot,
  anchorsExport,
  anchorsLint,
  anchorsList,
  anchorsMerge,
  anchorsRename,
} from "./memory/anchors/anchors.ts";
import { macroAnchorNote } from "./memory/anchors/macro-anchor-note.ts";
import {
  branchCreate,
  branchDelete,
  branchList,
  branchRename,
  branchRestore,
} from "./memory/branches/branch.ts";
import { checkout } from "./memory/branches/checkout.ts";
import { macroBranchNote } from "./memory/branches/macro-branch-note.ts";
import {
  thinkAddDecision,
  thinkAddEvidence,
  thinkAddFrame,
  thinkAddHypothesis,
  thinkAddNote,
  thinkAddQuestion,
  thinkAddTest,
  thinkAddUpdate,
} from "./memory/cards/think-add.ts";
import { thinkCard } from "./memory/cards/think-card.ts";
import { thinkImport } from "./memory/cards/think-import.ts";
import { thinkPipeline } from "./memory/cards/think-pipeline.ts";
import { thinkTemplate } from "./memory/cards/think-template.ts";
import { decide } from "./memory/decisions/decide.ts";
import { decisions } from "./memory/decisions/decisions.ts";
import { gitScan, gitTrailer } from "./memory/git/git.ts";
import { graphApply, graphDiff, graphValidate } from "./memory/graph/graph.ts";
import { graphConflictResolve, graphConflictShow, graphConflicts } from "./memory/graph/graph-conflict.ts";
import { graphMerge } from "./memory/graph/graph-merge.ts";
import { graphQuery } from "./memory/graph/graph-query.ts";
import { versions } from "./memory/graph/versions.ts";
import { walk } from "./memory/graph/walk.ts";
import { beforeAction } from "./memory/hooks/before-action.ts";
import { sessionBegin } from "./memory/hooks/session-begin.ts";
import { sessionCapture } from "./memory/hooks/session-capture.ts";
import {
  tasksJobsClaim,
  tasksJobsComplete,
  tasksJobsCreate,
  tasksJobsList,
  tasksJobsMessage,
  tasksJobsOpen,
  tasksJobsReport,
  tasksJobsRequeue,
} from "./memory/jobs/tasks-jobs.ts";
import { tasksRunnerHeartbeat } from "./memory/jobs/tasks-runner-heartbeat.ts";
import {
  tasksStepLeaseClaim,
  tasksStepLeaseGet,
  tasksStepLeaseRelease,
  tasksStepLeaseRenew,
} from "./memory/leases/tasks-step-lease.ts";
import { diff } from "./memory/notes/diff.ts";
import { docsList } from "./memory/notes/docs-list.ts";
import { merge } from "./memory/notes/merge.ts";
import { notesCommit } from "./memory/notes/notes-commit.ts";
import { open } from "./memory/notes/open.ts";
import { show } from "./memory/notes/show.ts";
import { contextPack, contextPackExport } from "./memory/packs/context-pack.ts";
import { exportOperation } from "./memory/packs/export.ts";
import { thinkContext } from "./memory/packs/think-context.ts";
import { thinkFrontier } from "./memory/packs/think-frontier.ts";
import { thinkNext } from "./memory/packs/think-next.ts";
import { thinkPack } from "./memory/packs/think-pack.ts";
import { thinkWatch } from "./memory/packs/think-watch.ts";
import { recall } from "./memory/recall/recall.ts";
import {
  tasksCloseStep,
  tasksDecompose,
  tasksDefine,
  tasksDone,
  tasksVerify,
} from "./memory/tasks/steps/define-step-change.ts";
import { tasksComplete, tasksCreate, tasksDelta, tasksEdit, tasksNote } from "./memory/tasks/tasks.ts";
import { tasksContext } from "./memory/tasks/tasks-context.ts";
import { tasksFocusClear, tasksFocusGet, tasksFocusSet } from "./memory/tasks/tasks-focus.ts";
import { tasksRadar } from "./memory/tasks/tasks-radar.ts";
import { tasksResumeSuper } from "./memory/tasks/tasks-resume-super.ts";
import { thinkLink } from "./memory/think/think-link.ts";
import { thinkLint } from "./memory/think/think-lint.ts";
import { thinkNominalMerge } from "./memory/think/think-nominal-merge.ts";
import { thinkPin, thinkPins } from "./memory/think/think-pin.ts";
import { thinkPlaybook } from "./memory/think/think-playbook.ts";
import { thinkPublish } from "./memory/think/think-publish.ts";
import { thinkQuery } from "./memory/think/think-query.ts";
import { thinkSetStatus } from "./memory/think/think-set-status.ts";
import { thinkSubgoalClose, thinkSubgoalOpen } from "./memory/think/think-subgoal.ts";
import { traceHydrate } from "./memory/trace/trace-hydrate.ts";
import { traceSequentialStep, traceStep } from "./memory/trace/trace-step.ts";
import { traceValidate } from "./memory/trace/trace-validate.ts";
import { transcriptsDigest } from "./memory/transcripts/transcripts-digest.ts";
import { transcriptsImport } from "./memory/transcripts/transcripts-import.ts";
import { transcriptsOpen } from "./memory/transcripts/transcripts-open.ts";
import { transcriptsSearch } from "./memory/transcripts/transcripts-search.ts";
import { commit } from "./memory/vcs/commit.ts";
import { log } from "./memory/vcs/log.ts";
import { reflog } from "./memory/vcs/reflog.ts";
import { reset } from "./memory/vcs/reset.ts";
import { tagCreate, tagDelete, tagList } from "./memory/vcs/tag.ts";
import { why } from "./memory/why/why.ts";
import { whyFile } from "./memory/why/why-file.ts";
import { whySession } from "./memory/why/why-session.ts";
import { changes } from "./memory/workspace/changes.ts";
import { diagnostics } from "./memory/workspace/diagnostics.ts";
import { init } from "./memory/workspace/init.ts";
import { status } from "./memory/workspace/status.ts";
import type { Operation } from "./pipeline/operation.ts";

const initOperations: readonly Operation[] = [
  getState,
  startNew,
  loadContext,
  listSessions,
  navigate,
  listRoots,
  bindRoot,
  cipher,
];

const thoughtOperations: readonly Operation[] = [
  thought,
  readThoughts,
  getStructure,
  branchClose,
  readActions,
  remark,
];

const sessionOperations: readonly Operation[] = [
  sessionList,
  sessionGet,
  sessionSearch,
  sessionResume,
  sessionExport,
  sessionImport,
  sessionAnalyze,
  sessionExtractLearnings,
  sessionDiscovery,
  sessionUpdate,
  sessionDelete,
  sessionRestore,
  sessionVerify,
];

const hookOperations: readonly Operation[] = [sessionBegin, sessionCapture, beforeAction];

const modelsOperations: readonly Operation[] = [
  mentalModelsGetModel,
  mentalModelsListModels,
  mentalModelsListTags,
];

const knowledgeOperations: readonly Operation[] = [
  knowledgeCreatePattern,
  knowledgeGetPattern,
  knowledgeUpdatePattern,
  knowledgeDeletePattern,
  knowledgeListPatterns,
  knowledgeListTags,
  knowledgeWriteScratchpad,
  knowledgeReadScratchpad,
  knowledgeListScratchpad,
  knowledgeDeleteScratchpad,
  knowledgeRestore,
];

const notebookOperations: readonly Operation[] = [
  notebookCreate,
  notebookList,
  notebookLoad,
  notebookAddCell,
  notebookUpdateCell,
  notebookMoveCell,
  notebookDeleteCell,
  notebookRestoreCell,
  notebookGetCell,
  notebookListCells,
  notebookRunCell,
  notebookRunAll,
  notebookInstallDeps,
  notebookExport,
  notebookDelete,
  notebookRestore,
];

const workspaceOperations: readonly Operation[] = [init, status, changes, diagnostics];

const notesOperations: readonly Operation[] = [notesCommit, show, docsList, diff, merge, open];

const branchesOperations: readonly Operation[] = [
  macroBranchNote,
  branchCreate,
  branchList,
  branchRename,
  branchDelete,
  branchRestore,
  checkout,
];

const vcsOperations: readonly Operation[] = [commit, log, tagCreate, tagList, tagDelete, reflog, reset];

const graphOperations: readonly Operation[] = [
  graphApply,
  graphQuery,
  graphValidate,
  versions,
  walk,
  graphDiff,
  graphMerge,
  graphConflicts,
  graphConflictShow,
  graphConflictResolve,
];

const tasksOperations: readonly Operation[] = [
  tasksCreate,
  tasksDecompose,
  tasksDefine,
  tasksEdit,
  tasksNote,
  tasksVerify,
  tasksDone,
  tasksCloseStep,
  tasksComplete,
  tasksFocusSet,
  tasksFocusGet,
  tasksFocusClear,
  tasksRadar,
  tasksContext,
  tasksDelta,
  tasksResumeSuper,
];

const leasesOperations: readonly Operation[] = [
  tasksStepLeaseClaim,
  tasksStepLeaseGet,
  tasksStepLeaseRenew,
  tasksStepLeaseRelease,
];

const jobsOperations: readonly Operation[] = [
  tasksJobsCreate,
  tasksJobsList,
  tasksJobsOpen,
  tasksJobsClaim,
  tasksJobsReport,
  tasksJobsComplete,
  tasksJobsMessage,
  tasksJobsRequeue,
  tasksRunnerHeartbeat,
];

const cardsOperations: readonly Operation[] = [
  thinkTemplate,
  thinkCard,
  thinkPipeline,
  thinkAddFrame,
  thinkAddHypothesis,
  thinkAddQuestion,
  thinkAddTest,
  thinkAddEvidence,
  thinkAddDecision,
  thinkAddNote,
  thinkAddUpdate,
  thinkImport,
];

const thinkOperations: readonly Operation[] = [
  thinkQuery,
  thinkLink,
  thinkSetStatus,
  thinkPin,
  thinkPins,
  thinkPublish,
  thinkNominalMerge,
  thinkLint,
  thinkSubgoalOpen,
  thinkSubgoalClose,
  thinkPlaybook,
];

const decisionsOperations: readonly Operation[] = [decide, decisions];

const packsOperations: readonly Operation[] = [
  thinkContext,
  thinkFrontier,
  thinkNext,
  thinkPack,
  thinkWatch,
  contextPack,
  contextPackExport,
  exportOperation,
];

const transcriptsOperations: readonly Operation[] = [
  transcriptsSearch,
  transcriptsOpen,
  transcriptsDigest,
  transcriptsImport,
  recall,
  why,
  whyFile,
  whySession,
  gitScan,
  gitTrailer,
];

const traceOperations: readonly Operation[] = [traceStep, traceSequentialStep, traceHydrate, traceValidate];

const anchorsOperations: readonly Operation[] = [
  macroAnchorNote,
  anchorsList,
  anchorSnapshot,
  anchorsExport,
  anchorsRename,
  anchorsMerge,
  anchorsLint,
];

/** Every operation, in the order in which help and docs list them. */
export const catalogue: readonly Operation[] = [
  ...initOperations,
  ...thoughtOperations,
  ...sessionOperations,
  deepAnalysis,
  ...hookOperations,
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
  ...decisionsOperations,
  ...thinkOperations,
  ...packsOperations,
  ...transcriptsOperations,
  ...traceOperations,
  ...anchorsOperations,
];
