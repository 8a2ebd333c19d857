import type { MemoryContext } from "../pipeline/context.ts";

/** Limits outside the bounds are brought in, and the caller gets a warning. */
export function clampLimit({ warn }: Pick<MemoryContext, "warn">, asked: number, max = 200, min = 1): number {
  const limit = Math.min(Math.max(asked, min), max);
  if (limit !== asked)
    warn({
      code: "LIMIT_CLAMPED",
      message: `A limit of ${asked} was taken as ${limit}; it goes from ${min} to ${max}.`,
    });
  return limit;
}

type Page<Cursor> = {
  cursor: Cursor | undefined;
  limit: number;
  count: number;
  hasMore: boolean;
  /** Where the next page goes on. */
  next: Cursor | undefined;
};

export function describePage<Cursor extends number | string>({
  cursor,
  limit,
  count,
  hasMore,
  next,
}: Page<Cursor>) {
  return {
    cursor: cursor ?? null,
    ...(hasMore && next !== undefined && { next_cursor: next }),
    has_more: hasMore,
    limit,
    count,
  };
}
