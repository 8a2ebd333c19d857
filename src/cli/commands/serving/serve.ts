import { once } from "node:events";
import { addressOf, isEverywhere } from "../../../http/connection/peer-uid.ts";
import { quote, shellWord } from "../../../kernel/text.ts";
import { type Command, workspaceOption, workspaceSetting } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";
import type { Server, Service, Terminal } from "../../host.ts";
import { describeAccess, explainListenError, explainTakenObservatory } from "../../listening.ts";
import type { Place } from "../../rendering/render-context.ts";
import { repeatPlace } from "../../rendering/statement.ts";
import { sayLines, typedPlace } from "../../screen.ts";

/** Serves the Observatory by default. */
export const serve = defineServe({ THOUGHTBOX_OBSERVATORY_ENABLED: "true" });
/** Runs for THOUGHTBOX_TRANSPORT=http. Serves only MCP by default. */
export const serveByTransport = defineServe({});

function defineServe(defaults: Record<string, string>): Command {
  return {
    name: "serve",
    group: "Serve",
    summary: "Serve MCP over HTTP, for clients that connect by URL, and the Observatory.",
    details: [
      "Runs until you press Ctrl-C, then finishes calls in progress and exits.",
      "THOUGHTBOX_OBSERVATORY_PORT sets the Observatory's port. THOUGHTBOX_OBSERVATORY_ENABLED=false turns it off.",
    ],
    options: {
      port: { value: "number", describe: "Port for MCP. Overrides PORT." },
      host: { value: "address", describe: "Address to listen on. Overrides HOST." },
      ...workspaceOption,
    },
    examples: [
      { line: "thoughtbox serve", shows: "on port 1731, and the Observatory on 1729" },
      { line: "thoughtbox serve --port 1732", shows: "on another port" },
    ],

    async run({ terminal, flags }) {
      const [port, address] = [flags.text("port"), flags.text("host")];
      if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
        throw notUnderstood(`--port is ${quote(port, 60)}. It must be a whole number from 0 to 65535.`);
      const settings = {
        THOUGHTBOX_TRANSPORT: "http",
        ...(port !== undefined && { PORT: port }),
        ...(address !== undefined && { HOST: address }),
        ...workspaceSetting(flags),
      };
      const host = await terminal.openServer(settings, defaults);
      try {
        await serveUntilStopped(terminal, host, typedPlace(flags));
        return 0;
      } catch (thrown) {
        throw explainListenError(thrown, { variable: "PORT", standard: 1731, command: "serve" }) ?? thrown;
      } finally {
        await host.close();
      }
    },
  };
}

async function serveUntilStopped(terminal: Terminal, host: Server, place: Place): Promise<void> {
  const service = await host.serveHttp();
  const hooks = await host.serveHooks();
  const observatory = host.observatoryEnabled ? await openObservatory(host, service.port) : undefined;
  const lines = greeting(service, terminal.version, observatory?.says, describeCapture(host));
  sayLines(
    terminal,
    lines.map((line) => repeatPlace(line, place)),
    isToCopy,
  );
  host.capture.follow();
  if (!terminal.stop.aborted) await once(terminal.stop, "abort");
  terminal.error("thoughtbox: shutting down …\n");
  await Promise.all([service.stop(), observatory?.stop(), hooks.stop()]);
}

/** Opens the Observatory. If its port is in use, reports that and continues to serve MCP. */
async function openObservatory(host: Server, mcpPort: number) {
  try {
    const { stop, ...service } = await host.serveObservatory({ mcpPort });
    return { says: whereToWatch(service), stop };
  } catch (thrown) {
    const explained = await explainTakenObservatory(thrown, host);
    if (!explained) throw thrown;
    const { failure, isOpen } = explained;
    return { says: isOpen ? failure.message : `no Observatory: ${failure.message}`, stop: async () => {} };
  }
}

/** Matches a line with a command. Such a line is never broken, so that a person can copy the command. */
const isToCopy = /: (?:claude|echo|thoughtbox|[A-Z_]+=\S+ thoughtbox) /;

/** Shows who has access, and the command that connects Claude Code. */
function greeting(
  service: Service & { project: string },
  version: string,
  observatory: string | undefined,
  capture: string,
): string[] {
  const { host, auth, tokenFile, project } = service;
  const url = `${addressOf(service)}/mcp`;
  const token = tokenFile === undefined ? "the token in THOUGHTBOX_TOKEN" : `the token in ${tokenFile}`;
  return [
    `thoughtbox ${version} serves MCP at ${url} (listening on ${isEverywhere(host) ? "all network interfaces" : host})`,
    `  access: ${describeAccess(auth, token)}`,
    `  project: ${describeProject(project, `${url}?project=<name>`)}`,
    `  connect Claude Code: claude mcp add --transport http thoughtbox ${url}${tokenHeader(service)}`,
    ...(observatory === undefined ? [] : [`  ${observatory}`]),
    `  ${capture}`,
    "  stop with Ctrl-C",
  ];
}

function describeProject(project: string, choosing: string): string {
  return project === "_default"
    ? `_default, unless the client offers a repository as its root or connects to ${choosing}`
    : `${project} by default. To choose another, connect to ${choosing}`;
}

/** Never asks for consent, because there may be no one reading the server's output. */
function describeCapture({ capture }: Server): string {
  switch (capture.state()) {
    case "on":
      return "capture: on. Agents' sessions are recorded from their transcripts";
    case "paused":
      return "capture: paused. To continue: thoughtbox capture resume";
    case "off":
      return "capture: off";
    case "unasked":
      return "capture: off. To record agents' sessions from their transcripts: thoughtbox connect";
  }
}

type Guarded = Pick<Service, "auth" | "tokenFile">;

/** Returns a shell expression that the person's shell replaces with the token. Never prints the token. */
const tokenInShell = ({ tokenFile }: Guarded): string =>
  tokenFile === undefined ? "$THOUGHTBOX_TOKEN" : `$(cat ${shellWord(tokenFile)})`;

const tokenHeader = (service: Guarded): string =>
  service.auth === "token" ? ` --header "Authorization: Bearer ${tokenInShell(service)}"` : "";

/** Returns the Observatory's URL, or if browsers need the token, a command that prints the URL with it. */
function whereToWatch(service: Guarded & Pick<Service, "host" | "port">): string {
  const address = `${addressOf(service)}/`;
  return service.auth === "token"
    ? `Observatory: the address printed by echo "${address}?token=${tokenInShell(service)}"`
    : `Observatory: ${address}`;
}
