import {
  atOnce,
  brokenStore,
  locked,
  type Provocations,
  unknownSession,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  get_state: {},
  start_new: { INVALID_PAYLOAD: atOnce({ project: "other" }, locked), STORAGE_ERROR: brokenStore },
  load_context: {
    SESSION_NOT_FOUND: atOnce({ latest: true }),
    INVALID_PAYLOAD: atOnce({ project: "other" }, locked),
    STORAGE_ERROR: brokenStore,
  },
  list_sessions: { STORAGE_ERROR: brokenStore },
  navigate: { INVALID_PAYLOAD: atOnce({ project: "other" }, locked), STORAGE_ERROR: brokenStore },
  list_roots: {},
  bind_root: { INVALID_PAYLOAD: atOnce({ rootUri: "file:///nowhere" }), STORAGE_ERROR: brokenStore },
  cipher: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
};
