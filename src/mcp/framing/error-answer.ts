import { INVALID_REQUEST, type RequestId } from "@modelcontextprotocol/server";

/** The maximum size of a JSON-RPC message, over any transport. */
export const maxMessageBytes = 4 * 1024 * 1024;

export type Fault = { code: number; message: string };

/** The SDK's own type has no `id: null`, which JSON-RPC requires if the ID could not be read. */
export type ErrorAnswer = { jsonrpc: "2.0"; id: RequestId | null; error: Fault };

export function errorAnswer(id: RequestId | null, error: Fault): ErrorAnswer {
  return { jsonrpc: "2.0", id, error };
}

export function oversizeAnswer(id: RequestId | null, bytes: number): ErrorAnswer {
  const message = `message of ${bytes} bytes exceeds the limit of ${maxMessageBytes} bytes`;
  return errorAnswer(id, { code: INVALID_REQUEST, message });
}
