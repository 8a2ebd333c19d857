import * as z from "zod";
import { nodeId } from "../../../domain/ledger/thought.ts";
import { cardFailure } from "../../../domain/memory/cards/card.ts";
import { changeCards } from "../../../domain/memory/cards/change-cards.ts";
import {
  decideCards,
  type ThinkDecision,
  type ThinkFacts,
} from "../../../domain/memory/cards/decide-cards.ts";
import {
  type DecisionDraft,
  decisionCard,
  decisionId,
  decisionThought,
  isFallen,
  readDecision,
  readFileName,
  reversedStatus,
  withReversal,
} from "../../../domain/memory/decisions/decision.ts";
import type { GraphState, GraphVersion } from "../../../domain/memory/graph.ts";
import { defaultBranch } from "../../../domain/memory/limits.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import { recordOrOpen } from "../../ledger/thought/record-thought.ts";
import { callerStateIn, resolveCallerState } from "../../pipeline/caller-state.ts";
import { fail, type MemoryContext, type OperationContext } from "../../pipeline/context.ts";
import { longTitle, sessionId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, target } from "../fields.ts";
import { pinFiles } from "../ground/read-ground.ts";
import { refuseLedger, resolveWritableDocs } from "../scope.ts";
import { nodeStates } from "../think/think-change.ts";

const cardIds = z.array(z.string().min(1).max(256)).max(20).optional();

const rejectedOption = z.strictObject({
  option: z.string().min(1).max(300).describe("Option that was not chosen."),
  why: z.string().min(1).max(1_000).optional().describe("Reason against the option."),
});

