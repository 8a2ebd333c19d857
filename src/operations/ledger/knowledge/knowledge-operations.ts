import type { Operation } from "../../pipeline/operation.ts";
import { knowledgeDeletePattern } from "./knowledge-delete-pattern.ts";
import { knowledgeDeleteScratchpad } from "./knowledge-delete-scratchpad.ts";
import { knowledgeGetPattern } from "./knowledge-get-pattern.ts";
import { knowledgeListPatterns } from "./knowledge-list-patterns.ts";
import { knowledgeListScratchpad } from "./knowledge-list-scratchpad.ts";
import { knowledgeListTags } from "./knowledge-list-tags.ts";
import { knowledgeCreatePattern } from "./knowledge-pattern.ts";
import { knowledgeReadScratchpad } from "./knowledge-read-scratchpad.ts";
import { knowledgeRestore } from "./knowledge-restore.ts";
import { knowledgeWriteScratchpad } from "./knowledge-scratchpad.ts";
import { knowledgeUpdatePattern } from "./knowledge-update-pattern.ts";

/** In the order in which help and docs show them. */
export const knowledgeOperations: readonly Operation[] = [
  knowledgeCreatePattern,
  knowledgeGetPattern,
  knowledgeUpdatePattern,
  knowledgeDeletePattern,
  knowledgeListPatterns,
  knowledgeListTags,
  knowledgeWriteScratchpad,
  knowledgeReadScratchpad,
  knowledgeListScratchpad,
  knowledgeDeleteScratchpad,
  knowledgeRestore,
];
