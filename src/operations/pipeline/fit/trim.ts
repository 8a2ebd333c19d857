import { largest } from "../../../kernel/numbers.ts";
import { clip } from "../../../kernel/text.ts";
import { cutToShape, highestThatFits, isTextWithin, isWithin, type Limits } from "./budget.ts";
import type { PackPlan } from "./pack.ts";

export type Json = Record<string, unknown>;

/** `shows` completes the sentence "This call shows …". Default: "the rest". */
export type Continuation = { operation: string; args: Json; shows?: string };

/** The steps are applied in the order of these fields. */
export type TrimPlan = {
  /** Blocks that are dropped completely, in this order. */
  optional?: readonly string[];
  /** Lists that lose their oldest items. Each list loses all it can before the next one loses any. */
  list?: ListPlan | readonly ListPlan[];
  /** For an answer about one item. The item is shortened in place. */
  item?: { key: string; stub(item: Json): Json };
  /** Used for an answer that is a page of text. The last lines of the page are dropped. */
  text?: string;
  /** For an answer that consists of blocks. Apart from `goesOn`, the other fields are then ignored. */
  pack?: PackPlan;
  /** For any other answer. Apart from `goesOn`, the other fields are then ignored. */
  own?(answer: Json, limits: Limits): Fitted;
  /** Adjusts the rest of the answer to the remaining items, or to what remains of the item. */
  adjust?(result: Json, whole: Json): Json;
  /** The calls that show the omitted parts, if the next page does not. */
  goesOn?(args: Json, answer: Json): readonly Continuation[];
};

export type ListPlan = {
  key: string;
  oldest: "first" | "last";
  /** True for a side list. The main list keeps at least one item. */
  mayBeEmpty?: true;
  /** The cursor after this item. */
  cursor?(item: Json): unknown;
  /** Reduces an item to the fields that identify it. If omitted, the last item stays unchanged. */
  stub?(item: Json): Json;
};

export type Fitted = {
  result: Json;
  /** Does not cover omissions that the handler itself marked as `truncated`. */
  truncated: boolean;
  /** True if items were reduced to stubs or to even less. */
  minimal: boolean;
  used: number;
};

/** Fields that are never truncated. */
const identity: ReadonlySet<string> = new Set([
  ...["id", "seq", "ts", "ts_ms", "kind", "type", "status", "branch", "doc", "conflict_id", "name", "ref"],
  ...["from", "rel", "to", "key"],
]);
/** Dropped before the texts of an item become stubs. */
const expendable: ReadonlySet<string> = new Set(["meta", "tags"]);
/** Callers can send suggested calls unchanged, so these are never truncated. */
const calls: ReadonlySet<string> = new Set(["args", "command", "operation", "pagination", "degradation"]);

/** Caches results by name. Answers use a few hundred names, but a pack has thousands of fields. */
const judgedNames = new Map<string, boolean>();
const mostJudgedNames = 2_000;

export function isVerbatim(name: string): boolean {
  const known = judgedNames.get(name);
  if (known !== undefined) return known;
  const judged = identity.has(name) || calls.has(name) || name.endsWith("_id") || name.endsWith("_doc");
  if (judgedNames.size < mostJudgedNames) judgedNames.set(name, judged);
  return judged;
}

/**
 * Shortens pages and single items. Drops optional blocks first, then the oldest items, which the next page
 * shows in full. Then the last item is shortened, loses its expendable fields, and becomes a stub. The result
 * is deterministic.
 */
export function trim(answer: Json, plan: TrimPlan, limits: Limits): Fitted {
  const fits = (result: Json): boolean => isWithin(result, limits);
  const fitted = (result: Json, truncated: boolean, minimal: boolean): Fitted => ({
    result,
    truncated,
    minimal,
    used: JSON.stringify(result).length,
  });
  const whole: Json = Object.assign({}, answer, { truncated: answer["truncated"] === true });
  const written = JSON.stringify(whole);
  if (isTextWithin(written, limits))
    return { result: whole, truncated: false, minimal: false, used: written.length };

  let result: Json = { ...whole, truncated: true };
  for (const block of plan.optional ?? []) {
    const { [block]: _dropped, ...rest } = result;
    result = rest;
    if (fits(result)) return fitted(result, true, false);
  }

  const adjust = (cut: Json): Json => plan.adjust?.(cut, whole) ?? cut;
  const lists = [plan.list ?? []].flat();
  const list = lists.find(({ mayBeEmpty }) => !mayBeEmpty);
  for (const one of lists) {
    result = dropItems(result, one, adjust, fits);
    if (fits(result)) return fitted(result, true, false);
  }
  if (list && !list.stub) return fitted(result, true, false);
  const single = singleItem(result, list, plan.item, adjust);
  if (!single) {
    const cut = cutToShape(result, limits);
    return cut ? fitted(cut, true, false) : fitted(squeeze(result, [], fits), true, true);
  }

  const isWhole = (name: string, value: unknown): boolean =>
    expendable.has(name) || (identity.has(name) && !isRecord(value));
  for (const item of [single.item, without(single.item, expendable)]) {
    const smaller = shortenBySize(item, isWhole, (tried) => fits(single.put(tried)));
    if (smaller) return fitted(single.put(smaller), true, false);
  }
  const stub = clipTexts(single.stub(single.item), 60);
  return fitted(squeeze(single.put(stub), single.path, fits), true, true);
}

