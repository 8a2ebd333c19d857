import type { Steps } from "../../kernel/steps.ts";
import type { ActionRecord } from "../actions/kept-action.ts";
import { describeNode } from "./chain/structure.ts";
import type { ThoughtIndex } from "./chain/thought-index.ts";
import type { Remark } from "./remark.ts";
import type { Session } from "./session.ts";
import type { ChainedThought, Thought } from "./thought.ts";
import { nodeId } from "./thought.ts";

export type ExportedNode = {
  id: string;
  data: Thought;
  prev: string | null;
  next: string[];
  revisesNode: string | null;
  revisedBy: string[];
  branchOrigin: string | null;
  branchId: string | null;
  /** Absent if the export has no metadata. */
  chain?: { position: number; salt: string; prevHash: string; hash: string };
};

export type SessionExport = {
  version: "1.0";
  session: Session;
  nodes: ExportedNode[];
  /** What the agent did, if its session was captured. */
  actions?: readonly ActionRecord[];
  remarks?: readonly Remark[];
  exportedAt: string;
  integrity?: { length: number; headHash: string };
};

/** Exports the thoughts of all branches and the main line, in order of arrival, one step per thought. */
export function* exportInSteps(...given: Parameters<typeof exportParts>): Steps<SessionExport> {
  const nodes: ExportedNode[] = [];
  const [session, entries, index, exportedAt, includeMetadata, actions, remarks] = given;
  for (const entry of entries) {
    nodes.push(JSON.parse(JSON.stringify(exportNode(entry, index, includeMetadata))) as ExportedNode);
    yield;
  }
  return {
    ...headOf(session),
    nodes,
    ...(actions && { actions }),
    ...(remarks && { remarks }),
    ...tailOf(entries, exportedAt, includeMetadata),
  };
}

/** Yields a session export as JSON text, one part per thought, so that other work can run in between. */
export function* exportParts(
  session: Session,
  entries: readonly ChainedThought[],
  index: ThoughtIndex,
  exportedAt: string,
  includeMetadata: boolean,
  actions?: readonly ActionRecord[],
  remarks?: readonly Remark[],
): Generator<string> {
  yield `${JSON.stringify(headOf(session)).slice(0, -1)},"nodes":[`;
  for (const [place, entry] of entries.entries())
    yield `${place > 0 ? "," : ""}${JSON.stringify(exportNode(entry, index, includeMetadata))}`;
  if (actions) {
    yield '],"actions":[';
    for (const [place, action] of actions.entries()) yield `${place > 0 ? "," : ""}${JSON.stringify(action)}`;
  }
  if (remarks) yield `],"remarks":${JSON.stringify(remarks).slice(0, -1)}`;
  yield `],${JSON.stringify(tailOf(entries, exportedAt, includeMetadata)).slice(1)}`;
}

const headOf = (session: Session): Pick<SessionExport, "version" | "session"> => ({
  version: "1.0",
  session,
});

function tailOf(
  entries: readonly ChainedThought[],
  exportedAt: string,
  includeMetadata: boolean,
): Pick<SessionExport, "exportedAt" | "integrity"> {
  const last = entries.at(-1);
  return {
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
