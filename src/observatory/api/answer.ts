import type { ServerResponse } from "node:http";
import { type ErrorCode, errorCatalogue, ThoughtboxError } from "../../kernel/errors.ts";
import type { ErrorReply } from "../../kernel/reply.ts";

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  res.end(body);
}

export function sendError(
  res: ServerResponse,
  { code, message }: Pick<ErrorReply, "code" | "message">,
): void {
  const { status } = errorCatalogue[code as ErrorCode] ?? errorCatalogue.INTERNAL_ERROR;
  sendJson(res, { error: { code, message } }, status);
}

export const notFound = (message: string) => new ThoughtboxError("SESSION_NOT_FOUND", message);
export const invalid = (message: string) => new ThoughtboxError("INVALID_PAYLOAD", message);
