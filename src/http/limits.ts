export type HttpLimits = {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  /** How long what a refused client still sends is swallowed, so that it gets to read the refusal. */
  readonly lingerMs: number;
  readonly connections: number;
  readonly connectionsPerPeer: number;
  readonly requestsPerConnection: number;
  readonly bodyBytes: number;
  readonly wrongTokensPerMinute: number;
};

export const defaultHttpLimits: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  lingerMs: 1_000,
  connections: 256,
  connectionsPerPeer: 32,
  requestsPerConnection: 10_000,
  bodyBytes: 4 * 1024 * 1024,
  wrongTokensPerMinute: 5,
};
