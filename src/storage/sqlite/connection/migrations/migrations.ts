import { schema } from "./0001-schema.ts";
import { actions } from "./0002-actions.ts";
import { changesByFile } from "./0003-changes-by-file.ts";
import { capturedFiles } from "./0004-captured-files.ts";
import { settledAhead } from "./0005-settled-ahead.ts";
import { lookingBack } from "./0006-looking-back.ts";
import { agents } from "./0007-agents.ts";
import { remarks } from "./0008-remarks.ts";
import { refusedCalls } from "./0009-refused-calls.ts";
import { clearedFocus } from "./0010-cleared-focus.ts";
import { runningCalls } from "./0011-running-calls.ts";
import { notebookQueues } from "./0012-notebook-queues.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in order. Never edit a migration that another checkout may have run: add a new one. */
export const migrations: readonly Migration[] = [
  schema,
  actions,
  changesByFile,
  capturedFiles,
  settledAhead,
  lookingBack,
  agents,
  remarks,
  refusedCalls,
  clearedFocus,
  runningCalls,
  notebookQueues,
];
