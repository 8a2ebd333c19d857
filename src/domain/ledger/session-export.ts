import { nodeId } from "./address.ts";
import { describeNode } from "./chain/structure.ts";
import type { ThoughtIndex } from "./chain/thought-index.ts";
import type { Session } from "./session.ts";
import type { ChainedThought, Thought } from "./thought.ts";

export type ExportedNode = {
  id: string;
  data: Thought;
  prev: string | null;
  next: string[];
  revisesNode: string | null;
  revisedBy: string[];
  branchOrigin: string | null;
  branchId: string | null;
  /** Place and seal in the hash chain; left out without metadata. */
  chain?: { position: number; salt: string; prevHash: string; hash: string };
};

export type SessionExport = {
  version: "1.0";
  session: Session;
  nodes: ExportedNode[];
  exportedAt: string;
  integrity?: { length: number; headHash: string };
};

/** Every thought of the main line and of all branches, in the order they arrived. */
export const exportSession = (...given: Parameters<typeof exportParts>): SessionExport =>
  JSON.parse([...exportParts(...given)].join("")) as SessionExport;

/** The same as JSON text, in parts of a thought each: whoever writes a long one can let others have their turn. */
export function* exportParts(
  session: Session,
  entries: readonly ChainedThought[],
  index: ThoughtIndex,
  exportedAt: string,
  includeMetadata: boolean,
): Generator<string> {
  const head: Pick<SessionExport, "version" | "session"> = { version: "1.0", session };
  yield `${JSON.stringify(head).slice(0, -1)},"nodes":[`;
  for (const [place, entry] of entries.entries())
    yield `${place > 0 ? "," : ""}${JSON.stringify(exportNode(entry, index, includeMetadata))}`;
  const last = entries.at(-1);
  const tail: Pick<SessionExport, "exportedAt" | "integrity"> = {
    exportedAt,
    ...(includeMetadata && last && { integrity: { length: last.position, headHash: last.hash } }),
  };
  yield `],${JSON.stringify(tail).slice(1)}`;
}

function exportNode(entry: ChainedThought, index: ThoughtIndex, includeMetadata: boolean): ExportedNode {
  const { position, salt, prevHash, hash, data, sessionId } = entry;
  const node = index.find(data);
  const links = node && describeNode(index, node);
  return {
    id: nodeId(sessionId, data),
    data,
    prev: links?.prev ?? null,
    next: links?.next ?? [],
    revisesNode: links?.revises ?? null,
    revisedBy: links?.revisedBy ?? [],
    branchOrigin: links?.branchOrigin ?? null,
    branchId: data.branchId ?? null,
    ...(includeMetadata && { chain: { position, salt, prevHash, hash } }),
  };
}
