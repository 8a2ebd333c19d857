import { atOnce, brokenStore, given, type Provocations } from "../../../../tests/catalogue/provoke.ts";

/** How each declared code comes about. */
export const provocations: Provocations = {
  why: {
    INVALID_PAYLOAD: atOnce({}),
    UNKNOWN_ID: given("a repository with a captured session", { file: "src/nothing.ts" }),
    STORAGE_ERROR: brokenStore,
  },
};
