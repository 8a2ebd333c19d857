import { expect } from "vitest";
import * as z from "zod";
import type { ErrorReply, Reply } from "../../../src/kernel/reply.ts";
import { catalogue } from "../../../src/operations/catalogue.ts";
import { maxAnswerChars } from "../../../src/operations/pipeline/fit/budget.ts";
import { createNormaliser } from "../../../src/operations/pipeline/normalise.ts";

const normalise = createNormaliser(catalogue);

/** Fields that `perform` itself adds to every answer. */
const additions = ["sessionId", "warnings", "next"];

/** Codes that routing raises for any operation. */
const routing = [
  "INVALID_PAYLOAD",
  "INVALID_OPERATION",
  "STAGE_REQUIREMENT_NOT_MET",
  "SESSION_NOT_FOUND",
  "STORAGE_ERROR",
  "WORKSPACE_LOCKED",
  "WORKSPACE_NOT_ALLOWED",
  "PROJECT_GUARD_MISMATCH",
];

/** Checks that answers match the declared output, and failures the declared codes. */
export function checkReply(name: string, args: unknown, reply: Reply): void {
  if (reply.kind === "result") checkResult(name, args, reply.result);
  if (reply.kind === "error") checkError(name, args, reply.error);
}

function checkResult(name: string, args: unknown, result: Record<string, unknown>): void {
  const { operation, args: asked } = normalise(name, args);
  const declared = z.object(operation.output.shape);
  const maxBytes = Number(asked["max_bytes"] ?? maxAnswerChars);
  (isMinimal(result, maxBytes) ? declared.partial() : declared).parse(result);
  const known = [...Object.keys(operation.output.shape), ...additions];
  const undeclared = Object.keys(result).filter((key) => !known.includes(key));
  expect(undeclared, `${operation.name} answers undeclared fields`).toEqual([]);
}

/** Returns true if the answer was shortened to a very small budget, so any part may be missing. */
function isMinimal(result: Record<string, unknown>, maxBytes: number): boolean {
  const { budget, warnings = [] } = result as {
    budget?: { max_chars: number };
    warnings?: { code: string }[];
  };
  const room = Math.min(budget?.max_chars ?? maxAnswerChars, maxBytes);
  return (
    result["truncated"] === true && (room < 2_000 || warnings.some(({ code }) => code === "BUDGET_MINIMAL"))
  );
}

function checkError(name: string, args: unknown, error: ErrorReply): void {
  if (routing.includes(error.code)) return;
  const { operation } = normalise(name, args);
  expect(operation.errors, `${operation.name} fails with a code it does not declare`).toContain(error.code);
}
