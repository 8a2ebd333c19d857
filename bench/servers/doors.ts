import { candidates } from "./candidates.ts";
import type { Command } from "./child.ts";
import { connectLegacy, connectModern, type HttpClient } from "./http-client.ts";
import { startHttpServer } from "./http-server.ts";
import type { Params, Result } from "./messages.ts";
import { startStdioServer } from "./stdio-server.ts";

type Opened = { pid: number; call(name: string, args?: Params): Promise<Result>; stop(): Promise<void> };

/** A transport to a Thoughtbox server, and the same transport to a no-op server. */
export type Door = {
  name: string;
  openOurs(dataDir: string): Promise<Opened>;
  openNoop(): Promise<Opened>;
};

export const doors: readonly Door[] = [
  {
    name: "stdio",
    openOurs: (dataDir) => openStdio(candidates.thoughtbox(dataDir)),
    openNoop: () => openStdio(candidates.noop()),
  },
  {
    name: "HTTP legacy",
    openOurs: (dataDir) => openHttp(candidates.thoughtboxHttp(dataDir), connectLegacy),
    openNoop: () => openHttp(candidates.noopHttp(), connectLegacy),
  },
  {
    name: "HTTP modern",
    openOurs: (dataDir) => openHttp(candidates.thoughtboxHttp(dataDir), connectModern),
    openNoop: () => openHttp(candidates.noopHttp(), connectModern),
  },
];

async function openStdio(command: Command): Promise<Opened> {
  const server = startStdioServer(command);
  await server.initialize();
  return server;
}

async function openHttp(
  command: Command,
  connect: (url: URL) => HttpClient | Promise<HttpClient>,
): Promise<Opened> {
  const server = await startHttpServer(command);
  const client = await connect(server.url);
  return {
    pid: server.pid,
    call: client.call,
    async stop() {
      client.close();
      await server.stop();
    },
  };
}
