import { describeCall } from "./describe-call.ts";
import type { Block, TranscriptEntry, TranscriptLine } from "./entry.ts";
import { asList, asObject, type JsonFields, member, objectOf, textOf, timeOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";

const { id: longestId, path: longestPath } = transcriptLimits;
const format = "copilot-cli";

/** True for an event that has a two-word name and data. Every line of this format is such an event. */
export function isCopilotCli(fields: JsonFields): boolean {
  const type = textOf(fields, "type", 60);
  return type !== undefined && /^[a-z_]+\.[a-z_]+$/.test(type) && objectOf(fields, "data") !== undefined;
}

/** Reads an event. Events are in chronological order, and a sub-agent's events contain the sub-agent's ID. */
export function readCopilotCli(fields: JsonFields): TranscriptLine {
  const kind = textOf(fields, "type", 60)?.replace(".", "_") ?? "unknown";
  const data = objectOf(fields, "data") ?? {};
  const agent = textOf(fields, "agentId", longestId);
  const place = { at: timeOf(fields, "timestamp"), ...(agent !== undefined && { thread: agent }) };
  const say = (role: TranscriptEntry["role"], blocks: readonly Block[]): TranscriptLine => ({
    format,
    entry: { role, blocks, ...place },
  });
  switch (kind) {
    case "session_start":
    case "session_resume": {
      const cwd = textOf(objectOf(data, "context"), "cwd", longestPath);
      const session = { id: textOf(data, "sessionId", longestId), at: timeOf(data, "startTime"), cwd };
      return { format, session, skipped: "session" };
    }
    case "user_message":
      return say("user", textBlock("text", textOf(data, "content")));
    case "assistant_message":
      return say("assistant", [
        ...textBlock("thinking", textOf(data, "reasoningText")),
        ...textBlock("text", textOf(data, "content")),
        ...asList(member(data, "toolRequests")).flatMap((request) => readCall(asObject(request))),
      ]);
    case "tool_execution_complete":
      return say("tool", [readResult(data)]);
    default:
      return { format, skipped: kind };
  }
}

const textBlock = (type: "text" | "thinking", text: string | undefined): Block[] =>
  text === undefined || text.trim() === "" ? [] : [{ type, text }];

function readCall(request: JsonFields | undefined): Block[] {
  const tool = textOf(request, "name", 200);
  if (tool === undefined) return [];
  const input = objectOf(request, "arguments");
  const callId = textOf(request, "toolCallId", longestId);
  return [{ type: "tool_call", callId, tool, command: describeCall(tool, input), input }];
}

const closing = /\n?<(?:shellId: \S+ )?[a-z ]*exit(?:ed with)? code -?\d{1,6}>\s*$/;

function readResult(data: JsonFields): Block {
  const result = objectOf(data, "result");
  const code = member(objectOf(data, "shellExecution"), "exitCode");
  const exit = typeof code === "number" && Number.isInteger(code) ? code : undefined;
  const text = textOf(result, "content") ?? textOf(objectOf(data, "error"), "message") ?? "";
  const diff = Object.hasOwn(data, "fileEdits") ? textOf(result, "detailedContent") : undefined;
  return {
    type: "tool_result",
    callId: textOf(data, "toolCallId", longestId),
    text: text.replace(closing, ""),
    failed: member(data, "success") === false || (exit ?? 0) !== 0,
    ...(exit !== undefined && { exit }),
    ...(diff !== undefined && { detail: { unifiedDiff: diff } }),
  };
}
