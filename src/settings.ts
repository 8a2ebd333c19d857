import { eventTypes } from "./ports/event-types.ts";
import {
  flag,
  host,
  hosts,
  namesOrAny,
  oneOf,
  origins,
  originsOrAny,
  path,
  paths,
  port,
  projectName,
  type Setting,
  sessionId,
  setting,
  text,
  wholeNumber,
  workspaceName,
  workspaceNames,
} from "./setting-kinds.ts";

/**
 * Every setting, declared once. The tree has the shape of `Config` and of config.json. docs/reference/settings.md is
 * generated from it.
 */
export const settingTree = {
  transport: setting({
    variable: "THOUGHTBOX_TRANSPORT",
    schema: oneOf(["stdio", "http"]).optional(),
    default: undefined,
    describe: "MCP transport: `stdio` or `http`. Default: stdio if stdin is a pipe, help in a terminal",
  }),
  storage: setting({
    variable: "THOUGHTBOX_STORAGE",
    schema: oneOf(["fs", "memory", "postgres"]),
    default: "fs",
    describe:
      "Where thoughts are stored: `fs` (one SQLite file), `postgres` (a database) or `memory` (lost at exit)",
  }),
  databaseUrl: setting({
    variable: "DATABASE_URL",
    guarded: true,
    secret: true,
    schema: text(/^postgres(?:ql)?:\/\/\S+$/, "a URL that begins with postgres://").optional(),
    default: undefined,
    describe: "The database for `postgres`. Separate several hosts with commas",
  }),
  tenant: setting({
    variable: "THOUGHTBOX_TENANT",
    schema: projectName,
    default: "default",
    describe: "Which store in the PostgreSQL database to use. Each store has its own sessions and workspaces",
  }),
  poolSize: setting({
    variable: "THOUGHTBOX_POOL_SIZE",
    schema: wholeNumber(2, 200),
    default: 10,
    describe: "Maximum number of connections to PostgreSQL",
  }),
  dataDir: setting({
    variable: "THOUGHTBOX_DATA_DIR",
    schema: path,
    default: "~/.thoughtbox",
    describe: "Directory for all durable data and config.json",
  }),
  project: setting({
    variable: "THOUGHTBOX_PROJECT",
    schema: projectName,
    default: "_default",
    describe:
      "Project that sessions belong to. Default for stdio and the command line: the name of the Git repository",
  }),
  projectLock: setting({
    variable: "THOUGHTBOX_PROJECT_LOCK",
    schema: flag,
    default: false,
    describe: "Refuse sessions from other projects",
  }),
  workspace: setting({
    variable: "THOUGHTBOX_WORKSPACE",
    alias: "BRANCHMIND_WORKSPACE",
    schema: workspaceName.optional(),
    default: undefined,
    describe: "Memory workspace for calls that do not specify one. Default: named after the project",
  }),
  workspaceLock: setting({
    variable: "THOUGHTBOX_WORKSPACE_LOCK",
    schema: flag,
    default: false,
    describe: "Refuse every workspace except the server's own",
  }),
  workspaceAllow: setting({
    variable: "THOUGHTBOX_WORKSPACE_ALLOW",
    schema: workspaceNames,
    default: [],
    describe: "Workspaces that may be used, separated by commas. Default: all",
  }),
  projectGuard: setting({
    variable: "THOUGHTBOX_PROJECT_GUARD",
    schema: text(/^\P{Cc}{1,200}$/u, "1 to 200 characters").optional(),
    default: undefined,
    describe:
      "Label that a workspace gets at its first write. Writes with a different label are then refused",
  }),
  agentId: setting({
    variable: "THOUGHTBOX_AGENT_ID",
    schema: text(/^[A-Za-z0-9._-]{1,64}$/, "1 to 64 letters, digits, dots, dashes or underscores").optional(),
    default: undefined,
    describe: "Agent name for calls that do not specify one",
  }),
  port: setting({ variable: "PORT", schema: port, default: 1731, describe: "HTTP port" }),
  host: setting({
    variable: "HOST",
    guarded: true,
    schema: host,
    default: "127.0.0.1",
    describe: "Address for both ports. `0.0.0.0` opens the ports to the network",
  }),
  disableThoughtLogging: setting({
    variable: "DISABLE_THOUGHT_LOGGING",
    schema: flag,
    default: false,
    describe: "Do not print a line to stderr for each thought",
  }),
  log: setting({
    variable: "THOUGHTBOX_LOG",
    schema: oneOf(["text", "json"]),
    default: "text",
    describe: "Format of the servers' log on stderr: plain text, or one JSON object per line",
  }),
  autoCreateSession: setting({
    variable: "THOUGHTBOX_AUTO_CREATE_SESSION",
    schema: flag,
    default: true,
    describe: "If there is no session, open one with the first thought",
  }),
  reasoningSessionId: setting({
    variable: "THOUGHTBOX_REASONING_SESSION_ID",
    schema: sessionId.optional(),
    default: undefined,
    describe: "Session to load at startup",
  }),
  sessionPartitionGranularity: setting({
    schema: oneOf(["monthly", "weekly", "daily", "none"]),
    default: "monthly",
    describe: "Folders for session files: `monthly`, `weekly`, `daily` or `none`",
  }),
  disclosure: setting({
    variable: "THOUGHTBOX_DISCLOSURE",
    schema: oneOf(["staged", "open"]),
    default: "staged",
    describe: "`staged` makes operations available step by step, `open` all at once",
  }),
  toolset: setting({
    variable: "THOUGHTBOX_TOOLSET",
    schema: oneOf(["gateway", "core", "daily", "full"]),
    default: "daily",
    describe: "Tools that clients see: `gateway`, `core`, `daily` or `full`",
  }),
  secrets: setting({
    variable: "THOUGHTBOX_SECRETS",
    guarded: ["off"],
    schema: oneOf(["warn", "redact", "off"]),
    default: "warn",
    describe:
      "How to handle secrets: `warn` stores them and warns, `redact` masks them first, `off` does nothing",
  }),
  suggestions: setting({
    variable: "THOUGHTBOX_SUGGESTIONS",
    schema: flag,
    default: true,
    describe: "Suggest fields for corrections and forks in answers to thoughts",
  }),
  exportDirs: setting({
    variable: "THOUGHTBOX_EXPORT_DIRS",
    guarded: true,
    schema: paths,
    default: [],
    describe: "Additional directories that exports may be written to, separated as in PATH",
  }),
  transcriptRoots: setting({
    variable: "THOUGHTBOX_TRANSCRIPT_ROOTS",
    guarded: true,
    schema: paths,
    default: [],
    describe: "Additional directories with transcripts, separated as in PATH",
  }),
  codexHome: setting({
    variable: "CODEX_HOME",
    guarded: true,
    schema: path,
    default: "~/.codex",
    describe: "Home directory of Codex. Its transcripts are in `sessions`",
  }),
  claudeHome: setting({
    variable: "CLAUDE_CONFIG_DIR",
    guarded: true,
    schema: path,
    default: "~/.claude",
    describe: "Home directory of Claude Code. Its transcripts are in `projects`",
  }),
  geminiHome: setting({
    variable: "GEMINI_CLI_HOME",
    guarded: true,
    schema: path,
    default: "~",
    describe: "Directory that contains Gemini CLI's `.gemini`. Its transcripts are in `.gemini/tmp`",
  }),
  qwenHome: setting({
    variable: "QWEN_HOME",
    guarded: true,
    schema: path,
    default: "~/.qwen",
    describe: "Home directory of Qwen Code. Its transcripts are in `projects`",
  }),
  copilotHome: setting({
    variable: "COPILOT_HOME",
    guarded: true,
    schema: path,
    default: "~/.copilot",
    describe: "Home directory of Copilot CLI. Its transcripts are in `session-state`",
  }),
  opencodeData: setting({
    variable: "XDG_DATA_HOME",
    guarded: true,
    schema: path,
    default: "~/.local/share",
    describe: "The user's data directory. opencode's sessions are in `opencode/opencode.db`",
  }),
  capture: setting({
    variable: "THOUGHTBOX_CAPTURE",
    guarded: true,
    schema: oneOf(["on", "off"]).optional(),
    default: undefined,
    describe:
      "Record agents' sessions from their transcripts: `on` or `off`. Default: your answer to `connect`",
  }),
  beforeAction: setting({
    variable: "THOUGHTBOX_BEFORE_ACTION",
    guarded: true,
    schema: oneOf(["note", "deny-once", "off"]),
    default: "note",
    describe:
      "How hooks report facts against a call: `note` (after it), `deny-once` (block it once, if attended) or `off`",
  }),
  captureExclude: setting({
    variable: "THOUGHTBOX_CAPTURE_EXCLUDE",
    guarded: true,
    schema: paths,
    default: [],
    describe: "Directories whose sessions are never captured, separated as in PATH. `*` matches any name",
  }),
  notebookSandbox: setting({
    variable: "THOUGHTBOX_NOTEBOOK_SANDBOX",
    guarded: true,
    schema: oneOf(["auto", "strong", "medium", "basic", "none"]),
    default: "auto",
    describe:
      "Sandbox for notebook cells: `auto` needs `strong` or `medium` to run cells. `basic` and `none` protect less",
  }),
  notebookNet: setting({
    variable: "THOUGHTBOX_NOTEBOOK_NET",
    guarded: true,
    schema: oneOf(["off", "on"]),
    default: "off",
    describe: "Network access for notebooks with `net`: `on` allows it, except to this machine",
  }),
  auth: setting({
    variable: "THOUGHTBOX_AUTH",
    guarded: true,
    schema: oneOf(["auto", "token", "off"]),
    default: "auto",
    describe:
      "Who needs the token over HTTP: `auto` (all but your own local processes), `token` (everyone) or `off` (no one)",
  }),
  token: setting({
    variable: "THOUGHTBOX_TOKEN",
    guarded: true,
    schema: text(/^[!-~]{8,512}$/, "8 to 512 visible ASCII characters without spaces").optional(),
    default: undefined,
    describe: "Bearer token for HTTP. Default: created when an HTTP server first starts",
    secret: true,
  }),
  allowedHosts: setting({
    variable: "THOUGHTBOX_ALLOWED_HOSTS",
    guarded: true,
    schema: hosts,
    default: [],
    describe: "Additional Host headers to accept, separated by commas",
  }),
  allowedOrigins: setting({
    variable: "THOUGHTBOX_ALLOWED_ORIGINS",
    guarded: true,
    schema: origins,
    default: ["http://localhost:6274", "http://127.0.0.1:6274"],
    describe:
      "Web origins that need no token if local processes need none, separated by commas. Default: MCP Inspector's",
  }),
  observatory: {
    enabled: setting({
      variable: "THOUGHTBOX_OBSERVATORY_ENABLED",
      schema: flag,
      default: false,
      describe: "Serve the Observatory. By default, only `thoughtbox serve` serves it",
    }),
    port: setting({
      variable: "THOUGHTBOX_OBSERVATORY_PORT",
      schema: port,
      default: 1729,
      describe: "Port for the Observatory",
    }),
    cors: setting({
      variable: "THOUGHTBOX_OBSERVATORY_CORS",
      schema: originsOrAny,
      default: ["*"],
      describe: "Origins that may read the Observatory with the token, separated by commas",
    }),
    maxConnections: setting({
      variable: "THOUGHTBOX_OBSERVATORY_MAX_CONNECTIONS",
      schema: wholeNumber(1, 10_000),
      default: 100,
      describe: "Maximum number of WebSocket connections",
    }),
    httpApi: setting({
      variable: "THOUGHTBOX_OBSERVATORY_HTTP_API",
      schema: flag,
      default: false,
      describe: "Let pages from other origins read the HTTP API",
    }),
  },
  event: {
    output: setting({
      variable: "THOUGHTBOX_EVENT_OUTPUT",
      guarded: true,
      schema: oneOf(["none", "stderr", "stdout", "file"]),
      default: "none",
      describe: "Where to write events as JSON lines: `none`, `stderr`, `stdout` or `file`",
    }),
    file: setting({
      variable: "THOUGHTBOX_EVENT_FILE",
      guarded: true,
      schema: path,
      default: "events.jsonl",
      describe: "File for events, relative to the data directory",
    }),
    types: setting({
      variable: "THOUGHTBOX_EVENT_TYPES",
      schema: namesOrAny(eventTypes, "event types"),
      default: ["*"],
      describe: "Event types to write, separated by commas. `*` means all",
    }),
  },
};

/** The same settings as a list. `key` is the path in `Config`, such as `observatory.port`. */
export const settings: readonly (Setting<unknown> & { key: string })[] = Object.entries(settingTree).flatMap(
  ([name, entry]) =>
    isSetting(entry)
      ? [{ key: name, ...entry }]
      : Object.entries(entry).map(([inner, nested]) => ({ key: `${name}.${inner}`, ...nested })),
);

function isSetting(entry: object): entry is Setting<unknown> {
  return "schema" in entry;
}
