import { expect } from "vitest";

/**
 * Tests a rule that applies to every case. The test tries all cases, and fails once with a list of every
 * violation. A rule without cases also fails.
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

/** Explains an error with the assertion's value, because its message omits the contents of lists. */
function explain(error: unknown): string {
  const { message = String(error), actual } = error as { message?: string; actual?: unknown };
  return actual === undefined ? message : `${message}\n${JSON.stringify(actual).slice(0, 600)}`;
}
