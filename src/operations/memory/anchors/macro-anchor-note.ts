import * as z from "zod";
import { cardTypes, pinTag } from "../../../domain/memory/cards/card.ts";
import { readCard } from "../../../domain/memory/cards/read-card.ts";
import { canonTag, draftTag } from "../../../domain/memory/cards/visibility.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { putAnchor } from "../../../domain/memory/meaning-map/change-anchors.ts";
import { anchorLimits, findAnchor } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import type { StepOutcome } from "../../../domain/memory/steps/step.ts";
import { agentId } from "../../pipeline/fields.ts";
import { writeCards, writtenCardSchema } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { step } from "../think/fields.ts";
import { anchorId, anchorIds, anchorSchema, showAnchor, word } from "./anchor-fields.ts";
import { loadAnchors } from "./read-anchor.ts";

export const macroAnchorNote = defineMemory({
  name: "macro_anchor_note",
  title: "Note about an area",
  summary:
    "Writes a card that belongs to an anchor, and registers or updates the anchor in the same step. A new anchor needs title and kind.",
  effect: "write",
  input: {
    anchor: anchorId.describe("The anchor, such as a:storage."),
    content: z.string().min(1).max(memoryLimits.text).describe("Text of the card: what is known."),
    title: z.string().min(1).max(anchorLimits.title).optional().describe("Title of the anchor."),
    kind: word.optional().describe("Kind of area, such as component, contract, data or ops."),
    card_type: z.enum(cardTypes).default("note").describe("Type of the card. Default: note."),
    pin: z.boolean().default(false).describe("Pin the card. Default: false."),
    visibility: z
      .enum(["draft", "canon"])
      .default("canon")
      .describe("draft or canon. Drafts are shown only on request. Default: canon."),
    description: z.string().min(1).max(anchorLimits.description).optional().describe("What the area covers."),
    status: word.optional().describe("Status of the anchor. Default: active."),
    parent_id: anchorId.optional().describe("Parent anchor."),
    depends_on: anchorIds(anchorLimits.dependsOn)
      .optional()
      .describe("Anchors that this one depends on. Replaces the existing list."),
    refs: z
      .array(z.string().min(1).max(anchorLimits.ref))
      .max(anchorLimits.refs)
      .optional()
      .describe("Files, documents or URLs about the area. Replaces the existing list."),
    aliases: anchorIds(64).optional().describe("Other names for the anchor. Added to its existing ones."),
    target: target.optional(),
    step,
    agent_id: agentId.optional(),
  },
  advanced: ["description", "status", "parent_id", "depends_on", "refs", "aliases", "step", "agent_id"],
  output: {
    anchor: anchorSchema,
    created: z.boolean(),
    branch: z.string(),
    trace_doc: z.string(),
    graph_doc: z.string(),
    ...writtenCardSchema.shape,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "a new area",
      input: {
        anchor: "a:storage",
        title: "Storage",
        kind: "component",
        content: "One SQLite file; writers queue.",
        card_type: "decision",
      },
    },
    {
      title: "an existing area",
      given: "a workspace with anchors",
      input: { anchor: "a:storage", content: "Backups run at night.", pin: true },
    },
  ],

  async handle(
    { anchor: id, content, card_type, pin, visibility, target, step, agent_id, ...given },
    memory,
  ) {
    const known = findAnchor(await loadAnchors(memory), id);
    const tags = [known?.id ?? id, visibility === "draft" ? draftTag : canonTag, ...(pin ? [pinTag] : [])];
    const card = readCard({ type: card_type, text: content, tags });
    const { outcome, cards, before } = await writeCards(
      memory,
      { target, step, agent_id },
      [card],
      undefined,
      [{ do: "change_anchors", names: [], decide: (facts) => putAnchor(facts, { id, ...given }) }],
    );
    const [changed] = before as [StepOutcome<"change_anchors">];
    const { branch, trace_doc, graph_doc } = outcome;
    const [written] = cards;
    if (!written) throw new Error("no card was written");
    return {
      anchor: showAnchor(changed.anchor),
      created: changed.created,
      branch,
      trace_doc,
      graph_doc,
      ...written,
    };
  },
});
