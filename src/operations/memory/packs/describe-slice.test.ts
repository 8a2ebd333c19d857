import { expect, test } from "vitest";
import { runEngine } from "../../../domain/engine/run-engine.ts";
import type { CardNode } from "../../../domain/memory/cards/card.ts";
import { createCalls } from "./describe-slice.ts";

const card = (id: string, type: CardNode["type"], tags: string[] = []): CardNode => ({
  id,
  type,
  tags,
  status: "open",
  last_seq: 1,
  last_ts_ms: 1,
  ...(type === "test" && { meta: { run: { cmd: "make" } } }),
});
const slice = {
  cards: [card("H", "hypothesis"), card("D", "decision", ["v:draft"]), card("T", "test")],
  edges: [],
};
const limits = { signalsLimit: 100, actionsLimit: 100 };
const callsOf = (calls: ReturnType<typeof createCalls>) =>
  runEngine(slice, { ...limits, calls }).actions.flatMap(({ calls = [], evidence_template }) =>
    evidence_template ? [...calls, evidence_template] : calls,
  );

test("every suggested call contains the arguments that it needs", () => {
  const calls = callsOf(createCalls({ workspace: "w", target: "TASK-001" }));
  expect([...new Set(calls.map(({ operation }) => operation))].sort()).toEqual([
    "open",
    "think_card",
    "think_publish",
  ]);
  for (const { args } of calls) expect(args).toHaveProperty("workspace", "w");
  expect(createCalls({ workspace: "w", target: "TASK-001" }).playbook("debate")).toEqual({
    operation: "think_playbook",
    args: { workspace: "w", name: "debate" },
  });
});

test("calls refer to the branch if there is no target", () => {
  const calls = callsOf(createCalls({ workspace: "w", branch: "try", graph_doc: "g", trace_doc: "t" }));
  const argsOf = (name: string) => calls.find(({ operation }) => operation === name)?.args;
  expect(argsOf("think_card")).toMatchObject({ branch: "try", graph_doc: "g", trace_doc: "t" });
  expect(argsOf("think_publish")).toMatchObject({ ref: "try" });
});

test("new cards belong to the step of the target", () => {
  const calls = callsOf(createCalls({ workspace: "w", target: "TASK-001" }, "STEP-0000000A"));
  expect(calls.find(({ operation }) => operation === "think_card")?.args).toMatchObject({
    target: "TASK-001",
    step: "STEP-0000000A",
  });
});
