import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { writeRefusal } from "../../http/body/json-answer.ts";
import { refuse } from "../../http/body/refusal.ts";
import type { UpgradeRoute } from "../../http/routes.ts";
import { wire } from "../wire.ts";
import type { Channel, ClientMessage, RefusedPayload } from "../wire-live.ts";
import type { Hub } from "./hub.ts";
import { createViewer, pack, type Viewer, type ViewerLimits } from "./viewer.ts";

export type LiveOptions = {
  hub: Hub;
  maxConnections: number;
  limits: ViewerLimits;
  pingMs: number;
  /** True if this request comes from our own page, or from a page that may use the API. */
  isWelcome(req: IncomingMessage): boolean;
  report(thrown: unknown): void;
};

const full = refuse("TOO_MANY_CONNECTIONS", "Too many pages are open. Close one, then try again.", {
  "Retry-After": "5",
});
const foreign = refuse(
  "ORIGIN_NOT_ALLOWED",
  "Pages from other origins have read access only if THOUGHTBOX_OBSERVATORY_HTTP_API is true.",
);
type ParsedMessage = { message: ClientMessage } | { refused: RefusedPayload; channel: Channel };

/** Reports what is wrong with a message without quoting it. */
function parseClientMessage(text: string): ParsedMessage {
  const fields = readObject(text);
  if (!fields)
    return refuseMessage("sessions", 'Send JSON such as {"action":"subscribe","channel":"sessions"}.');
  const { action, channel, sessionId, after } = fields;
  if (channel !== "reasoning" && channel !== "sessions")
    return refuseMessage("sessions", "channel must be reasoning or sessions.");
  if (action !== "subscribe" && action !== "unsubscribe")
    return refuseMessage(channel, "action must be subscribe or unsubscribe.");
  if (sessionId !== undefined && (typeof sessionId !== "string" || !sessionIdPattern.test(sessionId)))
    return refuseMessage(channel, "sessionId must be the ID of a session.");
  if (after !== undefined && !(Number.isSafeInteger(after) && (after as number) >= 0))
    return refuseMessage(channel, "after must be a whole number that is at least 0.");
  if (channel === "sessions") return { message: { action, channel } };
  const session = sessionId === undefined ? {} : { sessionId };
  if (action === "unsubscribe") return { message: { action, channel, ...session } };
  return { message: { action, channel, ...session, ...(after !== undefined && { after: after as number }) } };
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const refuseMessage = (channel: Channel, message: string): ParsedMessage => ({
  channel,
  refused: { code: "INVALID_PAYLOAD", message },
});

/** Serves the WebSocket: accepts connections, handles their messages, and ends those that do not answer pings. */
export function createLiveEndpoint({ hub, maxConnections, limits, pingMs, isWelcome, report }: LiveOptions) {
  const sockets = new Set<Duplex>();
  const open = new Map<WebSocket, { viewer: Viewer; isAlive: boolean }>();
  const server = loadServer();
  server.catch(() => {});
  let heartbeat: NodeJS.Timeout | undefined;

  async function handle(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!isWelcome(req)) return writeRefusal(socket, foreign);
    if (sockets.size >= maxConnections) return writeRefusal(socket, full);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    (await server).handleUpgrade(req, socket, head, (webSocket) => attach(webSocket, socket));
  }

  function attach(socket: WebSocket, stream: Duplex): void {
    const viewer = createViewer(socket, stream, limits);
    const state = { viewer, isAlive: true };
    open.set(socket, state);
    heartbeat ??= setInterval(beat, pingMs).unref();
    let waiting = 0;
    let work = Promise.resolve();
    socket.on("pong", () => (state.isAlive = true));
    socket.on("ping", viewer.pong);
    // After a broken frame, the library has already set the close reason, which must reach the client.
    socket.on("error", () => viewer.close(wire.close.failed, "The connection failed."));
    socket.on("message", (data, isBinary) => {
      state.isAlive = true;
      if (isBinary) return viewer.close(wire.close.unsupportedData, "Send text.");
      const text = String(data);
      if (text === "ping") return viewer.send(Buffer.from("pong"));
      if (waiting >= limits.waitingMessages)
        return viewer.close(wire.close.policyViolation, "Too many messages.");
      waiting += 1;
      work = work.then(() => obey(viewer, text)).finally(() => (waiting -= 1));
    });
    socket.on("close", () => {
      open.delete(socket);
      if (open.size === 0) stopBeating();
      void hub.forget(viewer);
    });
  }

  async function obey(viewer: Viewer, text: string): Promise<void> {
    if (!viewer.isOpen) return;
    const parsed = parseClientMessage(text);
    if ("refused" in parsed)
      return viewer.send(pack({ channel: parsed.channel, event: "refused", data: parsed.refused }));
    try {
      await hub.obey(viewer, parsed.message);
    } catch (thrown) {
      report(thrown);
      const data = {
        code: "STORAGE_ERROR",
        message: "The store cannot be read right now. Subscribe again.",
      };
      viewer.send(pack({ channel: parsed.message.channel, event: "refused", data }));
    }
  }

  function beat(): void {
    for (const [socket, state] of open) {
      if (!state.isAlive) socket.terminate();
      state.isAlive = false;
      socket.ping();
    }
  }

  function stopBeating(): void {
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  const upgrades: UpgradeRoute[] = ["/", "/ws"].map((path) => ({ path, handle }));
  return {
    upgrades,
    get viewers(): number {
      return open.size;
    },
    close(): void {
      stopBeating();
      for (const { viewer } of open.values()) viewer.close(wire.close.goingAway, "The server is stopping.");
    },
  };
}

/** Loads `ws` before a page connects, because the package may have been upgraded by then. */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // `autoPong` would write without checking whether the client reads.
    autoPong: false,
    maxPayload: wire.messageBytes,
    // The token may be sent as a protocol, but is never the protocol that is chosen.
    handleProtocols: (offered) => (offered.has("thoughtbox") ? "thoughtbox" : false),
  });
}