/** Keeps as many of the newest items as fit, and at least one item of the main list. */
function dropItems(
  result: Json,
  plan: ListPlan,
  adjust: (cut: Json) => Json,
  fits: (result: Json) => boolean,
): Json {
  const items = result[plan.key];
  if (!Array.isArray(items) || items.length === 0) return result;
  const keep = (count: number): Json => {
    const kept = plan.oldest === "first" ? items.slice(items.length - count) : items.slice(0, count);
    const page = { ...result, [plan.key]: kept };
    if (count === items.length) return page;
    return adjust(plan.cursor ? { ...page, pagination: repaginate(result, kept, plan) } : page);
  };
  const least = plan.mayBeEmpty ? 0 : 1;
  return keep(highestThatFits(least, items.length, (count) => fits(keep(count))));
}

function repaginate(result: Json, kept: Json[], { oldest, cursor }: ListPlan): Json {
  const last = (oldest === "first" ? kept[0] : kept.at(-1)) ?? {};
  return {
    ...(result["pagination"] as Json),
    next_cursor: cursor?.(last),
    has_more: true,
    count: kept.length,
  };
}

type SingleItem = { item: Json; path: readonly string[]; stub(item: Json): Json; put(item: Json): Json };

function singleItem(
  result: Json,
  list: ListPlan | undefined,
  item: TrimPlan["item"],
  adjust: (cut: Json) => Json,
): SingleItem | undefined {
  if (list) {
    const items = result[list.key];
    const only = Array.isArray(items) ? (items[0] as Json | undefined) : undefined;
    const put = (smaller: Json): Json => ({ ...result, [list.key]: [smaller] });
    return only && { item: only, path: [list.key, "pagination"], stub: list.stub ?? ((item) => item), put };
  }
  const only = item && (result[item.key] as Json | undefined);
  if (!item || !only) return undefined;
  const put = (smaller: Json): Json => adjust({ ...result, [item.key]: smaller });
  return { item: only, path: [item.key], stub: item.stub, put };
}

type IsWhole = (name: string, value: unknown) => boolean;

/** Returns `undefined` if text fields of 60 characters each are still too much. */
function shortenBySize(item: Json, isWhole: IsWhole, fits: (item: Json) => boolean): Json | undefined {
  let [low, high] = [60, Math.max(60, longestText(item))];
  if (!fits(shorten(item, isWhole, low))) return undefined;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(shorten(item, isWhole, middle))) low = middle;
    else high = middle - 1;
  }
  return shorten(item, isWhole, low);
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const longestText = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : isRecord(value)
      ? largest(Object.values(value).map(longestText))
      : 0;

const shorten = (item: Json, isWhole: IsWhole, max: number): Json =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (isWhole(name, value)) return [name, value];
      if (isRecord(value)) return [name, shorten(value, isWhole, max)];
      return [name, typeof value === "string" && value.length > max ? `${clip(value, max - 1)}…` : value];
    }),
  );

const without = (item: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !names.has(name))
      .map(([name, value]) => [name, isRecord(value) ? without(value, names) : value]),
  );

/**
 * Truncates every text, at any depth, to fewer and fewer characters. Each time, also tries to drop the fields around
 * `path`. Never truncates the cursor for the next page.
 */
function squeeze(result: Json, path: readonly string[], fits: (result: Json) => boolean): Json {
  const whole = [result, ...(path.length > 0 ? [pick(result, path), pick(minPage(result), path)] : [])];
  for (const max of [256, 128, 64, 32, 16, 8]) {
    const smaller = whole
      .map((form) => ({ ...clipStrings(form, max), ...pick(form, ["pagination"]) }))
      .find(fits);
    if (smaller) return smaller;
  }
  return { signal: "minimal", truncated: true };
}

const pick = (result: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(result).filter(([name]) => names.includes(name) || name === "truncated"));

/** Omits the values that the caller itself sent. */
function minPage(result: Json): Json {
  const { cursor: _cursor, limit: _limit, ...rest } = (result["pagination"] ?? {}) as Json;
  return "pagination" in result ? { ...result, pagination: rest } : result;
}

const clipTexts = (item: Json, max: number): Json =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, identity.has(name) ? value : clipStrings(value, max)]),
  );

function clipStrings(value: Json, max: number): Json;
function clipStrings(value: unknown, max: number): unknown;
function clipStrings(value: unknown, max: number): unknown {
  if (typeof value === "string") return clipJson(value, max);
  if (Array.isArray(value)) return value.map((item) => clipStrings(item, max));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, clipStrings(member, max)]));
}

/** Clips to `max` characters of JSON, in which some characters take six. */
function clipJson(text: string, max: number): string {
  if (JSON.stringify(text).length - 2 <= max) return text;
  let end = Math.min(text.length, max - 1);
  while (end > 0 && JSON.stringify(clip(text, end)).length - 2 > max - 1) end -= 1;
  return `${clip(text, end)}…`;
}
