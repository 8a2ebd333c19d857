import { isFallen } from "../../../domain/memory/decisions/decision.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { type Remark, remarksOf } from "../../../domain/recall/remarks.ts";
import { wordRecall } from "../../../domain/recall/word-recall.ts";
import { isClosed } from "../../../domain/tasks/item.ts";
import { transcriptFormats } from "../../../domain/transcripts/entry.ts";
import { sessionIdOf, transcriptId } from "../../../domain/transcripts/session/describe-session.ts";
import type { Conversations } from "../../../ports/conversations.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import { anyone, type MemoryStore } from "../../../ports/memory/memory-store.ts";

type Sources = {
  ledger: Pick<LedgerStore, "listSessions" | "readLatest" | "readSession">;
  memory: Pick<MemoryStore, "readWorkspace" | "queryNodes" | "listItems">;
};

type Wanted = {
  project: string;
  workspace: string;
  /** Sessions that belong to a conversation whose context was compacted. */
  own: readonly string[];
};

/** Older sessions and thoughts are found by a search. */
const [sessionsLookedAt, thoughtsLookedAt, nodesLookedAt, tasksLookedAt] = [8, 80, 12, 200];

/** What a session of this project should know when it starts; `undefined` if nothing strong was recorded. */
export async function gatherRecall(
  { ledger, memory }: Sources,
  { project, workspace, own }: Wanted,
): Promise<string | undefined> {
  const ofSessions = async (ids: readonly string[]): Promise<Remark[]> => {
    const read = ids.map((id) => ledger.readLatest(id, undefined, thoughtsLookedAt));
    return (await Promise.all(read)).flatMap(remarksOf);
  };
  const mine = await Promise.all(own.map((id) => ledger.readSession(id)));
  const known = mine.flatMap((record) => (record?.session.project === project ? [record.session.id] : []));
  const said = known.length === 0 ? undefined : wordRecall(await ofSessions(known), "session");
  if (said !== undefined) return said;
  const { sessions } = await ledger.listSessions({
    project,
    tagMode: "all",
    limit: sessionsLookedAt,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  const remarks = await Promise.all([
    ofSessions(sessions.map(({ id }) => id)),
    remarksOfMemory(memory, workspace),
  ]);
  return wordRecall(remarks.flat(), "repository");
}

/** Decisions and questions on the branch that is checked out, and tasks that are under way. */
export async function remarksOfMemory(memory: Sources["memory"], workspace: string): Promise<Remark[]> {
  const state = await memory.readWorkspace(workspace, anyone);
  if (!state) return [];
  const [{ nodes }, { items }] = await Promise.all([
    memory.queryNodes(workspace, {
      branch: state.checkout,
      doc: defaultDocs.graph,
      types: ["decision", "question"],
      includeDeleted: false,
      limit: nodesLookedAt,
    }),
    memory.listItems(workspace, { kind: "task", status: "ACTIVE", after: 0, limit: tasksLookedAt }),
  ]);
  const cards = nodes.flatMap((node): Remark[] => {
    if (node.kind !== "node" || (node.type === "question" && node.status !== "open")) return [];
    if (isFallen(node)) return [];
    const text = node.title ?? node.text;
    const kind = node.type === "decision" ? "decided" : "open";
    return text ? [{ kind, text, at: timeOf(node.last_ts_ms), author: "agent", id: node.id }] : [];
  });
  const tasks = items
    .filter((item) => !isClosed(item))
    .map(
      ({ id, title, updated_at_ms }): Remark => ({
        kind: "unfinished",
        text: title,
        at: timeOf(updated_at_ms),
        author: "agent",
        id,
      }),
    );
  return [...cards, ...tasks];
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** What clients call themselves over MCP. */
const mcpNames: Readonly<Record<string, string>> = {
  "claude-code": "claude-code",
  codex: "codex-mcp-client",
};

type Compacted = {
  project: string;
  client: string;
  conversation: string | undefined;
  transcript: string | undefined;
};

/** The sessions of one conversation: the one it records in, and the one that its transcript became. */
export async function ownSessions(
  conversations: Pick<Conversations, "find">,
  { project, client, conversation, transcript }: Compacted,
): Promise<string[]> {
  const format = transcriptFormats.find((known) => known === client);
  const name = mcpNames[client];
  const key = name && conversation ? { principal: "", project, client: name, conversation } : undefined;
  const recorded = key && (await conversations.find(key));
  const id = transcript ? transcriptId(transcript.replaceAll("\\", "/"), conversation) : undefined;
  return [
    ...(recorded ? [recorded.sessionId] : []),
    ...(format && id !== undefined ? [sessionIdOf(format, id, "all")] : []),
  ];
}
