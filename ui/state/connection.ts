import { signal } from "@preact/signals";
import type { ClientMessage, ServerMessage } from "../../src/observatory/wire-live.ts";
import type { Environment } from "./environment.ts";

/**
 * `waiting`: the next attempt is scheduled. `gone`: ten attempts failed, but the page keeps trying. `refused`: the
 * token is missing.
 */
export type ConnectionState = "connecting" | "open" | "waiting" | "gone" | "refused";

export type Socket = Pick<WebSocket, "send" | "close" | "onopen" | "onclose" | "onmessage">;
export type ConnectionNeeds = Environment & {
  open: () => Socket;
  /** Called after a failed attempt. Returns whether the server requires a token that this page does not have. */
  isRefused: () => Promise<boolean>;
};

type Subscription = { message: () => ClientMessage; hear: (message: ServerMessage) => void };
export type Connection = ReturnType<typeof createConnection>;

const WAITS = [1, 2, 4, 8, 15];
const TRIES_UNTIL_GONE = 10;
const JITTER = 0.2;
const PING_EVERY = 20_000;
const PONG_WITHIN = 10_000;

/** Creates the page's socket, which reconnects by itself and renews the subscriptions. */
export function createConnection(needs: ConnectionNeeds) {
  const { now, after, random } = needs;
  const state = signal<ConnectionState>("connecting");
  const retryAt = signal(0);
  /** How many times the page has connected. Each connection after the first is a reconnection. */
  const openings = signal(0);
  const subscriptions = new Set<Subscription>();
  let socket: Socket | undefined;
  let tries = 0;
  let cancel = () => {};
  let cancelPing = () => {};

  const send = (message: ClientMessage) => socket?.send(JSON.stringify(message));

  function heartbeat(of: Socket) {
    cancelPing = after(PING_EVERY, () => {
      of.send("ping");
      cancelPing = after(PONG_WITHIN, () => of.close());
    });
  }

  function connect() {
    cancel();
    const mine = needs.open();
    socket = mine;
    if (state.value !== "gone" && state.value !== "refused") state.value = "connecting";
    mine.onopen = () => {
      tries = 0;
      state.value = "open";
      openings.value += 1;
      for (const { message } of subscriptions) send(message());
      heartbeat(mine);
    };
    mine.onmessage = ({ data }) => {
      cancelPing();
      heartbeat(mine);
      if (typeof data !== "string" || data === "pong") return;
      const message = JSON.parse(data) as ServerMessage;
      for (const { hear } of [...subscriptions]) hear(message);
    };
    mine.onclose = () => {
      cancelPing();
      if (socket !== mine) return;
      socket = undefined;
      tries += 1;
      void waitForNext();
    };
  }

  async function waitForNext() {
    const seconds = WAITS[Math.min(tries - 1, WAITS.length - 1)] ?? 15;
    const ms = seconds * 1000 * (1 - JITTER / 2 + random() * JITTER);
    retryAt.value = now() + ms;
    state.value = tries >= TRIES_UNTIL_GONE ? "gone" : "waiting";
    cancel = after(ms, connect);
    if (await needs.isRefused()) {
      if (state.peek() !== "open") state.value = "refused";
    } else if (state.peek() === "refused") state.value = "waiting";
  }

  return {
    state,
    retryAt,
    openings,
    connect,
    tryNow: connect,
    /** `message` is called at every connection, so that it can state how much the page already has. */
    subscribe(message: () => ClientMessage, hear: (message: ServerMessage) => void, farewell: ClientMessage) {
      const subscription = { message, hear };
      subscriptions.add(subscription);
      if (state.peek() === "open") send(message());
      return {
        again: () => state.peek() === "open" && send(message()),
        stop: () => {
          subscriptions.delete(subscription);
          if (state.peek() === "open") send(farewell);
        },
      };
    },
    close() {
      cancel();
      cancelPing();
      const last = socket;
      socket = undefined;
      last?.close();
    },
  };
}
