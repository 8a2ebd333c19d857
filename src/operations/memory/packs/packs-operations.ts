import type { Operation } from "../../pipeline/operation.ts";
import { contextPack } from "./context-pack.ts";
import { contextPackExport } from "./context-pack-export.ts";
import { exportOperation } from "./export.ts";
import { thinkContext } from "./think-context.ts";
import { thinkFrontier } from "./think-frontier.ts";
import { thinkNext } from "./think-next.ts";
import { thinkPack } from "./think-pack.ts";
import { thinkWatch } from "./think-watch.ts";

/** In the order in which help and docs show them. */
export const packsOperations: readonly Operation[] = [
  thinkContext,
  thinkFrontier,
  thinkNext,
  thinkPack,
  thinkWatch,
  contextPack,
  contextPackExport,
  exportOperation,
];
