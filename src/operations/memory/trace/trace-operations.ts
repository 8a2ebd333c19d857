import type { Operation } from "../../pipeline/operation.ts";
import { traceHydrate } from "./trace-hydrate.ts";
import { traceSequentialStep } from "./trace-sequential-step.ts";
import { traceStep } from "./trace-step.ts";
import { traceValidate } from "./trace-validate.ts";

/** In the order in which help and docs show them. */
export const traceOperations: readonly Operation[] = [
  traceStep,
  traceSequentialStep,
  traceHydrate,
  traceValidate,
];
