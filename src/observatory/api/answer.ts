import type { ServerResponse } from "node:http";
import { errorCatalogue, ThoughtboxError } from "../../kernel/errors.ts";
import { askOperation } from "../../operations/ask-operation.ts";
import type { Caller } from "../../operations/pipeline/context.ts";
import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
import type { Perform } from "../../operations/pipeline/perform.ts";
import { putIntoWords } from "../../operations/pipeline/recoveries.ts";
import type { ErrorAnswer } from "../wire.ts";

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  res.end(body);
}

export function sendError(res: ServerResponse, error: ThoughtboxError): void {
  const { code, details } = error;
  const kind = typeof details?.["kind"] === "string" ? { kind: details["kind"] } : {};
  sendJson(
    res,
    { error: { code, message: putIntoWords(error).message, ...kind } } satisfies ErrorAnswer,
    errorCatalogue[code].status,
  );
}

export const notFound = (message: string) => new ThoughtboxError("SESSION_NOT_FOUND", message);
export const unknownId = (message: string) => new ThoughtboxError("UNKNOWN_ID", message);
export const invalid = (message: string) => new ThoughtboxError("INVALID_PAYLOAD", message);

/** Reads query parameters within bounds. Throws an error with a clear message if a value is invalid. */
export function readQuery(parameters: URLSearchParams) {
  const text = (name: string): string | undefined => parameters.get(name) || undefined;
  return {
    text,
    number(name: string, { min, max, standard }: { min: number; max: number; standard: number }): number {
      const given = text(name);
      if (given === undefined) return standard;
      if (!/^\d{1,15}$/.test(given) || Number(given) < min)
        throw invalid(`${name} must be a whole number that is at least ${min}.`);
      return Math.min(Number(given), max);
    },
  };
}

export type Query = ReturnType<typeof readQuery>;

/** Calls a read operation as the owner. Throws if the operation is refused. */
export type Ask = (operation: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** The largest answer that an operation returns. */
export const wholeAnswer = { max_chars: maxAnswerChars };

const owner: Caller = {
  era: "modern",
  transport: "http",
  principal: "owner",
  can: { roots: false, sampling: false },
};

/** `project` replaces the server's own project. */
export function createAsk(perform: Perform, project?: string): Ask {
  const caller = project === undefined ? owner : { ...owner, project };
  return (operation, args) => askOperation(perform, operation, args, { caller, anyStage: true });
}
