import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  isInitializeRequest,
  type McpRequestContext,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Clock } from "../../kernel/clock.ts";
import type { ConnectionBook, ConnectionOpening } from "../../ports/conversations.ts";
import type { LegacyConnection } from "../server.ts";
import { createConnectionSharing, type SharedConnection, toOpening } from "./shared-connections.ts";

export type ServerFactory = (request: McpRequestContext, connection?: LegacyConnection) => Server;

export type LegacyLimits = { sessions: number; idleMs: number };

export const defaultLegacyLimits: LegacyLimits = { sessions: 256, idleMs: 30 * 60 * 1000 };

type LegacySession = {
  transport: WebStandardStreamableHTTPServerTransport;
  /** The user who opened the connection. No one else may use it. */
  principal: string;
  lastUsed: number;
  /** IDs of calls that have not been fully answered yet. Requests without an ID get a symbol. */
  underWay: Set<RequestId | symbol>;
  /** Present if the client's requests may also reach other servers. */
  shared: SharedConnection | undefined;
  /** True if other servers know this connection. */
  isStored: boolean;
  isCollecting: boolean;
};

/**
 * Keeps legacy connections by `Mcp-Session-Id`, with one server for each. Clients abandon connections without notice,
 * so the table is bounded: idle ones expire, and the least recently used one is evicted to make room for a new one. If
 * there is a `book`, this server rebuilds connections that other servers opened.
 */
