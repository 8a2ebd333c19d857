import { brokenStore, type Provocations } from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  git_scan: { STORAGE_ERROR: brokenStore },
  git_trailer: { STORAGE_ERROR: brokenStore },
};
