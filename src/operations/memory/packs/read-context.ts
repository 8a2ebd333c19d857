import { byAge, type CardEdge, type CardNode, isPinned } from "../../../domain/memory/cards/card.ts";
import { importThoughts } from "../../../domain/memory/cards/import-thoughts.ts";
import { chooseView, withVisibility } from "../../../domain/memory/cards/visibility.ts";
import type { Entry } from "../../../domain/memory/entry.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { deriveSequential } from "../../../domain/memory/sequential.ts";
import { bridgeTo, type CapsuleKind } from "../../../domain/memory/views/capsule.ts";
import { highlight, summariseLanes } from "../../../domain/memory/views/highlights.ts";
import {
  belongsToStep,
  cardsBehind,
  countCards,
  isDraftEntry,
  toSliceEntry,
} from "../../../domain/memory/views/selection.ts";
import type { SliceExtras } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { describePage } from "../fields.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import { readDocument } from "../ledger-view.ts";
import { resolveSessionDocs } from "../scope.ts";
import { resolveSince, type Since } from "../workspace/changes.ts";
import { type CardsInView, capsuleFor, engineFor, knownCards } from "./describe-slice.ts";
import {
  type AskedView,
  type CardSlice,
  loadSlice,
  planView,
  type ViewPlan,
  type ViewScope,
} from "./load-slice.ts";
import { readBoard, sessionBoard } from "./read-board.ts";
import { createPackView, type PackCard } from "./show-pack.ts";

export type AskedContext = AskedView & { since?: string | undefined; agent_id?: string | undefined } & {
  [Cursor in "notes_cursor" | "trace_cursor" | "cards_cursor"]?: number | undefined;
} & { stale_after_days?: number | undefined } & {
  [Limit in
    | "notes_limit"
    | "trace_limit"
    | "limit_cards"
    | "decisions_limit"
    | "evidence_limit"
    | "blockers_limit"
    | "engine_signals_limit"
    | "engine_actions_limit"]: number;
};

type ViewCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID";

export const findContext = async (
  memory: MemoryContext<ViewCodes>,
  asked: AskedContext,
): Promise<CardsInView | ViewPlan> => (await loadSession(memory, asked)) ?? planView(memory, asked);

const maxPages = 5;
const pageSize = 200;

/** `next` is the cursor for older entries. The cursor may be the seq of a hidden entry. */
type ShownPage = {
  entries: Entry[];
  hasMore: boolean;
  next: number | undefined;
  /** Includes hidden entries, because drafts may show that an agent is stuck. */
  newest: Entry[];
};

/** Reads older pages until there are enough visible entries. */
export async function readShown(
  memory: MemoryContext<"UNKNOWN_ID">,
  { place, drafts, step, asOfSeq }: ViewScope,
  doc: string,
  limit: number,
  cursor?: number,
): Promise<ShownPage> {
  const shown: Entry[] = [];
  if (limit === 0) return { entries: [], hasMore: false, next: undefined, newest: [] };
  let before = notAfter(asOfSeq, cursor);
  let newest: Entry[] | undefined;
  for (let page = 0; page < maxPages; page++) {
    const size = page === 0 ? Math.min(limit + 1, pageSize) : pageSize;
    const { entries, hasMore } = await readDocument(memory, { branch: place.branch, doc }, before, size);
    newest ??= entries;
    shown.unshift(
      ...entries.filter((entry) => (drafts || !isDraftEntry(entry)) && (!step || belongsToStep(entry, step))),
    );
    if (shown.length > limit) {
      const page = shown.slice(-limit);
      return { entries: page, hasMore: true, next: page[0]?.seq, newest };
    }
    if (!hasMore) return { entries: shown, hasMore: false, next: undefined, newest };
    before = entries[0]?.seq;
  }
  return { entries: shown, hasMore: true, next: before, newest: newest ?? [] };
}

/** Returns a cursor that hides entries written after the cards were read. */
function notAfter(asOfSeq: number | undefined, cursor: number | undefined): number | undefined {
  if (asOfSeq === undefined) return cursor;
  return Math.min(asOfSeq + 1, cursor ?? Number.MAX_SAFE_INTEGER);
}

