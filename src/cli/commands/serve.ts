import { once } from "node:events";
import type { Command } from "../command.ts";
import { CommandFailure } from "../failure.ts";
import type { Host, Server, Terminal } from "../host.ts";
import { workspaceOption, workspaceSetting } from "../workspace-option.ts";

export const serve: Command = {
  name: "serve",
  group: "Serve",
  summary: "Serve MCP over HTTP, for clients that connect by URL.",
  details: ["Serves until Ctrl-C; what is under way then is finished first. PORT and HOST say where."],
  options: workspaceOption,
  examples: [
    { line: "thoughtbox serve", shows: "on port 1731" },
    { line: "PORT=1732 thoughtbox serve", shows: "on another port" },
  ],

  async run({ terminal, flags }) {
    const host = await terminal.openServer({ THOUGHTBOX_TRANSPORT: "http", ...workspaceSetting(flags) });
    try {
      await serveUntilStopped(terminal, host);
      return 0;
    } catch (thrown) {
      throw explainListenError(thrown as ListenError) ?? thrown;
    } finally {
      await host.close();
    }
  },
};

async function serveUntilStopped(terminal: Terminal, host: Server): Promise<void> {
  const service = await host.serveHttp();
  terminal.error(greeting(service, terminal.version));
  if (!terminal.stop.aborted) await once(terminal.stop, "abort");
  terminal.error("thoughtbox: finishing what is under way …\n");
  await service.stop();
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

type ListenError = NodeJS.ErrnoException & { port?: number };

/** Only what was said of listening: a file that may not be read has the same codes. */
function explainListenError({ code, port, syscall }: ListenError): CommandFailure | undefined {
  if (syscall !== "listen" && syscall !== "getaddrinfo") return undefined;
  switch (code) {
    case "EADDRINUSE":
      return new CommandFailure(
        `port ${port} is taken. Stop the other program, or choose another port: PORT=${(port ?? 1731) + 1} thoughtbox serve`,
      );
    case "EACCES":
      return new CommandFailure(
        `port ${port} is not allowed for this user. Choose one above 1023: PORT=1731 thoughtbox serve`,
      );
    default:
      return new CommandFailure(
        "HOST is not an address of this machine. Use HOST=127.0.0.1 or HOST=0.0.0.0.",
      );
  }
}
