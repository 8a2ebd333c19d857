import { createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What happens to a part of the conversation. `lose` drops that part and cuts the connection. */
type Fate = "pass" | "lose" | "pass and cut";

export type Wire = {
  /** Receives a client's data. `isWrite`: in a writing transaction. `isWhole`: a one-statement write. */
  onSent(text: string, isWrite: boolean, isWhole: boolean): Fate;
  /** Called with data from the server. `isWhole`: the answer to a write of one statement. */
  onAnswered(text: string, isWrite: boolean, isWhole: boolean): Fate;
};

export const through: Wire = { onSent: () => "pass", onAnswered: () => "pass" };

/** Every transaction that writes begins by setting its limits, in plain text. */
const beginsWrite = /SET LOCAL lock_timeout/;

/** A write of one statement, which is sent as text once and after that by name. */
const preparesWhole = /([\w-]{22})\0WITH limits AS/;

/**
 * Starts a proxy to the database, whose connections can be cut at a chosen place. Statements are sent as
 * text, so the proxy can read them.
 */
export async function startCuttingProxy(databaseUrl: string, initial: Wire = through) {
  const wire = { ...initial };
  const sockets = new Set<Socket>();
  let whole: string | undefined;
  const server = createServer((client) => {
    const upstream = dial(upstreamOf(databaseUrl));
    let [isWrite, isWhole] = [false, false];
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
      whole ??= preparesWhole.exec(text)?.[1];
      isWhole = whole !== undefined && text.includes(whole);
      if (isWhole || beginsWrite.test(text)) isWrite = true;
      else if (text.includes("READ ONLY")) isWrite = false;
      return wire.onSent(text, isWrite, isWhole);
    });
    carry(upstream, client, (text) => wire.onAnswered(text, isWrite, isWhole));
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
