import { isInjected } from "./clean-text.ts";
import { describeCall, parseInput } from "./describe-call.ts";
import { type Block, messageRoles, type SessionFacts, type TranscriptLine } from "./entry.ts";
import { asList, asObject, type JsonFields, member, objectOf, textOf, timeOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";

const { id: longestId, path: longestPath } = transcriptLimits;

/** Reads a rollout line, `{timestamp, type, payload}`. The first versions wrote payloads without a wrapper. */
export function readCodex(fields: JsonFields): TranscriptLine {
  const type = textOf(fields, "type", 40);
  const payload = objectOf(fields, "payload");
  const at = timeOf(fields, "timestamp");
  const isFirstOfOld =
    type === undefined && textOf(fields, "id", longestId) !== undefined && at !== undefined;
  if (type === "session_meta" || isFirstOfOld)
    return { format, session: readMeta(payload ?? fields, at), skipped: "session_meta" };
  if (type === undefined) return { skipped: Object.hasOwn(fields, "record_type") ? "record" : "unknown" };
  return payload ? { format, ...readFramed(type, payload, at) } : readItem(fields, at);
}

const format = "codex";

function readFramed(type: string, payload: JsonFields, at: string | undefined): TranscriptLine {
  switch (type) {
    case "turn_context":
      return {
        session: { cwd: textOf(payload, "cwd", longestPath), model: textOf(payload, "model", longestId) },
        skipped: type,
      };
    case "event_msg":
      return readEvent(payload);
    case "compacted": {
      const text = textOf(payload, "message");
      const blocks: Block[] = text === undefined ? [] : [{ type: "text", text }];
      return { entry: { role: "system", blocks, at, summary: true } };
    }
    case "response_item":
      return readItem(payload, at);
    default:
      return { skipped: type };
  }
}

function readMeta(meta: JsonFields, at: string | undefined): SessionFacts {
  const instructions = textOf(meta, "instructions");
  const spawned = objectOf(objectOf(objectOf(meta, "source"), "subagent"), "thread_spawn");
  return {
    id: textOf(meta, "id", longestId),
    at: timeOf(meta, "timestamp") ?? at,
    cwd: textOf(meta, "cwd", longestPath),
    parentId: textOf(spawned, "parent_thread_id", longestId),
    forkedFrom: textOf(meta, "forked_from_id", longestId),
    ...(instructions !== undefined && { hintTexts: [instructions] }),
  };
}

/** Reads undone turns. All other events repeat what other lines contain. */
function readEvent(payload: JsonFields): TranscriptLine {
  const turns = member(payload, "num_turns");
  if (textOf(payload, "type", 40) === "thread_rolled_back" && Number.isInteger(turns) && Number(turns) > 0)
    return { rolledBack: Number(turns) };
  return { skipped: "event_msg" };
}

function readItem(item: JsonFields, at: string | undefined): TranscriptLine {
  const type = textOf(item, "type", 40) ?? "unknown";
  switch (type) {
    case "message":
      return readMessage(item, at);
    case "reasoning": {
      const texts = [...asList(member(item, "summary")), ...asList(member(item, "content"))];
      return { format, entry: { role: "assistant", blocks: texts.flatMap(readText("thinking")), at } };
    }
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call": {
      const input =
        objectOf(item, "action") ?? parseInput(textOf(item, "arguments") ?? textOf(item, "input"));
      const name = textOf(item, "name", 200) ?? (type === "local_shell_call" ? "local_shell" : "tool");
      const command = describeCall(name, input);
      const call: Block = { type: "tool_call", callId: callOf(item), tool: name, command, input };
      return { format, entry: { role: "assistant", blocks: [call], at } };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const output = readOutput(member(item, "output"));
      const result: Block = { type: "tool_result", callId: callOf(item), ...output };
      return { format, entry: { role: "tool", blocks: [result], at } };
    }
    default:
      return { skipped: type };
  }
}

const callOf = (item: JsonFields): string | undefined => textOf(item, "call_id", longestId);

const readText =
  (type: "text" | "thinking") =>
  (part: unknown): Block[] => {
    const text = textOf(asObject(part), "text");
    return text === undefined ? [] : [{ type, text }];
  };

function readMessage(item: JsonFields, at: string | undefined): TranscriptLine {
  const role = messageRoles.find((known) => known === member(item, "role"));
  if (!role) return { skipped: "message" };
  const content = member(item, "content");
  const parts = typeof content === "string" ? [{ text: content }] : asList(content);
  const blocks = parts.flatMap(readText("text"));
  const [first] = blocks;
  const injected = role === "user" && first?.type === "text" && isInjected(first.text);
  return { format, entry: { role, blocks, at, ...(injected && { injected }) } };
}

const exitCode = /"exit_code":\s{0,4}(-?\d{1,6})|^(?:Process exited with code|Exit code:) (-?\d{1,6})$/m;

/** Reads an output: text, text parts, `{output, metadata: {exit_code}}`, or that object as a JSON string. */
function readOutput(output: unknown): { text: string; failed: boolean; exit?: number } {
  if (Array.isArray(output)) {
    const texts = output.flatMap((part) => textOf(asObject(part), "text") ?? []);
    return { text: texts.join("\n"), failed: false };
  }
  const fields = asObject(output) ?? (typeof output === "string" ? parseOutput(output) : undefined);
  const text = textOf(fields, "output") ?? textOf(fields, "content");
  const code = member(objectOf(fields, "metadata"), "exit_code");
  if (fields && (text !== undefined || code !== undefined))
    return {
      text: text ?? "",
      failed: code === undefined ? isRefused(fields) : code !== 0,
      ...(typeof code === "number" && { exit: code }),
    };
  const raw = typeof output === "string" ? output : "";
  const printed = withoutFrame(raw);
  const exit = exitCode.exec(raw.slice(0, 400)) ?? exitCode.exec(raw.slice(-400));
  const status = exit === null ? undefined : Number(exit[1] ?? exit[2]);
  const failed = status !== undefined && status !== 0;
  return {
    text: printed,
    failed: failed || (fields !== undefined && isRefused(fields)),
    ...(status !== undefined && { exit: status }),
  };
}

/** Removes the time and token counts that Codex adds around a command's output. */
function withoutFrame(raw: string): string {
  if (!/^(?:Chunk ID|Wall time|Exit code|Process exited with code)\b/.test(raw)) return raw;
  const at = raw.slice(0, 1_000).indexOf("\nOutput:\n");
  return at === -1 ? raw : raw.slice(at + "\nOutput:\n".length);
}

const isRefused = (fields: JsonFields): boolean => member(fields, "success") === false;

function parseOutput(text: string): JsonFields | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
