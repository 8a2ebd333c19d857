export type HttpLimits = {
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * How long the server keeps an idle connection. This is longer than in nginx and cloud load balancers, so
   * that they close the connection first.
   */
  readonly keepAliveMs: number;
  /** How long to discard further input from a refused client, so that the client can read the refusal. */
  readonly lingerMs: number;
  /** Connections without an admitted request: in total, and per peer. */
  readonly unproven: number;
  readonly unprovenPerPeer: number;
  /** Connections with an admitted request: in total, and per peer. Our own user has no limit per peer. */
  readonly proven: number;
  readonly provenPerPeer: number;
  readonly requestsPerConnection: number;
  /** Requests sent without waiting for an answer (pipelining). */
  readonly requestsAtOnce: number;
  readonly bodyBytes: number;
  readonly wrongTokensPerMinute: number;
};

export const defaultHttpLimits: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 75_000,
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
