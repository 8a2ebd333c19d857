import * as z from "zod";
import { type BudgetLimits, fitBudget, type TrimPlan } from "../../kernel/fit-budget.ts";
import type { Warning } from "../../kernel/reply.ts";
import { answerBudget } from "../pipeline/budget.ts";

export const leastChars = 300;
/** What a read may take where the caller says nothing. */
export const usualChars = 16_000;

export type AskedBudget = {
  [Field in "max_chars" | "max_bytes" | "max_lines" | "context_budget"]?: number | undefined;
};

export const budgetSchema = z.strictObject({
  max_chars: z.int(),
  used_chars: z.int(),
  truncated: z.boolean(),
});

type Chosen = {
  limits: BudgetLimits;
  /** Whether the caller asked for one, and so is told how it was kept. */
  asked: boolean;
  warnings: Warning[];
};

/** The smallest of what the caller asks for, brought into bounds; else what is usual. */
export function chooseBudget(asked: AskedBudget, usual: number): Chosen {
  const warnings: Warning[] = [];
  const clamp = (value: number | undefined): number | undefined => {
    if (value === undefined || (value >= leastChars && value <= answerBudget)) return value;
    const within = Math.min(Math.max(value, leastChars), answerBudget);
    const least = within === leastChars;
    const message = `A budget of ${value} was taken as ${within}, the ${least ? "least" : "most"} there is.`;
    warnings.push({ code: least ? "BUDGET_MIN_CLAMPED" : "BUDGET_MAX_CLAMPED", message });
    return within;
  };
  const given = [clamp(asked.max_chars), clamp(asked.context_budget)].filter((value) => value !== undefined);
  const bytes = clamp(asked.max_bytes);
  return {
    limits: { chars: Math.min(...given, given.length > 0 ? answerBudget : usual), bytes },
    asked: given.length > 0 || bytes !== undefined,
    warnings,
  };
}

export function shortened({ chars, bytes }: BudgetLimits): Warning {
  const message = `The answer was shortened to fit ${chars} characters${bytes === undefined ? "" : ` and ${bytes} bytes`}.`;
  return { code: "BUDGET_TRUNCATED", message };
}

type Trimmed = { answer: Record<string, unknown>; warnings: Warning[] };

/** Makes an answer as small as the caller, or the tool itself, wants it. The text form is one line of JSON. */
export function trimAnswer(
  answer: Record<string, unknown>,
  plan: TrimPlan,
  wanted: AskedBudget,
  usual: number,
): Trimmed {
  const { limits, asked, warnings } = chooseBudget(wanted, usual);
  const { result, truncated, minimal, used } = fitBudget(answer, plan, limits);
  if (truncated) warnings.push(shortened(limits));
  if (minimal)
    warnings.push({ code: "BUDGET_MINIMAL", message: "Only stubs are left; ask for more characters." });
  const budget = { max_chars: limits.chars, used_chars: used, truncated };
  return { answer: { ...result, ...((truncated || asked) && { budget }) }, warnings };
}