export function createLegacySessions(
  factory: ServerFactory,
  limits: LegacyLimits,
  clock: Clock,
  onError: (error: Error) => void,
  book?: ConnectionBook,
) {
  const sessions = new Map<string, LegacySession>();
  const rebuilding = new Map<string, Promise<LegacySession>>();
  const sharing = book && createConnectionSharing(book, report);
  const sweep = setInterval(
    () => {
      dropIdle();
      sharing?.tidy(limits.idleMs).catch(report);
    },
    Math.min(limits.idleMs, 60_000),
  ).unref();

  function report(thrown: unknown): void {
    onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }

  async function serve(
    request: Request,
    body: unknown,
    authInfo: AuthInfo,
    send: (response: Response) => Promise<void>,
  ): Promise<void> {
    dropIdle();
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await open(body, authInfo) : await find(id, body, authInfo);
    if (session instanceof Response) return send(session);
    if (!session || session.principal !== authInfo.clientId) {
      return send(
        refusal(404, -32001, "This Mcp-Session-Id is unknown or has ended. Send initialize again.", body),
      );
    }
    const { transport, underWay, shared } = session;
    const work = requestId(body) ?? Symbol();
    // The SDK finds the stream for an answer by its ID. If two calls had the same ID, one would never be answered.
    if (underWay.has(work))
      return send(refusal(400, -32600, "A call with this ID is already in progress.", body));
    underWay.add(work);
    let message = body;
    try {
      if (shared && body) message = await shared.route(body, (call) => underWay.has(call));
      if (body && message === undefined) return await send(new Response(null, { status: 202 }));
      if (shared && typeof work !== "symbol") collectMail(session, shared, authInfo);
      const answer = async () =>
        send(await transport.handleRequest(request, { parsedBody: message, authInfo }));
      await (shared && request.method === "GET" ? shared.whileStreaming(answer) : answer());
    } finally {
      underWay.delete(work);
      touch(session);
    }
    // The SDK never answers a cancelled call, so nothing else would end its stream.
    const cancelled = cancelledRequest(message);
    if (cancelled !== undefined) transport.closeSSEStream(cancelled);
  }

  /**
   * Finds a connection and applies the changes that other servers made to it. If the store is unreachable, uses this
   * server's copy.
   */
  async function find(
    id: string,
    body: unknown,
    authInfo: AuthInfo,
  ): Promise<LegacySession | Response | undefined> {
    const local = sessions.get(id);
    if (!sharing || (local && !local.isStored)) return local;
    try {
      const stored = await sharing.book.find(id);
      if (!stored && local) close(id, local);
      if (stored?.principal !== authInfo.clientId) return undefined;
      const session = local ?? (await rebuild(id, stored.opening, authInfo));
      session.shared?.take(stored);
      return session;
    } catch (thrown) {
      report(thrown);
      return (
        local ??
        refusal(503, -32000, "The state of this connection cannot be read right now. Try again.", body)
      );
    }
  }

  /** Rebuilds a connection that another server opened. Concurrent requests share one rebuild. */
  function rebuild(id: string, opening: ConnectionOpening, authInfo: AuthInfo): Promise<LegacySession> {
    const known = rebuilding.get(id);
    if (known) return known;
    const building = (async () => {
      const session = await connect(id, authInfo, () => {
        session.isStored = true;
      });
      for (const message of [
        { jsonrpc: "2.0", id: "rebuilt", method: "initialize", params: opening },
        { jsonrpc: "2.0", method: "notifications/initialized" },
      ])
        await deliver(session, message, authInfo);
      return session;
    })().finally(() => rebuilding.delete(id));
    rebuilding.set(id, building);
    return building;
  }

  /** Delivers a message that reached another server, or that this server created itself. */
  async function deliver({ transport }: LegacySession, message: unknown, authInfo: AuthInfo): Promise<void> {
    const headers = new Headers({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(transport.sessionId !== undefined && { "mcp-session-id": transport.sessionId }),
    });
    const request = { url: "http://localhost/mcp", method: "POST", headers } as Request;
    await (await transport.handleRequest(request, { parsedBody: message, authInfo })).text();
  }

  function collectMail(session: LegacySession, shared: SharedConnection, authInfo: AuthInfo): void {
    if (session.isCollecting) return;
    session.isCollecting = true;
    const calls = () => [...session.underWay].filter((work) => typeof work !== "symbol");
    const handOn = async (mail: unknown) => {
      const message = await shared.route(mail, (call) => session.underWay.has(call));
      if (message === undefined) return;
      await deliver(session, message, authInfo);
      const cancelled = cancelledRequest(message);
      if (cancelled !== undefined) session.transport.closeSSEStream(cancelled);
    };
    shared
      .collect(calls, handOn)
      .catch(report)
      .finally(() => {
        session.isCollecting = false;
        // A call may have started while the last round was ending.
        if (calls().length > 0 && sessions.has(session.transport.sessionId ?? ""))
          collectMail(session, shared, authInfo);
      });
  }

  /** Moves the session to the end of the map, which is sorted by last use. */
  function touch(session: LegacySession): void {
    session.lastUsed = clock().getTime();
    const id = session.transport.sessionId;
    if (id === undefined || !sessions.delete(id)) return;
    sessions.set(id, session);
  }

  async function open(body: unknown, authInfo: AuthInfo): Promise<LegacySession | Response> {
    if (!isInitializeRequest(body)) {
      return refusal(400, -32000, "Mcp-Session-Id is missing. Send initialize first.", body);
    }
    const id = randomUUID();
    const session = await connect(id, authInfo, async () => {
      if (!sharing) return;
      try {
        const opening = toOpening(body.params as ConnectionOpening);
        await sharing.book.open(id, { principal: authInfo.clientId, opening });
        session.isStored = true;
      } catch (thrown) {
        // Other servers will not know this connection, but this server serves it.
        report(thrown);
      }
    });
    return session;
  }

  /** `onOpened` runs before `initialize` is answered. */
  async function connect(
    id: string,
    authInfo: AuthInfo,
    onOpened: () => Promise<void> | void,
  ): Promise<LegacySession> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: async () => {
        makeRoom();
        sessions.set(id, session);
        await onOpened();
      },
      onsessionclosed: async () => {
        sessions.delete(id);
        await sharing?.book.close(id);
      },
    });
    const session: LegacySession = {
      transport,
      principal: authInfo.clientId,
      lastUsed: clock().getTime(),
      underWay: new Set(),
      shared: sharing?.join(id),
      isStored: false,
      isCollecting: false,
    };
    const server = factory({ era: "legacy", authInfo }, session.shared?.connection);
    server.onerror = onError;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    session.shared?.nameAsks(transport);
    await server.connect(transport);
    return session;
  }

  /** Evicts the least recently used session, if possible one without a call in progress. */
  function makeRoom(): void {
    while (sessions.size >= limits.sessions) {
      const all = [...sessions.entries()];
      const [id, session] = all.find(([, { underWay }]) => underWay.size === 0) ?? all[0] ?? [];
      if (id === undefined || !session) return;
      close(id, session);
    }
  }

  function dropIdle(): void {
    const limit = clock().getTime() - limits.idleMs;
    for (const [id, session] of sessions)
      if (session.underWay.size === 0 && session.lastUsed < limit) close(id, session);
  }

  function close(id: string, { transport }: LegacySession): void {
    sessions.delete(id);
    transport.close().catch(onError);
  }

  return {
    serve,
    get size(): number {
      return sessions.size;
    },
    /** Ends the streams that wait for server messages, so that they do not keep a draining server running. */
    endStreams(): void {
      for (const { transport } of sessions.values()) transport.closeStandaloneSSEStream();
    },
    closeAll(): void {
      clearInterval(sweep);
      sharing?.stop();
      for (const [id, session] of sessions) close(id, session);
    },
  };
}

function requestId(body: unknown): RequestId | undefined {
  const { method, id } = (body ?? {}) as { method?: string; id?: RequestId };
  return method === undefined ? undefined : id;
}

function cancelledRequest(body: unknown): RequestId | undefined {
  const { method, params } = (body ?? {}) as { method?: string; params?: { requestId?: RequestId } };
  return method === "notifications/cancelled" ? params?.requestId : undefined;
}

function refusal(status: number, code: number, message: string, body: unknown): Response {
  const { id = null } = (body ?? {}) as { id?: string | number | null };
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });
}
