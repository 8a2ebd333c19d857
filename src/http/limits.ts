export type HttpLimits = {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** How long what a refused client still sends is swallowed, so that it gets to read the refusal. */
  readonly lingerMs: number;
  /** Connections of which nothing was admitted yet: in all, and of one peer. */
  readonly unproven: number;
  readonly unprovenPerPeer: number;
  /** Connections that have proven themselves: in all, and of one peer that is not our own user. */
  readonly proven: number;
  readonly provenPerPeer: number;
  readonly requestsPerConnection: number;
  /** Sent one after the other without waiting for an answer. */
  readonly requestsAtOnce: number;
  readonly bodyBytes: number;
  readonly wrongTokensPerMinute: number;
};

export const defaultHttpLimits: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  lingerMs: 1_000,
  unproven: 64,
  unprovenPerPeer: 32,
  proven: 1_024,
  provenPerPeer: 128,
  requestsPerConnection: 10_000,
  requestsAtOnce: 32,
  bodyBytes: 4 * 1024 * 1024,
  wrongTokensPerMinute: 5,
};
