import * as z from "zod";
import { largest } from "../../../kernel/numbers.ts";
import { clip } from "../../../kernel/text.ts";
import { highestThatFits, isTextWithin, isWithin, type Limits } from "./budget.ts";
import { clipTexts, createMeasure, longestText } from "./pack-texts.ts";
import type { Fitted, Json } from "./trim.ts";

/** For an answer that consists of several blocks. Each operation declares which of them matter most. */
export type PackPlan = {
  /** Paths such as `capsule.known` whose content is also in another block. They are dropped first, in this order. */
  repeats?: readonly string[];
  /** Every list in the answer. At the end, each keeps one item, reduced to a stub. */
  lists: readonly PackList[];
  /** Blocks that may not fit a budget below 2,000 characters, in the order in which they are dropped. */
  blocks: readonly string[];
  /** The block that every budget keeps, in forms from large to small. The smallest fits 300 characters. */
  core?: { key: string; forms(block: Json): readonly Json[] };
};

export type PackList = {
  /** Such as `notes.entries`. */
  path: string;
  oldest: "first" | "last";
  /** Reduces an item to the fields that identify it. */
  stub?(item: Json): Json;
  /** The cursor after this item. Corrects the `pagination` next to the list. */
  cursor?(item: Json): unknown;
  /** How many items are kept until other blocks are gone. Default 1. */
  least?: number;
};

/** How many items of each kind a shortened pack omits, and how many text fields it shortens. */
export const degradationSchema = z.strictObject({
  left_out: z.record(z.string(), z.int()),
  shortened: z.int(),
});

/** No text is cut below this length while a list can lose items instead. */
const shortText = 200;

type Move = { drop: string } | { stub: string } | { form: number } | { block: string };

/**
 * Shrinks the answer in small moves and keeps the largest version within the budget. A larger budget therefore never
 * shows less.
 */
export function trimPack(answer: Json, plan: PackPlan, limits: Limits): Fitted {
  const whole: Json = { ...answer, truncated: answer["truncated"] === true };
  const written = JSON.stringify(whole);
  if (isTextWithin(written, limits)) return fitted(whole, false, false, written);
  const repeats = (plan.repeats ?? []).filter((path) => read(whole, path) !== undefined);
  const start = clipTexts(whole, limits.chars).value;
  const longest = longestText(repeats.reduce(remove, start));
  const cuts = Math.max(0, longest - shortText);
  const moves = planMoves(start, plan);
  const steps = repeats.length + cuts + moves.length;
  const counts = plan.lists.map(({ path }) => itemsAt(start, path).length);
  const shrink = (kept: number) => {
    const down = steps - kept;
    const cut = Math.min(cuts, Math.max(0, down - repeats.length));
    const made = moves.slice(0, Math.max(0, down - repeats.length - cuts));
    const rest = apply(repeats.slice(0, down).reduce(remove, start), plan, made);
    const max = cut === 0 ? Number.POSITIVE_INFINITY : longest - cut;
    return { rest, max, left_out: countLost(start, counts, rest, plan) };
  };
  const render = (kept: number): Json => {
    const { rest, max, left_out } = shrink(kept);
    const { value, count } = clipTexts(rest, max);
    return { ...value, truncated: true, degradation: { left_out, shortened: count } };
  };
  const measure = createMeasure();
  const lengthOf = (kept: number): number => {
    const { rest, max, left_out } = shrink(kept);
    const { length, count } = measure({ ...rest, truncated: true, degradation: undefined }, max);
    return length + `,"degradation":${JSON.stringify({ left_out, shortened: count })}`.length;
  };
  const kept = highestThatFits(0, steps, (count) =>
    limits.bytes === undefined ? lengthOf(count) <= limits.chars : isWithin(render(count), limits),
  );
  const result = render(kept);
  const stubbed = moves.findIndex((move) => "stub" in move);
  const minimal = stubbed >= 0 && steps - kept > repeats.length + cuts + stubbed;
  const shown = JSON.stringify(result);
  if (isTextWithin(shown, limits)) return fitted(result, true, minimal, shown);
  const { degradation: _told, ...rest } = result;
  return fitted(rest, true, true);
}

const fitted = (
  result: Json,
  truncated: boolean,
  minimal: boolean,
  written = JSON.stringify(result),
): Fitted => ({ result, truncated, minimal, used: written.length });

/**
 * First, the longest lists lose their oldest items, in rounds. Then details are dropped, then blocks, and finally the
 * core shrinks.
 */
