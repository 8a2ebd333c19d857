import { createTypeFilter } from "../ports/event-types.ts";
import type { EventSink, ThoughtboxEvent } from "../ports/events.ts";
import { forOthers } from "./for-others.ts";

export type EventBus = {
  /** Returns at once; listeners hear of it when the answer to the caller is on its way, without its secrets. */
  publish: EventSink;
  /** `types` as in THOUGHTBOX_EVENT_TYPES; throws for a name that is none. Returns how to stop. */
  subscribe(listener: EventSink, types?: readonly string[]): () => void;
  /** Publishes now what would be published in a moment. */
  flush(): void;
};

type Listener = { accepts(event: ThoughtboxEvent): boolean; hear: EventSink };

/** In this process only. A listener that throws is reported; the others and the publisher do not notice. */
export function createEventBus(report: (thrown: unknown) => void): EventBus {
  const listeners = new Set<Listener>();
  let waiting: ThoughtboxEvent[] = [];

  function flush(): void {
    const events = waiting;
    waiting = [];
    for (const event of events) deliver(event);
  }

  function deliver(event: ThoughtboxEvent): void {
    let shown: ThoughtboxEvent | undefined;
    for (const { accepts, hear } of listeners) {
      if (!accepts(event)) continue;
      shown ??= forOthers(event);
      try {
        hear(shown);
      } catch (thrown) {
        report(thrown);
      }
    }
  }

  return {
    publish(event) {
      if (listeners.size === 0) return;
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(event);
    },
    subscribe(listener, types = ["*"]) {
      const added: Listener = { accepts: createTypeFilter(types), hear: listener };
      listeners.add(added);
      return () => void listeners.delete(added);
    },
    flush,
  };
}