export const decide = defineMemory({
  name: "decide",
  title: "Record a decision",
  summary:
    "Records what was decided, what was rejected and why, as one thought and one decision card. Repeating the same decision changes nothing.",
  effect: "write",
  input: {
    title: longTitle.describe("What was decided, in one line."),
    chosen: z
      .string()
      .min(1)
      .max(2_000)
      .regex(/\S/, "text that is not blank")
      .describe("Option that was chosen."),
    because: z
      .string()
      .min(1)
      .max(8_000)
      .regex(/\S/, "text that is not blank")
      .describe("Reason for the choice."),
    rejected: z
      .array(rejectedOption)
      .max(16)
      .optional()
      .describe('Options not taken: [{option, why}], or strings such as "Redis: loses data".'),
    files: z
      .array(z.string().min(1).max(1_024))
      .max(50)
      .optional()
      .describe('Files the decision is about, such as "src/pool.ts" or "src/pool.ts:10-20".'),
    commit: z
      .string()
      .regex(/^[0-9a-fA-F]{7,64}$/, "7–64 hexadecimal digits")
      .optional()
      .describe("Commit that implements the decision."),
    reverses: cardIds.describe("Decisions that this one reverses."),
    rests_on: cardIds.describe(
      "Decisions and evidence this decision is based on. If one of them is reversed, this decision is marked in doubt.",
    ),
    sessionId: sessionId
      .optional()
      .describe("Session to record the decision in. Default: your session, or a new one."),
    target: target.optional(),
    branch: branch.optional(),
  },
  advanced: ["branch", "sessionId", "commit", "rests_on"],
  aliases: { file: "files", why: "because", reason: "because", decision: "chosen", alternatives: "rejected" },
  output: {
    id: z.string(),
    /** False if the same decision had already been recorded. */
    recorded: z.boolean(),
    thought: z.string().optional(),
    sessionId: z.string().optional(),
    branch: z.string(),
    graph_doc: z.string(),
    reversed: z.array(z.string()).optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    {
      title: "a choice with its alternatives",
      input: {
        title: "Keep the pool in PostgreSQL",
        chosen: "PgBouncer in transaction mode",
        because: "No new service, and 40 connections are enough.",
        rejected: [{ option: "Redis", why: "A second store to run" }],
        files: ["src/pool.ts:10-20"],
      },
    },
    {
      title: "a decision that reverses another",
      given: "a workspace with cards",
      input: {
        title: "The pool moves into the application",
        chosen: "pg-pool",
        because: "PgBouncer broke prepared statements.",
        reverses: ["CARD-3"],
      },
    },
  ],

  async handle({ target, branch, sessionId: session, ...said }, memory) {
    if (branch !== undefined) refuseLedger(memory, branch);
    const draft: DecisionDraft = {
      title: said.title.trim(),
      chosen: said.chosen.trim(),
      because: said.because.trim(),
      rejected: said.rejected ?? [],
      files: (said.files ?? []).map(readFileName),
      commit: said.commit?.toLowerCase(),
      reverses: [...new Set(said.reverses ?? [])],
      restsOn: [...new Set(said.rests_on ?? [])],
    };
    const id = decisionId(draft);
    const docs = await resolveWritableDocs(memory, { target, branch });
    const place = { branch: docs.branch ?? defaultBranch, doc: docs.graph_doc };
    // For a repeated key, the store returns the first answer.
    const known = memory.once ? undefined : await findCard(memory, place, id);
    if (known) return showKnown(memory, place, known);
    const old = await Promise.all(draft.reverses.map((one) => findDecision(memory, place, one)));
    for (const one of draft.restsOn) await requireCard(memory, place, one);

    const callerState = await resolveCallerState(memory, memory.caller, session);
    let written: readonly unknown[] = [];
    const pinned = { ...draft, files: await pinFiles(memory, draft.files) };
    const steps = (receipt: AppendReceipt) =>
      stepsFor(memory, { id, draft: pinned, place, docs, old, receipt });
    const recorder: OperationContext<"SESSION_NOT_FOUND" | "THOUGHT_NOT_FOUND" | "INVALID_PAYLOAD"> = {
      ...memory,
      fail,
      ...callerStateIn(memory, memory.caller, callerState, memory.emit),
      ledger: {
        ...memory.ledger,
        async append(request) {
          const both = await memory.commitWith(request, steps);
          written = both.outcomes;
          return both.receipt;
        },
      },
    };
    const agentId = memory.agent.name;
    const thought = decisionThought(id, draft);
    try {
      const receipt = await recordOrOpen(recorder, {
        thought,
        sessionTitle: draft.title,
        nextThoughtNeeded: true,
        agentId,
        ...revisionOf(old, callerState.sessionId),
      });
      if (written.length === 0) throw new Error("a decision was recorded without its card");
      const { entry } = receipt;
      return {
        id,
        recorded: true,
        thought: nodeId(entry.sessionId, entry.data),
        sessionId: entry.sessionId,
        branch: place.branch,
        graph_doc: place.doc,
        ...(draft.reverses.length > 0 && { reversed: [...draft.reverses] }),
      };
    } catch (thrown) {
      // The same decision arrived twice at the same time, so the store rolled back the second thought.
      const first = isTaken(thrown, id) ? await findCard(memory, place, id) : undefined;
      if (!first) throw thrown;
      return showKnown(memory, place, first);
    }
  },
});

type OldDecision = { id: string; place: GraphPlace; node: GraphVersion & { kind: "node" } };

const isTaken = (thrown: unknown, id: string): boolean =>
  thrown instanceof ThoughtboxError && thrown.reason === "card_taken" && thrown.facts?.["card_id"] === id;

async function findCard({ memory, workspace }: MemoryContext, place: GraphPlace, id: string) {
  const { nodes } = await memory.queryNodes(workspace, {
    ...place,
    ids: [id],
    includeDeleted: false,
    limit: 1,
  });
  const [node] = nodes;
  return node?.kind === "node" ? node : undefined;
}

/** Returns the card's version on the branch or, if the branch has none, the card's latest version. */
async function requireCard({ memory, workspace }: MemoryContext, place: GraphPlace, id: string) {
  const found = await memory.findNode(workspace, place.branch, id, 0);
  if (found?.node.kind === "node") return { node: found.node, place: found.place };
  throw cardFailure("unknown_card", { workspace, ...place, id });
}

async function findDecision(memory: MemoryContext, place: GraphPlace, id: string): Promise<OldDecision> {
  const { node, place: at } = await requireCard(memory, place, id);
  if (node.type !== "decision")
    throw cardFailure("wrong_card_type", {
      workspace: memory.workspace,
      id,
      type: node.type,
      wanted: "decision",
      field: "reverses",
    });
  if (isFallen(node))
    memory.warn({
      code: "DECISION_REVERSED_BEFORE",
      message: `${id} was already ${node.status}.`,
    });
  return { id, place: at, node };
}

