import { once } from "node:events";
import { addressOf } from "../../../http/connection/peer-uid.ts";
import type { Command } from "../../command.ts";
import type { Server, Service, Terminal } from "../../host.ts";
import { explainTakenObservatory } from "../../listening.ts";

export const observatory: Command = {
  name: "observatory",
  aliases: ["ui"],
  group: "Serve",
  summary: "Show reasoning in a browser, as it happens and afterwards.",
  details: [
    "Shows what every process records in the same data directory, those that clients start over stdio too.",
    "Prints the address with the token; a browser keeps it as a cookie. Shows until Ctrl-C.",
  ],
  examples: [
    { line: "thoughtbox observatory", shows: "on port 1729" },
    { line: "THOUGHTBOX_OBSERVATORY_PORT=1730 thoughtbox observatory", shows: "on another port" },
  ],

  async run({ terminal }) {
    const host = await terminal.openServer({ THOUGHTBOX_TRANSPORT: "http" });
    try {
      await showUntilStopped(terminal, host);
      return 0;
    } catch (thrown) {
      throw (await explainTakenObservatory(thrown, host))?.failure ?? thrown;
    } finally {
      await host.close();
    }
  },
};

async function showUntilStopped(terminal: Terminal, host: Server): Promise<void> {
  const service = await host.serveObservatory();
  terminal.out(`${addressOf(service)}/?token=${encodeURIComponent(service.token)}\n`);
  terminal.error(greeting(service, terminal.version));
  if (!terminal.stop.aborted) await once(terminal.stop, "abort");
  await service.stop();
}

function greeting({ auth, port }: Service, version: string): string {
  const who = auth === "auto" ? "your own browser on this machine comes in without the token too\n  " : "";
  return `thoughtbox ${version} shows the Observatory on port ${port}\n  ${who}stop with Ctrl-C\n`;
}
