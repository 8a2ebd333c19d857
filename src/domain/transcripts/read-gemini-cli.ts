import { isInjected } from "./clean-text.ts";
import { describeCall } from "./describe-call.ts";
import type { Block, TranscriptEntry, TranscriptLine } from "./entry.ts";
import { asList, asObject, type JsonFields, member, objectOf, textOf, timeOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";

const { id: longestId, path: longestPath } = transcriptLimits;
const format = "gemini-cli";

/** True for a header, a change to the header, a rewind, or a message. */
export function isGeminiCli(fields: JsonFields): boolean {
  if (["projectHash", "$set", "$rewindTo"].some((name) => Object.hasOwn(fields, name))) return true;
  const type = member(fields, "type");
  return (
    (type === "user" || type === "gemini") &&
    Object.hasOwn(fields, "content") &&
    Object.hasOwn(fields, "id") &&
    !Object.hasOwn(fields, "uuid")
  );
}

/**
 * Reads a line. When a message grows, for example by a tool call or its result, the program appends the whole
 * message again. A new list of messages (`$set`) repeats or compresses old messages.
 */
export function readGeminiCli(fields: JsonFields): TranscriptLine {
  const rewoundTo = textOf(fields, "$rewindTo", longestId);
  if (rewoundTo !== undefined) return { format, rewoundTo };
  const set = objectOf(fields, "$set");
  if (set) return { format, session: { cwd: findWorkspace(set) }, skipped: "metadata" };
  if (Object.hasOwn(fields, "projectHash")) {
    const [directory] = asList(member(fields, "directories"));
    const cwd = typeof directory === "string" && directory.length <= longestPath ? directory : undefined;
    const session = { id: textOf(fields, "sessionId", longestId), at: timeOf(fields, "startTime"), cwd };
    return { format, session, skipped: "metadata" };
  }
  const type = textOf(fields, "type", 40);
  const place = { id: textOf(fields, "id", longestId), at: timeOf(fields, "timestamp") };
  const content = readContent(member(fields, "content"));
  if (type === "user") {
    const injected = content.some((block) => block.type === "text" && isInjected(block.text));
    const entry: TranscriptEntry = { role: "user", blocks: content, ...place, ...(injected && { injected }) };
    return { format, entry: { ...entry, rewritten: true } };
  }
  const thoughts = asList(member(fields, "thoughts")).flatMap((thought): Block[] => {
    const words = asObject(thought);
    const text = [textOf(words, "subject"), textOf(words, "description")].filter(Boolean).join("\n");
    return text === "" ? [] : [{ type: "thinking", text }];
  });
  const calls = asList(member(fields, "toolCalls")).flatMap((call) => readCall(asObject(call)));
  const blocks = [...thoughts, ...content, ...calls];
  const session = { model: textOf(fields, "model", longestId) };
  return { format, session, entry: { role: "assistant", blocks, ...place, rewritten: true } };
}

/** Finds the session's directory in `directories`. If that field is absent, searches the first message. */
function findWorkspace(set: JsonFields): string | undefined {
  const [directory] = asList(member(set, "directories"));
  if (typeof directory === "string") return directory.length <= longestPath ? directory : undefined;
  const [first] = asList(member(set, "messages"));
  const [opening] = readContent(member(asObject(first), "content"));
  if (opening?.type !== "text" || !opening.text.startsWith("<session_context>")) return undefined;
  const found = /\n- \*\*Workspace Directories:\*\*\n {2}- ([^\n]+)\n/.exec(
    opening.text.slice(0, 8_192),
  )?.[1];
  return found !== undefined && found.length <= longestPath ? found : undefined;
}

/** Skips tool results, which are read together with their calls. */
function readContent(content: unknown): Block[] {
  const parts = typeof content === "string" ? [{ text: content }] : asList(content);
  return parts.flatMap((part) => readText(asObject(part)));
}

/** Returns the text of a message, without text that hooks added. */
export function readText(part: JsonFields | undefined): Block[] {
  const text = textOf(part, "text")?.replaceAll(/<hook_context>[\s\S]*?<\/hook_context>/g, "");
  if (text === undefined || text.trim() === "") return [];
  return [{ type: member(part, "thought") === true ? "thinking" : "text", text }];
}

function readCall(call: JsonFields | undefined): Block[] {
  const tool = textOf(call, "name", 200);
  const status = textOf(call, "status", 40);
  if (tool === undefined || !["success", "error", "cancelled"].includes(status ?? "")) return [];
  const callId = textOf(call, "id", longestId);
  const input = objectOf(call, "args");
  const [result] = asList(member(call, "result"));
  const response = objectOf(objectOf(asObject(result), "functionResponse"), "response");
  const output = textOf(response, "output") ?? textOf(response, "error") ?? "";
  return [
    { type: "tool_call", callId, tool, command: describeCall(tool, input), input },
    { type: "tool_result", callId, ...readResult(output, status, member(call, "resultDisplay")) },
  ];
}

const frame = /^<untrusted_context>\n([\s\S]*?)\n?<\/untrusted_context>\s*$/;
const nextLabel = /\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): /;

/** Reads a command's output, without the text for the model that the client adds around it. */
export function readResult(output: string, status: string | undefined, display: unknown) {
  const said = frame.exec(output)?.[1] ?? output;
  const exit = /(?:^|\n)Exit Code: (-?\d{1,6})(?:\n|$)/.exec(said.slice(-400))?.[1];
  const begin = /^(?:Command: [\s\S]*?\nDirectory: [^\n]*\n)?Output: /.exec(said)?.[0];
  const rest = begin === undefined ? said : said.slice(begin.length);
  const end = begin === undefined ? -1 : rest.search(nextLabel);
  const shown = asObject(display);
  const diff = textOf(shown, "fileDiff");
  const path = textOf(shown, "filePath", longestPath);
  return {
    text: end === -1 ? rest : rest.slice(0, end),
    failed: status !== "success" || (exit !== undefined && exit !== "0"),
    ...(exit !== undefined && { exit: Number(exit) }),
    ...(diff !== undefined && {
      detail: { unifiedDiff: diff, ...(path !== undefined && { filePath: path }) },
    }),
  };
}
