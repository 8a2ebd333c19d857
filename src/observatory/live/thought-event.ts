import type { ObservatoryThought, ServerMessage } from "../wire.ts";

/** A thought is one event, of its most telling kind. */
export function toThoughtEvent(sessionId: string, thought: ObservatoryThought): ServerMessage {
  const { parentId, branchId, branchFromThought, revisesThought } = thought;
  const about = { channel: "reasoning" as const, sessionId };
  const data = { thought, parentId };
  if (branchId !== undefined && branchFromThought !== undefined) {
    const fork = { branchId, fromThoughtNumber: branchFromThought };
    return { ...about, event: "thought:branched", data: { ...data, ...fork } };
  }
  if (revisesThought !== undefined)
    return { ...about, event: "thought:revised", data: { ...data, originalThoughtNumber: revisesThought } };
  return { ...about, event: "thought:added", data };
}
