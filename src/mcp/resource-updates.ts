import { INVALID_PARAMS, ProtocolError, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { FeedSubscriber } from "../ports/events.ts";
import type { FeedEntry } from "../ports/feed.ts";
import { createAskLedger, type Reader } from "./ask-ledger.ts";
import { requireFollowed } from "./resources.ts";

export type ResourceUpdates = {
  /**
   * Calls the listener for every resource that any process changes. While there is no listener, nothing is
   * watched.
   */
  watch(listener: (uri: string) => void): () => void;
  /** Rejects with a ProtocolError if this reader would never receive anything. */
  requireFollowed(uri: string, reader: Reader): Promise<void>;
};

type UpdatesOptions = {
  feed: FeedSubscriber;
  perform: Perform;
  /** Set if the server is locked to one project. */
  onlyProject: string | undefined;
};

export function createResourceUpdates({ feed, perform, onlyProject }: UpdatesOptions): ResourceUpdates {
  const isSeen = (entry: FeedEntry) =>
    entry.kind !== "memory" && (onlyProject === undefined || entry.project === onlyProject);
  return {
    watch: (listener) =>
      feed.subscribe({ from: "now" }, (entries) => {
        for (const uri of new Set(entries.filter(isSeen).flatMap(changedResources))) listener(uri);
      }),
    requireFollowed: (uri, reader) =>
      requireFollowed(
        createAskLedger(async () => perform, reader),
        uri,
      ),
  };
}

function changedResources(entry: FeedEntry): string[] {
  if (entry.kind === "memory") return [];
  const session = `thoughtbox://sessions/${entry.sessionId}`;
  if (entry.kind === "session") return [session];
  const { branchId, thoughtNumber } = entry.entry.data;
  const chain = branchId === undefined ? session : `${session}/branches/${branchId}`;
  return [session, `${session}/structure`, `${chain}/thoughts/${thoughtNumber}`];
}

const maxSubscriptions = 1_000;

/** The resources that a legacy client is subscribed to. */
export type Subscriptions = {
  uris(): ReadonlySet<string>;
  add(uri: string): Promise<void>;
  remove(uri: string): Promise<void>;
  /** Called if another server adds or removes a subscription. */
  onChange(listener: () => void): void;
};

function localSubscriptions(): Subscriptions {
  const uris = new Set<string>();
  return {
    uris: () => uris,
    add: async (uri) => void uris.add(uri),
    remove: async (uri) => void uris.delete(uri),
    onChange() {},
  };
}

/** Legacy clients subscribe to one resource at a time, over their own connection. */
export function serveLegacySubscriptions(
  server: Server,
  load: () => Promise<ResourceUpdates>,
  readerOf: (context: ServerContext) => Reader,
  subscribed: Subscriptions = localSubscriptions(),
): void {
  let hasEnded = false;
  let stop: (() => void) | undefined;

  const end = () => {
    stop?.();
    stop = undefined;
  };
  /** Nothing is watched for a client without subscriptions, or for one that has disconnected. */
  const follow = async (): Promise<void> => {
    if (subscribed.uris().size === 0) return end();
    const updates = await load();
    if (hasEnded || subscribed.uris().size === 0) return;
    stop ??= updates.watch((changed) => {
      if (subscribed.uris().has(changed)) server.sendResourceUpdated({ uri: changed }).catch(end);
    });
  };
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
    await (await load()).requireFollowed(uri, readerOf(context));
    if (subscribed.uris().size >= maxSubscriptions)
      throw new ProtocolError(
        INVALID_PARAMS,
        `a connection can have at most ${maxSubscriptions} subscriptions. End one first`,
      );
    await subscribed.add(uri);
    await follow();
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    await subscribed.remove(uri);
    await follow();
    return {};
  });
  subscribed.onChange(() => void follow().catch(() => {}));
  server.onclose = () => {
    hasEnded = true;
    end();
  };
}
