import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { type CardNode, cardTypes } from "../memory/cards/card.ts";
import { plainCalls } from "./calls.testing.ts";
import { confidence } from "./confidence.ts";
import { type EngineOptions, runEngine } from "./run-engine.ts";
import { linkSlice, type Slice } from "./slice.ts";

const day = 86_400_000;

type GoldenCard = Partial<CardNode> & { id: string; type: CardNode["type"]; day?: number };
type Golden = {
  name: string;
  cards: GoldenCard[];
  edges: string[];
  trace?: (string | null)[];
  step?: string;
  signals: string[];
  actions: string[];
  confidence?: Record<string, number>;
};

const golden = JSON.parse(readFileSync(join(import.meta.dirname, "golden-slices.json"), "utf8")) as Golden[];

function sliceOf({ cards, edges, trace = [] }: Pick<Golden, "cards" | "edges" | "trace">): Slice {
  return {
    cards: cards.map(({ day: at = 1, ...card }, index) => ({
      status: "open",
      tags: [],
      last_seq: cards.length - index,
      last_ts_ms: at * day,
      ...card,
    })),
    edges: edges.map((edge) => {
      const [from = "", rel = "", to = ""] = edge.split(" ");
      return { from, rel, to };
    }),
    trace: trace.map((type, seq) => ({ seq, ts_ms: seq, ...(type !== null && { card_type: type }) })),
  };
}

const everything: EngineOptions = {
  calls: plainCalls,
  signalsLimit: 1_000,
  actionsLimit: 1_000,
};

const aboutOf = ({ calls = [], title }: { calls?: { args: Record<string, unknown> }[]; title: string }) =>
  / (\S+) \(/.exec(title)?.[1] ?? String(calls[0]?.args["id"] ?? "");

describe("handwritten slices", () => {
  test("cover exactly the severities and priorities in the table", () => {
    const severities = golden.flatMap(({ signals }) =>
      signals.map((line) => line.split(" ").slice(0, 2).join(" ")),
    );
    expect([...new Set(severities)].sort()).toEqual([
      "high BM1_CONTRADICTION_SUPPORTS_BLOCKS",
      "high BM4_HYPOTHESIS_NO_TEST",
      "info BM10_NO_COUNTER_EDGES",
      "info BM3_HYPOTHESIS_LOW_CONFIDENCE",
      "info BM5_RUNNABLE_TESTS_FRESH",
      "warning BM10_STUCK_NO_EVIDENCE",
      "warning BM2_EVIDENCE_WEAK",
      "warning BM3_DECISION_LOW_CONFIDENCE",
      "warning BM4_HYPOTHESIS_NO_EVIDENCE",
      "warning BM6_ASSUMPTION_NOT_OPEN_BUT_USED",
      "warning BM8_EVIDENCE_STALE",
      "warning BM_LANE_DECISION_NOT_PUBLISHED",
    ]);
    const priorities = golden.flatMap(({ actions }) =>
      actions.map((line) => line.split(" ").slice(0, 2).join(" ")),
    );
    expect([...new Set(priorities)].sort()).toEqual([
      "high add_test_stub",
      "high resolve_contradiction",
      "high run_test",
      "low use_playbook",
      "medium add_counter_hypothesis",
      "medium publish_decision",
      "medium recheck_assumption",
      "medium run_test",
      "medium use_playbook",
    ]);
  });

  test.each(golden.map((one) => [one.name, one] as const))("%s", (_name, one) => {
    const engine = runEngine(sliceOf(one), { ...everything, stepTag: one.step });
    const wanted = one.signals.map((signal) => signal.split(" "));
    expect(
      engine.signals.map(({ severity, code, refs = [] }, at) =>
        [severity, code, ...refs.slice(0, Math.max(0, (wanted[at]?.length ?? 3) - 2))].join(" "),
      ),
    ).toEqual(one.signals);
    expect(engine.actions.map((action) => `${action.priority} ${action.kind} ${aboutOf(action)}`)).toEqual(
      one.actions,
    );
    const linked = linkSlice(sliceOf(one));
    for (const [id, value] of Object.entries(one.confidence ?? {})) {
      const card = linked.byId.get(id);
      expect(card && confidence(card, linked), id).toBeCloseTo(value, 3);
    }
  });
});

test("a suggested test run opens its card and contains the command and a template for the evidence", () => {
  const slice = sliceOf({ cards: [{ id: "T", type: "test", meta: { run: { cmd: "make" } } }], edges: [] });
  const [action] = runEngine(slice, everything).actions;
  expect(action).toMatchObject({
    kind: "run_test",
    command: "make",
    calls: [plainCalls.openCard("T")],
    evidence_template: { operation: "addCard", args: { supports: ["T"] } },
  });
});

test("limits shorten the lists and keep the totals", () => {
  const slice = sliceOf({
    cards: ["A", "B", "C"].map((id) => ({ id, type: "hypothesis" as const })),
    edges: [],
  });
  const engine = runEngine(slice, { ...everything, signalsLimit: 2, actionsLimit: 0 });
  expect(engine).toMatchObject({ signals_total: 3, actions_total: 3, truncated: true });
  expect([engine.signals.length, engine.actions.length]).toEqual([2, 0]);
});

describe("for any slice", () => {
  const ids = fc.constantFrom("A", "B", "C", "D", "E", "F");
  const card = fc.record({
    id: ids,
    type: fc.constantFrom(...cardTypes),
    status: fc.constantFrom("open", "accepted", "rejected"),
    tags: fc.uniqueArray(fc.constantFrom("pinned", "v:draft", "assumption", "counter"), { maxLength: 2 }),
    text: fc.constantFrom("", "CMD: make", "CMD: make\nLINK: https://x", "a vs b"),
    last_seq: fc.nat(50),
    last_ts_ms: fc.nat(100).map((at) => at * day),
  });
  const edge = fc.record({ from: ids, rel: fc.constantFrom("supports", "blocks"), to: ids });
  const slices = fc.record({
    cards: fc.uniqueArray(card, { selector: ({ id }) => id }),
    edges: fc.array(edge, { maxLength: 12 }),
    trace: fc.array(
      fc.record({ seq: fc.nat(99), ts_ms: fc.nat(99), card_type: fc.constantFrom(...cardTypes) }),
      { maxLength: 14 },
    ),
  });

  test("the output is the same bytes, whatever the order of cards and edges", () => {
    fc.assert(
      fc.property(slices, (slice) => {
        const turned = { ...slice, cards: slice.cards.toReversed(), edges: slice.edges.toReversed() };
        expect(JSON.stringify(runEngine(turned, everything))).toBe(
          JSON.stringify(runEngine(slice, everything)),
        );
      }),
    );
  });

  test("an unrelated card removes no signal", () => {
    fc.assert(
      fc.property(slices, fc.constantFrom(...cardTypes), (slice, type) => {
        const now = Math.max(0, ...slice.cards.map(({ last_ts_ms }) => last_ts_ms));
        const stranger = {
          id: "Z",
          type,
          title: "z",
          status: "open",
          tags: [],
          last_seq: 99,
          last_ts_ms: now,
        };
        const before = runEngine(slice, everything).signals;
        const after = runEngine({ ...slice, cards: [...slice.cards, stranger] }, everything).signals;
        expect(after.map(({ code }) => code)).toEqual(expect.arrayContaining(before.map(({ code }) => code)));
      }),
    );
  });
});
