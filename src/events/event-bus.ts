import { createWhenQuiet } from "../kernel/when-quiet.ts";
import { createTypeFilter } from "../ports/event-types.ts";
import type { EventSink, ThoughtboxEvent } from "../ports/events.ts";
import { forOthers } from "./for-others.ts";

export type EventBus = {
  /** Returns at once; listeners hear of it in the next pause between calls, without its secrets. */
  publish: EventSink;
  /** `types` as in THOUGHTBOX_EVENT_TYPES; throws for a name that is none. Returns how to stop, having heard all until then. */
  subscribe(listener: EventSink, types?: readonly string[]): () => void;
  /** Publishes now what would be published in a moment. */
  flush(): void;
};

/** Masking an event and writing its line take a tenth of a call; the next call, often on its way already, does not wait for it. */
const pause = { quietMs: 3, patienceMs: 25, keepsAlive: true } as const;

type Listener = { accepts(event: ThoughtboxEvent): boolean; hear: EventSink };

/** In this process only. A listener that throws is reported; the others and the publisher do not notice. */
export function createEventBus(report: (thrown: unknown) => void): EventBus {
  const listeners = new Set<Listener>();
  let waiting: ThoughtboxEvent[] = [];
  let delivering = false;
  const inPause = createWhenQuiet(flush, pause);

  /** What a listener publishes, or waits for as it stops, comes after what is being delivered. */
  function flush(): void {
    if (delivering) return;
    inPause.cancel();
    const events = waiting;
    waiting = [];
    delivering = true;
    try {
      for (const event of events) deliver(event);
    } finally {
      delivering = false;
    }
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
      waiting.push(event);
      inPause.later();
    },
    subscribe(listener, types = ["*"]) {
      const added: Listener = { accepts: createTypeFilter(types), hear: listener };
      listeners.add(added);
      return () => {
        if (listeners.has(added)) flush();
        listeners.delete(added);
      };
    },
    flush,
  };
}
