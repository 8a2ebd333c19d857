import type { ChainedThought } from "../ledger/thought.ts";
import type { Entry } from "./entry.ts";
import { defaultDocs } from "./limits.ts";
import { stepFormats } from "./sequential.ts";

/** A thought of the ledger as an entry of the trace of branch `session/<id>`: one store, two doors. */
export function traceEntry({ sessionId, seq, data }: ChainedThought): Entry {
  const { thought, timestamp, agentId, cipher: _cipher, critique: _critique, ...fields } = data;
  const { thoughtNumber, totalThoughts, nextThoughtNeeded, isRevision, revisesThought, revises } = fields;
  const { branchId, branchFromThought, branchFromBranch } = fields;
  const meta = {
    thoughtNumber,
    totalThoughts,
    nextThoughtNeeded,
    isRevision,
    revisesThought: revisesThought ?? revises?.thoughtNumber,
    branchId,
    branchFromThought,
    branchFromBranch,
  };
  return {
    seq,
    ts: timestamp,
    ts_ms: Date.parse(timestamp),
    branch: `session/${sessionId}`,
    doc: defaultDocs.trace,
    kind: "note",
    format: stepFormats.sequential,
    meta: Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined)),
    content: thought,
    ...(agentId !== undefined && { agent_id: agentId }),
  };
}
