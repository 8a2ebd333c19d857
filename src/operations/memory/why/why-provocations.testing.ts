import {
  atOnce,
  brokenStore,
  given,
  nobody,
  type Provocations,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  why: {
    INVALID_PAYLOAD: atOnce({}),
    UNKNOWN_ID: given("a repository with a captured session", { file: "src/nothing.ts" }),
    STORAGE_ERROR: brokenStore,
  },
  why_file: {
    INVALID_PAYLOAD: atOnce({ file: "/nowhere/at/all.ts" }),
    UNKNOWN_ID: given("a repository with a captured session", { file: "src/nothing.ts" }),
    STORAGE_ERROR: brokenStore,
  },
  why_session: { UNKNOWN_ID: atOnce({ sessionId: nobody }), STORAGE_ERROR: brokenStore },
};
