import type { Command } from "./command.ts";
import { call } from "./commands/call.ts";
import { createCompletion } from "./commands/completion.ts";
import { decide, decisions } from "./commands/decisions.ts";
import { docs } from "./commands/docs.ts";
import { createHelp, version } from "./commands/help.ts";
import { note, tasks } from "./commands/memory.ts";
import { archive } from "./commands/moving/archive.ts";
import { backup, dump, restore } from "./commands/moving/backup-and-restore.ts";
import { capture } from "./commands/moving/capture.ts";
import { exportCommand } from "./commands/moving/export.ts";
import { importCommand } from "./commands/moving/import.ts";
import { move } from "./commands/moving/move.ts";
import { analyze } from "./commands/reading/analyze.ts";
import { git } from "./commands/reading/git.ts";
import { knowledge } from "./commands/reading/knowledge.ts";
import { ls } from "./commands/reading/ls.ts";
import { models } from "./commands/reading/models.ts";
import { notebook } from "./commands/reading/notebook.ts";
import { read } from "./commands/reading/read.ts";
import { recall } from "./commands/reading/recall.ts";
import { search } from "./commands/reading/search.ts";
import { show } from "./commands/reading/show.ts";
import { watch } from "./commands/reading/watch.ts";
import { why } from "./commands/reading/why.ts";
import { connect } from "./commands/serving/connect.ts";
import { observatory, open } from "./commands/serving/observatory.ts";
import { serve } from "./commands/serving/serve.ts";
import { hook, lsp, stdio } from "./commands/serving/stdio.ts";
import { config } from "./commands/upkeep/config.ts";
import { doctor } from "./commands/upkeep/doctor.ts";
import { rename, rm, tag, undelete } from "./commands/upkeep/edit-session.ts";
import { migrate } from "./commands/upkeep/migrate.ts";
import { trash } from "./commands/upkeep/trash.ts";
import { verify } from "./commands/upkeep/verify.ts";

/** All commands, in the order in which help lists them. */
export const commands: readonly Command[] = [
  serve,
  stdio,
  observatory,
  lsp,
  connect,
  hook,
  ls,
  show,
  watch,
  open,
  read,
  recall,
  search,
  why,
  git,
  analyze,
  tasks,
  decisions,
  models,
  knowledge,
  notebook,
  exportCommand,
  importCommand,
  capture,
  backup,
  dump,
  restore,
  move,
  archive,
  verify,
  rename,
  tag,
  rm,
  undelete,
  trash,
  doctor,
  migrate,
  config,
  note,
  decide,
  call,
  docs,
  createCompletion(() => commands),
  version,
  createHelp(() => commands),
];
