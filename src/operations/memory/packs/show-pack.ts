import * as z from "zod";
import type { CardNode } from "../../../domain/memory/cards/card.ts";
import { describeLink, linksKey, readLinks } from "../../../domain/memory/cards/card-link.ts";
import { thinkCardFormat } from "../../../domain/memory/cards/decide-cards.ts";
import { canonTag } from "../../../domain/memory/cards/visibility.ts";
import type { Entry, Meta } from "../../../domain/memory/entry.ts";
import { ageOf, momentOf } from "../../../domain/memory/views/board.ts";
import type { Frontier } from "../../../domain/memory/views/selection.ts";
import type { Item, Step } from "../../../domain/tasks/item.ts";
import { isHeld } from "../../../domain/tasks/lease.ts";
import type { ListPlan } from "../../pipeline/fit/trim.ts";
import { nodeSchema, stubNode } from "../graph/graph-schemas.ts";
import { type CardGround, groundShape } from "../ground/read-ground.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { stepSchema } from "../tasks/fields.ts";

/** Adds age and author, and omits fields that the pack shows elsewhere. */
export const packCardSchema = nodeSchema.partial({ last_seq: true }).extend({
  at: z.string().optional(),
  age: z.string().optional(),
  agent_id: z.string().optional(),
  /** ID of the open conflict. Until the conflict is resolved, the card is not settled. */
  in_conflict: z.string().optional(),
  rests_on_reversed: z.array(z.string()).optional(),
  /** Links to and from cards in other tasks, as text. */
  links: z.array(z.string()).optional(),
  ...groundShape,
});
export type PackCard = z.input<typeof packCardSchema>;

/**
 * Omits the branch and document, because the pack contains them. An entry for a card that the pack shows has only the
 * card's ID.
 */
export const packEntrySchema = entrySchema.extend({
  age: z.string().optional(),
  card_id: z.string().optional(),
});
type PackEntry = z.input<typeof packEntrySchema>;

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
/** Fields that a pack omits, because they are internal to the store or repeated elsewhere. */
const bookkeeping: readonly string[] = [
  ...["step", "fingerprint", "card_id", "type", "status", "tags", "supports", "blocks"],
  ...["task_id", "path", "event_id", "step_id", "agent_id"],
];

const hiddenOfCard: ReadonlySet<string> = new Set(["last_ts_ms", "tags", "meta"]);
const hiddenOfEntry: ReadonlySet<string> = new Set([
  ...["ts", "branch", "doc", "source_event_id", "format", "meta", "content", "title"],
]);

function put<Shown extends object, Name extends keyof Shown>(
  shown: Shown,
  name: Name,
  value: Shown[Name] | undefined,
): void {
  if (value !== undefined && !(Array.isArray(value) && value.length === 0)) shown[name] = value;
}

function copyShown<Shown extends object>(from: object, hidden: ReadonlySet<string>): Shown {
  const shown = {} as Record<string, unknown>;
  const fields = from as Record<string, unknown>;
  for (const name of Object.keys(fields)) if (!hidden.has(name)) put(shown, name, fields[name]);
  return shown as Shown;
}

const nothing: ReadonlySet<string> = new Set();

