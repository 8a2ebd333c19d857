import type { Operation } from "../../pipeline/operation.ts";
import { anchorSnapshot } from "./anchor-snapshot.ts";
import { anchorsList } from "./anchors.ts";
import { anchorsExport } from "./anchors-export.ts";
import { anchorsLint } from "./anchors-lint.ts";
import { anchorsMerge } from "./anchors-merge.ts";
import { anchorsRename } from "./anchors-rename.ts";
import { macroAnchorNote } from "./macro-anchor-note.ts";

/** In the order in which help and docs show them. */
export const anchorsOperations: readonly Operation[] = [
  macroAnchorNote,
  anchorsList,
  anchorSnapshot,
  anchorsExport,
  anchorsRename,
  anchorsMerge,
  anchorsLint,
];
