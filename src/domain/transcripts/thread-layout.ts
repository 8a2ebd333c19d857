import type { SessionFacts, TranscriptFormat } from "./entry.ts";

/** Where a program stores the transcripts of a session's sub-agents. */
export type ThreadLayout = {
  /** Returns a folder that also contains many other transcripts. */
  beside?(path: string): string;
  /** Returns a folder that contains only sub-agents' transcripts. */
  own?(path: string, sessionId: string): string;
  /** Checks the filename quickly, so that few files must be opened. */
  mayBe(name: string): boolean;
  /** Returns the parent session's ID, from a sub-agent's transcript. */
  starter(session: SessionFacts, path: string): string | undefined;
  name(path: string): string;
};

const folderOf = (path: string): string => path.split("/").slice(0, -1).join("/");
const fileName = (path: string): string => path.split("/").at(-1) ?? path;
const stem = (path: string): string => fileName(path).replace(/\.jsonl$/, "");
const isDirectlyIn = (folder: string, path: string): boolean => folderOf(path) === folder;

/** Returns the project's folder, which contains `chats`. */
const aboveChats = (path: string): string => folderOf(folderOf(path));

export const threadLayouts: Readonly<Record<TranscriptFormat, ThreadLayout | undefined>> = {
  /** Threads are next to the session as `agent-….jsonl`, or in a directory named after the session. */
  "claude-code": {
    beside: folderOf,
    own: (path) => path.replace(/\.jsonl$/, ""),
    mayBe: (name) => name.startsWith("agent-"),
    starter: ({ id }) => id,
    name: (path) => stem(path).replace(/^agent-/, ""),
  },
  /** Threads are separate sessions that contain the ID of their parent. */
  codex: {
    beside: folderOf,
    mayBe: (name) => name.startsWith("rollout-"),
    starter: ({ parentId }) => parentId,
    name: (path) => stem(path).slice(-12),
  },
  opencode: {
    beside: folderOf,
    mayBe: () => true,
    starter: ({ parentId }) => parentId,
    name: (path) => stem(path).slice(-12),
  },
  /** Threads are in a folder that is named after the session. */
  "gemini-cli": {
    own: (path, sessionId) => `${folderOf(path)}/${sessionId}`,
    mayBe: () => true,
    starter: (_session, path) => fileName(folderOf(path)),
    name: (path) => stem(path).slice(-12),
  },
  "qwen-code": {
    own: (path, sessionId) => `${aboveChats(path)}/subagents/${sessionId}`,
    mayBe: (name) => name.startsWith("agent-"),
    starter: ({ id }) => id,
    name: (path) => stem(path).replace(/^agent-/, ""),
  },
  /** Threads are in the file of the session itself. */
  "copilot-cli": undefined,
};

/**
 * True if a path belongs to a sub-agent in any program, except for Codex and opencode, where only the contents show
 * this.
 */
export const isThreadPath = (path: string): boolean =>
  /(?:^|\/)agent-[^/]*$|\/subagents\//.test(path) || /(?:^|\/)chats\/[^/]+\/[^/]+$/.test(path);

/** Returns the path of a sub-agent's parent session. Returns any other path unchanged. */
export function mainPathOf(
  path: string,
  { id, parentId }: Pick<SessionFacts, "id" | "parentId">,
  find: (matches: (path: string) => boolean) => string | undefined,
): string | undefined {
  const [, ofClaude, claudeId] = /^(.*)\/([^/]+)\/subagents\/[^/]+$/.exec(path) ?? [];
  const [, ofQwen, qwenId] = /^(.*)\/subagents\/([^/]+)\/[^/]+$/.exec(path) ?? [];
  const [, ofGemini, geminiId] = /^(.*(?:^|\/)chats)\/([^/]+)\/[^/]+$/.exec(path) ?? [];
  if (ofQwen !== undefined) return `${ofQwen}/chats/${qwenId}.jsonl`;
  if (ofClaude !== undefined) return `${ofClaude}/${claudeId}.jsonl`;
  if (ofGemini !== undefined && geminiId !== undefined)
    return find((other) => isDirectlyIn(ofGemini, other) && other.endsWith(`-${geminiId.slice(0, 8)}.jsonl`));
  if (/(?:^|\/)agent-[^/]*$/.test(path) && id !== undefined) return path.replace(/[^/]*$/, `${id}.jsonl`);
  return parentId === undefined ? path : find((other) => other.endsWith(`${parentId}.jsonl`));
}
