import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Admission, type Admitted, tokenRequired } from "./admission/admission.ts";
import type { Gate } from "./admission/gate.ts";
import {
  corsHeaders,
  preflightHeaders,
  securityHeaders,
  sendRefusal,
  writeRefusal,
} from "./body/json-answer.ts";
import { type Refused, refuse, shuttingDown, tooManyConnections } from "./body/refusal.ts";
import type { Connections } from "./connection/connections.ts";
import { findMismatch, findRoute, pathNotFound, type Route, type UpgradeRoute } from "./routes.ts";

/** What the `Expect` header requires. */
export type Expectation = "nothing" | "100-continue" | "something else";

export type RequestReceiverOptions = {
  readonly gate: Gate;
  readonly routes: readonly Route[];
  readonly connections: Connections;
  readonly lingerMs: number;
  /** Called for every request that is not a probe. */
  readonly onAsked: () => void;
  readonly onError: (thrown: unknown) => void;
};

export type RequestReceiver = (
  req: IncomingMessage,
  res: ServerResponse,
  expects: Expectation,
) => Promise<void>;

const expectationNotSupported = refuse(
  "EXPECTATION_NOT_SUPPORTED",
  "Only 'Expect: 100-continue' is supported.",
);
const stranger: Admitted = {
  outcome: "admitted",
  principal: "anonymous",
  how: "open",
  mayRunCells: false,
};
const internalError = refuse("INTERNAL_ERROR", "Thoughtbox failed unexpectedly.");

/** Handles one request: admission, route, method and content type, handler. Never rejects. */
export function createRequestReceiver(options: RequestReceiverOptions): RequestReceiver {
  const { gate, routes, connections, lingerMs, onAsked, onError } = options;

  const serve: RequestReceiver = async (req, res, expects) => {
    const { socket } = req;
    const deny = (refused: Refused) => sendRefusal(req, res, refused, lingerMs);
    if (connections.isLate(socket)) return deny(shuttingDown);

    const route = findRoute(routes, req.url ?? "");
    if (route?.isOpen && route.methods.includes(req.method ?? "")) {
      res.shouldKeepAlive = false;
      return void (await route.handle(req, res, stranger));
    }
    onAsked();

    const admission = requireProof(await gate(req), route);
    // The connection exceeded a limit while its peer was being identified, and has already been refused.
    if (!connections.has(socket)) return;
    // An unauthenticated client is answered once and must not keep a connection open.
    if (admission.outcome !== "admitted" && !connections.isProven(socket)) res.shouldKeepAlive = false;
    if (admission.outcome === "refused") {
      const page = route?.refusedPage?.(req, admission);
      if (!page) return deny(admission);
      res.writeHead(admission.status, { ...admission.headers, ...page.headers }).end(page.body);
      return;
    }
    if (admission.outcome === "admitted" && !connections.prove(socket)) {
      res.shouldKeepAlive = false;
      return deny(tooManyConnections);
    }
    if (!route) return deny(pathNotFound);
    if (admission.outcome === "preflight") {
      const wanted = req.headers["access-control-request-headers"];
      res.writeHead(204, preflightHeaders(admission.corsOrigin, route.methods, wanted)).end();
      return;
    }

    if (admission.corsOrigin !== undefined) setHeaders(res, corsHeaders(admission.corsOrigin));
    const mismatch = expects === "something else" ? expectationNotSupported : findMismatch(route, req);
    if (mismatch) return deny(mismatch);
    if (expects === "100-continue") res.writeContinue();
    await route.handle(req, res, admission);
  };

  return async (req, res, expects) => {
    // The connection has already been closed, or was ended now because too many requests are pending.
    if (!connections.owe(req.socket, res)) return;
    setHeaders(res, securityHeaders);
    try {
      await serve(req, res, expects);
    } catch (thrown) {
      onError(thrown);
      if (res.headersSent) res.destroy();
      else sendRefusal(req, res, internalError, lingerMs);
    }
  };
}

function requireProof(admission: Admission, route?: Route): Admission {
  const isUnproven = admission.outcome === "admitted" && admission.isUnproven;
  return isUnproven && !route?.hasOnlyFiles ? tokenRequired : admission;
}

function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

type UpgradeReceiverOptions = {
  readonly gate: Gate;
  readonly upgrades: readonly UpgradeRoute[];
  readonly connections: Connections;
  readonly onError: (thrown: unknown) => void;
};

type UpgradeReceiver = (req: IncomingMessage, socket: Socket, head: Buffer) => Promise<void>;

/** Handles one upgrade: admits it like a request, then passes the socket to its new owner. Never rejects. */
export function createUpgradeReceiver(options: UpgradeReceiverOptions): UpgradeReceiver {
  const { gate, upgrades, connections, onError } = options;

  return async (req, socket, head) => {
    // Node has already removed its own error listener, and a reset must not end the process.
    socket.on("error", () => socket.destroy());
    if (!connections.has(socket)) return;
    if (connections.isDraining()) return writeRefusal(socket, shuttingDown);
    try {
      const admission = requireProof(await gate(req));
      const route = findRoute(upgrades, req.url ?? "");
      if (!socket.writable) return;
      if (admission.outcome === "refused") return writeRefusal(socket, admission);
      if (!route || admission.outcome === "preflight") return writeRefusal(socket, pathNotFound);
      if (!connections.prove(socket)) return writeRefusal(socket, tooManyConnections);
      connections.upgrade(socket);
      await route.handle(req, socket, head, admission);
    } catch (thrown) {
      onError(thrown);
      socket.destroy();
    }
  };
}
