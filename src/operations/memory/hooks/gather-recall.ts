import { readDecision } from "../../../domain/memory/decisions/decision.ts";
import type { GraphVersion, NodeContent } from "../../../domain/memory/graph.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import { isGivenUp } from "../../../domain/memory/views/board.ts";
import type { Remark } from "../../../domain/recall/remarks.ts";
import { standingRemarks } from "../../../domain/recall/standing-remarks.ts";
import { wordRecall } from "../../../domain/recall/word-recall.ts";
import { parseQuestion } from "../../../domain/search/question.ts";
import { isClosed } from "../../../domain/tasks/item.ts";
import { transcriptFormats } from "../../../domain/transcripts/entry.ts";
import { sessionIdOf, transcriptId } from "../../../domain/transcripts/session/describe-session.ts";
import type { Conversations } from "../../../ports/conversations.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import { anyone, type MemoryStore } from "../../../ports/memory/memory-store.ts";

type Sources = {
  ledger: Pick<LedgerStore, "listSessions" | "readLatest" | "readSession">;
  memory: Pick<MemoryStore, "readWorkspace" | "queryNodes" | "findNode" | "findWords" | "listItems">;
};

type Wanted = {
  project: string;
  workspace: string;
  /** The sessions of a conversation whose context was compacted. */
  own: readonly string[];
};

/** Limits that keep the brief short. Search finds older sessions and thoughts. */
const [sessionsLookedAt, thoughtsLookedAt, nodesLookedAt, nodesOfWord, tasksLookedAt] = [8, 80, 12, 50, 200];

/** Returns the brief, or `undefined` if nothing significant was recorded. */
export async function gatherRecall(
  { ledger, memory }: Sources,
  { project, workspace, own }: Wanted,
): Promise<string | undefined> {
  const ofSessions = async (ids: readonly string[]): Promise<Remark[]> => {
    const read = ids.map((id) => ledger.readLatest(id, undefined, thoughtsLookedAt));
    return (await Promise.all(read)).flatMap(standingRemarks);
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
    remarksOfMemory({ ledger, memory }, workspace, ""),
  ]);
  return wordRecall(remarks.flat(), "repository");
}

/**
 * Finds the newest decisions and questions, older ones that match words in `about`, and tasks in progress.
 * Omits decisions of deleted sessions.
 */
export async function remarksOfMemory(
  { ledger, memory }: { ledger: Pick<LedgerStore, "readSession">; memory: Sources["memory"] },
  workspace: string,
  about: string,
): Promise<Remark[]> {
  const state = await memory.readWorkspace(workspace, anyone);
  if (!state) return [];
  const words = parseQuestion(about).terms.map(({ wanted }) => wanted);
  const [{ nodes }, found, { items }] = await Promise.all([
    memory.queryNodes(workspace, {
      branch: state.checkout,
      doc: defaultDocs.graph,
      types: ["decision", "question"],
      includeDeleted: false,
      limit: nodesLookedAt,
    }),
    words.length === 0 ? [] : memory.findWords(workspace, words, { limit: nodesOfWord, earlier: false }),
    memory.listItems(workspace, { kind: "task", status: "ACTIVE", after: 0, limit: tasksLookedAt }),
  ]);
  const here = found.filter(({ place }) => place.branch === state.checkout);
  const own = { branch: state.checkout, doc: defaultDocs.graph };
  const placed = [...nodes.map((node) => ({ node, place: own })), ...here];
  const known = new Map(placed.map(({ node }) => [keyOf(node), node]));
  const others = placed.flatMap(({ node }) => (node.kind === "node" ? relatedTo(node) : []));
  for (const id of new Set(others)) {
    const other = known.has(id) ? undefined : await memory.findNode(workspace, state.checkout, id, 0);
    if (other) known.set(id, other.node);
  }
  const isKept = await findKept(ledger, [...known.values()]);
  const kept = placed.filter(({ node }) => isKept(node));
  const cards = new Map(kept.map((one) => [`${one.place.doc} ${keyOf(one.node)}`, one]));
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
  const names = new Map(
    [...known].flatMap(([id, node]) =>
      node.kind === "node" && isKept(node) ? [[id, node.title] as const] : [],
    ),
  );
  const remarks = [...cards.values()].flatMap((one) => remarkOfCard(one, names));
  return [...remarks, ...tasks];
}

/** True if the session that recorded a card still exists, or if no session recorded it. */
async function findKept(
  ledger: Pick<LedgerStore, "readSession">,
  nodes: readonly GraphVersion[],
): Promise<(node: GraphVersion) => boolean> {
  const sessionOf = (node: GraphVersion) =>
    node.kind === "node" ? readDecision(node).thought?.split(":")[0] : undefined;
  const ids = [...new Set(nodes.flatMap((node) => sessionOf(node) ?? []))];
  const found = await Promise.all(ids.map((id) => ledger.readSession(id)));
  const gone = new Set(ids.filter((_, at) => found[at] === undefined));
  return (node) => !gone.has(sessionOf(node) ?? "");
}

const keyOf = (node: GraphVersion): string => (node.kind === "node" ? node.id : "");

/** Returns the decisions that this decision reverses, and the decision that reversed it. */
function relatedTo(node: NodeContent): string[] {
  const { reverses, reversedBy } = readDecision(node);
  return [...reverses, ...(reversedBy === undefined ? [] : [reversedBy])];
}

/** Returns the remark that a card makes. A rejected card is a dead end, whatever its type. */
function remarkOfCard(
  { node, place }: { node: GraphVersion; place: GraphPlace },
  names: ReadonlyMap<string, string | undefined>,
): Remark[] {
  if (node.kind !== "node") return [];
  const { id, type, title, text, status = "open", tags = [] } = node;
  const said = [title, text && asProse(text)].filter(Boolean).join(": ");
  const kind = isGivenUp({ type, status, tags })
    ? "rejected"
    : type === "decision"
      ? "decided"
      : type === "question" && status === "open"
        ? "open"
        : undefined;
  const at = timeOf(node.last_ts_ms);
  const { reverses, reversedBy } = readDecision(node);
  const name = (other: string) => `${other} ${names.get(other) ?? ""}`.trim();
  const remark = {
    text: said,
    at,
    author: "agent",
    id,
    place,
    ...(reversedBy !== undefined && { instead: name(reversedBy) }),
    ...(kind === "decided" && reverses.length > 0 && { was: reverses.map(name).join(", ") }),
  };
  return kind && said !== "" ? [{ kind, ...remark }] : [];
}

const asProse = (text: string): string =>
  text
    .replace(/^Chosen: /, "")
    .replaceAll(/([.!?]?)\n(?=(?:Because|Rejected): )/g, (_, end: string) => `${end || "."} `);

const timeOf = (ms: number): string => new Date(ms).toISOString();

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

/** Finds the session that a conversation writes to, and the session created from its transcript. */
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
