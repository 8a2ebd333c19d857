import { cardSource, type ThinkFacts } from "../cards/decide-cards.ts";
import { keyOf, type NodeContent } from "../graph.ts";
import {
  addEntry,
  branchOrCheckout,
  type Deciding,
  type Draft,
  known,
  need,
  takeNumbers,
  wantBranch,
} from "./draft.ts";
import { addVersions, contentOf } from "./graph-draft.ts";
import type { BranchRow, GraphScope } from "./rows.ts";
import type { StepInput, StepOutcome } from "./step.ts";

/**
 * How many of the next IDs to check, because callers may have used some of them. Most decisions take one ID. If a
 * decision needs more than `first`, `all` are checked and the decision is made again.
 */
const spareIds = { first: 4, all: 64 };

export function* think(draft: Draft, input: StepInput<"think">): Deciding<StepOutcome<"think">> {
  const { graph_doc, trace_doc, decide } = input;
  yield* need(
    draft,
    wantBranch(input.branch),
    { kind: "doc", keys: [graph_doc, trace_doc] },
    { kind: "counter", keys: ["card"] },
  );
  const branch = branchOrCheckout(draft, input.branch);
  const checked = known(draft, "counter", "card") + spareIds.first;
  const first = decide(yield* thinkFacts(draft, branch, input, spareIds.first));
  const isPast = first.nextCard !== undefined && first.nextCard > checked + 1;
  const decision = isPast ? decide(yield* thinkFacts(draft, branch, input, spareIds.all)) : first;
  if (decision.nextCard !== undefined) takeNumbers(draft, "card", decision.nextCard - 1);
  const entries: StepOutcome<"think">["entries"] = [];
  for (const { doc, entry, source } of decision.entries) {
    const { seq, ts, ts_ms } = yield* addEntry(draft, branch, doc, entry, { event: source });
    entries.push({ seq, ts, ts_ms, doc });
  }
  const last_seq = yield* addVersions(draft, branch, graph_doc, decision.states.map(contentOf));
  const count = (kind: "node" | "edge") => decision.states.filter((state) => state.kind === kind).length;
  return {
    branch: branch.name,
    graph_doc,
    trace_doc,
    entries,
    nodes_upserted: count("node"),
    edges_upserted: count("edge"),
    last_seq,
    answer: decision.answer,
  };
}

function* thinkFacts(
  draft: Draft,
  branch: BranchRow,
  input: StepInput<"think">,
  spare: number,
): Deciding<ThinkFacts> {
  const { graph_doc, trace_doc, ids } = input;
  const { bid } = branch;
  // Loads the facts for the write together with the facts for the decision.
  yield* need(
    draft,
    { kind: "lineage", keys: [bid] },
    { kind: "graph", keys: [graph_doc], scope: { bid } },
    { kind: "log", keys: [trace_doc], scope: { bid } },
    { kind: "branchedAt", keys: [bid] },
  );
  const scopeOf = (name: string): GraphScope | undefined => {
    const doc = known(draft, "doc", name);
    return doc === undefined ? undefined : { bid, lineage: known(draft, "lineage", bid), doc };
  };
  const [graph, trace] = [scopeOf(graph_doc), scopeOf(trace_doc)];
  const nextCard = known(draft, "counter", "card") + 1;
  const named = [...new Set([...ids, ...Array.from({ length: spare }, (_, n) => `CARD-${nextCard + n}`)])];
  const sources = ids.map(cardSource);
  yield* need(
    draft,
    graph && { kind: "current", keys: named, scope: graph },
    graph && { kind: "edgesAt", keys: ids, scope: graph },
    graph && { kind: "tally", keys: [graph.doc], scope: graph },
    trace && { kind: "source", keys: sources, scope: trace },
  );
  const nodes = new Map<string, NodeContent & { last_seq: number; last_ts_ms: number }>();
  const written = new Map<string, { seq: number; fingerprint: string }>();
  for (const id of graph ? named : []) {
    const version = graph && known(draft, "current", id, graph)?.version;
    if (version?.kind === "node" && !version.deleted) nodes.set(id, version);
  }
  for (const id of trace ? ids : []) {
    const first = trace && known(draft, "source", cardSource(id), trace);
    if (first) written.set(id, { seq: first.seq, fingerprint: String(first.meta["fingerprint"]) });
  }
  const edges = graph ? ids.flatMap((id) => known(draft, "edgesAt", id, graph)) : [];
  return {
    workspace: draft.workspace,
    branch: branch.name,
    graph_doc,
    trace_doc,
    nodes,
    written,
    edges: new Set(edges.map(keyOf)),
    nextCard,
  };
}
