import { type CardFailures, cardTypes } from "../../../domain/memory/cards/card.ts";
import { quote } from "../../../kernel/text.ts";
import type { WordsFor } from "./words.ts";

const openIt = (workspace: string, id: string) => ({
  hint: "See the existing card.",
  operation: "open",
  args: { workspace, id },
});

const hintOf = ({ kind, field, expected }: { kind: string; field: string; expected?: unknown }) => ({
  kind,
  field,
  ...(expected !== undefined && { expected }),
});

export const thinkWords: WordsFor<CardFailures> = {
  invalid_card: ({ problem, type, ...hint }) => ({
    message: problem,
    details: { hints: [hintOf(hint)], supported_types: [...cardTypes] },
    recovery: {
      hint: `See what a card of type ${type} looks like.`,
      operation: "think_template",
      args: { type },
    },
  }),
  card_taken: ({ workspace, card_id }) => ({
    message: `A different card with the ID ${quote(card_id, 100)} already exists. Leave the ID out for a new card, or change this one with think_set_status, think_pin or graph_apply.`,
    details: { card_id },
    recovery: openIt(workspace, card_id),
  }),
  unknown_card: ({ workspace, branch, doc, id }) => ({
    message: `There is no card ${quote(id, 100)} in ${quote(doc)} on ${quote(branch)}.`,
    details: { id },
    recovery: {
      hint: "List the existing cards.",
      operation: "think_query",
      args: { workspace, ref: branch, graph_doc: doc },
    },
  }),
  invalid_pipeline: ({ problem, ...hint }) => ({
    message: problem,
    details: { hints: [hintOf(hint)] },
    recovery: {
      hint: "See the stages of think_pipeline and an example.",
      operation: "help",
      args: { topic: "think_pipeline" },
    },
  }),
  wrong_card_type: ({ workspace, id, type, wanted, field }) => ({
    message: `${quote(id, 100)} has type ${quote(type, 40)}, but ${field} must be a card of type ${wanted}.`,
    details: { hints: [{ kind: "type", field, expected: wanted }] },
    recovery: openIt(workspace, id),
  }),
};
