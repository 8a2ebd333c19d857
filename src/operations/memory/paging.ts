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
