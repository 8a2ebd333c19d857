import type { Command } from "./child.ts";
import { type StdioServer, startStdioServer } from "./stdio-server.ts";

/** Runs `work` with initialized servers, and stops them afterwards. */
export async function withServers<Name extends string, Outcome>(
  commands: Record<Name, Command>,
  work: (servers: Record<Name, StdioServer>) => Promise<Outcome>,
): Promise<Outcome> {
  const started = Object.entries<Command>(commands).map(
    ([name, command]) => [name, startStdioServer(command)] as const,
  );
  try {
    for (const [, server] of started) await server.initialize();
    return await work(Object.fromEntries(started) as Record<Name, StdioServer>);
  } finally {
    await Promise.all(started.map(([, server]) => server.stop()));
  }
}
