import type { Operation } from "../../pipeline/operation.ts";
import { cipher } from "./cipher.ts";
import { getState } from "./get-state.ts";
import { listRoots } from "./list-roots.ts";
import { listSessions } from "./list-sessions.ts";
import { loadContext } from "./load-context.ts";
import { navigate } from "./navigate.ts";
import { bindRoot } from "./roots.ts";
import { startNew } from "./start-new.ts";

/** In the order in which help and docs show them. */
export const initOperations: readonly Operation[] = [
  getState,
  startNew,
  loadContext,
  listSessions,
  navigate,
  listRoots,
  bindRoot,
  cipher,
];
