import type { Suggestion, Warning } from "../../../kernel/reply.ts";
import { clip } from "../../../kernel/text.ts";
import type { Operation } from "../operation.ts";
import {
  type AskedBudget,
  chooseBudget,
  cutLongest,
  highestThatFits,
  isWithin,
  type Limits,
  maxAnswerChars,
} from "./budget.ts";
import { continueText } from "./continued-text.ts";
import { trimPack } from "./pack.ts";
import { type Fitted, type Json, type TrimPlan, trim } from "./trim.ts";

/** How an operation's answers are shortened. No answer exceeds `maxAnswerChars`, whatever this declares. */
export type Fit = {
  /** What to drop first. If absent, the longest text fields and lists are truncated. */
  plan?: TrimPlan | ((answer: Json, input: Json) => TrimPlan);
  /** The budget if the caller sets none. Default: the maximum. */
  defaultChars?: number;
  /**
   * `caller`: the operation accepts `max_chars`, `max_bytes` and `max_lines`, and reports how they were
   * applied. `fixed`: the operation reports its budget only if the answer was shortened. Omitted: a shortened
   * answer only gets `truncated` and `hasMore`.
   */
  budget?: "caller" | "fixed";
};

export const fitByDefault: Fit = {};

/** Shows text starting at the `offset` argument. `nextOffset` in the answer shows where to continue. */
export const continues = (key: string, textOf: (item: Json) => string): Fit => ({
  plan: (answer, { offset }) => {
    const continued = { key, text: textOf((answer[key] ?? {}) as Json), offset: Number(offset ?? 0) };
    return { own: (whole, limits) => continueText(whole, continued, limits) };
  },
});

/** Drops whole items, oldest first. Sets `count`, if the answer has it, to the number of remaining items. */
export const shortens = (list: string, oldest: "first" | "last" = "last"): Fit => ({
  plan: { list: { key: list, oldest }, adjust: (result) => recount(result, list) },
});

/** Like `shortens`, for a list that continues at `offset`. Sets `hasMore`. */
export const pages = (list: string): Fit => ({
  plan: {
    list: { key: list, oldest: "last" },
    adjust: (result) => ({ ...recount(result, list), hasMore: true }),
  },
});

const recount = (result: Json, list: string): Json =>
  "count" in result ? { ...result, count: (result[list] as unknown[]).length } : result;

export type FittedAnswer = {
  answer: Json;
  /**
   * The budget of the answer. `undefined` unless the caller requested a budget that is smaller than the
   * maximum.
   */
  limits: Limits | undefined;
  warnings: Warning[];
  onward?: Pick<TrimPlan, "goesOn">;
};

/** Room for the session, the next call and warnings, which are added to an answer without a budget. */
const besides = 1_000;

export const wholeAnswer = (answer: Json): FittedAnswer => ({ answer, limits: undefined, warnings: [] });

/** Shortens an answer to its budget. No other code shortens answers. */
export function fitAnswer(answer: Json, fit: Fit, input: AskedBudget & Json): FittedAnswer {
  const asks = fit.budget === "caller" ? input : {};
  const byDefault = fit.defaultChars ?? maxAnswerChars - (fit.budget === undefined ? besides : 0);
  const { limits, asked, lines, warnings } = chooseBudget(asks, byDefault);
  const plan = typeof fit.plan === "function" ? fit.plan(answer, input) : fit.plan;
  const { result, truncated, minimal, used } = makeSmaller(answer, plan, limits, lines);
  const tells = truncated || fit.budget === "caller" || "truncated" in answer;
  const fitted = tells ? result : withoutTruncated(result);
  const onward = plan && { onward: plan };
  if (fit.budget === undefined) return { answer: fitted, limits: undefined, warnings, ...onward };

  if (truncated) warnings.push(shortened(limits));
  if (minimal)
    warnings.push({
      code: "BUDGET_MINIMAL",
      message: "Only stubs fit the budget. Raise it.",
    });
  const tellsBudget = truncated || asked || asks.max_lines !== undefined;
  const budget = { max_chars: limits.chars, used_chars: used, truncated };
  return {
    answer: tellsBudget ? Object.assign({}, fitted, { budget }) : fitted,
    limits: asked ? limits : undefined,
    warnings,
    ...onward,
  };
}

