import type { AdmissionPolicy } from "../../http/admission/admission-policy.ts";
import { createHttpDoor } from "../../http/http-door.ts";
import { defaultHttpLimits, type HttpLimits } from "../../http/limits.ts";
import type { Route } from "../../http/routes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { briefErrors } from "../brief-errors.ts";
import type { ResourceUpdates } from "../resource-updates.ts";
import { defaultLegacyLimits, type LegacyLimits, type ServerFactory } from "./legacy-sessions.ts";
import { createMcpEndpoint } from "./mcp-endpoint.ts";

export type ServeHttpOptions = {
  factory: ServerFactory;
  policy: AdmissionPolicy;
  port: number;
  host: string;
  clock: Clock;
  /** Without them nobody is told of changed resources. */
  updates?: ResourceUpdates;
  onError: (error: Error) => void;
  http?: HttpLimits;
  legacy?: LegacyLimits;
  /** Served beside `/mcp`, behind the same admission. */
  routes?: readonly Route[];
};

export type HttpService = {
  port: number;
  host: string;
  legacySessions: { readonly size: number };
  stop(graceMs?: number): Promise<void>;
};

/** Calls under way when a server stops get this long to finish. */
const graceMs = 4_500;

export async function serveHttp(options: ServeHttpOptions): Promise<HttpService> {
  const {
    factory,
    policy,
    clock,
    updates = { watch: () => () => {} },
    http = defaultHttpLimits,
    legacy = defaultLegacyLimits,
    routes = [],
  } = options;
  const onError = briefErrors(options.onError);
  const endpoint = createMcpEndpoint({ factory, http, legacy, clock, updates, onError });
  const report = (thrown: unknown) => onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  const door = createHttpDoor({
    policy,
    limits: http,
    routes: [endpoint.route, ...routes],
    clock,
    onError: report,
  });
  const { port, host } = await door.listen({ port: options.port, host: options.host });
  return {
    port,
    host,
    legacySessions: endpoint.legacySessions,
    async stop(grace = graceMs) {
      await endpoint.endStreams();
      await door.close(grace);
      await endpoint.close();
    },
  };
}
