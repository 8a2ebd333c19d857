import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Reply } from "../kernel/reply.ts";

/** Clients drop either the text or the structure, so both say the same. Errors are shown twice by some: text alone. */
export function toToolResult(reply: Exclude<Reply, { kind: "ask" }>): CallToolResult {
  if (reply.kind === "error") {
    const body = { error: reply.error };
    return { content: [text(JSON.stringify(body))], isError: true };
  }
  return {
    content: [text(reply.markdown ?? JSON.stringify(reply.result))],
    structuredContent: reply.result,
    _meta: provenance,
  };
}

/** For clients that treat what somebody wrote earlier differently from what a server says. */
export const provenance = { "thoughtbox/provenance": "stored-text" };

const text = (value: string) => ({ type: "text" as const, text: value });
