import { describeCall } from "./describe-call.ts";
import type { Block, TranscriptLine } from "./entry.ts";
import { asObject, type JsonFields, member, objectOf, textOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";

const { id: longestId, path: longestPath } = transcriptLimits;
const format = "opencode";

/** opencode stores its sessions in a database. The rows of that database are read as these lines. */
export type OpencodeLine =
  | { opencode: "session"; id: string; parentId?: string; directory: string; at: number }
  /** `data` contains the unchanged value of the column. */
  | { opencode: "part"; role: string; at: number; data: unknown };

export const isOpencode = (fields: JsonFields): boolean => Object.hasOwn(fields, "opencode");

export function readOpencode(fields: JsonFields): TranscriptLine {
  const at = timeAt(member(fields, "at"));
  if (member(fields, "opencode") === "session") {
    const id = textOf(fields, "id", longestId);
    const parentId = textOf(fields, "parentId", longestId);
    return {
      format,
      session: { id, parentId, at, cwd: textOf(fields, "directory", longestPath) },
      skipped: "session",
    };
  }
  const data = objectOf(fields, "data");
  const role = textOf(fields, "role", 20) === "user" ? "user" : "assistant";
  const type = textOf(data, "type", 40) ?? "unknown";
  switch (type) {
    case "text": {
      const injected = member(data, "synthetic") === true || member(data, "ignored") === true;
      const blocks = textBlock("text", data);
      return { format, entry: { role, at, blocks, ...(injected && { injected }) } };
    }
    case "reasoning":
      return { format, entry: { role, at, blocks: textBlock("thinking", data) } };
    case "tool":
      return { format, entry: { role, at, blocks: readTool(data) } };
    default:
      return { format, skipped: type };
  }
}

function timeAt(ms: unknown): string | undefined {
  const isTime = typeof ms === "number" && ms > Date.UTC(2000, 0) && ms < Date.UTC(2100, 0);
  return isTime ? new Date(ms).toISOString() : undefined;
}

function textBlock(type: "text" | "thinking", data: JsonFields | undefined): Block[] {
  const text = textOf(data, "text");
  return text === undefined || text.trim() === "" ? [] : [{ type, text }];
}

/** Reads a tool part, which contains the call, and its result if there is one. */
function readTool(data: JsonFields | undefined): Block[] {
  const state = objectOf(data, "state");
  const tool = textOf(data, "tool", 200) ?? "tool";
  const callId = textOf(data, "callID", longestId);
  const input = objectOf(state, "input");
  const call: Block = { type: "tool_call", callId, tool, command: describeCall(tool, input), input };
  const status = textOf(state, "status", 20);
  if (status !== "completed" && status !== "error") return [call];
  const metadata = asObject(member(state, "metadata"));
  const code = member(metadata, "exit");
  const exit = typeof code === "number" && Number.isInteger(code) ? code : undefined;
  const diff = textOf(metadata, "diff");
  const result: Block = {
    type: "tool_result",
    callId,
    text: textOf(state, "output") ?? textOf(state, "error") ?? "",
    failed: status === "error" || (exit ?? 0) !== 0,
    ...(exit !== undefined && { exit }),
    ...(diff !== undefined && { detail: { unifiedDiff: diff } }),
  };
  return [call, result];
}