export async function readContext(
  memory: MemoryContext<ViewCodes>,
  plan: CardsInView | ViewPlan,
  asked: AskedContext,
  kind: CapsuleKind,
  extras: SliceExtras = {},
) {
  const isSession = "cards" in plan;
  const limits = limitsOf(asked);
  const since = asked.since === undefined ? undefined : await resolveSince(memory, asked.since);
  const after = asked.cards_cursor;
  const highlights = Math.max(limits.decisions, limits.evidence);
  const slice: CardsInView & Partial<CardSlice> = isSession
    ? plan
    : await loadSlice(memory, plan, { limit: limits.cards + 1, after, highlights, extras });
  const isNew = ({ last_seq }: CardNode) => since === undefined || last_seq > since.seq;
  const relevant = (slice.selected ? cardsBehind(slice.selected, after) : slice.cards).filter(isNew);
  const chosen = relevant.slice(0, limits.cards);
  const { scope } = slice;
  const { place } = scope;
  const notes = isSession
    ? noEntries
    : newerThan(since, await readShown(memory, scope, place.notes_doc, limits.notes, asked.notes_cursor));
  const trace = newerThan(
    since,
    await readShown(memory, scope, place.trace_doc, limits.trace, asked.trace_cursor),
  );
  const ids = [...new Set([...slice.cards, ...chosen].map(({ id }) => id))];
  const board = isSession
    ? sessionBoard(slice.cards, memory.clock().getTime())
    : await readBoard(memory, place, ids, since);
  const isResume = kind === "resume_capsule";
  const engine = engineFor(
    memory,
    { ...slice, scope: isResume ? { ...scope, step: scope.current } : scope },
    { trace: trace.newest.map(toSliceEntry), drafts: board.drafts },
    asked,
  );
  const sequential = deriveSequential(trace.entries);
  const found = highlight(slice.cards.filter(isNew), slice.edges, limits);
  const bridge = await bridgeFrom(
    memory,
    scope,
    notes.entries.length === 0 && board.isEmpty,
    slice.cards.length === 0,
  );
  const view = createPackView(board);
  const shown = { blockers: found.blockers, decisions: found.decisions, evidence: found.evidence };
  const inSignals = new Set(Object.values(shown).flatMap((cards) => cards.map(({ id }) => id)));
  const listed = isResume ? chosen : chosen.filter(({ id }) => !inSignals.has(id));
  const named = new Set([...inSignals, ...listed.map(({ id }) => id)]);
  const page = ({ entries, hasMore, next }: ShownPage, limit: number, cursor: number | undefined) =>
    slimPage(describePage({ cursor, limit, count: entries.length, hasMore, next }));
  return {
    scope,
    known: knownCards(slice),
    overview: slice.overview,
    difference: slice.difference,
    /** Cards are ordered by relevance. The cursor is the last card on the previous page. */
    cardsPage: describePage({
      cursor: after,
      limit: limits.cards,
      count: chosen.length,
      hasMore: limits.cards > 0 && relevant.length > chosen.length,
      next: chosen.at(-1)?.last_seq,
    }),
    result: {
      requested: {
        ...(asked.target !== undefined && { target: asked.target }),
        ...(asked.ref !== undefined && { ref: asked.ref }),
      },
      capsule: capsuleFor(kind, memory, slice, engine, board),
      branch: place.branch,
      docs: { notes: place.notes_doc, trace: place.trace_doc, graph: place.graph_doc },
      ...(scope.step && { step_focus: scope.step }),
      ...(Object.keys(board.shown).length > 0 && { board: board.shown }),
      ...(board.conflictsOpen > 0 && { conflicts_open: board.conflictsOpen }),
      ...(board.openSteps.length > 0 && {
        open_steps: board.openSteps.slice(0, maxSteps).map((step) => view.step(step, board.lastEvent)),
      }),
      signals: {
        blockers: [...view.obstacles(board.obstacles, scope.current), ...found.blockers.map(view.card)].slice(
          0,
          limits.blockers,
        ),
        decisions: found.decisions.map(view.card),
        evidence: found.evidence.map(view.card),
        stats: {
          blockers: found.blockers.length,
          decisions: found.decisions.length,
          evidence: found.evidence.length,
        },
      },
      cards: listed.map((card) =>
        inSignals.has(card.id) ? (stubNode(view.card(card)) as PackCard) : view.card(card),
      ),
      notes: {
        entries: notes.entries.map((entry) => view.entry(entry, named)),
        pagination: page(notes, limits.notes, asked.notes_cursor),
      },
      trace: {
        entries: trace.entries.map((entry) => view.entry(entry, named)),
        ...(sequential && { sequential }),
        pagination: page(trace, limits.trace, asked.trace_cursor),
      },
      stats: countCards(slice.cards),
      ...(since === undefined && asked.engine_signals_limit + asked.engine_actions_limit > 0 && { engine }),
      ...(scope.drafts && { lane_summary: summariseLanes(slice.cards) }),
      ...(bridge && { bridge }),
      ...(since && { since: Math.max(since.seq, scope.asOfSeq ?? trace.newest.at(-1)?.seq ?? 0) }),
    },
  };
}

