import type { Clock } from "../kernel/clock.ts";
import type { AdmissionPolicy } from "./admission/admission-policy.ts";
import { createHttpDoor } from "./http-door.ts";
import { defaultHttpLimits, type HttpLimits } from "./limits.ts";
import type { Route, UpgradeRoute } from "./routes.ts";

/** A service over HTTP, such as MCP or the Observatory. */
export type Endpoint = {
  readonly routes: readonly Route[];
  readonly upgrades?: readonly UpgradeRoute[];
  /** The server is about to stop, but still serves for a moment. */
  retire?(): void;
  /** Called before draining, because idle streams must not keep the server running. */
  endStreams(): void | Promise<void>;
  /** Called after the last connection is closed. */
  close(): void | Promise<void>;
};

export type ServeOptions = {
  /** Searched in this order for a route that matches the path. */
  readonly endpoints: readonly Endpoint[];
  readonly policy: AdmissionPolicy;
  readonly port: number;
  readonly host: string;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
  readonly limits?: HttpLimits;
};

export type HttpService = {
  port: number;
  host: string;
  stop(graceMs?: number): Promise<void>;
};

/** How long calls in progress may take to finish when a server stops. */
const graceMs = 4_500;
/** A stopping server serves until no request has arrived for `quietMs`, but at most for `retireWithinMs` (0190). */
const [quietMs, retireWithinMs] = [200, 2_500];

/** Serves all endpoints on one port, behind one admission. */
export async function serveEndpoints(options: ServeOptions): Promise<HttpService> {
  const { endpoints, policy, clock, onError, limits = defaultHttpLimits } = options;
  const door = createHttpDoor({
    policy,
    limits,
    routes: endpoints.flatMap(({ routes }) => routes),
    upgrades: endpoints.flatMap(({ upgrades = [] }) => upgrades),
    clock,
    onError,
  });
  const each = (act: (endpoint: Endpoint) => void | Promise<void>) => Promise.all(endpoints.map(act));
  const { port, host } = await door
    .listen({ port: options.port, host: options.host })
    .catch(async (thrown) => {
      await each((endpoint) => endpoint.close());
      throw thrown;
    });
  return {
    port,
    host,
    async stop(grace = graceMs) {
      await each((endpoint) => endpoint.retire?.());
      if (grace > 0) await door.retire(quietMs, retireWithinMs);
      await each((endpoint) => endpoint.endStreams());
      await door.close(grace);
      await each((endpoint) => endpoint.close());
    },
  };
}
