import { createTypeFilter } from "../ports/event-types.ts";
import type { EventSink, ThoughtboxEvent } from "../ports/events.ts";

export type EventBus = {
  /** Returns at once; listeners hear of it when the answer to the caller is on its way. */
  publish: EventSink;
  /** `types` as in THOUGHTBOX_EVENT_TYPES; throws for a name that is none. Returns how to stop. */
  subscribe(listener: EventSink, types?: readonly string[]): () => void;
  /** Publishes now what would be published in a moment. */
  flush(): void;
};

/** In this process only. A listener that throws is reported; the others and the publisher do not notice. */
export function createEventBus(report: (thrown: unknown) => void): EventBus {
  const listeners = new Set<EventSink>();
  let waiting: ThoughtboxEvent[] = [];

  function flush(): void {
    const events = waiting;
    waiting = [];
    for (const event of events) for (const listener of listeners) tell(listener, event);
  }

  function tell(listener: EventSink, event: ThoughtboxEvent): void {
    try {
      listener(event);
    } catch (thrown) {
      report(thrown);
    }
  }

  return {
    publish(event) {
      if (listeners.size === 0) return;
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(event);
    },
    subscribe(listener, types = ["*"]) {
      const accepts = createTypeFilter(types);
      const filtered: EventSink = (event) => {
        if (accepts(event)) listener(event);
      };
      listeners.add(filtered);
      return () => void listeners.delete(filtered);
    },
    flush,
  };
}
