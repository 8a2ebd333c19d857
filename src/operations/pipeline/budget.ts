/** No answer is larger than this; about 25,000 tokens of compact JSON. */
export const answerBudget = 75_000;

/**
 * The last resort for lists whose items are bounded but many: whole items are dropped from the end and the
 * answer says that there is more. Operations that can do better (read_thoughts) do so before.
 */
export function fitList(result: Record<string, unknown>, key: string): Record<string, unknown> {
  const list = result[key];
  if (!Array.isArray(list)) return result;
  let size = JSON.stringify(result).length;
  if (size <= answerBudget) return result;
  const kept = [...list];
  while (kept.length > 1 && size > answerBudget) size -= JSON.stringify(kept.pop()).length + 1;
  return { ...result, [key]: kept, hasMore: true, truncated: true };
}
