import type { Operation } from "../../pipeline/operation.ts";
import { transcriptsDigest } from "./transcripts-digest.ts";
import { transcriptsImport } from "./transcripts-import.ts";
import { transcriptsOpen } from "./transcripts-open.ts";
import { transcriptsSearch } from "./transcripts-search.ts";

/** In the order in which help and docs show them. */
export const transcriptsOperations: readonly Operation[] = [
  transcriptsSearch,
  transcriptsOpen,
  transcriptsDigest,
  transcriptsImport,
];
