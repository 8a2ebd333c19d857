import * as z from "zod";
import { type CardChange, changeCards } from "../../../domain/memory/cards/change-cards.ts";
import type { ThinkDecision, ThinkFacts } from "../../../domain/memory/cards/decide-cards.ts";
import type { NewEntry } from "../../../domain/memory/entry.ts";
import type { NodeContent } from "../../../domain/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { think } from "../cards/write-cards.ts";
import { type AskedDocs, checkoutOf, refuseLedger, resolveDocs } from "../scope.ts";

export type AskedRef = Omit<AskedDocs, "branch"> & { ref?: string | undefined };

type RefCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT";

export const resolveRef = (
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  { ref, ...asked }: AskedRef,
) => resolveDocs(memory, Object.assign(asked, { branch: ref }));

/** Refuses ledger sessions, because the memory only reads them. */
export async function resolveWritableRef(memory: MemoryContext<RefCodes>, asked: AskedRef) {
  if (asked.ref !== undefined) refuseLedger(memory, asked.ref);
  else if (asked.target === undefined) checkoutOf(memory);
  return resolveRef(memory, asked);
}

/** Converts changed nodes to the states to write. */
export const nodeStates = (nodes: readonly NodeContent[]) =>
  nodes.map((node) => ({ ...bare(node), kind: "node" as const, deleted: false }));

function bare({ id, type, title, text, status, tags, meta }: NodeContent): NodeContent {
  return { id, type, title, text, status, tags, meta };
}

export const changedSchema = {
  branch: z.string(),
  graph_doc: z.string(),
  updated: z.array(z.string()),
  unchanged: z.array(z.string()),
  last_seq: z.int().optional(),
};

/** Adds the message, if any, to the trace. */
export async function changeThem(
  memory: MemoryContext<RefCodes>,
  asked: AskedRef,
  ids: readonly string[],
  change: CardChange,
  note?: { format: string; message: string | undefined },
) {
  const place = await resolveWritableRef(memory, asked);
  const decide = (facts: ThinkFacts): ThinkDecision<string[]> => {
    const changed = changeCards(facts.nodes, ids, change, {
      workspace: memory.workspace,
      branch: facts.branch,
      doc: facts.graph_doc,
    });
    const entry: NewEntry = {
      kind: "note",
      format: note?.format,
      content: note?.message ?? "",
      agent_id: memory.settings.agentId,
      meta: {
        cards: changed.map(({ id }) => id),
        ...(change.status !== undefined && { status: change.status }),
      },
    };
    return {
      entries: note?.message !== undefined && changed.length > 0 ? [{ doc: facts.trace_doc, entry }] : [],
      states: nodeStates(changed),
      answer: changed.map(({ id }) => id),
    };
  };
  const { branch, graph_doc, last_seq, answer } = await think(memory, place, ids, decide);
  return {
    branch,
    graph_doc,
    updated: answer,
    unchanged: [...new Set(ids)].filter((id) => !answer.includes(id)),
    ...(last_seq !== undefined && { last_seq }),
  };
}
