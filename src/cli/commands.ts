import type { Command } from "./command.ts";
import { analyze } from "./commands/analyze.ts";
import { backup } from "./commands/backup.ts";
import { call } from "./commands/call.ts";
import { createCompletion } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { docs } from "./commands/docs.ts";
import { doctor } from "./commands/doctor.ts";
import { dump } from "./commands/dump.ts";
import { exportCommand } from "./commands/export.ts";
import { createHelp } from "./commands/help.ts";
import { importCommand } from "./commands/import.ts";
import { knowledge } from "./commands/knowledge.ts";
import { ls } from "./commands/ls.ts";
import { models } from "./commands/models.ts";
import { notebook } from "./commands/notebook.ts";
import { observatory } from "./commands/observatory.ts";
import { read } from "./commands/read.ts";
import { restore } from "./commands/restore.ts";
import { search } from "./commands/search.ts";
import { serve } from "./commands/serve.ts";
import { show } from "./commands/show.ts";
import { stdio } from "./commands/stdio.ts";
import { trash } from "./commands/trash.ts";
import { verify } from "./commands/verify.ts";

/** Everything that can be typed, in the order in which help shows it. */
export const commands: readonly Command[] = [
  serve,
  stdio,
  observatory,
  ls,
  show,
  read,
  search,
  analyze,
  models,
  knowledge,
  notebook,
  exportCommand,
  importCommand,
  backup,
  dump,
  restore,
  verify,
  trash,
  doctor,
  config,
  call,
  docs,
  createCompletion(() => commands),
  createHelp(() => commands),
];
