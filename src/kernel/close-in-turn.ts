/** Closes every part, in order, even if an earlier one fails to close. */
export async function closeInTurn(parts: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of parts)
    try {
      await close();
    } catch (thrown) {
      failures.push(thrown);
    }
  if (failures.length > 1) throw new AggregateError(failures, "Several parts could not be closed.");
  if (failures.length > 0) throw failures[0];
}
