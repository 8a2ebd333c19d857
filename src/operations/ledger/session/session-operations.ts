import type { Operation } from "../../pipeline/operation.ts";
import { sessionGet } from "./session.ts";
import { sessionAnalyze } from "./session-analyze.ts";
import { sessionDelete } from "./session-delete.ts";
import { sessionDiscovery } from "./session-discovery.ts";
import { sessionExport } from "./session-export.ts";
import { sessionExtractLearnings } from "./session-extract-learnings.ts";
import { sessionImport } from "./session-import.ts";
import { sessionList } from "./session-list.ts";
import { sessionRestore } from "./session-restore.ts";
import { sessionResume } from "./session-resume.ts";
import { sessionSearch } from "./session-search.ts";
import { sessionUpdate } from "./session-update.ts";
import { sessionVerify } from "./session-verify.ts";

/** In the order in which help and docs show them. */
export const sessionOperations: readonly Operation[] = [
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
