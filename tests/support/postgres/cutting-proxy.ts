import { createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What happens to a part of the conversation. `lose` takes it from the wire and cuts the connection. */
type Fate = "pass" | "lose" | "pass and cut";

export type Wire = {
  /** Called with what a client sends; `isWrite`: inside a transaction that writes. */
  onSent(text: string, isWrite: boolean): Fate;
  /** Called with what the server answers. */
  onAnswered(text: string, isWrite: boolean): Fate;
};

export const through: Wire = { onSent: () => "pass", onAnswered: () => "pass" };

/** Every transaction that writes begins with its limits, as plain text. */
const beginsWrite = /SET LOCAL lock_timeout/;

/** A wire to the database that can be cut at a chosen place. Statements travel as text, so they can be read here. */
export async function startCuttingProxy(databaseUrl: string, initial: Wire = through) {
  const wire = { ...initial };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial(upstreamOf(databaseUrl));
    let isWrite = false;
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    const carry = (from: Socket, to: Socket, decide: (text: string) => Fate) =>
      from.on("data", (chunk) => {
        const fate = decide(chunk.toString("latin1"));
        if (fate === "lose") return cut();
        to.write(chunk, () => fate === "pass and cut" && cut());
      });
    carry(client, upstream, (text) => {
      if (beginsWrite.test(text)) isWrite = true;
      else if (text.includes("READ ONLY")) isWrite = false;
      return wire.onSent(text, isWrite);
    });
    carry(upstream, client, (text) => wire.onAnswered(text, isWrite));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const [, login = "", database = ""] = /\/\/(?:([^@/]*)@)?[^/]*\/([^?]*)/.exec(databaseUrl) ?? [];
  return {
    url: `postgres://${login}@127.0.0.1:${port}/${database}`,
    wire,
    cutAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function upstreamOf(url: string): { path: string } | { host: string; port: number } {
  const parameters = new URLSearchParams(url.split("?")[1] ?? "");
  const directory = parameters.get("host");
  if (directory?.startsWith("/")) return { path: `${directory}/.s.PGSQL.${parameters.get("port")}` };
  const [, host = "127.0.0.1", port = "5432"] = /@([^:/?]+)(?::(\d+))?/.exec(url) ?? [];
  return { host, port: Number(port) };
}
