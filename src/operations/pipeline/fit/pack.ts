import * as z from "zod";
import { largest } from "../../../kernel/numbers.ts";
import { clip } from "../../../kernel/text.ts";
import { highestThatFits, isTextWithin, isWithin, type Limits } from "./budget.ts";
import { clipTexts, createMeasure } from "./pack-texts.ts";
import type { Fitted, Json } from "./trim.ts";

/** For an answer that consists of several blocks. Each operation declares which blocks matter most. */
export type PackPlan = {
  /**
   * Paths such as `capsule.known` whose content is also in another block. These paths are dropped first, in
   * this order.
   */
  repeats?: readonly string[];
  /** Every list in the answer. At the end, each list keeps one item, reduced to a stub. */
  lists: readonly PackList[];
  /**
   * Blocks for which a budget of less than 2,000 characters may have no room, in the order in which they are
   * dropped.
   */
  blocks: readonly string[];
  /**
   * The block that every budget keeps, in forms from large to small. The smallest form fits 300 characters.
   */
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

/** No text is truncated below this length while a list can lose items instead. */
const shortText = 200;

type Move =
  | { do: "drop" | "stub" | "block"; path: string; form?: undefined }
  | { do: "form"; path?: undefined; form: number };

/**
 * Shrinks the answer in small moves and keeps the largest version within the budget. A larger budget therefore never
 * shows less.
 */
export function trimPack(answer: Json, plan: PackPlan, limits: Limits): Fitted {
  const whole: Json = Object.assign({}, answer, { truncated: answer["truncated"] === true });
  const written = JSON.stringify(whole);
  if (isTextWithin(written, limits)) return fitted(whole, false, false, written);
  const measure = createMeasure();
  const repeats = (plan.repeats ?? []).filter((path) => read(whole, path) !== undefined);
  const start = measure.longestIn(whole) > limits.chars ? clipTexts(whole, limits.chars).value : whole;
  const longest = measure.longestIn(repeats.reduce(remove, start));
  const cuts = Math.max(0, longest - shortText);
  const counts = plan.lists.map(({ path }) => itemsAt(start, path).length);
  const moves = planMoves(start, plan);
  const steps = repeats.length + cuts + moves.length;
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
    return Object.assign({}, value, { truncated: true, degradation: { left_out, shortened: count } });
  };
  const lengthOf = (kept: number): number => {
    const { rest, max, left_out } = shrink(kept);
    const measured: Json = { ...rest, truncated: true };
    if ("degradation" in rest) measured["degradation"] = undefined;
    const { length, count } = measure.lengthOf(measured, max);
    return length + `,"degradation":${JSON.stringify({ left_out, shortened: count })}`.length;
  };
  const kept = highestThatFits(0, steps, (count) =>
    limits.bytes === undefined ? lengthOf(count) <= limits.chars : isWithin(render(count), limits),
  );
  const result = render(kept);
  const stubbed = moves.findIndex((move) => move.do === "stub");
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
function planMoves(start: Json, { lists, blocks, core }: PackPlan): readonly Move[] {
  const counts = new Map(lists.map(({ path }) => [path, itemsAt(start, path).length]));
  const moves: Move[] = [];
  const shorten = (paths: readonly PackList[], leastOf: (list: PackList) => number): void => {
    for (let round = largest([...counts.values()]); round > 0; round -= 1)
      for (const list of paths) {
        const count = counts.get(list.path) ?? 0;
        if (count < round || count <= leastOf(list)) continue;
        counts.set(list.path, count - 1);
        moves.push({ do: "drop", path: list.path });
      }
  };
  shorten(lists, ({ least = 1 }) => least);
  const short = lists.filter(({ path }) => (counts.get(path) ?? 0) <= 1);
  for (const { path } of short) moves.push({ do: "stub", path });
  const forms = core && start[core.key] ? core.forms(start[core.key] as Json) : [];
  const middle = Math.max(0, forms.length - 1);
  for (let form = 1; form < middle; form += 1) moves.push({ do: "form", form });
  for (const block of blocks) {
    const inside = lists.filter((list) => !short.includes(list) && list.path.startsWith(`${block}.`));
    if (inside.length > 0) shorten(inside, () => 1);
    for (const { path } of inside) moves.push({ do: "stub", path });
    moves.push({ do: "block", path: block });
  }
  if (forms.length > 1) moves.push({ do: "form", form: forms.length - 1 });
  return moves;
}

function apply(start: Json, { lists, core }: PackPlan, moves: readonly Move[]): Json {
  const dropped = new Map<string, number>();
  const stubs = new Set<string>();
  let form = 0;
  let result = start;
  for (const move of moves) {
    if (move.do === "drop") dropped.set(move.path, (dropped.get(move.path) ?? 0) + 1);
    else if (move.do === "stub") stubs.add(move.path);
    else if (move.do === "form") form = move.form;
    else result = remove(result, move.path);
  }
  for (const list of lists) {
    const { path, oldest, stub } = list;
    const gone = dropped.get(path) ?? 0;
    const isStubbed = stub !== undefined && stubs.has(path);
    if (gone === 0 && !isStubbed) continue;
    const items = itemsAt(result, path);
    if (items.length === 0) continue;
    const count = Math.max(0, items.length - gone);
    const newest = oldest === "first" ? items.slice(items.length - count) : items.slice(0, count);
    const kept = isStubbed ? newest.map((item) => cutTitle(stub(item))) : newest;
    result = write(result, list, kept, count < items.length);
  }
  if (!core || form === 0) return result;
  const forms = core.forms(start[core.key] as Json);
  return { ...result, [core.key]: forms[form] };
}

const cutTitle = (stub: Json = {}): Json =>
  typeof stub["title"] === "string" ? { ...stub, title: clip(stub["title"], 60) } : stub;

/**
 * Counts the omitted items by kind: items of `notes.entries` count as notes, items of `signals.decisions` as
 * decisions. A block without lists counts as one.
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
  const names = namesIn(path);
  return (names.at(-1) === "entries" ? names.at(-2) : names.at(-1)) ?? path;
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Caches split paths. Each plan has a few dozen paths, and a pack is shortened in hundreds of ways. */
const paths = new Map<string, readonly string[]>();

function namesIn(path: string): readonly string[] {
  const known = paths.get(path);
  if (known) return known;
  const names = path.split(".");
  paths.set(path, names);
  return names;
}

function read(value: unknown, path: string): unknown {
  let found = value;
  for (const name of namesIn(path)) found = isRecord(found) ? found[name] : undefined;
  return found;
}

function itemsAt(result: Json, path: string): Json[] {
  const items = read(result, path);
  return Array.isArray(items) ? items : [];
}

const remove = (result: Json, path: string): Json => removeAt(result, namesIn(path), 0);

function removeAt(result: Json, names: readonly string[], at: number): Json {
  const name = names[at] ?? "";
  if (at + 1 < names.length) {
    const member = result[name];
    return isRecord(member) ? { ...result, [name]: removeAt(member, names, at + 1) } : result;
  }
  const { [name]: _gone, ...others } = result;
  return others;
}

function write(result: Json, list: PackList, items: readonly Json[], isShorter: boolean, at = 0): Json {
  const names = namesIn(list.path);
  const name = names[at] ?? "";
  if (at + 1 < names.length)
    return { ...result, [name]: write(result[name] as Json, list, items, isShorter, at + 1) };
  const shown: Json = { ...result, [name]: items };
  if ("count" in result) shown["count"] = items.length;
  const page = result["pagination"];
  if (!isShorter || !list.cursor || !isRecord(page)) return shown;
  const last = (list.oldest === "first" ? items[0] : items.at(-1)) ?? {};
  const cut = { next_cursor: list.cursor(last), has_more: true, count: items.length };
  shown["pagination"] = Object.assign({}, page, cut);
  return shown;
}
