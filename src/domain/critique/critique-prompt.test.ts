import { expect, test } from "vitest";
import { recorded } from "../analysis/example-session.testing.ts";
import { buildCritiquePrompt } from "./critique-prompt.ts";

const thoughts = recorded(
  { thought: "It is the pool." },
  { thought: "x".repeat(10_000) },
  { thought: "So restart it." },
).map(({ data }) => data);

test("puts the step to review last, after the earlier steps", () => {
  const target = thoughts[2];
  if (!target) throw new Error("no target");
  const { text } = buildCritiquePrompt(thoughts.slice(0, 2), target);
  expect(text.indexOf("It is the pool.")).toBeLessThan(text.indexOf("The step to review:"));
  expect(text.indexOf("The step to review:")).toBeLessThan(text.indexOf("So restart it."));
  expect(text.match(/So restart it\./g)).toHaveLength(1);
});

test("shortens long thoughts and asks all five questions", () => {
  const target = thoughts[1];
  if (!target) throw new Error("no target");
  const { text, maxTokens } = buildCritiquePrompt(thoughts.slice(0, 1), target);
  expect(text.length).toBeLessThan(6_000);
  expect(text).toMatch(
    /1\. Logical fallacies[\s\S]*2\. Unstated assumptions[\s\S]*3\. Alternatives[\s\S]*4\. Edge cases[\s\S]*5\. Improvements/,
  );
  expect(maxTokens).toBe(1_000);
});
