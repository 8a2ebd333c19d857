import { once } from "node:events";
import { addressOf } from "../../../http/connection/peer-uid.ts";
import { withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import type { Server, Service, Terminal } from "../../host.ts";
import { explainTakenObservatory } from "../../listening.ts";
import { nameSession } from "../../name-session.ts";
import { sayLines } from "../../screen.ts";

export const observatory: Command = {
  name: "observatory",
  aliases: ["ui"],
  group: "Serve",
  summary: "Show live and past sessions in a browser.",
  details: [
    "Shows what every process records in this data directory, including servers that clients start over stdio.",
    "Prints the address with the token. The browser keeps the token as a cookie. Stop with Ctrl-C.",
  ],
  options: { open: { describe: "Also open the Observatory in your browser." } },
  examples: [
    { line: "thoughtbox observatory", shows: "on port 1729" },
    { line: "THOUGHTBOX_OBSERVATORY_PORT=1730 thoughtbox observatory", shows: "on another port" },
  ],

  async run({ terminal, flags }) {
    return showObservatory(terminal, flags.has("open") ? { at: "" } : undefined);
  },
};

export const open: Command = {
  name: "open",
  group: "Look",
  summary: "Open the Observatory in your browser, or one session in it.",
  words: ["[session]"],
  details: [
    "Uses a running Observatory. If no Observatory is running, starts one. Stop with Ctrl-C.",
    "Prints the address if this machine has no browser.",
  ],
  examples: [
    { line: "thoughtbox open", shows: "the Observatory" },
    { line: "thoughtbox open latest", shows: "the newest session" },
  ],

  async run({ terminal, words: [word] }) {
    const session = word && (await withStore(terminal, (host) => nameSession(host, word)));
    const at = session ? `#/s/${session}` : "";
    const running = await findRunning(terminal);
    if (running === undefined) return showObservatory(terminal, { at });
    await browse(terminal, `${running}/${at}`);
    return 0;
  },
};

async function findRunning(terminal: Terminal): Promise<string | undefined> {
  const host = await terminal.openServer({ THOUGHTBOX_TRANSPORT: "http" });
  try {
    return await host.findObservatory();
  } finally {
    await host.close();
  }
}

/** `at` is the URL fragment to open in the browser. */
async function showObservatory(terminal: Terminal, browser?: { at: string }): Promise<number> {
  const host = await terminal.openServer({ THOUGHTBOX_TRANSPORT: "http" });
  try {
    await showUntilStopped(terminal, host, browser);
    return 0;
  } catch (thrown) {
    const taken = await explainTakenObservatory(thrown, host);
    if (!taken?.isOpen || !browser) throw taken?.failure ?? thrown;
    await browse(terminal, `${taken.url}/${browser.at}`);
    return 0;
  } finally {
    await host.close();
  }
}

async function browse(terminal: Terminal, address: string): Promise<void> {
  terminal.out(`${address}\n`);
  if (!(await terminal.browse(address)))
    sayLines(terminal, ["No browser opened. Open the address above yourself."]);
}

async function showUntilStopped(terminal: Terminal, host: Server, browser?: { at: string }): Promise<void> {
  const service = await host.serveObservatory();
  const address = `${addressOf(service)}/?token=${encodeURIComponent(service.token)}`;
  if (browser && !terminal.stop.aborted) await browse(terminal, address + browser.at);
  else terminal.out(`${address}\n`);
  sayLines(terminal, greeting(service, terminal.version));
  if (!terminal.stop.aborted) await once(terminal.stop, "abort");
  await service.stop();
}

function greeting({ auth, port }: Service, version: string): string[] {
  return [
    `thoughtbox ${version} serves the Observatory on port ${port}`,
    ...(auth === "auto" ? ["  your own browser on this machine needs no token"] : []),
    "  stop with Ctrl-C",
  ];
}