function withoutTruncated(result: Json): Json {
  if (!("truncated" in result)) return result;
  const { truncated: _said, ...whole } = result;
  return whole;
}

/** Applies the plan. If the result is still too long, truncates its longest parts. */
function makeSmaller(answer: Json, plan: TrimPlan | undefined, limits: Limits, lines: number): Fitted {
  const planned = plan && byPlan(answer, plan, limits, lines);
  const isKept =
    planned &&
    planned.used <= limits.chars &&
    (limits.bytes === undefined || isWithin(planned.result, limits));
  if (isKept) return planned;
  return cutLongest(planned?.result ?? answer, limits);
}

function byPlan(answer: Json, plan: TrimPlan, limits: Limits, lines: number): Fitted {
  if (plan.text !== undefined) return cutLines(answer, plan.text, limits, lines);
  if (plan.own) return plan.own(answer, limits);
  return plan.pack ? trimPack(answer, plan.pack, limits) : trim(answer, plan, limits);
}

function shortened({ chars, bytes }: Limits): Warning {
  const message = `The answer was shortened to fit ${chars} characters${bytes === undefined ? "" : ` and ${bytes} bytes`}.`;
  return { code: "BUDGET_TRUNCATED", message };
}

/**
 * Returns the calls that continue a shortened answer to a read. The most important call is last. If an
 * operation has several lists, an alias determines which cursor `cursor` stands for.
 */
export function continuations(
  { name: operation, spellings }: Pick<Operation, "name" | "spellings">,
  args: Json,
  { answer, onward = {} }: Pick<FittedAnswer, "answer" | "onward">,
): Suggestion[] {
  const { truncated, pagination, next_offset: offset } = answer;
  const cursor = (pagination as { next_cursor?: unknown } | undefined)?.next_cursor;
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  if (truncated !== true) return [];
  if (cursor === undefined && offset === undefined)
    return (onward.goesOn?.(given, answer) ?? []).map(
      ({ operation, args, shows = "the rest of the answer" }) => ({
        operation,
        args,
        reason: `This call shows ${shows}.`,
        priority: "medium",
      }),
    );
  const on = {
    ...(cursor !== undefined && { [spellings.aliases["cursor"] ?? "cursor"]: cursor }),
    ...(offset !== undefined && { offset }),
  };
  const reason = "This call continues the answer.";
  return [{ operation, args: { ...given, ...on }, reason, priority: "medium" }];
}

/** Drops the last lines. If not even the first line fits, truncates it. */
function cutLines(page: Json, key: string, limits: Limits, maxLines: number): Fitted {
  const text = String(page[key]);
  const lines = text.trimEnd().split("\n");
  const fits = (shown: string): boolean => isWithin({ ...page, [key]: shown, truncated: false }, limits);
  const truncated = lines.length > maxLines || !fits(text);
  const shown = truncated ? keepLines(lines, maxLines, fits) : text;
  const result = { ...page, [key]: shown, truncated };
  return { result, truncated, minimal: false, used: JSON.stringify(result).length };
}

function keepLines(lines: readonly string[], max: number, fits: (text: string) => boolean): string {
  const keep = (count: number): string => lines.slice(0, count).join("\n").trimEnd();
  const kept = highestThatFits(0, Math.min(lines.length, max), (count) => fits(keep(count)));
  if (kept > 0) return keep(kept);
  const [first = ""] = lines;
  return clip(
    first,
    highestThatFits(0, first.length, (length) => fits(clip(first, length))),
  );
}
