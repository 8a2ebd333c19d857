import type { ClientName } from "../kernel/client-names.ts";
import type { Launch } from "./client-table.ts";

type HookedClient = Exclude<ClientName, "vscode" | "cursor" | "claude-desktop" | "opencode">;

type HookMoment = { matcher?: string; seconds: number };

const started = { matcher: "startup|resume|clear|compact", seconds: 5 };
const turn = { seconds: 5 };
/** Codex gives hooks at the end of a session at most three seconds. */
const last = { seconds: 3 };

/** Tools that change something. Hooks for the other tools would have nothing to report. */
const acting = { matcher: "Edit|MultiEdit|Write|NotebookEdit|Bash|apply_patch", seconds: 5 };

const likeQwenCode = {
  SessionStart: started,
  Stop: turn,
  SubagentStop: turn,
  PreCompact: turn,
  SessionEnd: last,
};
const likeClaudeCode = { ...likeQwenCode, PreToolUse: acting };

/**
 * For each client, the events at which it runs our hook, under the client's own names for them. Omits Gemini CLI's
 * compression event, because it fires before every request.
 */
export const hooksByEvent: Readonly<Record<HookedClient, Readonly<Record<string, HookMoment>>>> = {
  "claude-code": likeClaudeCode,
  codex: likeClaudeCode,
  "qwen-code": likeQwenCode,
  "gemini-cli": { SessionStart: turn, AfterAgent: turn, SessionEnd: last },
  "copilot-cli": { sessionStart: turn, agentStop: turn, sessionEnd: last },
};

type Shell = "sh" | "cmd" | "powershell";

/** Returns the command as one string, because not every client passes arguments on. */
export function hookCommand(
  launch: Launch,
  client: ClientName,
  event: string,
  shell: Shell = launch.platform === "win32" ? "cmd" : "sh",
): string {
  const { node, hook, dataDir } = launch;
  const words = [node, hook, client, event, ...(dataDir === undefined ? [] : [dataDir])];
  return words.map((word) => (/^[\w-]+$/.test(word) ? word : quoteWord[shell](word))).join(" ");
}

/**
 * A folder can have any name, and in double quotes a shell runs `$(…)`. `cmd` has only double quotation marks, and a
 * Windows path cannot contain them. PowerShell treats five characters as single quotation marks, which must be doubled.
 */
const quoteWord: Readonly<Record<Shell, (word: string) => string>> = {
  sh: (word) => `"${word.replace(/["$`\\]/g, "\\$&")}"`,
  cmd: (word) => `"${word}"`,
  powershell: (word) => `'${word.replace(/['\u2018-\u201b]/g, "$&$&")}'`,
};

/** Returns the `hooks` property of a client's hook file. */
export function hookEntries(client: HookedClient, launch: Launch): Record<string, unknown> {
  const moments = Object.entries(hooksByEvent[client]);
  return Object.fromEntries(
    moments.map(([event, { matcher, seconds }]) => {
      if (client === "copilot-cli") {
        const bash = hookCommand(launch, client, event, "sh");
        const powershell = `& ${hookCommand(launch, client, event, "powershell")}`;
        return [event, [{ type: "command", bash, powershell, timeoutSec: seconds }]];
      }
      const command = hookCommand(launch, client, event);
      const timeout = client === "gemini-cli" ? seconds * 1_000 : seconds;
      return [
        event,
        [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", command, timeout }] }],
      ];
    }),
  );
}

/**
 * Returns the module that opencode loads. opencode writes no transcript files, so capture reads its database
 * instead.
 */
export function opencodePlugin(launch: Launch): string {
  const words = [launch.hook, "opencode"];
  return `// Written by \`thoughtbox connect opencode\`. \`thoughtbox connect opencode --remove\` deletes it.
import { spawn } from "node:child_process";

const hook = (event, input) =>
  new Promise((resolve) => {
    const child = spawn(${JSON.stringify(launch.node)}, [...${JSON.stringify(words)}, event${launch.dataDir === undefined ? "" : `, ${JSON.stringify(launch.dataDir)}`}], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 5000,
    });
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.on("error", () => resolve({}));
    child.on("close", () => {
      try {
        resolve(JSON.parse(text));
      } catch {
        resolve({});
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(input));
  });

export const Thoughtbox = async ({ directory }) => {
  const recalled = new Map();
  const begin = (session, source) =>
    recalled.set(session, hook("SessionStart", { session_id: session, cwd: directory, source }));
  const recall = (session) => {
    if (!recalled.has(session)) begin(session, "startup");
    return recalled.get(session);
  };
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID;
      if (event.type === "session.idle") await hook("Stop", { session_id: session, cwd: directory });
      if (event.type === "session.compacted") begin(session, "compact");
    },
    "experimental.chat.system.transform": async (input, output) => {
      const { additionalContext } = await recall(input?.sessionID ?? "");
      if (additionalContext) output.system.push(additionalContext);
    },
  };
};
`;
}
