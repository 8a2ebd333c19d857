import { connect, type Socket } from "node:net";

export type RawClient = {
  readonly socket: Socket;
  send(text: string | Buffer): void;
  /** Resolves with everything received so far once it matches `pattern`. Rejects if the connection ends first. */
  until(pattern: string | RegExp): Promise<string>;
  /** Everything received, once the connection has ended for any reason. */
  readonly closed: Promise<string>;
};

/** Opens a client that sends raw bytes, because HTTP libraries refuse to send most of these requests. */
export async function openRaw(port: number, host = "127.0.0.1", localAddress?: string): Promise<RawClient> {
  const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) });
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  const closed = new Promise<string>((resolve) => {
    socket.on("close", () => resolve(received));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {});

  return {
    socket,
    closed,
    send: (text) => void socket.write(text),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (received.search(pattern) >= 0) resolve(received);
        };
        socket.on("data", look);
        socket.once("close", () => reject(new Error(`closed before ${pattern}: ${received}`)));
        look();
      }),
  };
}

/** Sends one request on its own connection and returns everything until the connection ends. */
export async function exchange(port: number, lines: readonly string[], body = ""): Promise<string> {
  const client = await openRaw(port);
  client.send(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  return client.closed;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

export function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
}
