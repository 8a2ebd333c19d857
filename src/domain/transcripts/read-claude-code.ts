import { isInjected } from "./clean-text.ts";
import { describeCall } from "./describe-call.ts";
import type { Block, TranscriptEntry, TranscriptLine } from "./entry.ts";
import { asList, asObject, type JsonFields, member, objectOf, textOf, timeOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";

const { id: longestId, path: longestPath } = transcriptLimits;

/** True if a line has the fields that Claude Code writes. */
export function isClaudeCode(fields: JsonFields): boolean {
  return ["uuid", "sessionId", "leafUuid", "isSidechain", "message"].some((name) =>
    Object.hasOwn(fields, name),
  );
}

/** Reads `user` and `assistant` messages. Other lines contain only session facts and the order of entries. */
export function readClaudeCode(line: JsonFields): TranscriptLine {
  const fields = readAgentProgress(line) ?? line;
  const type = textOf(fields, "type", 40) ?? "unknown";
  const message = objectOf(fields, "message");
  const cwd = textOf(fields, "cwd", longestPath);
  const at = timeOf(fields, "timestamp");
  const forkedFrom = textOf(objectOf(fields, "forkedFrom"), "sessionId", longestId);
  const model = textOf(message, "model", longestId);
  const session = { id: textOf(fields, "sessionId", longestId), at, cwd, forkedFrom, model };
  if (type === "summary")
    return { format: "claude-code", session: { title: textOf(fields, "summary", 1_000) }, skipped: type };
  const role = type === "user" || type === "assistant" ? type : undefined;
  const place = readPlace(fields, at);
  if (!role || !message) {
    const entry = place.id === undefined ? undefined : { role: "system" as const, blocks: [], ...place };
    return { format: "claude-code", session, skipped: type, ...(entry && { entry }) };
  }
  // True if the program generated this answer, for example because it could not reach the service.
  const isClient = model === "<synthetic>";
  const content = member(message, "content");
  const asked = typeof content === "string" ? readCommand(content) : undefined;
  const blocks = isClient ? [] : readContent(asked ?? content, objectOf(fields, "toolUseResult"));
  const [first] = blocks;
  const injected =
    member(fields, "isMeta") === true ||
    (role === "user" && first?.type === "text" && isInjected(first.text));
  const entry: TranscriptEntry = {
    role,
    blocks,
    ...place,
    messageId: textOf(message, "id", longestId),
    ...(injected && { injected }),
    ...(member(fields, "isCompactSummary") === true && { summary: true as const }),
  };
  return { format: "claude-code", session, entry };
}

/** Returns a custom command as the user typed it. Ignores built-in commands, which begin with another tag. */
function readCommand(content: string): string | undefined {
  if (!content.startsWith("<command-message>")) return undefined;
  const [, name] = /<command-name>(\/[^<\n]{1,100})<\/command-name>/.exec(content) ?? [];
  const [, words = ""] = /<command-args>([\s\S]*?)<\/command-args>/.exec(content) ?? [];
  return name && `${name} ${words.trim()}`.trim();
}

/** Reads a sub-agent's message in the wrapper with which some versions write it to the parent's file. */
function readAgentProgress(line: JsonFields): JsonFields | undefined {
  const data = objectOf(line, "data");
  if (textOf(data, "type", 40) !== "agent_progress") return undefined;
  const { sessionId, cwd } = line;
  return {
    ...objectOf(data, "message"),
    sessionId,
    cwd,
    isSidechain: true,
    agentId: textOf(data, "agentId", longestId),
  };
}

function readPlace(fields: JsonFields, at: string | undefined) {
  const agentId = textOf(fields, "agentId", longestId);
  return {
    at,
    id: textOf(fields, "uuid", longestId),
    parentId: textOf(fields, "parentUuid", longestId),
    ...(member(fields, "isSidechain") === true && { thread: agentId ?? "" }),
  };
}

function readContent(content: unknown, detail: JsonFields | undefined): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return asList(content).flatMap((item) => {
    const block = asObject(item);
    return block ? readBlock(block, detail) : [];
  });
}

function readBlock(block: JsonFields, detail: JsonFields | undefined): Block[] {
  const type = textOf(block, "type", 40);
  switch (type) {
    case "text":
    case "thinking": {
      const text = textOf(block, type);
      return text === undefined ? [] : [{ type, text }];
    }
    case "tool_use": {
      const tool = textOf(block, "name", 200) ?? "tool";
      const input = objectOf(block, "input");
      const callId = textOf(block, "id", longestId);
      return [{ type: "tool_call", callId, tool, command: describeCall(tool, input), input }];
    }
    case "tool_result": {
      const text = readResult(member(block, "content"));
      const failed = member(block, "is_error") === true;
      const callId = textOf(block, "tool_use_id", longestId);
      const code = failed ? exitCode.exec(text)?.[1] : undefined;
      return [
        {
          type: "tool_result",
          callId,
          text,
          failed,
          ...(code !== undefined && { exit: Number(code) }),
          ...(detail && { detail }),
        },
      ];
    }
    default:
      return [];
  }
}

const exitCode = /^(?:Error: )?Exit code (\d{1,6})(?:\n|$)/;

function readResult(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .flatMap((item) => textOf(asObject(item), "text") ?? [])
    .join("\n");
}
