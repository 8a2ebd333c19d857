import type { ServerResponse } from "node:http";
import { errorCatalogue, ThoughtboxError } from "../../kernel/errors.ts";
import { putIntoWords } from "../../operations/pipeline/recoveries.ts";

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  res.end(body);
}

export function sendError(res: ServerResponse, error: ThoughtboxError): void {
  const { code } = error;
  sendJson(res, { error: { code, message: putIntoWords(error).message } }, errorCatalogue[code].status);
}

export const notFound = (message: string) => new ThoughtboxError("SESSION_NOT_FOUND", message);
export const invalid = (message: string) => new ThoughtboxError("INVALID_PAYLOAD", message);
