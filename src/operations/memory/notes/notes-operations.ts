import type { Operation } from "../../pipeline/operation.ts";
import { diff } from "./diff.ts";
import { docsList } from "./docs-list.ts";
import { merge } from "./merge.ts";
import { notesCommit } from "./notes-commit.ts";
import { open } from "./open.ts";
import { show } from "./show.ts";

/** In the order in which help and docs show them. */
export const notesOperations: readonly Operation[] = [notesCommit, show, docsList, diff, merge, open];