/** Keeps only entries newer than `since`. If this drops any entries, the answer has no older page. */
function newerThan(since: Since | undefined, page: ShownPage): ShownPage {
  if (!since) return page;
  const entries = page.entries.filter(({ seq }) => seq > since.seq);
  return entries.length === page.entries.length
    ? page
    : { ...page, entries, hasMore: false, next: undefined };
}

/** Omits the cursor and limit of the call, which the caller knows. */
const slimPage = ({ has_more, count, next_cursor }: ReturnType<typeof describePage<number>>) => ({
  has_more,
  count,
  ...(next_cursor !== undefined && { next_cursor }),
});

const maxSteps = 20;
const noEntries: ShownPage = { entries: [], hasMore: false, next: undefined, newest: [] };

const limitsOf = (asked: AskedContext) => ({
  notes: asked.notes_limit,
  trace: asked.trace_limit,
  cards: asked.limit_cards,
  decisions: asked.decisions_limit,
  evidence: asked.evidence_limit,
  blockers: asked.blockers_limit,
});

async function bridgeFrom(
  memory: MemoryContext<ViewCodes>,
  scope: ViewScope,
  hasNoNotes: boolean,
  showsNoCards: boolean,
) {
  const { place } = scope;
  const checkout = memory.state?.checkout;
  if (!place.target || !hasNoNotes || !showsNoCards || checkout === undefined) return undefined;
  // A limit of 0, a step filter or a draft state may hide existing cards.
  const at = { branch: place.branch, doc: place.graph_doc };
  const { any } = await memory.memory.selectCards(memory.workspace, at, { any: { drafts: true, limit: 1 } });
  const cards = any.length > 0;
  const docs = await memory.memory.listDocs(memory.workspace, checkout);
  const has = {
    notes: docs.some(({ doc, form }) => doc === defaultDocs.notes && form === "log"),
    cards: docs.some(({ doc, form }) => doc === defaultDocs.graph && form === "graph"),
  };
  const bridge = bridgeTo({ notes: false, cards }, { branch: checkout, docs: defaultDocs, has });
  if (bridge)
    memory.warn({
      code: "CONTEXT_EMPTY_FOR_TARGET",
      message: `Nothing is recorded for ${place.target.id} yet, but ${checkout} has notes or cards.`,
      recovery: {
        hint: "Read the notes and cards of the checkout.",
        operation: "context_pack",
        args: { workspace: memory.workspace, ref: checkout },
      },
    });
  return bridge;
}

const maxThoughts = 500;

/** Loads a ledger session. Its thoughts are the trace, and its cipher steps are the cards. */
async function loadSession(
  memory: MemoryContext,
  { target, ...asked }: AskedContext,
): Promise<CardsInView | undefined> {
  const place = await resolveSessionDocs(memory, target);
  if (target === undefined || !place) return undefined;
  const thoughts = await memory.ledger.readLatest(target, undefined, maxThoughts);
  const { cards, statuses } = importThoughts(target, thoughts);
  const nodes: CardNode[] = cards.map(({ supports: _s, blocks: _b, seq, ts_ms, ...card }) => ({
    ...card,
    tags: withVisibility(card.type, card.tags),
    status: statuses.get(card.id) ?? card.status,
    last_seq: seq,
    last_ts_ms: ts_ms,
  }));
  const edges: CardEdge[] = cards.flatMap(({ id, supports, blocks }) => [
    ...supports.map((to) => ({ from: id, rel: "supports", to })),
    ...blocks.map((to) => ({ from: id, rel: "blocks", to })),
  ]);
  const scope: ViewScope = {
    place,
    ...chooseView(asked),
    step: undefined,
    current: undefined,
    asOfSeq: undefined,
  };
  const ordered = nodes.toSorted(
    (one, other) => Number(isPinned(other)) - Number(isPinned(one)) || byAge(one, other),
  );
  return { scope, cards: ordered, edges };
}
