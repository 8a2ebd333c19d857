import { brokenStore, type Provocations } from "../../../../tests/catalogue/provoke.ts";

/** How each declared code comes about. */
export const provocations: Provocations = { recall: { STORAGE_ERROR: brokenStore } };
