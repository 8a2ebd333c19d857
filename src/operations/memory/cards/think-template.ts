import * as z from "zod";
import { badCard, cardTypes, isCardType } from "../../../domain/memory/cards/card.ts";
import { cardTemplate } from "../../../domain/memory/cards/card-template.ts";
import { quote } from "../../../kernel/text.ts";
import { defineMemory } from "../define-memory.ts";

export const thinkTemplate = defineMemory({
  name: "think_template",
  title: "Show a card template",
  summary: "Shows an empty card of one type with all its fields. Leave the ID out to get the next free one.",
  effect: "read",
  anywhere: true,
  input: {
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(`Type of card: ${cardTypes.join(", ")}.`),
  },
  output: {
    type: z.string(),
    supported_types: z.array(z.string()).optional(),
    template: z.record(z.string(), z.unknown()),
  },
  trim: {
    optional: ["supported_types"],
    item: { key: "template", stub: ({ id, type, title }) => ({ id, type, title }) },
  },
  errors: ["INVALID_PAYLOAD"],
  examples: [{ title: "a test", input: { type: "test" } }],

  async handle({ type: asked }) {
    const type = asked.trim().toLowerCase();
    if (!isCardType(type))
      throw badCard(`${quote(asked, 60)} is not a card type. The types are ${cardTypes.join(", ")}.`, {
        kind: "type",
        field: "type",
        expected: [...cardTypes],
      });
    return { type, supported_types: [...cardTypes], template: cardTemplate(type) };
  },
});
