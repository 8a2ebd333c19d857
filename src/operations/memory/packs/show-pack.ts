import * as z from "zod";
import type { CardNode } from "../../../domain/memory/cards/card.ts";
import { describeLink, linksKey, readLinks } from "../../../domain/memory/cards/card-link.ts";
import { thinkCardFormat } from "../../../domain/memory/cards/decide-cards.ts";
import { canonTag } from "../../../domain/memory/cards/visibility.ts";
import type { Entry, Meta } from "../../../domain/memory/entry.ts";
import { ageOf, momentOf } from "../../../domain/memory/views/board.ts";
import type { Item, Step } from "../../../domain/tasks/item.ts";
import { isHeld } from "../../../domain/tasks/lease.ts";
import { nodeSchema } from "../graph/version-schemas.ts";
import { type CardGround, groundShape } from "../ground/read-ground.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { stepSchema } from "../tasks/fields.ts";

/** A card as a pack shows it: with its age and author, but without fields that the pack shows elsewhere. */
export const packCardSchema = nodeSchema.partial({ last_seq: true }).extend({
  /** When it was last changed. */
  at: z.string().optional(),
  age: z.string().optional(),
  agent_id: z.string().optional(),
  /** The open conflict about it. Until it is resolved, the card is not settled. */
  in_conflict: z.string().optional(),
  /** Reversed decisions that it relies on. */
  rests_on_reversed: z.array(z.string()).optional(),
  /** Links to and from cards in other tasks, in words. */
  links: z.array(z.string()).optional(),
  ...groundShape,
});
export type PackCard = z.input<typeof packCardSchema>;

/** An entry in a pack, on the pack's branch and document. A card that the pack shows is only named. */
export const packEntrySchema = entrySchema.extend({
  age: z.string().optional(),
  card_id: z.string().optional(),
});

export const packStepSchema = stepSchema.partial({ completed: true }).omit({ lease: true }).extend({
  holder: z.string().optional(),
});

type PackFacts = {
  authors: ReadonlyMap<string, string>;
  contested: ReadonlyMap<string, string>;
  doubted(id: string): string[];
  groundOf(id: string): CardGround | undefined;
  now_ms: number;
};

const shownBySteps = "step:";
/** Fields that are internal to the store, or repeat other fields. */
const bookkeeping: readonly string[] = [
  ...["step", "fingerprint", "card_id", "type", "status", "tags", "supports", "blocks"],
  ...["task_id", "path", "event_id", "step_id", "agent_id"],
];

const isFilled = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

const filled = <Shown extends object>(shown: Shown): Shown =>
  Object.fromEntries(Object.entries(shown).filter(([, value]) => isFilled(value))) as Shown;

function ownMeta(meta: Meta | undefined, known: readonly string[]): Meta | undefined {
  const rest = Object.entries(meta ?? {}).filter(([name]) => !known.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

export const createPackView = ({ authors, contested, doubted, groundOf, now_ms }: PackFacts) => ({
  card: ({ last_ts_ms, tags, meta, ...card }: CardNode): PackCard =>
    filled({
      ...card,
      tags: tags.filter((tag) => tag !== canonTag && !tag.startsWith(shownBySteps)),
      meta: ownMeta(meta, ["step", linksKey]),
      at: momentOf(last_ts_ms),
      age: ageOf(last_ts_ms, now_ms),
      agent_id: authors.get(card.id),
      in_conflict: contested.get(card.id),
      rests_on_reversed: doubted(card.id),
      links: readLinks(meta).map(describeLink),
      ...groundOf(card.id),
    }),

  /** `cards` are those that the pack shows. */
  entry: (entry: Entry, cards: ReadonlySet<string>): z.input<typeof packEntrySchema> => {
    const { ts: _ts, branch: _branch, doc: _doc, source_event_id: _source, ...rest } = entry;
    const { format, meta, content, title, ...bare } = rest;
    const known = { ...bare, age: ageOf(entry.ts_ms, now_ms) };
    const named = format === thinkCardFormat ? meta?.["card_id"] : undefined;
    if (typeof named === "string" && cards.has(named)) return filled({ ...known, card_id: named });
    const isCard = typeof named === "string";
    return filled({
      ...known,
      title: title !== undefined && content.startsWith(title) ? undefined : title,
      format: isCard || format === "text" ? undefined : format,
      content,
      meta: isCard || entry.kind === "event" ? ownMeta(meta, bookkeeping) : ownMeta(meta, ["step"]),
      card_id: isCard ? named : undefined,
    });
  },

  step: (step: Step, lastEvent: number): z.input<typeof packStepSchema> => {
    const { task: _task, completed: _open, completed_at_ms: _at, lease, ...rest } = step;
    const { criteria_confirmed, tests_confirmed, success_criteria, tests, blockers, ...named } = rest;
    return filled({
      ...named,
      success_criteria: [...success_criteria],
      tests: [...tests],
      blockers: [...blockers],
      criteria_confirmed: criteria_confirmed || undefined,
      tests_confirmed: tests_confirmed || undefined,
      holder: lease && isHeld(step, lastEvent) ? lease.agent_id : undefined,
    });
  },

  /** What blocks a task besides its cards: blockers of its current step, and open tasks. */
  obstacles: (
    { blockers, waits_for }: { blockers: readonly string[]; waits_for: readonly Item[] },
    step: { step_id: string } | undefined,
  ): PackCard[] => [
    ...blockers.map((title) => ({ id: step?.step_id ?? "", type: "step", title })),
    ...waits_for.map(({ id, kind, title, status }) => ({ id, type: kind, title, status })),
  ],
});
