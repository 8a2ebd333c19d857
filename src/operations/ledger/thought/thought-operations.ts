import type { Operation } from "../../pipeline/operation.ts";
import { getStructure } from "./get-structure.ts";
import { readThoughts } from "./read-thoughts.ts";
import { thought } from "./thought.ts";

/** In the order in which help and docs show them. */
export const thoughtOperations: readonly Operation[] = [thought, readThoughts, getStructure];
