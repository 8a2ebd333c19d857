import * as z from "zod";

/** What every list says that is paged by `offset`; lists of the memory are paged by `cursor` (`memory/paging.ts`). */
export const offsetPageSchema = { total: z.int(), hasMore: z.boolean() };

export const offsetPage = (offset: number, count: number, total: number) => ({
  total,
  hasMore: offset + count < total,
});
