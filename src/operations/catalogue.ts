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
import { sessionExport } from "./session/session-export.ts";
import { sessionSearch } from "./session/session-search.ts";
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
  sessionSearch,
  sessionExport,
  sessionVerify,
  help,
];
