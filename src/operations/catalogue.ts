import { help } from "./help/help.ts";
import { deepAnalysis } from "./ledger/analysis/deep-analysis.ts";
import { bindRoot } from "./ledger/init/bind-root.ts";
import { cipher } from "./ledger/init/cipher.ts";
import { getState } from "./ledger/init/get-state.ts";
import { listRoots } from "./ledger/init/list-roots.ts";
import { listSessions } from "./ledger/init/list-sessions.ts";
import { loadContext } from "./ledger/init/load-context.ts";
import { navigate } from "./ledger/init/navigate.ts";
import { startNew } from "./ledger/init/start-new.ts";
import { knowledgeCreatePattern } from "./ledger/knowledge/knowledge-create-pattern.ts";
import { knowledgeDeletePattern } from "./ledger/knowledge/knowledge-delete-pattern.ts";
import { knowledgeDeleteScratchpad } from "./ledger/knowledge/knowledge-delete-scratchpad.ts";
import { knowledgeGetPattern } from "./ledger/knowledge/knowledge-get-pattern.ts";
import { knowledgeListPatterns } from "./ledger/knowledge/knowledge-list-patterns.ts";
import { knowledgeListScratchpad } from "./ledger/knowledge/knowledge-list-scratchpad.ts";
import { knowledgeListTags } from "./ledger/knowledge/knowledge-list-tags.ts";
import { knowledgeReadScratchpad } from "./ledger/knowledge/knowledge-read-scratchpad.ts";
import { knowledgeUpdatePattern } from "./ledger/knowledge/knowledge-update-pattern.ts";
import { knowledgeWriteScratchpad } from "./ledger/knowledge/knowledge-write-scratchpad.ts";
import { mentalModelsGetModel } from "./ledger/models/mental-models-get-model.ts";
import { mentalModelsListModels } from "./ledger/models/mental-models-list-models.ts";
import { mentalModelsListTags } from "./ledger/models/mental-models-list-tags.ts";
import { sessionAnalyze } from "./ledger/session/session-analyze.ts";
import { sessionDelete } from "./ledger/session/session-delete.ts";
import { sessionDiscovery } from "./ledger/session/session-discovery.ts";
import { sessionExport } from "./ledger/session/session-export.ts";
import { sessionExtractLearnings } from "./ledger/session/session-extract-learnings.ts";
import { sessionGet } from "./ledger/session/session-get.ts";
import { sessionImport } from "./ledger/session/session-import.ts";
import { sessionList } from "./ledger/session/session-list.ts";
import { sessionRestore } from "./ledger/session/session-restore.ts";
import { sessionResume } from "./ledger/session/session-resume.ts";
import { sessionSearch } from "./ledger/session/session-search.ts";
import { sessionUpdate } from "./ledger/session/session-update.ts";
import { sessionVerify } from "./ledger/session/session-verify.ts";
import { getStructure } from "./ledger/thought/get-structure.ts";
import { readThoughts } from "./ledger/thought/read-thoughts.ts";
import { thought } from "./ledger/thought/thought.ts";
import { branchCreate } from "./memory/branches/branch-create.ts";
import { branchDelete } from "./memory/branches/branch-delete.ts";
import { branchList } from "./memory/branches/branch-list.ts";
import { branchRename } from "./memory/branches/branch-rename.ts";
import { checkout } from "./memory/branches/checkout.ts";
import { macroBranchNote } from "./memory/branches/macro-branch-note.ts";
import { graphApply } from "./memory/graph/graph-apply.ts";
import { graphConflictResolve } from "./memory/graph/graph-conflict-resolve.ts";
import { graphConflictShow } from "./memory/graph/graph-conflict-show.ts";
import { graphConflicts } from "./memory/graph/graph-conflicts.ts";
import { graphDiff } from "./memory/graph/graph-diff.ts";
import { graphMerge } from "./memory/graph/graph-merge.ts";
import { graphQuery } from "./memory/graph/graph-query.ts";
import { graphValidate } from "./memory/graph/graph-validate.ts";
import { diff } from "./memory/notes/diff.ts";
import { docsList } from "./memory/notes/docs-list.ts";
import { merge } from "./memory/notes/merge.ts";
import { notesCommit } from "./memory/notes/notes-commit.ts";
import { open } from "./memory/notes/open.ts";
import { show } from "./memory/notes/show.ts";
import { commit } from "./memory/vcs/commit.ts";
import { log } from "./memory/vcs/log.ts";
import { reflog } from "./memory/vcs/reflog.ts";
import { reset } from "./memory/vcs/reset.ts";
import { tagCreate } from "./memory/vcs/tag-create.ts";
import { tagDelete } from "./memory/vcs/tag-delete.ts";
import { tagList } from "./memory/vcs/tag-list.ts";
import { diagnostics } from "./memory/workspace/diagnostics.ts";
import { init } from "./memory/workspace/init.ts";
import { status } from "./memory/workspace/status.ts";
import type { Operation } from "./pipeline/operation.ts";

/** Everything Thoughtbox can do, in the order in which help and docs show it. */
export const catalogue: readonly Operation[] = [
  getState,
  startNew,
  loadContext,
  listSessions,
  navigate,
  listRoots,
  bindRoot,
  cipher,
  thought,
  readThoughts,
  getStructure,
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
  deepAnalysis,
  mentalModelsGetModel,
  mentalModelsListModels,
  mentalModelsListTags,
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
  help,
  init,
  status,
  diagnostics,
  notesCommit,
  show,
  macroBranchNote,
  branchCreate,
  branchList,
  branchRename,
  branchDelete,
  checkout,
  docsList,
  commit,
  log,
  tagCreate,
  tagList,
  tagDelete,
  reflog,
  reset,
  diff,
  merge,
  open,
  graphApply,
  graphQuery,
  graphValidate,
  graphDiff,
  graphMerge,
  graphConflicts,
  graphConflictShow,
  graphConflictResolve,
];
