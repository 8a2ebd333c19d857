import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect as connectPlain, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

export type Route = { registry: string; proxy?: string | undefined };

/**
 * Opens a proxy on a Unix socket, which a process without a network can reach. It connects only to the
 * registry, through the user's proxy if there is one, so the sandbox never sees that proxy's password.
 */
export async function openRegistryProxy({ registry, proxy }: Route) {
  const goal = new URL(registry);
  const goalAddress = {
    host: goal.hostname,
    port: Number(goal.port || (goal.protocol === "https:" ? 443 : 80)),
  };
  const beyond = proxy === undefined ? undefined : new URL(proxy);
  const folder = await mkdtemp(join(tmpdir(), "thoughtbox-proxy-"));
  const path = join(folder, "socket");
  const open = new Set<Duplex>();
  const keep = <Kept extends Duplex>(socket: Kept): Kept => {
    open.add(socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket)));
    return socket;
  };

  function tunnel(req: IncomingMessage, client: Duplex, head: Buffer): void {
    keep(client);
    if (req.url !== `${goalAddress.host}:${goalAddress.port}`) return void client.end(forbidden);
    const onward = keep(beyond ? dial(beyond) : connectPlain(goalAddress));
    const join = () => {
      client.pipe(onward).pipe(client);
      onward.write(head);
    };
    if (beyond) {
      // The proxy's answer is passed on to the client unchanged.
      onward.write(`CONNECT ${req.url} HTTP/1.1\r\nHost: ${req.url}\r\n${credentials(beyond)}\r\n`);
      join();
    } else {
      onward.once("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        join();
      });
    }
  }

  function forward(req: IncomingMessage, res: ServerResponse): void {
    const asked = URL.canParse(req.url ?? "") ? new URL(req.url ?? "") : undefined;
    if (asked?.origin !== goal.origin || goal.protocol !== "http:" || req.method !== "GET")
      return void res.writeHead(403).end();
    const {
      host: _host,
      "proxy-connection": _connection,
      "proxy-authorization": _secret,
      ...headers
    } = req.headers;
    const target = beyond
      ? { createConnection: () => dial(beyond), path: asked.href, setHost: false }
      : { ...goalAddress, path: `${asked.pathname}${asked.search}` };
    const onward = request({ ...target, headers: { ...headers, host: asked.host } }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy()).end();
  }

  const server = createServer(forward).on("connect", tunnel);
  server.on("connection", keep);
  await once(server.listen(path), "listening");
  return {
    folder,
    path,
    async close(): Promise<void> {
      server.close();
      for (const socket of open) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const forbidden = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";

function dial(proxy: URL): Socket {
  const address = {
    host: proxy.hostname,
    port: Number(proxy.port || (proxy.protocol === "https:" ? 443 : 80)),
  };
  return proxy.protocol === "https:"
    ? connectTls({ ...address, servername: proxy.hostname })
    : connectPlain(address);
}

function credentials({ username, password }: URL): string {
  if (username === "") return "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(pair).toString("base64")}\r\n`;
}

/** Returns the source of a module that redirects all connections of its process to this socket. */
export const onlyTo = (path: string): string =>
  `data:text/javascript,${encodeURIComponent(`
import net from "node:net";
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  return connect.call(this, { path: ${JSON.stringify(path)} }, args.flat().findLast((one) => typeof one === "function"));
};`)}`;
