import * as z from "zod";
import { openStatus } from "../../../domain/memory/cards/card.ts";
import { changeCards } from "../../../domain/memory/cards/change-cards.ts";
import { decideCards } from "../../../domain/memory/cards/decide-cards.ts";
import { importThoughts } from "../../../domain/memory/cards/import-thoughts.ts";
import { edgeKey } from "../../../domain/memory/graph.ts";
import { agentId, sessionId } from "../../pipeline/fields.ts";
import { readSession } from "../../pipeline/find-session.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, target } from "../fields.ts";
import { refuseLedger, resolveWritableDocs } from "../scope.ts";
import { graphDoc, traceDoc } from "../think/fields.ts";
import { nodeStates } from "../think/think-change.ts";
import { think } from "./write-cards.ts";

const maxThoughts = 2_000;

export const thinkImport = defineMemory({
  name: "think_import",
  title: "Import cards from a session",
  summary:
    "Turns the cipher steps of a session's newest 2,000 thoughts into cards with edges: hypotheses, evidence, conclusions and questions. Repeat the call to add new steps.",
  effect: "write",
  input: {
    sessionId: sessionId.describe("Session in the ledger whose thoughts to read."),
    target: target.optional(),
    branch: branch.optional(),
    graph_doc: graphDoc,
    trace_doc: traceDoc,
    agent_id: agentId.optional(),
  },
  advanced: ["branch", "graph_doc", "trace_doc", "agent_id"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    trace_doc: z.string(),
    sessionId: z.string(),
    cards: z.int(),
    inserted: z.int(),
    updated: z.int(),
    edges: z.int(),
    card_ids: z.array(z.string()),
    last_seq: z.int().optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    { title: "a session in cipher", given: "a session with thoughts", input: { sessionId: "$session" } },
  ],

  async handle({ sessionId, agent_id: agent, ...asked }, memory) {
    if (asked.branch !== undefined) refuseLedger(memory, asked.branch);
    const record = await readSession(memory.ledger, memory.settings, sessionId);
    if (!record)
      return memory.fail("SESSION_NOT_FOUND", `There is no session ${sessionId}.`, {
        details: { sessionId },
        recovery: { hint: "List the existing sessions.", operation: "list_sessions", args: {} },
      });
    const place = await resolveWritableDocs(memory, asked);
    const thoughts = await memory.ledger.readLatest(sessionId, undefined, maxThoughts);
    if (record.session.thoughtCount > thoughts.length)
      memory.warn({
        code: "IMPORT_TRUNCATED",
        message: `Only the newest ${thoughts.length} of ${record.session.thoughtCount} thoughts were read.`,
      });
    const { cards, edges, statuses } = importThoughts(sessionId, thoughts);
    const agent_id = agent ?? memory.settings.agentId;
    const ids = cards.map(({ id }) => id);
    const outcome = await think(memory, place, ids, (facts) => {
      const { workspace, branch, graph_doc: doc, trace_doc } = facts;
      const planned = cards.map(({ seq: _seq, ts_ms: _ts, ...card }) => card);
      const known = planned.filter(({ id }) => facts.nodes.has(id));
      const { writes, outcomes } = decideCards(facts, {
        workspace,
        cards: planned.filter(({ id }) => !facts.nodes.has(id)),
        agent_id,
      });
      const fresh = writes
        .flatMap(({ states }) => states)
        .map((state) =>
          state.kind === "node" ? { ...state, status: statuses.get(state.id) ?? state.status } : state,
        );
      // A status that someone set stays unchanged.
      const fallen = known.filter(
        ({ id, status }) => statuses.has(id) && (facts.nodes.get(id)?.status ?? openStatus) === status,
      );
      const changed = fallen.flatMap(({ id }) =>
        changeCards(facts.nodes, [id], { status: statuses.get(id) }, { workspace, branch, doc }),
      );
      const newEdges = [
        ...edges,
        ...known.flatMap(({ id, supports, blocks }) => [
          ...supports.map((to) => ({ from: id, rel: "supports", to })),
          ...blocks.map((to) => ({ from: id, rel: "blocks", to })),
        ]),
      ].filter((edge) => !facts.edges.has(edgeKey(edge)));
      const edgeStates = newEdges.map((edge) => ({ kind: "edge" as const, ...edge, deleted: false }));
      return {
        entries: writes.flatMap(({ entry }) => (entry ? [{ doc: trace_doc, ...entry }] : [])),
        states: [...fresh, ...nodeStates(changed), ...edgeStates],
        answer: { inserted: outcomes.length, updated: changed.length },
      };
    });
    const { branch, graph_doc, trace_doc, edges_upserted, last_seq, answer } = outcome;
    return {
      branch,
      graph_doc,
      trace_doc,
      sessionId,
      cards: cards.length,
      ...answer,
      edges: edges_upserted,
      card_ids: ids,
      ...(last_seq !== undefined && { last_seq }),
    };
  },
});
