import { createWhenQuiet } from "../kernel/clock.ts";
import { maskForExport } from "../kernel/secrets/secrets-policy.ts";
import { clip, visible } from "../kernel/text.ts";
import { createTypeFilter } from "../ports/event-types.ts";
import type { EventSink, ThoughtboxEvent } from "../ports/events.ts";

export type EventBus = {
  /** Returns immediately. Listeners receive the event without its secrets, in the next pause between calls. */
  publish: EventSink;
  /**
   * `types` has the same form as THOUGHTBOX_EVENT_TYPES. Throws if a name is unknown. The returned function delivers
   * earlier events, then unsubscribes.
   */
  subscribe(listener: EventSink, types?: readonly string[]): () => void;
  /** Delivers waiting events now. */
  flush(): void;
};

/** Masking and writing an event takes a tenth as long as a call, so calls that are already waiting run first. */
const pause = { quietMs: 3, patienceMs: 25, keepsAlive: true } as const;

type Listener = { accepts(event: ThoughtboxEvent): boolean; hear: EventSink };

const atExit = new Set<() => void>();
let isHooked = false;

/** Delivers events even if the bus is never closed, for example after a crash. */
function runBeforeExit(work: () => void): void {
  if (!isHooked) {
    isHooked = true;
    process.on("exit", () => {
      for (const one of atExit) one();
    });
  }
  atExit.add(work);
}

const notBeforeExit = (work: () => void): void => void atExit.delete(work);

const shownChars = 200;

/** Secrets are masked before the text is cut, because half a secret is not recognised. */
function forOthers(event: ThoughtboxEvent): ThoughtboxEvent {
  const masked = maskForExport(event);
  switch (masked.type) {
    case "thought_added":
    case "thought_revised":
    case "branch_created":
      return { ...masked, data: { ...masked.data, thought: clip(masked.data.thought, shownChars) } };
    default:
      return masked;
  }
}

/**
 * Delivers events within this process. If a listener throws, the error is reported. Other listeners and the publisher
 * are not affected.
 */
export function createEventBus(report: (thrown: unknown) => void): EventBus {
  const listeners = new Set<Listener>();
  let waiting: ThoughtboxEvent[] = [];
  let delivering = false;
  const inPause = createWhenQuiet(flush, pause);

  /** Events that a listener publishes while it runs are delivered after the current ones. */
  function flush(): void {
    if (delivering) return;
    inPause.cancel();
    notBeforeExit(flush);
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
      try {
        if (!accepts(event)) continue;
        shown ??= forOthers(event);
        hear(shown);
      } catch (thrown) {
        tell(thrown);
      }
    }
  }

  function tell(thrown: unknown): void {
    try {
      report(thrown);
    } catch {
      // In the library, `report` is the embedding program's function. If `report` throws, other events must
      // still be delivered.
    }
  }

  return {
    publish(event) {
      if (listeners.size === 0) return;
      waiting.push(event);
      runBeforeExit(flush);
      inPause.later();
    },
    subscribe(listener, types = ["*"]) {
      const added: Listener = { accepts: createTypeFilter(types), hear: listener };
      flush();
      listeners.add(added);
      return () => {
        if (listeners.has(added)) flush();
        listeners.delete(added);
      };
    },
    flush,
  };
}

/** Writes one line per thought, without control characters. */
export function createThoughtLog(write: (line: string) => void): EventSink {
  return (event) => {
    if (event.type !== "thought_added" && event.type !== "thought_revised") return;
    const { thoughtNumber, totalThoughts, branchId, revisesThought, thought } = event.data;
    const place = branchId === undefined ? "" : ` ⑂ ${branchId}`;
    const correction = revisesThought === undefined ? "" : ` ↺ ${revisesThought}`;
    write(
      `${event.sessionId.slice(0, 8)} ${thoughtNumber}/${totalThoughts}${place}${correction}  ${visible(thought)}\n`,
    );
  };
}
