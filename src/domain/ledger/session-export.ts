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
export function exportSession(
  session: Session,
  entries: readonly ChainedThought[],
  index: ThoughtIndex,
  exportedAt: string,
  includeMetadata: boolean,
): SessionExport {
  const last = entries.at(-1);
  return {
    version: "1.0",
    session,
    nodes: entries.map((entry) => exportNode(entry, index, includeMetadata)),
    exportedAt,
    ...(includeMetadata && last && { integrity: { length: last.position, headHash: last.hash } }),
  };
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
