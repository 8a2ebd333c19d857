import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientName, clientTitles } from "../kernel/client-names.ts";
import type { ClientPart } from "../ports/clients.ts";
import { hookCommand, hookEntries, hooksByEvent, opencodePlugin } from "./hook-files.ts";

/** The clients' configuration directories. */
export type ClientHomes = Readonly<Record<ClientName, string>>;

/** How to start this installation, with absolute paths, because desktop programs do not have the shell's PATH. */
export type Launch = {
  node: string;
  /** `dist/thoughtbox.js`. */
  program: string;
  /** `dist/hook.js`. */
  hook: string;
  /** The plugin's folder in the package. */
  plugin: string;
  /** Set if the data directory is not the default one. */
  dataDir: string | undefined;
  version: string;
  platform: NodeJS.Platform;
};

/** One file that a client needs. */
export type Wanted =
  /** Our own file, in a place where the client looks for it. */
  | { kind: "own"; path: string; content: string }
  /** A member in a JSON file that belongs to the person. */
  | { kind: "member"; path: string; member: readonly string[]; value: unknown }
  /** Lines at the end of a TOML file that belongs to the person. The file must not contain `table` yet. */
  | { kind: "block"; path: string; table: readonly string[]; lines: readonly string[] };

type ClientEntry = {
  parts: readonly ClientPart[];
  wants(home: string, launch: Launch): Wanted[];
  /** What the person has to do by hand. */
  note?: string;
};

type Server = { command: string; args: string[]; env?: Record<string, string> };

function serverOf({ node, program, dataDir }: Launch): Server {
  return {
    command: node,
    args: [program, "stdio"],
    ...(dataDir !== undefined && { env: { THOUGHTBOX_DATA_DIR: dataDir } }),
  };
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const own = (path: string, content: string): Wanted => ({ kind: "own", path, content });

const shipped = ({ plugin }: Launch, ...name: string[]): string =>
  readFileSync(join(plugin, ...name), "utf8");

const skill = (folder: string, launch: Launch): Wanted =>
  own(join(folder, "SKILL.md"), shipped(launch, "skills", "recall", "SKILL.md"));

const all: readonly ClientPart[] = ["server", "hooks", "skill"];

/** Returns the files of an extension for Gemini CLI, or for a fork that loads extensions the same way. */
function extension(client: "gemini-cli" | "qwen-code", manifest: string) {
  return (home: string, launch: Launch): Wanted[] => {
    const folder = join(home, "extensions", "thoughtbox");
    const { version } = launch;
    const mcpServers = { thoughtbox: serverOf(launch) };
    return [
      own(join(folder, manifest), json({ name: "thoughtbox", version, mcpServers })),
      own(join(folder, "hooks", "hooks.json"), json({ hooks: hookEntries(client, launch) })),
      skill(join(folder, "skills", "recall"), launch),
    ];
  };
}

const serverOnly = (client: ClientName, file: string, member: string): ClientEntry => ({
  parts: ["server"],
  wants: (home, launch) => [
    {
      kind: "member",
      path: join(home, file),
      member: [member, "thoughtbox"],
      value: member === "servers" ? { type: "stdio", ...serverOf(launch) } : serverOf(launch),
    },
  ],
  note: `Restart ${clientTitles[client]} to load the server.`,
});

const text = (value: unknown): string => JSON.stringify(value);

export const clientTable: Readonly<Record<ClientName, ClientEntry>> = {
  "claude-code": {
    parts: all,
    wants(home, launch) {
      const folder = join(home, "skills", "thoughtbox");
      return [
        own(
          join(folder, ".claude-plugin", "plugin.json"),
          json({ ...JSON.parse(shipped(launch, ".claude-plugin", "plugin.json")), version: launch.version }),
        ),
        own(join(folder, ".mcp.json"), json({ mcpServers: { thoughtbox: serverOf(launch) } })),
        own(join(folder, "hooks", "hooks.json"), json({ hooks: hookEntries("claude-code", launch) })),
        own(join(folder, "commands", "thoughtbox.md"), shipped(launch, "commands", "thoughtbox.md")),
        skill(join(folder, "skills", "recall"), launch),
      ];
    },
    note: "Restart Claude Code. The server and its tools appear in /mcp, the hooks in /hooks.",
  },
  codex: {
    parts: all,
    wants(home, launch) {
      const { command, args, env } = serverOf(launch);
      const lines = [
        "[mcp_servers.thoughtbox]",
        `command = ${text(command)}`,
        `args = ${text(args)}`,
        ...(env ? [`env = { THOUGHTBOX_DATA_DIR = ${text(env["THOUGHTBOX_DATA_DIR"])} }`] : []),
        ...Object.entries(hooksByEvent.codex).flatMap(([event, { matcher, seconds }]) => [
          "",
          `[[hooks.${event}]]`,
          ...(matcher === undefined ? [] : [`matcher = ${text(matcher)}`]),
          `[[hooks.${event}.hooks]]`,
          'type = "command"',
          `command = ${text(hookCommand(launch, "codex", event))}`,
          `timeout = ${seconds}`,
        ]),
      ];
      return [
        { kind: "block", path: join(home, "config.toml"), table: ["mcp_servers", "thoughtbox"], lines },
        skill(join(home, "skills", "thoughtbox"), launch),
      ];
    },
    note: 'Codex runs a hook only after you allow it: start codex and choose "2. Trust all and continue", or type /hooks there later.',
  },
  "gemini-cli": {
    parts: all,
    wants: extension("gemini-cli", "gemini-extension.json"),
    note: "Restart Gemini CLI to load the extension.",
  },
  "qwen-code": {
    parts: all,
    wants: extension("qwen-code", "qwen-extension.json"),
    note: "Restart Qwen Code to load the extension.",
  },
  "copilot-cli": {
    parts: all,
    wants: (home, launch) => [
      own(
        join(home, "hooks", "thoughtbox.json"),
        json({ version: 1, hooks: hookEntries("copilot-cli", launch) }),
      ),
      {
        kind: "member",
        path: join(home, "mcp-config.json"),
        member: ["mcpServers", "thoughtbox"],
        value: { type: "local", ...serverOf(launch), tools: ["*"] },
      },
      skill(join(home, "skills", "thoughtbox"), launch),
    ],
    note: "Restart Copilot CLI to load the server and the hooks.",
  },
  opencode: {
    parts: all,
    wants(home, launch) {
      const { command, args, env } = serverOf(launch);
      const withComments = join(home, "opencode.jsonc");
      return [
        own(join(home, "plugin", "thoughtbox.js"), opencodePlugin(launch)),
        {
          kind: "member",
          path: existsSync(withComments) ? withComments : join(home, "opencode.json"),
          member: ["mcp", "thoughtbox"],
          value: {
            type: "local",
            command: [command, ...args],
            enabled: true,
            ...(env && { environment: env }),
          },
        },
        skill(join(home, "skill", "recall"), launch),
      ];
    },
    note: "Restart opencode to load the plugin.",
  },
  vscode: serverOnly("vscode", "mcp.json", "servers"),
  cursor: serverOnly("cursor", "mcp.json", "mcpServers"),
  "claude-desktop": serverOnly("claude-desktop", "claude_desktop_config.json", "mcpServers"),
};
