/** How much of a merge is done at once. */
export const mergeLimits = {
  /** Keys per call. */
  keys: 100_000,
  /** Notes or thoughts per call. */
  entries: 10_000,
  /** Keys decided and written in one transaction, while other writers wait. */
  transaction: 500,
  /** Keys read or staged in one batch, if a merge needs several. */
  slice: 250,
  /** Keys decided in one batch, without a lock. */
  decided: 2_000,
  /** Keys listed in one batch. */
  listed: 2_000,
} as const;
