import { once } from "node:events";
import type { Host, Terminal } from "./host.ts";

/** Serves until it is told to stop; what is under way then is finished first. */
export async function serve(terminal: Terminal): Promise<number> {
  const host = terminal.open({ THOUGHTBOX_TRANSPORT: "http" });
  try {
    const service = await host.serveHttp();
    terminal.error(greeting(service, terminal.version));
    if (!terminal.stop.aborted) await once(terminal.stop, "abort");
    terminal.error("thoughtbox: finishing what is under way …\n");
    await service.stop();
    return 0;
  } catch (thrown) {
    const sentence = explainListenError(thrown as NodeJS.ErrnoException & { port?: number });
    if (sentence === undefined) throw thrown;
    terminal.error(`${sentence}\n`);
    return 1;
  } finally {
    await host.close();
  }
}

type Service = Awaited<ReturnType<Host["serveHttp"]>>;

/** Says what is open to whom, and gives the line to paste into a client. */
function greeting({ port, host, auth, tokenFile }: Service, version: string): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const url = `http://${everywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}/mcp`;
  const token = tokenFile === undefined ? "the token in THOUGHTBOX_TOKEN" : `the token in ${tokenFile}`;
  const reach = everywhere ? "every network of this machine" : host;
  return [
    `thoughtbox ${version} serves MCP at ${url} (listening on ${reach})`,
    `  who may come in: ${whoMayComeIn(auth, token)}`,
    `  paste into a client: claude mcp add --transport http thoughtbox ${url}`,
    "  stop with Ctrl-C",
    "",
  ].join("\n");
}

function whoMayComeIn(auth: Service["auth"], token: string): string {
  switch (auth) {
    case "auto":
      return `your own processes on this machine; everybody else needs ${token}`;
    case "token":
      return `whoever shows ${token}`;
    case "off":
      return "EVERYBODY who can reach this port, without a token (THOUGHTBOX_AUTH=off)";
  }
}

function explainListenError({ code, port }: NodeJS.ErrnoException & { port?: number }): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `thoughtbox: port ${port} is taken. Stop the other program, or choose another port: PORT=${(port ?? 1731) + 1} thoughtbox serve`;
    case "EACCES":
      return `thoughtbox: port ${port} is not allowed for this user. Choose one above 1023: PORT=1731 thoughtbox serve`;
    case "EADDRNOTAVAIL":
      return "thoughtbox: HOST is not an address of this machine. Use HOST=127.0.0.1 or HOST=0.0.0.0.";
    default:
      return undefined;
  }
}
