import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { wire } from "../wire.ts";
import type { ServerMessage } from "../wire-live.ts";

/** A message is serialised once and sent to many viewers. */
export type Packed = Buffer;

export const pack = (message: ServerMessage): Packed => Buffer.from(JSON.stringify(message));

export type ViewerLimits = {
  /** How many bytes may wait to be sent. If more are waiting, the connection ends. */
  readonly sendBufferBytes: number;
  /** How many messages from a client may wait to be handled. */
  readonly waitingMessages: number;
  /** How long a viewer may take to close its connection. */
  readonly farewellMs: number;
};

export const defaultViewerLimits: ViewerLimits = {
  sendBufferBytes: 4 * 1024 * 1024,
  waitingMessages: 64,
  farewellMs: 1_000,
};

/** One open page. Sending never waits for the page, and the send buffer is bounded. */
export type Viewer = {
  readonly isOpen: boolean;
  send(message: Packed): void;
  /** Resolves when the operating system has accepted the message. Rejects if the connection ends first. */
  sendAndWait(message: Packed): Promise<void>;
  /** Sends the pong for a ping of the WebSocket protocol. The pong counts towards the send buffer too. */
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
};

/** `stream` is the socket's underlying stream. */
export function createViewer(socket: WebSocket, stream: Duplex, limits: ViewerLimits): Viewer {
  let isHeld = false;

  /** Messages sent in one turn become one write, because with a hundred viewers the writes are the main cost. */
  function holdForThisTurn(): void {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.nextTick(() => {
      isHeld = false;
      stream.uncork();
    });
  }

  function close(code: number, reason: string): void {
    socket.close(code, reason);
    // If a viewer reads nothing, its send buffer would be kept until the connection ends.
    setTimeout(() => socket.terminate(), limits.farewellMs).unref();
  }

  function hasRoom(message: Packed): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount + message.length <= limits.sendBufferBytes) return true;
    close(wire.close.tooSlow, "The viewer reads too slowly. Subscribe again.");
    return false;
  }

  return {
    get isOpen() {
      return socket.readyState === socket.OPEN;
    },
    send(message) {
      if (!hasRoom(message)) return;
      holdForThisTurn();
      socket.send(message, { binary: false }, () => {});
    },
    sendAndWait(message) {
      return new Promise((resolve, reject) => {
        if (!hasRoom(message)) return reject(new Error("the viewer has left"));
        socket.send(message, { binary: false }, (error) => (error ? reject(error) : resolve()));
      });
    },
    pong(data) {
      if (!hasRoom(data)) return;
      holdForThisTurn();
      socket.pong(data, false, () => {});
    },
    close,
  };
}