function ownMeta(meta: Meta | undefined, known: readonly string[]): Meta | undefined {
  if (meta === undefined) return undefined;
  const rest = Object.entries(meta).filter(([name]) => !known.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

export const createPackView = ({ authors, contested, doubted, groundOf, now_ms }: PackFacts) => ({
  card(card: CardNode): PackCard {
    const { id, last_ts_ms, tags, meta } = card;
    const shown = copyShown<PackCard>(card, hiddenOfCard);
    put(
      shown,
      "tags",
      tags.filter((tag) => tag !== canonTag && !tag.startsWith(shownBySteps)),
    );
    put(shown, "meta", ownMeta(meta, ["step", linksKey]));
    put(shown, "at", momentOf(last_ts_ms));
    put(shown, "age", ageOf(last_ts_ms, now_ms));
    put(shown, "agent_id", authors.get(id));
    put(shown, "in_conflict", contested.get(id));
    put(shown, "rests_on_reversed", doubted(id));
    put(shown, "links", readLinks(meta).map(describeLink));
    return Object.assign(shown, groundOf(id));
  },

  /** `cards` are the cards that the pack shows. */
  entry(entry: Entry, cards: ReadonlySet<string>): PackEntry {
    const { format, meta, content, title } = entry;
    const shown = copyShown<PackEntry>(entry, hiddenOfEntry);
    put(shown, "age", ageOf(entry.ts_ms, now_ms));
    const named = format === thinkCardFormat ? meta?.["card_id"] : undefined;
    const card = typeof named === "string" ? named : undefined;
    if (card === undefined || !cards.has(card)) {
      if (title === undefined || !content.startsWith(title)) put(shown, "title", title);
      if (card === undefined && format !== "text") put(shown, "format", format);
      put(shown, "content", content);
      put(
        shown,
        "meta",
        ownMeta(meta, card !== undefined || entry.kind === "event" ? bookkeeping : ["step"]),
      );
    }
    put(shown, "card_id", card);
    return shown;
  },

  step(step: Step, lastEvent: number): z.input<typeof packStepSchema> {
    const { task: _task, completed: _open, completed_at_ms: _at, lease, ...rest } = step;
    const { criteria_confirmed, tests_confirmed, success_criteria, tests, blockers, ...named } = rest;
    return copyShown(
      {
        ...named,
        success_criteria: [...success_criteria],
        tests: [...tests],
        blockers: [...blockers],
        criteria_confirmed: criteria_confirmed || undefined,
        tests_confirmed: tests_confirmed || undefined,
        holder: lease && isHeld(step, lastEvent) ? lease.agent_id : undefined,
      },
      nothing,
    );
  },

  /** Blockers of the current step, and open tasks that the task waits for. */
  obstacles: (
    { blockers, waits_for }: { blockers: readonly string[]; waits_for: readonly Item[] },
    step: { step_id: string } | undefined,
  ): PackCard[] => [
    ...blockers.map((title) => ({ id: step?.step_id ?? "", type: "step", title })),
    ...waits_for.map(({ id, kind, title, status }) => ({ id, type: kind, title, status })),
  ],
});

/** A card that was shortened to fit a budget may have only its ID and type. */
export const cardSchema = nodeSchema;
export type ShownCard = z.input<typeof cardSchema>;

export const showCard = ({ tags, ...card }: CardNode): ShownCard => ({
  ...card,
  ...(tags.length > 0 && { tags: [...tags] }),
});

/** Shows the frontier without empty lists. */
export const showFrontier = <Shown>(frontier: Frontier, show: (card: CardNode) => Shown) =>
  Object.fromEntries(
    Object.entries(frontier)
      .filter(([, cards]) => cards.length > 0)
      .map(([name, cards]) => [name, cards.map(show)]),
  ) as { [Name in keyof Frontier]?: Shown[] };

/** The most relevant cards are first, so the last ones are dropped first. */
export const cardList = (key: string): ListPlan => ({ key, oldest: "last", stub: stubNode });

const call = z.strictObject({ operation: z.string(), args: z.record(z.string(), z.unknown()) });

export const engineSchema = z.strictObject({
  version: z.string(),
  mode: z.literal("step_aware").optional(),
  step_tag: z.string().optional(),
  signals: z.array(
    z.strictObject({
      code: z.string(),
      severity: z.enum(["high", "warning", "info"]),
      message: z.string(),
      refs: z.array(z.string()).optional(),
    }),
  ),
  actions: z.array(
    z.strictObject({
      kind: z.string(),
      priority: z.enum(["high", "medium", "low"]),
      title: z.string(),
      why: z.string().optional(),
      calls: z.array(call).optional(),
      command: z.string().optional(),
      evidence_template: call.optional(),
    }),
  ),
  signals_total: z.int(),
  actions_total: z.int(),
  truncated: z.boolean(),
});

export const capsuleSchema = z.record(z.string(), z.unknown());

export const laneSummarySchema = z.array(
  z.strictObject({
    lane: z.string(),
    cards: z.int(),
    open: z.int(),
    pinned: z.int(),
    top: z.array(z.strictObject({ id: z.string(), type: z.string(), title: z.string() })),
  }),
);

export const statsSchema = z.strictObject({ cards: z.int(), by_type: z.record(z.string(), z.int()) });

export const stepFocusSchema = z.strictObject({
  task_id: z.string(),
  step_id: z.string(),
  path: z.string(),
  title: z.string(),
  tag: z.string(),
});

const cards = z.array(packCardSchema).optional();
export const frontierSchema = z.strictObject({
  hypotheses: cards,
  questions: cards,
  subgoals: cards,
  tests: cards,
});
