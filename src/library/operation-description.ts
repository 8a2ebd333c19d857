import * as z from "zod";
import { stages } from "../domain/stages/stages.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { OperationDescription } from "./api.d.ts";

export function describeOperation(operation: Operation): OperationDescription {
  const { name, title, summary: description, effect, stage } = operation;
  return {
    name,
    title,
    description,
    effect,
    stage: stages[stage],
    inputSchema: toSchema(operation.input),
    outputSchema: toSchema(operation.output),
  };
}

/** Both as `perform` sees them: arguments before defaults are filled in, answers as handlers give them. */
function toSchema(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}
