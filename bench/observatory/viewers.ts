import { WebSocket } from "ws";

/**
 * Behaves like an open page, but needs no browser. Records what the viewer received and how often it
 * reconnected.
 */
export type Viewer = {
  /** The position up to which the viewer has received all thoughts. */
  readonly seen: number;
  readonly resyncs: number;
  /** How many thoughts arrived twice or were missing. */
  readonly faults: number;
  /** Stops reading until `wake` is called. */
  stall(): void;
  wake(): void;
  until(position: number): Promise<void>;
  close(): void;
};

const positionField = Buffer.from('"position":');
const snapshotEvent = Buffer.from('"event":"session:snapshot"');
const thoughtEvent = Buffer.from('"event":"thought:');
/** How many bytes at the start of a message to search for the event's name. */
const head = 200;

/** Subscribes to a session, and again after each disconnect, as the page does. */
export async function openViewer(url: string, sessionId: string): Promise<Viewer> {
  let seen = 0;
  let resyncs = 0;
  let faults = 0;
  let isClosed = false;
  let socket: WebSocket;
  let look = () => {};

  function hear(data: Buffer): void {
    const beginning = data.subarray(0, head);
    if (beginning.includes(snapshotEvent)) {
      const { page } = JSON.parse(String(data)).data;
      if (page.from !== seen + 1) faults += 1;
      seen = page.to;
    } else if (beginning.includes(thoughtEvent)) {
      // Parsing whole messages would keep this process busier than the server.
      const at = data.indexOf(positionField) + positionField.length;
      const position = Number.parseInt(data.toString("latin1", at, at + 12), 10);
      if (position !== seen + 1) faults += 1;
      seen = position;
    }
    look();
  }

  function connect(): Promise<void> {
    socket = new WebSocket(url.replace("http:", "ws:"));
    const opened = new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    socket.on("error", () => {});
    socket.on("message", (data) => hear(data as Buffer));
    socket.on("open", () =>
      socket.send(
        JSON.stringify({
          action: "subscribe",
          channel: "reasoning",
          sessionId,
          ...(seen > 0 && { after: seen }),
        }),
      ),
    );
    socket.on("close", () => {
      if (isClosed) return;
      resyncs += 1;
      connect().catch(() => {});
    });
    return opened;
  }
  await connect();

  return {
    get seen() {
      return seen;
    },
    get resyncs() {
      return resyncs;
    },
    get faults() {
      return faults;
    },
    stall: () => socket.pause(),
    wake: () => socket.resume(),
    until: (position) =>
      new Promise((resolve) => {
        look = () => {
          if (seen >= position) resolve();
        };
        look();
      }),
    close() {
      isClosed = true;
      socket.terminate();
    },
  };
}
