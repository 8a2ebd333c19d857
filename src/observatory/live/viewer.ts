import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { type ServerMessage, wire } from "../wire.ts";

/** Messages are written once and sent to many. */
export type Packed = Buffer;

export const pack = (message: ServerMessage): Packed => Buffer.from(JSON.stringify(message));

export type ViewerLimits = {
  /** What waits to be sent, in bytes; more ends the connection. */
  readonly sendBufferBytes: number;
  /** Messages of a client that wait to be obeyed. */
  readonly waitingMessages: number;
  /** How long a viewer that is asked to leave may take. */
  readonly farewellMs: number;
};

export const defaultViewerLimits: ViewerLimits = {
  sendBufferBytes: 4 * 1024 * 1024,
  waitingMessages: 64,
  farewellMs: 1_000,
};

/** One open page. What it is sent never waits for it, and never piles up without bound. */
export type Viewer = {
  readonly isOpen: boolean;
  send(message: Packed): void;
  /** Resolves when the operating system has taken the message; rejects when the connection ends before. */
  sendAndWait(message: Packed): Promise<void>;
  /** The answer to a ping of the protocol; it waits to be read like everything else. */
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
};

/** `stream` is what the socket writes to. */
export function createViewer(socket: WebSocket, stream: Duplex, limits: ViewerLimits): Viewer {
  let isHeld = false;

  /** What is sent in one turn leaves in one write: with a hundred viewers it is the writes that cost. */
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
    // A viewer that reads nothing would keep what waits for it until it ends by itself.
    setTimeout(() => socket.terminate(), limits.farewellMs).unref();
  }

  function hasRoom(message: Packed): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount + message.length <= limits.sendBufferBytes) return true;
    close(wire.close.tooSlow, "Too slow; subscribe again.");
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
