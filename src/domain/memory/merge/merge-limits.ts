/** How much of a merge happens at once. */
export const mergeLimits = {
  /** Keys or entries of one call. */
  call: 10_000,
  /** Those that are decided and written in one transaction, while other writers wait. */
  transaction: 500,
  /** Those that are read or staged in one go, of a merge that takes several. */
  slice: 250,
} as const;
