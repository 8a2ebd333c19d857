import { ledger } from "./0001-ledger.ts";
import { projection } from "./0002-projection.ts";
import { knowledgeAndCritiques } from "./0003-knowledge-and-critiques.ts";
import { memory } from "./0004-memory.ts";
import { sessionListing } from "./0005-session-listing.ts";
import { workspaceChanges } from "./0006-workspace-changes.ts";
import { search } from "./0007-search.ts";
import { settledMerges } from "./0008-settled-merges.ts";
import { notebooks } from "./0009-notebooks.ts";
import { thinking } from "./0010-thinking.ts";
import { stagedMerges } from "./0011-staged-merges.ts";
import { anchors } from "./0012-anchors.ts";
import { mergeMarks } from "./0013-merge-marks.ts";
import { evidenceRuns } from "./0014-evidence-runs.ts";
import { graphShortcuts } from "./0015-graph-shortcuts.ts";
import { leanAppends } from "./0016-lean-appends.ts";
import { leanNotes } from "./0017-lean-notes.ts";
import { conversations } from "./0018-conversations.ts";
import type { Migration } from "./migration.ts";

/** In the order of their numbers. Never edit one that was released: add another. */
export const migrations: readonly Migration[] = [
  ledger,
  projection,
  knowledgeAndCritiques,
  memory,
  sessionListing,
  workspaceChanges,
  search,
  settledMerges,
  notebooks,
  thinking,
  stagedMerges,
  anchors,
  mergeMarks,
  evidenceRuns,
  graphShortcuts,
  leanAppends,
  leanNotes,
  conversations,
];
