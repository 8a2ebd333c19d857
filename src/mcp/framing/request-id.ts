import type { RequestId } from "@modelcontextprotocol/server";

/** An id that an answer can carry back unchanged; `null` stands for "none", as JSON-RPC asks. */
export function toUsableId(value: unknown): RequestId | null {
  if (typeof value === "string") return value;
  return Number.isSafeInteger(value) ? (value as number) : null;
}
