import { defineCardTool } from "./think-add.ts";

export const thinkCard = defineCardTool({
  name: "think_card",
  title: "Write a card",
  summary: "Writes a card of any type to the trace and graph, and links it to cards it supports or blocks.",
  advice:
    "Use it for hypotheses, tests, evidence, decisions and questions. Read cards back with context_pack or open.",
  toolset: "daily",
  examples: [
    {
      title: "field by field",
      input: { type: "decision", title: "Pool of 80", text: "Forty were taken at noon." },
    },
    {
      title: "key: value lines",
      input: { card: "type: hypothesis\ntitle: The pool is too small\ntags: pool" },
    },
    {
      title: "for a hypothesis, in a step of the task in focus",
      given: "a task in focus",
      input: {
        card: "type: test\ntitle: Double the pool\ncmd: bench/login.sh --pool 80",
        supports: ["CARD-1"],
        step: "focus",
      },
    },
  ],
});
