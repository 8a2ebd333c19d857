/** Limits for everything a caller can write to the ledger. */
export const limits = {
  thoughtBytes: 1024 * 1024,
  thoughtNumber: 1_000_000,
  title: 200,
  description: 4_000,
  tags: 32,
  tag: 80,
  branchId: 64,
  agentId: 64,
  idempotencyKey: 200,
  query: 500,
} as const;

/**
 * The maximum rows and characters per import transaction. Other writers wait a few hundredths of a second for
 * each transaction. A character takes up to three bytes.
 */
export const importedAtOnce = { rows: 1_000, characters: limits.thoughtBytes } as const;

export const branchIdPattern = /^[a-z0-9-]{1,64}$/;
export const sessionIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const agentIdPattern = /^[A-Za-z0-9._-]{1,64}$/;
