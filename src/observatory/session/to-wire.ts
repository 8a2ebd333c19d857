import { closingOf } from "../../domain/ledger/branch-closing.ts";
import type { Session } from "../../domain/ledger/session.ts";
import type { ChainedThought } from "../../domain/ledger/thought.ts";
import { nodeId } from "../../domain/ledger/thought.ts";
import { clip } from "../../kernel/text.ts";
import { type Critique, type ObservatorySession, type ObservatoryThought, wire } from "../wire.ts";
import type { SessionColumns } from "./session-columns.ts";

/** Prepares text for display. Secrets are masked, unless the operator turned that off. */
export type Mask = (text: string) => string;

export function toWireSession(session: Session, mask: Mask): ObservatorySession {
  const { id, title, description, tags, createdAt, completedAt, status, project } = session;
  const { thoughtCount, branchCount, updatedAt } = session;
  return {
    id,
    title: mask(title),
    tags: tags.map(mask),
    createdAt,
    ...(completedAt !== undefined && { completedAt }),
    status,
    project,
    ...(description !== undefined && { description: mask(description) }),
    thoughtCount,
    branchCount,
    updatedAt,
  };
}

/** In milliseconds since 1970. */
export type Signs = {
  /** When the transcript of a captured session last grew. */
  at?: number | undefined;
  /**
   * When the last process that served the session ended. `undefined` while a process is running, or if none
   * is known.
   */
  leftAt?: number | undefined;
  /** The call that had no result when the transcript was last read. */
  running?: { command: string; at: string } | undefined;
};
export type ReadSigns = () => Promise<ReadonlyMap<string, Signs>>;

/** Returns signs of activity from the transcript, which also grows between thoughts. */
export const signOf = (
  { id, status }: Session,
  signs: ReadonlyMap<string, Signs>,
  mask: Mask,
): Pick<ObservatorySession, "signAt" | "leftAt" | "running"> => {
  const { at, leftAt, running } = (status === "completed" ? undefined : signs.get(id)) ?? {};
  return {
    ...(at !== undefined && { signAt: new Date(at).toISOString() }),
    ...(leftAt !== undefined && { leftAt: new Date(leftAt).toISOString() }),
    ...(running && { running: { command: mask(running.command), at: running.at } }),
  };
};

export type WireThoughtOptions = { mask: Mask; whole?: boolean };

/** `columns` must already contain the thought. */
export function toWireThought(
  { sessionId, seq, position, data }: ChainedThought,
  columns: SessionColumns,
  { mask, whole = false }: WireThoughtOptions,
): ObservatoryThought {
  const place = columns.at(position);
  const { isRevision, revisesThought, branchId, branchFromThought, branchFromBranch, agentId } = data;
  const idOf = (at: number) => idAt(columns, at);
  const steps = data.cipher?.length ?? 0;
  const closing = closingOf(data.thought);
  const critique = data.critique && toWireCritique(data.critique, mask);
  return {
    id: nodeId(sessionId, data),
    thoughtNumber: data.thoughtNumber,
    totalThoughts: data.totalThoughts,
    ...shown(mask(data.thought), whole),
    nextThoughtNeeded: data.nextThoughtNeeded,
    timestamp: data.timestamp,
    ...(isRevision && { isRevision }),
    ...(revisesThought !== undefined && { revisesThought }),
    ...(branchId !== undefined && { branchId }),
    ...(branchFromThought !== undefined && { branchFromThought }),
    ...(branchFromBranch !== undefined && { branchFromBranch }),
    seq,
    position,
    parentId: idOf(place?.parent ?? 0) ?? null,
    parent: place?.parent ?? 0,
    type: place?.type ?? "N",
    ...(steps > 1 && { steps }),
    ...(place && place.revises > 0 && { revisesId: idOf(place.revises) ?? "", revises: place.revises }),
    ...(place && place.links.length > 0 && { links: [...place.links] }),
    ...(closing && { closes: { branchId: closing.branchId, outcome: closing.outcome } }),
    ...(agentId !== undefined && { agentId: mask(agentId) }),
    ...(critique && { hasCritique: true as const, critique }),
  };
}

export const toWireCritique = ({ text, model, timestamp }: Critique, mask: Mask): Critique => ({
  text: clip(mask(text), wire.textCharacters),
  model: mask(model),
  timestamp,
});

/** Returns `undefined` if there is no thought at this position. */
export function idAt(columns: SessionColumns, position: number): string | undefined {
  const place = columns.at(position);
  if (!place) return undefined;
  const branchId = columns.chain(place.chain).id;
  return nodeId(columns.sessionId, { branchId, thoughtNumber: place.thoughtNumber });
}

function shown(text: string, whole: boolean): { thought: string; textLength?: number } {
  if (whole || text.length <= wire.textCharacters) return { thought: text };
  return { thought: clip(text, wire.textCharacters), textLength: text.length };
}
