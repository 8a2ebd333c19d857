import { INVALID_PARAMS, ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { FeedSubscriber } from "../ports/events.ts";
import type { FeedEntry } from "../ports/feed.ts";
import { createAskLedger, type Reader } from "./ask-ledger.ts";
import { requireFollowed } from "./resources.ts";

export type ResourceUpdates = {
  /** Told of every resource whose content changed, by whichever process; nothing is followed while nobody watches. */
  watch(listener: (uri: string) => void): () => void;
  /** Rejects with a ProtocolError where this reader would never be told anything. */
  requireFollowed(uri: string, reader: Reader): Promise<void>;
};

type UpdatesOptions = {
  feed: FeedSubscriber;
  perform: Perform;
  /** Where the server is locked to one. */
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

/** Legacy clients subscribe to one resource at a time, over their own connection. */
export function serveLegacySubscriptions(
  server: Server,
  load: () => Promise<ResourceUpdates>,
  reader: Reader,
): void {
  const subscribed = new Set<string>();
  let stop: (() => void) | undefined;

  const end = () => {
    subscribed.clear();
    stop?.();
    stop = undefined;
  };
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const updates = await load();
    await updates.requireFollowed(uri, reader);
    if (subscribed.size >= maxSubscriptions)
      throw new ProtocolError(
        INVALID_PARAMS,
        `a connection has at most ${maxSubscriptions} subscriptions; end one first`,
      );
    subscribed.add(uri);
    // Whoever unsubscribed or left meanwhile needs no watch.
    if (subscribed.size === 0) return {};
    stop ??= updates.watch((changed) => {
      if (subscribed.has(changed)) server.sendResourceUpdated({ uri: changed }).catch(end);
    });
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    subscribed.delete(uri);
    if (subscribed.size === 0) end();
    return {};
  });
  server.onclose = end;
}
