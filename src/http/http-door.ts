import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createNetServer,
  Server as NetServer,
  type Socket,
} from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../kernel/clock.ts";
import type { AdmissionPolicy } from "./admission/admission-policy.ts";
import { createGate, createWrongTries } from "./admission/gate.ts";
import { writeRefusal } from "./body/json-answer.ts";
import { type Refused, refuse, shuttingDown, tooManyConnections } from "./body/refusal.ts";
import { createConnections } from "./connection/connections.ts";
import { addressOf, createPeerIdentification, type IdentifyPeer } from "./connection/peer-uid.ts";
import type { HttpLimits } from "./limits.ts";
import { createRequestReceiver, createUpgradeReceiver } from "./receive-request.ts";
import type { Route, UpgradeRoute } from "./routes.ts";

export type HttpDoorOptions = {
  readonly policy: AdmissionPolicy;
  readonly limits: HttpLimits;
  readonly routes: readonly Route[];
  readonly upgrades?: readonly UpgradeRoute[];
  readonly clock: Clock;
  /** Receives errors that a client must not see. */
  readonly onError: (thrown: unknown) => void;
  readonly identifyPeer?: IdentifyPeer;
};

export type HttpDoor = {
  /** Rejects with Node's error (`EADDRINUSE`, `EACCES` …). Resolves with the port and host that were actually bound. */
  listen(where: { port: number; host: string }): Promise<{ port: number; host: string }>;
  /**
   * Continues to serve, and announces in every answer that the connection will close. Resolves once no
   * request has arrived for `quietMs`, or after `atMostMs`. Call this before `close`, so that load balancers
   * can switch to other servers.
   */
  retire(quietMs: number, atMostMs: number): Promise<void>;
  /** Stops accepting, lets requests in flight finish for `graceMs`, then destroys the rest. */
  close(graceMs: number): Promise<void>;
  readonly server: Server;
};

export function createHttpDoor(options: HttpDoorOptions): HttpDoor {
  const { policy, limits, routes, upgrades = [], clock, onError } = options;
  const wrongTries = createWrongTries({
    triesPerMinute: limits.wrongTokensPerMinute,
    maxPeers: 10_000,
    clock,
  });
  const identifyPeer = options.identifyPeer ?? createPeerIdentification();
  let ownsLocalhost = false;
  const gate = createGate({ policy, wrongTries, identifyPeer, ownsLocalhost: () => ownsLocalhost });
  const connections = createConnections({ ...limits, proven: fitConnections(limits.proven) });
  let lastAsked = 0;
  const onAsked = () => {
    lastAsked = performance.now();
  };
  const { lingerMs } = limits;
  const receive = createRequestReceiver({ gate, routes, connections, lingerMs, onAsked, onError });
  const upgrade = createUpgradeReceiver({ gate, upgrades, connections, onError });
  const server = createBareServer(limits);
  /**
   * Browsers try `localhost` at both addresses. If another user listened on the second one, that user's page
   * would have our origin. After that user stops listening, requests from the page would reach us.
   */
  const second = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit("connection", socket),
  );
  let closed: Promise<void> | undefined;

  server.on("connection", (socket) => {
    if (!connections.accept(socket)) return writeRefusal(socket, shuttingDown);
    void identifyPeer(socket)
      .then((peer) => {
        if (!connections.identify(socket, peer)) writeRefusal(socket, tooManyConnections);
      })
      .catch(onError);
  });
  server.on("request", (req, res) => void receive(req, res, "nothing"));
  // If nothing listened for these two events, Node would answer requests with an `Expect` header itself,
  // before admission.
  server.on("checkContinue", (req, res) => void receive(req, res, "100-continue"));
  server.on("checkExpectation", (req, res) => void receive(req, res, "something else"));
  // Without a listener, Node ignores `Upgrade`. Clients that offer h2c with every request rely on this
  // behaviour.
  if (upgrades.length > 0) {
    server.on("upgrade", (req, socket, head) => void upgrade(req, socket as Socket, head));
  }
  server.on("clientError", (error, socket) => {
    if (!socket.writable || connections.isAnswering(socket as Socket)) socket.destroy();
    else writeRefusal(socket, toRefusal(error));
  });

  return {
    server,
    async listen({ port, host }) {
      server.listen({ port, host });
      await once(server, "listening");
      server.on("error", onError);
      const bound = server.address() as AddressInfo;
      const here = { port: bound.port, host: bound.address };
      ownsLocalhost = await takeSecond(second, here, onError);
      return here;
    },
    async retire(quietMs, atMostMs) {
      connections.retire();
      const began = performance.now();
      lastAsked = began;
      for (let now = began; now < began + atMostMs && now < lastAsked + quietMs; now = performance.now())
        await sleep(Math.min(began + atMostMs, lastAsked + quietMs) - now);
      // Continue right after the event loop's accept phase, because the system resets connections that are not accepted
      // before the close.
      await nextTurn();
    },
    close(graceMs) {
      closed ??= new Promise((resolve) => {
        const timer = setTimeout(() => connections.destroyAll(), graceMs);
        const secondClosed = new Promise((done) => second.close(done));
        // http.Server.close would also destroy connections whose answer is written but not yet sent.
        NetServer.prototype.close.call(server, async () => {
          await secondClosed;
          clearTimeout(timer);
          server.close();
          resolve();
        });
        connections.drain(Math.min(lingerMs, graceMs));
      });
      return closed;
    },
  };
}

/** For each address that a server can listen on, the other address of localhost. `::` covers both. */
const otherLocalhost: Readonly<Record<string, string>> = {
  "127.0.0.1": "::1",
  "0.0.0.0": "::1",
  "::1": "127.0.0.1",
};

/**
 * Returns true if no other program can listen on any address of localhost. On a machine without IPv6,
 * localhost has only one address.
 */
async function takeSecond(
  second: NetServer,
  here: { port: number; host: string },
  onError: (thrown: unknown) => void,
): Promise<boolean> {
  const { port } = here;
  const host = otherLocalhost[here.host];
  if (host === undefined) return true;
  try {
    await once(second.listen({ port, host }), "listening");
    second.on("error", onError);
    return true;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return true;
    const there = addressOf({ port, host }).replace("http://", "");
    onError(
      new Error(
        `cannot listen on ${there} (${code}). Another program may be listening on http://localhost:${port}, ` +
          `so do not enter the token at that address. Use ${addressOf(here)}.`,
      ),
    );
    return false;
  }
}

function createBareServer(limits: HttpLimits): Server {
  const server = createServer({
    // Admission itself refuses requests without a Host, in JSON.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Node checks for slow clients at this interval. Node's default of 30 s would triple our limit.
    connectionsCheckingInterval: Math.ceil(Math.min(1000, limits.headersMs / 4)),
  });
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  return server;
}

/** Returns the answer to a request that arrived too slowly or that Node could not parse. */
function toRefusal(error: NodeJS.ErrnoException): Refused {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return refuse("REQUEST_TIMEOUT", "The request did not arrive in time.");
  }
  if (error.code === "HPE_HEADER_OVERFLOW")
    return refuse("HEADERS_TOO_LARGE", "The request headers are too large.");
  return refuse("REQUEST_INVALID", "This is not a valid HTTP/1.1 request.");
}

/** Returns how many files and sockets this process may open, or `undefined` if that is unknown. */
function readOpenFileLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Limits connections to half of the files that may be open. The store and refused clients need the rest. */
function fitConnections(wanted: number, openFiles = readOpenFileLimit()): number {
  return openFiles === undefined ? wanted : Math.min(wanted, Math.max(16, Math.floor(openFiles / 2)));
}
