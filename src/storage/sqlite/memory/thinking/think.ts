import { cardSource } from "../../../../domain/memory/cards/decide-cards.ts";
import type { ThinkFacts } from "../../../../domain/memory/cards/think-decision.ts";
import type { Meta } from "../../../../domain/memory/entry.ts";
import type { Lineage } from "../../../../domain/memory/lineage.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { insertEntry } from "../documents/entries.ts";
import { openView } from "../graph/graph-view.ts";
import { branchOrCheckout, findDoc, type Place } from "../places.ts";
import { nextNumber, takeNumbers } from "../tasks/task-rows.ts";
import { liveEdgesAt, loadNodes, writeStates } from "./graph-access.ts";

/** Ids after the next one that are looked at as well, in case somebody chose them by hand. */
const spareIds = 64;

/** Call inside a write. */
export function think(place: Place, input: StepInput<"think">, at: Date): StepOutcome<"think"> {
  const { graph_doc, trace_doc, decide } = input;
  const branch = branchOrCheckout(place, input.branch);
  const view = openView(place, branch.bid, graph_doc);
  const nextCard = nextNumber(place, "card");
  const spare = Array.from({ length: spareIds }, (_, at) => `CARD-${nextCard + at}`);
  const facts: ThinkFacts = {
    workspace: place.workspace,
    branch: branch.name,
    graph_doc,
    trace_doc,
    nodes: loadNodes(view, [...input.ids, ...spare]),
    written: writtenCards(place, view.lineage, trace_doc, input.ids),
    edges: liveEdgesAt(view, input.ids),
    nextCard,
  };
  const decision = decide(facts);
  if (decision.nextCard !== undefined) takeNumbers(place, "card", decision.nextCard - 1);
  const entries = decision.entries.map(({ doc, entry, source }) => {
    const { seq, ts, ts_ms } = insertEntry(place, branch, doc, entry, at, source ? { event: source } : {});
    return { seq, ts, ts_ms, doc };
  });
  const last_seq = writeStates(place, branch, graph_doc, decision.states, at);
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

/** The first arrival of each card in this trace, as the branch shows it. */
function writtenCards(
  place: Place,
  lineage: Lineage,
  docName: string,
  ids: readonly string[],
): ThinkFacts["written"] {
  const doc = findDoc(place, docName);
  const written = new Map<string, { seq: number; fingerprint: string }>();
  if (doc === undefined || ids.length === 0) return written;
  const sources = JSON.stringify(ids.map(cardSource));
  for (const { branch, after, upTo } of lineage) {
    const rows = place.connection
      .sql(`SELECT e.seq, e.source_event_id, e.meta FROM json_each(?) s
            CROSS JOIN memory_entries e INDEXED BY memory_entries_by_source
            ON e.doc = ? AND e.bid = ? AND e.source_event_id = s.value AND e.seq > ? AND e.seq <= ?`)
      .all(sources, doc, branch, after, upTo);
    for (const row of rows) {
      const id = String(row["source_event_id"]).slice(cardSource("").length);
      const meta = row["meta"] === null ? {} : parseColumn<Meta>(row["meta"]);
      if (!written.has(id))
        written.set(id, { seq: Number(row["seq"]), fingerprint: String(meta["fingerprint"]) });
    }
  }
  return written;
}
