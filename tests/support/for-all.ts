import { expect } from "vitest";

/**
 * One test for a rule that every case has to keep: all cases are tried, and the test fails once, with every offender and
 * what is wrong with it. A rule over no cases fails too.
 */
export async function forAll<Case>(
  cases: readonly Case[],
  nameOf: (one: Case) => string,
  check: (one: Case) => unknown,
): Promise<void> {
  expect(cases.length).toBeGreaterThan(0);
  const offenders: string[] = [];
  for (const one of cases)
    try {
      await check(one);
    } catch (error) {
      offenders.push(`${nameOf(one)}: ${explain(error)}`);
    }
  expect(offenders).toEqual([]);
}

/** An assertion's message leaves out what is inside a list; its value does not. */
function explain(error: unknown): string {
  const { message = String(error), actual } = error as { message?: string; actual?: unknown };
  return actual === undefined ? message : `${message}\n${JSON.stringify(actual).slice(0, 600)}`;
}
