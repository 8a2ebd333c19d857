import type { SamplingPrompt } from "../../kernel/reply.ts";
import { clip } from "../../kernel/text.ts";
import type { Thought } from "../ledger/thought.ts";
import { describeAddress } from "../ledger/thought.ts";

/** The contract specifies these hints and priorities. */
const preferences: SamplingPrompt["preferences"] = {
  hints: [{ name: "claude-sonnet-4-5-20250929" }],
  intelligencePriority: 0.9,
  costPriority: 0.3,
};

const maxTokens = 1_000;
const shownCharacters = 4_000;

const system = `You review one step of another agent's reasoning. Be brief and specific. Quote the words you object to.
If the step is sound, state that plainly. Do not solve the problem yourself.`;

const questions = [
  "Logical fallacies: does the conclusion follow from the earlier steps?",
  "Unstated assumptions: what must be true that no one stated or checked?",
  "Alternatives: which other explanation or approach fits the same facts?",
  "Edge cases: where does it break?",
  "Improvements: what one change would make the step stronger?",
];

export function buildCritiquePrompt(earlier: readonly Thought[], target: Thought): SamplingPrompt {
  return {
    system,
    maxTokens,
    preferences,
    text: [
      ...(earlier.length > 0 ? ["Earlier steps:", "", ...earlier.flatMap(render)] : []),
      "The step to review:",
      "",
      ...render(target),
      "Answer these questions. Skip those that do not apply:",
      ...questions.map((question, index) => `${index + 1}. ${question}`),
    ].join("\n"),
  };
}

const render = (thought: Thought): string[] => [
  `[${describeAddress(thought)}]`,
  clip(thought.thought, shownCharacters),
  "",
];
