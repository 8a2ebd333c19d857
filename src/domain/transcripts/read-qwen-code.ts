import { isInjected } from "./clean-text.ts";
import { describeCall } from "./describe-call.ts";
import type { Block, TranscriptLine } from "./entry.ts";
import { asList, asObject, type JsonFields, member, objectOf, textOf, timeOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";
import { readResult, readText } from "./read-gemini-cli.ts";

const { id: longestId, path: longestPath } = transcriptLimits;
const format = "qwen-code";

/** True if a line has the wrapper of Claude Code and contains a message of the Gemini API. */
export function isQwenCode(fields: JsonFields): boolean {
  return (
    Object.hasOwn(fields, "uuid") &&
    (Object.hasOwn(fields, "systemPayload") || Object.hasOwn(objectOf(fields, "message") ?? {}, "parts"))
  );
}

export function readQwenCode(fields: JsonFields): TranscriptLine {
  const type = textOf(fields, "type", 40) ?? "unknown";
  const message = objectOf(fields, "message");
  const at = timeOf(fields, "timestamp");
  const agent = member(fields, "isSidechain") === true ? textOf(fields, "agentId", longestId) : undefined;
  const session = {
    id: textOf(fields, "sessionId", longestId),
    at,
    cwd: textOf(fields, "cwd", longestPath),
    model: textOf(fields, "model", longestId),
  };
  const place = {
    at,
    id: textOf(fields, "uuid", longestId),
    parentId: textOf(fields, "parentUuid", longestId),
    ...(agent !== undefined && { thread: agent }),
  };
  if (!message || !["user", "assistant", "tool_result"].includes(type))
    return { format, session, skipped: type, entry: { role: "system", blocks: [], ...place } };
  const result = objectOf(fields, "toolCallResult");
  const blocks = asList(member(message, "parts")).flatMap((part) => readPart(asObject(part), result));
  const role = type === "assistant" ? "assistant" : type === "user" ? "user" : "tool";
  const [first] = blocks;
  const provenance = textOf(fields, "provenance", 40);
  const injected =
    role === "user" &&
    ((provenance !== undefined && provenance !== "real_user") ||
      (first?.type === "text" && isInjected(first.text)));
  return { format, session, entry: { role, blocks, ...place, ...(injected && { injected }) } };
}

function readPart(part: JsonFields | undefined, recorded: JsonFields | undefined): Block[] {
  const call = objectOf(part, "functionCall");
  if (call) {
    const tool = textOf(call, "name", 200) ?? "tool";
    const input = objectOf(call, "args");
    const callId = textOf(call, "id", longestId);
    return [{ type: "tool_call", callId, tool, command: describeCall(tool, input), input }];
  }
  const answer = objectOf(part, "functionResponse");
  if (!answer) return readText(part);
  const response = objectOf(answer, "response");
  const error = textOf(response, "error");
  const status = textOf(recorded, "status", 40) ?? (error === undefined ? "success" : "error");
  const output = textOf(response, "output") ?? error ?? "";
  const display = member(recorded, "resultDisplay");
  return [
    { type: "tool_result", callId: textOf(answer, "id", longestId), ...readResult(output, status, display) },
  ];
}