/** Returns the thought to revise, if the only reversed decision was recorded in the same session. */
function revisionOf(old: readonly OldDecision[], sessionId: string | undefined): { revisesThought?: number } {
  const [only, ...others] = old;
  const thought = only && others.length === 0 ? readDecision(only.node).thought : undefined;
  const [, number] = /^[^:]+:(\d{1,9})$/.exec(thought ?? "") ?? [];
  return sessionId !== undefined && number !== undefined && thought?.startsWith(`${sessionId}:`)
    ? { revisesThought: Number(number) }
    : {};
}

type Making = {
  id: string;
  draft: DecisionDraft;
  place: GraphPlace;
  /** `branch` is `undefined` in a workspace that has no writes yet. The decision is then made on `main`. */
  docs: { branch: string | undefined; trace_doc: string };
  old: readonly OldDecision[];
  receipt: AppendReceipt;
};

/** Writes the card and its edges, and marks the reversed decisions in every graph that has them. */
function stepsFor({ workspace, agent }: MemoryContext, making: Making): MemoryStep[] {
  const { id, draft, place, docs, old, receipt } = making;
  const { branch, trace_doc } = docs;
  const { entry } = receipt;
  const made = { thought: nodeId(entry.sessionId, entry.data), at: entry.data.timestamp };
  const card = decisionCard(id, draft, made);
  const isHere = (other: GraphPlace) => other.branch === place.branch && other.doc === place.doc;
  const write = (facts: ThinkFacts): ThinkDecision<unknown> => {
    if (facts.nodes.has(id)) throw cardFailure("card_taken", { workspace, card_id: id });
    const { writes } = decideCards(facts, { workspace, cards: [card], agent_id: agent.name });
    const edge = (from: string, rel: string, to: string): GraphState[] =>
      facts.nodes.has(from === id ? to : from) ? [{ kind: "edge", from, rel, to, deleted: false }] : [];
    return {
      entries: writes.flatMap((one) => (one.entry ? [{ doc: trace_doc, ...one.entry }] : [])),
      states: [
        ...writes.flatMap(({ states }) => states),
        ...draft.restsOn.flatMap((from) => edge(from, "supports", id)),
        ...draft.reverses.flatMap((to) => edge(id, "reverses", to)),
      ],
      answer: undefined,
    };
  };
  const ids = [id, ...draft.restsOn, ...draft.reverses];
  return [
    { do: "think", branch, graph_doc: place.doc, trace_doc, ids, decide: write },
    ...old.map(
      ({ id: taken, place: at }): MemoryStep => ({
        do: "think",
        branch: at.branch,
        graph_doc: at.doc,
        trace_doc: isHere(at) ? trace_doc : at.doc.replace(/graph$/, "trace"),
        ids: [taken],
        decide: (facts) => reverse(facts, taken, id),
      }),
    ),
  ];
}

function reverse(facts: ThinkFacts, taken: string, by: string): ThinkDecision<unknown> {
  const { workspace, branch, graph_doc: doc } = facts;
  const meta = withReversal(facts.nodes.get(taken)?.meta, by);
  const changed = changeCards(
    facts.nodes,
    [taken],
    { status: reversedStatus, meta },
    { workspace, branch, doc },
  );
  return { entries: [], states: nodeStates(changed), answer: undefined };
}

/** Describes a decision that was already recorded. Returns the first answer with the current status. */
function showKnown(
  memory: MemoryContext,
  { branch, doc }: GraphPlace,
  node: GraphVersion & { kind: "node" },
) {
  const { id } = node;
  const { thought, reverses, reversedBy } = readDecision(node);
  if (isFallen(node))
    memory.warn({
      code: "DECISION_REVERSED",
      message: `${id} was recorded before and is ${node.status}. To decide it again, pass reverses: ["${reversedBy ?? id}"].`,
    });
  return {
    id,
    recorded: false,
    ...(thought !== undefined && { thought, sessionId: thought.split(":")[0] ?? "" }),
    branch,
    graph_doc: doc,
    ...(reverses.length > 0 && { reversed: [...reverses] }),
  };
}
