import type { Operation } from "../../pipeline/operation.ts";
import { thinkLink } from "./think-link.ts";
import { thinkLint } from "./think-lint.ts";
import { thinkNominalMerge } from "./think-nominal-merge.ts";
import { thinkPin } from "./think-pin.ts";
import { thinkPins } from "./think-pins.ts";
import { thinkPlaybook } from "./think-playbook.ts";
import { thinkPublish } from "./think-publish.ts";
import { thinkQuery } from "./think-query.ts";
import { thinkSetStatus } from "./think-set-status.ts";
import { thinkSubgoalOpen } from "./think-subgoal.ts";
import { thinkSubgoalClose } from "./think-subgoal-close.ts";

/** In the order in which help and docs show them. */
export const thinkOperations: readonly Operation[] = [
  thinkQuery,
  thinkLink,
  thinkSetStatus,
  thinkPin,
  thinkPins,
  thinkPublish,
  thinkNominalMerge,
  thinkLint,
  thinkSubgoalOpen,
  thinkSubgoalClose,
  thinkPlaybook,
];
