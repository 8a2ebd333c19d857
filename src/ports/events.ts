import type { Stage } from "../domain/stages/stages.ts";

/** What happened, told after it was acknowledged. Texts are clipped and secrets masked before they get here. */
export type LedgerEvent = { timestamp: string; sessionId: string } & (
  | { type: "session_started"; data: { title: string; tags: readonly string[]; project: string } }
  | { type: "session_loaded"; data: { title: string; thoughtCount: number } }
  | { type: "session_exported"; data: { format: string; path?: string } }
  | { type: "session_completed"; data: { thoughtNumber: number; thoughtCount: number } }
  | { type: "cipher_loaded"; data: Record<string, never> }
  | { type: "stage_changed"; data: { previousStage: Stage; newStage: Stage } }
  | { type: "thought_added" | "thought_revised" | "branch_created"; data: ThoughtEventData }
);

export type ThoughtEventData = {
  id: string;
  thoughtNumber: number;
  totalThoughts: number;
  nextThoughtNeeded: boolean;
  thought: string;
  branchId?: string;
  branchFromThought?: number;
  revisesThought?: number;
};

/** Must not throw, block or wait. */
export type EventSink = (event: LedgerEvent) => void;
