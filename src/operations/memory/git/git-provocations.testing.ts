import { brokenStore, type Provocations } from "../../../../tests/catalogue/provoke.ts";

/** How each declared code comes about. */
export const provocations: Provocations = {
  git_scan: { STORAGE_ERROR: brokenStore },
  git_trailer: { STORAGE_ERROR: brokenStore },
};
