import { brokenStore, type Provocations } from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = { recall: { STORAGE_ERROR: brokenStore } };
