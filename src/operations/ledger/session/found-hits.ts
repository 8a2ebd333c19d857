import { nodeId } from "../../../domain/ledger/thought.ts";
import type { MemoryHit, MemoryKind } from "../../../domain/search/memory-hits.ts";
import type { SearchHit } from "../../../ports/ledger-store.ts";

export function showMemory(
  {
    atMs: _at,
    rejected,
    superseded,
    conflict,
    earlier,
    score,
    matched,
    cover: _cover,
    snippet,
    timestamp,
    ...memory
  }: MemoryHit & {
    timestamp: string;
  },
  show: (title: string) => string,
) {
  const { kind, id, doc, seq, title } = memory;
  const opens = !unopened.has(kind);
  return {
    ...(opens && { id: earlier && doc !== undefined && seq !== undefined ? `${doc}@${seq}` : id }),
    memory: { ...memory, ...(title !== undefined && { title: show(title) }) },
    timestamp,
    snippet,
    ...(rejected && { rejected: true as const }),
    ...(superseded && { superseded: true as const }),
    ...(conflict && { conflict: true as const }),
    ...(earlier && { earlier: true as const }),
    score,
    matched,
  };
}

/** Kinds that `open` does not read. */
const unopened = new Set<MemoryKind>(["pattern", "scratchpad", "notebook"]);

/** Converts a hit to its shown form. Only the first hit of a session has the session's title. */
export function showHit(
  { session, note, address, matched, nearby, cover: _cover, ...hit }: SearchHit,
  show: (title: string) => string,
  named: Set<string>,
) {
  const isFirst = session !== undefined && !named.has(session.id);
  if (session) named.add(session.id);
  return {
    ...(session && (isFirst || !address) && { sessionId: session.id }),
    ...(session && isFirst && { sessionTitle: show(session.title) }),
    ...(session && address && { id: nodeId(session.id, address), thought: address }),
    ...(note && {
      id: `${note.doc}@${note.seq}`,
      note: { ...note, ...(note.title !== undefined && { title: show(note.title) }) },
    }),
    ...hit,
    ...(matched.length > 0 && { matched }),
    ...(nearby.length > 0 && { nearby }),
  };
}

type ShownHit = {
  sessionId?: string | undefined;
  sessionTitle?: string | undefined;
  id?: string | undefined;
};

/** Copies the session's ID and title, which only its first hit has, to its other hits. */
export function withSessions<Hit extends ShownHit>(hits: readonly Hit[]): Hit[] {
  const titles = new Map<string | undefined, string>();
  for (const { sessionId, sessionTitle } of hits)
    if (sessionTitle !== undefined) titles.set(sessionId, sessionTitle);
  return hits.map((hit) => {
    const sessionId = hit.sessionId ?? hit.id?.split(":", 1)[0];
    const sessionTitle = titles.get(sessionId);
    return sessionTitle === undefined ? hit : { ...hit, sessionId, sessionTitle };
  });
}
