import type { IncomingMessage } from "node:http";
import type { HttpLimits } from "../limits.ts";
import { type Refused, refuse } from "./refusal.ts";

export type Body =
  | { readonly outcome: "read"; readonly text: string }
  /** The client disconnected. */
  | { readonly outcome: "aborted" }
  | Refused;

const tooLarge = refuse("BODY_TOO_LARGE", "The request body is too large for this server.");
const tooSlow = refuse("REQUEST_TIMEOUT", "The request body did not arrive in time.");
const notUtf8 = refuse("BODY_NOT_UTF8", "The request body must be UTF-8.");

/**
 * Never keeps more than `bodyBytes` in memory. After a refusal, the rest of the body stays unread. Answer
 * with `sendRefusal`, which closes the connection.
 */
export function readBody(
  req: IncomingMessage,
  limits: Pick<HttpLimits, "bodyBytes" | "requestMs">,
): Promise<Body> {
  if (Number(req.headers["content-length"] ?? 0) > limits.bodyBytes) return Promise.resolve(tooLarge);

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;

    const settle = (body: Body) => {
      clearTimeout(timer);
      req.off("data", keep).off("end", finish).off("close", abort);
      req.pause();
      resolve(body);
    };
    const keep = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.bodyBytes) settle(tooLarge);
      else chunks.push(chunk);
    };
    const finish = () => settle(decode(chunks));
    const abort = () => settle({ outcome: "aborted" });
    const timer = setTimeout(() => settle(tooSlow), limits.requestMs);

    if (req.destroyed) abort();
    else req.on("data", keep).on("end", finish).on("close", abort);
  });
}

function decode(chunks: readonly Buffer[]): Body {
  try {
    return { outcome: "read", text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return notUtf8;
  }
}
