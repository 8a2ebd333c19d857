import { deepAnalysis } from "./analysis/deep-analysis.ts";
import type { Operation } from "./define.ts";
import { help } from "./help/help.ts";
import { bindRoot } from "./init/bind-root.ts";
import { cipher } from "./init/cipher.ts";
import { getState } from "./init/get-state.ts";
import { listRoots } from "./init/list-roots.ts";
import { listSessions } from "./init/list-sessions.ts";
import { loadContext } from "./init/load-context.ts";
import { navigate } from "./init/navigate.ts";
import { startNew } from "./init/start-new.ts";
import { knowledgeCreatePattern } from "./knowledge/knowledge-create-pattern.ts";
import { knowledgeDeletePattern } from "./knowledge/knowledge-delete-pattern.ts";
import { knowledgeDeleteScratchpad } from "./knowledge/knowledge-delete-scratchpad.ts";
import { knowledgeGetPattern } from "./knowledge/knowledge-get-pattern.ts";
import { knowledgeListPatterns } from "./knowledge/knowledge-list-patterns.ts";
import { knowledgeListScratchpad } from "./knowledge/knowledge-list-scratchpad.ts";
import { knowledgeListTags } from "./knowledge/knowledge-list-tags.ts";
import { knowledgeReadScratchpad } from "./knowledge/knowledge-read-scratchpad.ts";
import { knowledgeUpdatePattern } from "./knowledge/knowledge-update-pattern.ts";
import { knowledgeWriteScratchpad } from "./knowledge/knowledge-write-scratchpad.ts";
import { branchCreate } from "./memory/branches/branch-create.ts";
import { branchDelete } from "./memory/branches/branch-delete.ts";
import { branchList } from "./memory/branches/branch-list.ts";
import { branchRename } from "./memory/branches/branch-rename.ts";
import { checkout } from "./memory/branches/checkout.ts";
import { macroBranchNote } from "./memory/branches/macro-branch-note.ts";
import { diagnostics } from "./memory/docs/diagnostics.ts";
import { diff } from "./memory/docs/diff.ts";
import { docsList } from "./memory/docs/docs-list.ts";
import { init } from "./memory/docs/init.ts";
import { merge } from "./memory/docs/merge.ts";
import { notesCommit } from "./memory/docs/notes-commit.ts";
import { open } from "./memory/docs/open.ts";
import { show } from "./memory/docs/show.ts";
import { status } from "./memory/docs/status.ts";
import { graphApply } from "./memory/graph/graph-apply.ts";
import { graphConflictResolve } from "./memory/graph/graph-conflict-resolve.ts";
import { graphConflictShow } from "./memory/graph/graph-conflict-show.ts";
import { graphConflicts } from "./memory/graph/graph-conflicts.ts";
import { graphDiff } from "./memory/graph/graph-diff.ts";
import { graphMerge } from "./memory/graph/graph-merge.ts";
import { graphQuery } from "./memory/graph/graph-query.ts";
import { graphValidate } from "./memory/graph/graph-validate.ts";
import { commit } from "./memory/vcs/commit.ts";
import { log } from "./memory/vcs/log.ts";
import { reflog } from "./memory/vcs/reflog.ts";
import { reset } from "./memory/vcs/reset.ts";
import { tagCreate } from "./memory/vcs/tag-create.ts";
import { tagDelete } from "./memory/vcs/tag-delete.ts";
import { tagList } from "./memory/vcs/tag-list.ts";
import { mentalModelsGetModel } from "./models/mental-models-get-model.ts";
import { mentalModelsListModels } from "./models/mental-models-list-models.ts";
import { mentalModelsListTags } from "./models/mental-models-list-tags.ts";
import { sessionAnalyze } from "./session/session-analyze.ts";
import { sessionDelete } from "./session/session-delete.ts";
import { sessionDiscovery } from "./session/session-discovery.ts";
import { sessionExport } from "./session/session-export.ts";
import { sessionExtractLearnings } from "./session/session-extract-learnings.ts";
import { sessionGet } from "./session/session-get.ts";
import { sessionImport } from "./session/session-import.ts";
import { sessionList } from "./session/session-list.ts";
import { sessionRestore } from "./session/session-restore.ts";
import { sessionResume } from "./session/session-resume.ts";
import { sessionSearch } from "./session/session-search.ts";
import { sessionUpdate } from "./session/session-update.ts";
import { sessionVerify } from "./session/session-verify.ts";
import { getStructure } from "./thought/get-structure.ts";
import { readThoughts } from "./thought/read-thoughts.ts";
import { thought } from "./thought/thought.ts";

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
