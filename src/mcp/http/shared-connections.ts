import { randomUUID } from "node:crypto";
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/server";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { ConnectionBook, ConnectionOpening, StoredConnection } from "../../ports/conversations.ts";
import { openBindings } from "../identify-caller.ts";
import type { LegacyConnection } from "../server.ts";

/**
 * How often this server checks the book for messages. A client's answer to this server's request can arrive
 * at another server, which leaves it in the book.
 */
const mailEveryMs = 100;
/**
 * If no call has asked the client anything, only cancellations can arrive, which are less urgent, so the book
 * is only checked every few rounds.
 */
const cancelsEveryRounds = 5;
const subscriptionsEveryMs = 1_000;

export type SharedConnection = ReturnType<ConnectionSharing["join"]>;
export type ConnectionSharing = ReturnType<typeof createConnectionSharing>;

/**
 * Legacy connections of several servers that share a store. Before it handles a request, a server applies the
 * changes that the others made. The server answers only after its own changes are stored. If a server asks
 * the client something, only that server waits for the answer, so the ID of the request contains the server's
 * name.
 */
export function createConnectionSharing(book: ConnectionBook, onError: (thrown: unknown) => void) {
  const serverName = randomUUID().slice(0, 8);
  const streaming = new Map<string, SharedConnection>();
  const used = new Set<string>();

  const watch = setInterval(() => {
    if (streaming.size > 0) readSubscriptions().catch(onError);
  }, subscriptionsEveryMs).unref();

  async function readSubscriptions(): Promise<void> {
    const found = await book.listSubscriptions([...streaming.keys()]);
    for (const [id, uris] of found) streaming.get(id)?.follow(uris);
  }

  function join(id: string) {
    let uris: ReadonlySet<string> = new Set();
    let tell = () => {};
    const asks = new Set<RequestId>();
    const connection: LegacyConnection = {
      bindings: openBindings({
        idOf: (conversation) => sha256Hex(JSON.stringify([id, conversation])).slice(0, 32),
        change: (conversation, fields) => book.change(id, conversation, fields),
        onError,
      }),
      subscriptions: {
        uris: () => uris,
        async add(uri) {
          await book.subscribe(id, uri);
          uris = new Set([...uris, uri]);
        },
        async remove(uri) {
          await book.unsubscribe(id, uri);
          uris = new Set([...uris].filter((other) => other !== uri));
        },
        onChange(listener) {
          tell = listener;
        },
      },
    };
    function follow(found: ReadonlySet<string>): void {
      if (found.size === uris.size && [...found].every((uri) => uris.has(uri))) return;
      uris = found;
      tell();
    }

    return {
      connection,
      follow,
      take(stored: StoredConnection): void {
        used.add(id);
        connection.bindings.take(stored.bindings);
        follow(stored.subscriptions);
      },
      /** Call before the server is connected to the transport. */
      nameAsks(transport: Transport): void {
        const send = transport.send.bind(transport);
        transport.send = (message, options) => send(nameAsk(message, asks), options);
      },
      /**
       * Returns the message in the form this server's SDK expects, or `undefined` if it was left for another server.
       */
      async route(message: unknown, isUnderWay: (call: RequestId) => boolean): Promise<unknown> {
        const { id: answered, method, params } = message as Partial<Addressed>;
        if (method === "notifications/cancelled" && params?.requestId !== undefined) {
          if (isUnderWay(params.requestId)) return message;
          await book.post(id, callName(params.requestId), message);
          return undefined;
        }
        if (method !== undefined || typeof answered !== "string") return message;
        const [asker = "", ask] = answered.split(":", 2);
        if (ask === undefined) return message;
        if (asker !== serverName) {
          await book.post(id, asker, message);
          return undefined;
        }
        asks.delete(Number(ask));
        return { ...(message as object), id: Number(ask) };
      },
      /** Delivers messages that the client sent to other servers, until no call is in progress. */
      async collect(
        underWay: () => RequestId[],
        deliver: (message: unknown) => Promise<void>,
      ): Promise<void> {
        for (let round = 1; ; round += 1) {
          await new Promise((resolve) => setTimeout(resolve, mailEveryMs).unref());
          const calls = underWay();
          if (calls.length === 0) return;
          if (asks.size === 0 && round % cancelsEveryRounds !== 0) continue;
          const mail = await book.collect(id, [serverName, ...calls.map(callName)]);
          for (const message of mail) await deliver(message);
        }
      },
      /** Runs `work` while the client has a stream for messages that belong to no call. */
      async whileStreaming(work: () => Promise<void>): Promise<void> {
        streaming.set(id, this);
        try {
          await work();
        } finally {
          streaming.delete(id);
        }
      },
    };
  }

  function nameAsk(message: JSONRPCMessage, asks: Set<RequestId>): JSONRPCMessage {
    const { id, method, params } = message as Partial<Addressed>;
    if (method === "notifications/cancelled" && params?.requestId !== undefined) {
      asks.delete(params.requestId);
      return { ...message, params: { ...params, requestId: `${serverName}:${params.requestId}` } } as never;
    }
    if (method === undefined || id === undefined) return message;
    asks.add(id);
    return { ...message, id: `${serverName}:${id}` } as never;
  }

  return {
    book,
    join,
    /** Reports to the book which connections this server used since the last run, so that only unused ones expire. */
    async tidy(idleMs: number): Promise<void> {
      const ids = [...used];
      used.clear();
      await book.tidy(ids, idleMs);
    },
    stop: () => clearInterval(watch),
  };
}

type Addressed = { id: RequestId; method: string; params: { requestId?: RequestId } };

const callName = (call: RequestId): string => `call ${JSON.stringify(call)}`;

const longestText = 200;
const mostCapabilities = 2_000;

/** Keeps the parts of an `initialize` that other servers need, and limits their sizes. */
export function toOpening(params: ConnectionOpening): ConnectionOpening {
  const { name, version } = params.clientInfo;
  const { roots, sampling } = params.capabilities;
  const capabilities = { ...(roots !== undefined && { roots }), ...(sampling !== undefined && { sampling }) };
  return {
    protocolVersion: params.protocolVersion.slice(0, longestText),
    capabilities: JSON.stringify(capabilities).length > mostCapabilities ? {} : capabilities,
    clientInfo: { name: name.slice(0, longestText), version: version.slice(0, longestText) },
  };
}
