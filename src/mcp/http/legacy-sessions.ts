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

export type ServerFactory = (request: McpRequestContext) => Server;

export type LegacyLimits = { sessions: number; idleMs: number };

export const defaultLegacyLimits: LegacyLimits = { sessions: 256, idleMs: 30 * 60 * 1000 };

type LegacySession = {
  transport: WebStandardStreamableHTTPServerTransport;
  /** Whoever opened it; nobody else may go on with it. */
  principal: string;
  lastUsed: number;
  /** Ids of the calls that have not got their whole answer yet; a symbol for whatever has no id. */
  underWay: Set<RequestId | symbol>;
};

/**
 * Connections of the legacy era, one server each, by `Mcp-Session-Id`. Clients abandon them without a word, so
 * the table is bounded: idle ones leave after a while, and the least recently used one makes room for the next.
 */
export function createLegacySessions(
  factory: ServerFactory,
  limits: LegacyLimits,
  clock: Clock,
  onError: (error: Error) => void,
) {
  const sessions = new Map<string, LegacySession>();
  const sweep = setInterval(dropIdle, Math.min(limits.idleMs, 60_000)).unref();

  async function serve(
    request: Request,
    body: unknown,
    authInfo: AuthInfo,
    send: (response: Response) => Promise<void>,
  ): Promise<void> {
    dropIdle();
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await open(body, authInfo) : sessions.get(id);
    if (session instanceof Response) return send(session);
    if (!session || session.principal !== authInfo.clientId) {
      return send(
        refusal(404, -32001, "This Mcp-Session-Id is unknown or has ended; initialize again.", body),
      );
    }
    const { transport, underWay } = session;
    const work = requestId(body) ?? Symbol();
    // The SDK finds the stream for an answer by its id: with two calls of one id, one would never be answered.
    if (underWay.has(work)) return send(refusal(400, -32600, "A call with this id is under way.", body));
    underWay.add(work);
    try {
      await send(await transport.handleRequest(request, { parsedBody: body, authInfo }));
    } finally {
      underWay.delete(work);
      touch(session);
    }
    // The SDK never answers a cancelled call, so nothing else would ever end its stream.
    const cancelled = cancelledRequest(body);
    if (cancelled !== undefined) transport.closeSSEStream(cancelled);
  }

  /** Moves the session to the young end of the map, which keeps its keys in order of use. */
  function touch(session: LegacySession): void {
    session.lastUsed = clock().getTime();
    const id = session.transport.sessionId;
    if (id === undefined || !sessions.delete(id)) return;
    sessions.set(id, session);
  }

  async function open(body: unknown, authInfo: AuthInfo): Promise<LegacySession | Response> {
    if (!isInitializeRequest(body)) {
      return refusal(400, -32000, "Mcp-Session-Id is missing; send initialize first.", body);
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        makeRoom();
        sessions.set(id, session);
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const session: LegacySession = {
      transport,
      principal: authInfo.clientId,
      lastUsed: clock().getTime(),
      underWay: new Set(),
    };
    const server = factory({ era: "legacy", authInfo });
    server.onerror = onError;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    return session;
  }

  /** A session with a call under way is spared as long as another can go. */
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
    /** Ends the streams that wait for server messages, so that a draining server is not held open by them. */
    endStreams(): void {
      for (const { transport } of sessions.values()) transport.closeStandaloneSSEStream();
    },
    closeAll(): void {
      clearInterval(sweep);
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
