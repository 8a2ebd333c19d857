import type { Row } from "./row.ts";
import { agents } from "./rows/agents.ts";
import { callers } from "./rows/callers.ts";
import { capture } from "./rows/capture.ts";
import { cellStart } from "./rows/cell-start.ts";
import { ground } from "./rows/ground.ts";
import { hooks } from "./rows/hooks.ts";
import { lostWrites } from "./rows/lost-writes.ts";
import { memoryChanges } from "./rows/memory-changes.ts";
import { memoryHistory } from "./rows/memory-history.ts";
import { memoryPacks } from "./rows/memory-packs.ts";
import { memoryPages } from "./rows/memory-pages.ts";
import { memoryUse } from "./rows/memory-use.ts";
import { memoryWrites } from "./rows/memory-writes.ts";
import { observatory } from "./rows/observatory.ts";
import { projectionLag } from "./rows/projection-lag.ts";
import { reading } from "./rows/reading.ts";
import { recall } from "./rows/recall.ts";
import { scale } from "./rows/scale.ts";
import { search } from "./rows/search.ts";
import { sessions } from "./rows/sessions.ts";
import { start } from "./rows/start.ts";
import { storeAppend } from "./rows/store-append.ts";
import { thought } from "./rows/thought.ts";
import { toolList } from "./rows/tool-list.ts";
import { transcripts } from "./rows/transcripts.ts";
import { why } from "./rows/why.ts";

/** The rows in the order of the table. */
export const rows: readonly Row[] = [
  start,
  thought,
  storeAppend,
  callers,
  reading,
  sessions,
  search,
  recall,
  memoryPages,
  memoryPacks,
  memoryHistory,
  memoryChanges,
  memoryWrites,
  memoryUse,
  ground,
  toolList,
  agents,
  cellStart,
  hooks,
  why,
  transcripts,
  capture,
  lostWrites,
  projectionLag,
  observatory,
  scale,
];
