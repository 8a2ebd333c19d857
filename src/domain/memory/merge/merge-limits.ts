/** How much of a merge happens at once. */
export const mergeLimits = {
  /** Keys of one call. */
  keys: 100_000,
  /** Notes or thoughts of one call. */
  entries: 10_000,
  /** Keys decided and written in one transaction, while other writers wait. */
  transaction: 500,
  /** Keys read or staged in one go, if a merge takes several. */
  slice: 250,
  /** Keys decided in one go, without a lock. */
  decided: 2_000,
  /** Keys that are listed in one go. */
  listed: 2_000,
} as const;
