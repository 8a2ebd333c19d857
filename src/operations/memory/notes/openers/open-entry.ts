import { isThinkType } from "../../../../domain/memory/cards/card.ts";
import { type CardLink, otherEnd, readLinks } from "../../../../domain/memory/cards/card-link.ts";
import { formatRef } from "../../../../domain/memory/entry.ts";
import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { traceEntry } from "../../../../domain/memory/session-trace.ts";
import type { GraphPlace } from "../../../../domain/memory/steps/outcomes.ts";
import { quote } from "../../../../kernel/text.ts";
import type { MemoryContext } from "../../../pipeline/context.ts";
import { readSession } from "../../../pipeline/find-session.ts";
import { showVersion } from "../../graph/graph-schemas.ts";
import { findNamesakes } from "../../graph/versions.ts";
import { markCards } from "../../ground/read-ground.ts";
import { checkoutOrDefault } from "../../scope.ts";
import type { Opened, Opener, OpenMemory } from "./opened-schema.ts";

/** Opens the entry, graph version or thought that has the number. */
export const openEntry: Opener<"entry"> = async (memory, { doc, seq }) => {
  const found =
    (await entryAt(memory, seq)) ?? (await versionAt(memory, seq)) ?? (await thoughtAt(memory, seq));
  if (!found) return undefined;
  const ref = formatRef({ doc: found.doc, seq });
  if (doc === undefined || doc === found.doc) return { ...found.opened, ref };
  const { workspace, fail } = memory;
  return fail("INVALID_PAYLOAD", `${seq} belongs to ${quote(found.doc)}, not to ${quote(doc)}.`, {
    details: { ref },
    recovery: {
      hint: "Open the entry under its own document.",
      operation: "open",
      args: { workspace, id: ref },
    },
  });
};

type Found = { doc: string; opened: Opened } | undefined;

async function entryAt({ memory, workspace }: OpenMemory, seq: number): Promise<Found> {
  const entry = await memory.readEntry(workspace, seq);
  return entry && { doc: entry.doc, opened: { kind: "doc_entry", entry } };
}

const maxEdges = 100;

/** Opens a node on the checkout, or its last version on any branch if the checkout has no such node. */
export async function openNode(memory: MemoryContext, id: string): Promise<Opened | undefined> {
  const branch = checkoutOrDefault(memory);
  const found = await memory.memory.findNode(memory.workspace, branch, id, maxEdges);
  if (!found) return undefined;
  const { node, place } = found;
  const { edges, total } = found.edges;
  const isCard = node.kind === "node" && isThinkType(node.type);
  const others = await namesakes(memory, id, place);
  const card = { ...place, id };
  const { doubts, ground } = isCard ? (await markCards(memory, [card]))(card) : { doubts: [] };
  const links = isCard ? readLinks(node.meta) : [];
  return {
    kind: isCard ? "card" : "node",
    id,
    head: headOf(node, place),
    ...(others.length > 0 && { also_in: others }),
    [isCard ? "card" : "node"]: contentOf(node),
    ...ground,
    ...(doubts.length > 0 && { rests_on_reversed: [...doubts] }),
    edges: groupEdges(edges, "outgoing", id, isCard ? ["supports", "blocks"] : []),
    incoming: groupEdges(edges, "incoming", id),
    edges_total: total,
    ...(links.length > 0 && { links: await showLinks(memory, links) }),
  };
}

async function namesakes(memory: MemoryContext, id: string, { doc }: GraphPlace) {
  return (await findNamesakes(memory, id, doc)).map(({ version, place }) => ({
    ...place,
    type: version.type,
    title: version.title,
    ref: formatRef({ doc: place.doc, seq: version.last_seq }),
  }));
}

/** Shows the current text of the linked cards. */
async function showLinks(memory: MemoryContext, links: readonly CardLink[]) {
  const ids = [...new Set(links.map(otherEnd))];
  const found = new Map(
    await Promise.all(ids.map(async (id) => [id, await findNamesakes(memory, id)] as const)),
  );
  return links.map((link) => {
    const now = found.get(otherEnd(link))?.find(({ place }) => place.doc === link.doc);
    if (!now) return { ...link, deleted: true };
    const { title, status } = now.version;
    return { ...link, branch: now.place.branch, ...(title && { title }), ...(status && { status }) };
  });
}

function contentOf(version: GraphVersion): Record<string, unknown> {
  const { last_seq: _seq, last_ts_ms: _ts, deleted: _deleted, ...content } = showVersion(version);
  return content;
}

const headOf = ({ last_seq, last_ts_ms }: GraphVersion, place: GraphPlace) => ({
  seq: last_seq,
  ts: new Date(last_ts_ms).toISOString(),
  ts_ms: last_ts_ms,
  ...place,
});

/** Groups the neighbours by relation. The result for a card always has `supports` and `blocks`. */
function groupEdges(
  edges: readonly GraphVersion[],
  way: "outgoing" | "incoming",
  id: string,
  always: readonly string[] = [],
): Record<string, string[]> {
  const [here, there] = way === "outgoing" ? (["from", "to"] as const) : (["to", "from"] as const);
  const grouped = new Map<string, string[]>(always.map((rel) => [rel, []]));
  for (const edge of edges) {
    if (edge.kind !== "edge" || edge[here] !== id) continue;
    const others = grouped.get(edge.rel);
    if (others) others.push(edge[there]);
    else grouped.set(edge.rel, [edge[there]]);
  }
  return Object.fromEntries(grouped);
}

/** Opens the state that this write created, even if a later write changed it. */
async function versionAt({ memory, workspace }: OpenMemory, seq: number): Promise<Found> {
  const found = await memory.readVersion(workspace, seq);
  if (!found) return undefined;
  const { version, place } = found;
  const head = headOf(version, place);
  return {
    doc: place.doc,
    opened: { kind: "graph_version", head, [version.kind]: showVersion(version) },
  };
}

async function thoughtAt({ ledger, settings }: OpenMemory, seq: number): Promise<Found> {
  const thought = await ledger.readThoughtAt(seq);
  if (!thought || !(await readSession(ledger, settings, thought.sessionId))) return undefined;
  const entry = traceEntry(thought);
  return { doc: entry.doc, opened: { kind: "thought", entry } };
}
