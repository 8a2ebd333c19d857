import { type JSONRPCMessage, type RequestId, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";

type InFlight = {
  noteReceived(message: JSONRPCMessage): void;
  noteSent(message: JSONRPCMessage): void;
  /** One entry for each answer that is owed, so an id used twice may stand here twice. */
  unanswered(): RequestId[];
  whenAllAnswered(): Promise<void>;
};

/** Requests handed to the server whose answers have not come back yet. */
export function createInFlight(): InFlight {
  const unansweredIds = new Map<RequestId, number>();
  let waiting: (() => void)[] = [];

  function settle(id: unknown): void {
    const count = unansweredIds.get(id as RequestId);
    if (count === undefined) return;
    if (count > 1) unansweredIds.set(id as RequestId, count - 1);
    else unansweredIds.delete(id as RequestId);
    if (unansweredIds.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    noteReceived(message) {
      if (!("method" in message)) return;
      if ("id" in message) unansweredIds.set(message.id, (unansweredIds.get(message.id) ?? 0) + 1);
      // The SDK aborts a cancelled request and never answers it.
      else if (message.method === "notifications/cancelled") settle(message.params?.["requestId"]);
    },
    noteSent(message) {
      if (!("method" in message)) settle(message.id);
      // A subscription stays open by design: its acknowledgement is all that is owed.
      else if (message.method === "notifications/subscriptions/acknowledged") {
        settle(message.params?._meta?.[SUBSCRIPTION_ID_META_KEY]);
      }
    },
    unanswered: () => [...unansweredIds].flatMap(([id, count]) => Array<RequestId>(count).fill(id)),
    whenAllAnswered() {
      if (unansweredIds.size === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
