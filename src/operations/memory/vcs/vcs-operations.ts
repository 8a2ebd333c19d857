import type { Operation } from "../../pipeline/operation.ts";
import { commit } from "./commit.ts";
import { log } from "./log.ts";
import { reflog } from "./reflog.ts";
import { reset } from "./reset.ts";
import { tagCreate } from "./tag.ts";
import { tagDelete } from "./tag-delete.ts";
import { tagList } from "./tag-list.ts";

/** In the order in which help and docs show them. */
export const vcsOperations: readonly Operation[] = [
  commit,
  log,
  tagCreate,
  tagList,
  tagDelete,
  reflog,
  reset,
];