function planMoves(start: Json, { lists, blocks, core }: PackPlan): Move[] {
  const counts = new Map(lists.map(({ path }) => [path, itemsAt(start, path).length]));
  const moves: Move[] = [];
  const shorten = (paths: readonly PackList[], leastOf: (list: PackList) => number): void => {
    for (let round = largest([...counts.values()]); round > 0; round -= 1)
      for (const list of paths) {
        const count = counts.get(list.path) ?? 0;
        if (count < round || count <= leastOf(list)) continue;
        counts.set(list.path, count - 1);
        moves.push({ drop: list.path });
      }
  };
  shorten(lists, ({ least = 1 }) => least);
  const short = lists.filter(({ path }) => (counts.get(path) ?? 0) <= 1);
  for (const { path } of short) moves.push({ stub: path });
  const forms = core && start[core.key] ? core.forms(start[core.key] as Json) : [];
  const middle = Math.max(0, forms.length - 1);
  for (let form = 1; form < middle; form += 1) moves.push({ form });
  for (const block of blocks) {
    const inside = lists.filter((list) => !short.includes(list) && list.path.startsWith(`${block}.`));
    shorten(inside, () => 1);
    for (const { path } of inside) moves.push({ stub: path });
    moves.push({ block });
  }
  if (forms.length > 1) moves.push({ form: forms.length - 1 });
  return moves;
}

function apply(start: Json, { lists, core }: PackPlan, moves: readonly Move[]): Json {
  const dropped = new Map<string, number>();
  const stubs = new Set<string>();
  let form = 0;
  let result = start;
  for (const move of moves) {
    if ("drop" in move) dropped.set(move.drop, (dropped.get(move.drop) ?? 0) + 1);
    else if ("stub" in move) stubs.add(move.stub);
    else if ("form" in move) form = move.form;
    else result = remove(result, move.block);
  }
  for (const list of lists) {
    const items = itemsAt(result, list.path);
    if (items.length === 0) continue;
    const count = Math.max(0, items.length - (dropped.get(list.path) ?? 0));
    const newest = list.oldest === "first" ? items.slice(items.length - count) : items.slice(0, count);
    const kept =
      stubs.has(list.path) && list.stub ? newest.map((item) => cutTitle(list.stub?.(item))) : newest;
    if (count < items.length || kept !== newest) result = write(result, list, kept, count < items.length);
  }
  if (!core || form === 0) return result;
  const forms = core.forms(start[core.key] as Json);
  return { ...result, [core.key]: forms[form] };
}

const cutTitle = (stub: Json = {}): Json =>
  typeof stub["title"] === "string" ? { ...stub, title: clip(stub["title"], 60) } : stub;

/**
 * Counts by kind: `notes.entries` are notes, `signals.decisions` are decisions. A block without lists counts as one.
 */
function countLost(
  start: Json,
  counts: readonly number[],
  rest: Json,
  { lists, blocks }: PackPlan,
): Record<string, number> {
  const lost = new Map<string, number>();
  const add = (path: string, count: number): void => {
    if (count > 0) lost.set(kindOf(path), (lost.get(kindOf(path)) ?? 0) + count);
  };
  lists.forEach(({ path }, at) => {
    add(path, (counts[at] ?? 0) - itemsAt(rest, path).length);
  });
  for (const block of blocks) {
    const isGone = read(start, block) !== undefined && read(rest, block) === undefined;
    if (isGone && !lists.some(({ path }) => path === block || path.startsWith(`${block}.`))) add(block, 1);
  }
  return Object.fromEntries(lost);
}

function kindOf(path: string): string {
  const names = path.split(".");
  return (names.at(-1) === "entries" ? names.at(-2) : names.at(-1)) ?? path;
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function read(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

function itemsAt(result: Json, path: string): Json[] {
  const items = read(result, path);
  return Array.isArray(items) ? items : [];
}

function remove(result: Json, path: string): Json {
  const [name = "", ...rest] = path.split(".");
  const member = result[name];
  if (rest.length > 0)
    return isRecord(member) ? { ...result, [name]: remove(member, rest.join(".")) } : result;
  const { [name]: _gone, ...others } = result;
  return others;
}

function write(
  result: Json,
  list: PackList,
  items: readonly Json[],
  isShorter: boolean,
  path = list.path,
): Json {
  const [name = "", ...rest] = path.split(".");
  if (rest.length > 0)
    return { ...result, [name]: write(result[name] as Json, list, items, isShorter, rest.join(".")) };
  const shown = { ...result, [name]: items, ...("count" in result && { count: items.length }) };
  const page = result["pagination"];
  if (!isShorter || !list.cursor || !isRecord(page)) return shown;
  const last = (list.oldest === "first" ? items[0] : items.at(-1)) ?? {};
  const pagination = { ...page, next_cursor: list.cursor(last), has_more: true, count: items.length };
  return { ...shown, pagination };
}
