import { delimiter } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigSources, explainUnknown, findPager, readConfig } from "./config.ts";
import { ThoughtboxError } from "./kernel/errors.ts";
import { settings, settingTree } from "./settings.ts";

const nowhere = { home: "/home/ada", cwd: "/srv/desk", env: {}, readFile: () => undefined };

function refusal(sources: ConfigSources): string {
  try {
    readConfig({ ...nowhere, ...sources });
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ThoughtboxError);
    expect((thrown as ThoughtboxError).code).toBe("INVALID_PAYLOAD");
    return (thrown as ThoughtboxError).message;
  }
  throw new Error("The configuration was accepted.");
}

function stored(content: unknown): ConfigSources {
  return { readFile: () => (typeof content === "string" ? content : JSON.stringify(content)) };
}

test("uses the documented defaults if no source sets anything", () => {
  expect(readConfig(nowhere)).toEqual({
    transport: undefined,
    storage: "fs",
    databaseUrl: undefined,
    tenant: "default",
    poolSize: 10,
    dataDir: "/home/ada/.thoughtbox",
    project: "_default",
    projectLock: false,
    workspace: undefined,
    workspaceLock: false,
    workspaceAllow: [],
    projectGuard: undefined,
    agentId: undefined,
    port: 1731,
    host: "127.0.0.1",
    disableThoughtLogging: false,
    log: "text",
    autoCreateSession: true,
    beforeAction: "note",
    reasoningSessionId: undefined,
    sessionPartitionGranularity: "monthly",
    disclosure: "staged",
    toolset: "daily",
    secrets: "warn",
    suggestions: true,
    exportDirs: [],
    transcriptRoots: [],
    codexHome: "/home/ada/.codex",
    claudeHome: "/home/ada/.claude",
    geminiHome: "/home/ada",
    qwenHome: "/home/ada/.qwen",
    copilotHome: "/home/ada/.copilot",
    opencodeData: "/home/ada/.local/share",
    capture: undefined,
    captureExclude: [],
    notebookSandbox: "auto",
    notebookNet: "off",
    auth: "auto",
    token: undefined,
    allowedHosts: [],
    allowedOrigins: ["http://localhost:6274", "http://127.0.0.1:6274"],
    observatory: { enabled: false, port: 1729, cors: ["*"], maxConnections: 100, httpApi: false },
    event: { output: "none", file: "/home/ada/.thoughtbox/events.jsonl", types: ["*"] },
  });
});

describe("precedence", () => {
  const layers = {
    overrides: { PORT: "1" },
    env: { PORT: "2" },
    ...stored({ port: 3, observatory: { port: 33 } }),
    defaults: { PORT: "4", HOST: "::1" },
  };

  test("the command line wins over the environment, then config.json, then the command's defaults", () => {
    expect(readConfig({ ...nowhere, ...layers }).port).toBe(1);
    expect(readConfig({ ...nowhere, ...layers, overrides: {} }).port).toBe(2);
    expect(readConfig({ ...nowhere, ...layers, overrides: {}, env: {} }).port).toBe(3);
    expect(readConfig({ ...nowhere, defaults: layers.defaults }).port).toBe(4);
  });

  test("resolves each setting independently", () => {
    const config = readConfig({ ...nowhere, ...layers });
    expect(config.observatory.port).toBe(33);
    expect(config.observatory.maxConnections).toBe(100);
    expect(config.host).toBe("::1");
  });

  test("treats a blank variable and a null in config.json as unset", () => {
    const sources = { env: { PORT: " " }, ...stored({ port: null, reasoningSessionId: null }) };
    expect(readConfig({ ...nowhere, ...sources })).toMatchObject({
      port: 1731,
      reasoningSessionId: undefined,
    });
  });
});

describe("config.json in a data directory other than the default one", () => {
  const opened = {
    auth: "off",
    token: "planted-token",
    host: "0.0.0.0",
    allowedOrigins: ["https://evil.example"],
    notebookSandbox: "none",
    notebookNet: "on",
    exportDirs: ["/"],
    event: { output: "file", file: "/home/ada/.bashrc" },
  };
  const elsewhere = {
    env: { THOUGHTBOX_DATA_DIR: "/mnt/stick/box" },
    ...stored({ ...opened, project: "shop" }),
  };

  test("sets no security-relevant setting, but sets the rest", () => {
    const config = readConfig({ ...nowhere, ...elsewhere });
    const { auth, token, allowedOrigins, notebookSandbox, notebookNet, exportDirs, event } = config;
    expect({ auth, token, allowedOrigins, notebookSandbox, notebookNet, exportDirs }).toEqual({
      notebookNet: "off",
      auth: "auto",
      token: undefined,
      allowedOrigins: settingTree.allowedOrigins.default,
      notebookSandbox: "auto",
      exportDirs: [],
    });
    expect(config.host).toBe(settingTree.host.default);
    expect(event).toMatchObject({ output: "none", file: "/mnt/stick/box/events.jsonl" });
    expect(config.project).toBe("shop");
  });

  test("can tighten the secrets setting, but cannot loosen it", () => {
    const secretsOf = (secrets: string) =>
      readConfig({ ...nowhere, ...elsewhere, ...stored({ secrets }) }).secrets;
    expect(["off", "redact"].map(secretsOf)).toEqual(["warn", "redact"]);
    expect(readConfig({ ...nowhere, ...stored({ secrets: "off" }) }).secrets).toBe("off");
  });

  test("is reported, with the variable that can set the ignored value", () => {
    const said = explainUnknown({ ...nowhere, ...elsewhere });
    expect(said).toContain(
      '"auth" in /mnt/stick/box/config.json is ignored. Outside the default data directory, only THOUGHTBOX_AUTH can set it.',
    );
    expect(said.join()).not.toContain("planted-token");
  });

  test("applies in full in the default directory", () => {
    const config = readConfig({ ...nowhere, ...stored(opened) });
    expect(config).toMatchObject({ auth: "off", notebookSandbox: "none", event: { output: "file" } });
    expect(explainUnknown({ ...nowhere, ...stored(opened) })).toEqual([]);
  });
});

test("falls back to another program's variable if ours is not set", () => {
  const env = { BRANCHMIND_WORKSPACE: "theirs" };
  expect(readConfig({ ...nowhere, env }).workspace).toBe("theirs");
  expect(readConfig({ ...nowhere, env: { ...env, THOUGHTBOX_WORKSPACE: "ours" } }).workspace).toBe("ours");
});

test("reads every variable", () => {
  const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
  const env = {
    THOUGHTBOX_TRANSPORT: "http",
    THOUGHTBOX_STORAGE: "memory",
    DATABASE_URL: "postgres://ada@one:5432,two:5432/box",
    THOUGHTBOX_TENANT: "team",
    THOUGHTBOX_POOL_SIZE: "20",
    THOUGHTBOX_DATA_DIR: "~/box",
    THOUGHTBOX_PROJECT: "atlas",
    THOUGHTBOX_PROJECT_LOCK: "yes",
    THOUGHTBOX_WORKSPACE: "acme/repo",
    THOUGHTBOX_WORKSPACE_LOCK: "true",
    THOUGHTBOX_WORKSPACE_ALLOW: "acme/repo, acme/tools",
    THOUGHTBOX_PROJECT_GUARD: "repo:acme",
    THOUGHTBOX_AGENT_ID: "agent-1",
    PORT: "8080",
    HOST: "127.0.0.1",
    DISABLE_THOUGHT_LOGGING: "1",
    THOUGHTBOX_LOG: "json",
    THOUGHTBOX_AUTO_CREATE_SESSION: "no",
    THOUGHTBOX_BEFORE_ACTION: "deny-once",
    THOUGHTBOX_REASONING_SESSION_ID: id,
    THOUGHTBOX_DISCLOSURE: "open",
    THOUGHTBOX_TOOLSET: "full",
    THOUGHTBOX_SECRETS: "redact",
    THOUGHTBOX_SUGGESTIONS: "false",
    THOUGHTBOX_EXPORT_DIRS: ["~/out", "reports", "/srv/x"].join(delimiter),
    THOUGHTBOX_TRANSCRIPT_ROOTS: ["~/old", "logs"].join(delimiter),
    CODEX_HOME: "codex",
    CLAUDE_CONFIG_DIR: "~/claude",
    GEMINI_CLI_HOME: "~/gemini",
    QWEN_HOME: "~/qwen",
    COPILOT_HOME: "copilot",
    XDG_DATA_HOME: "~/share",
    THOUGHTBOX_CAPTURE: "on",
    THOUGHTBOX_CAPTURE_EXCLUDE: "~/private",
    THOUGHTBOX_AUTH: "token",
    THOUGHTBOX_TOKEN: "correct-horse",
    THOUGHTBOX_ALLOWED_HOSTS: "box.example.com, box.local:1731",
    THOUGHTBOX_ALLOWED_ORIGINS: "https://box.example.com",
    THOUGHTBOX_OBSERVATORY_ENABLED: "true",
    THOUGHTBOX_OBSERVATORY_PORT: "0",
    THOUGHTBOX_OBSERVATORY_CORS: "https://a.example,https://b.example",
    THOUGHTBOX_OBSERVATORY_MAX_CONNECTIONS: "5",
    THOUGHTBOX_OBSERVATORY_HTTP_API: "true",
    THOUGHTBOX_EVENT_OUTPUT: "file",
    THOUGHTBOX_EVENT_FILE: "log/events.jsonl",
    THOUGHTBOX_NOTEBOOK_SANDBOX: "none",
    THOUGHTBOX_NOTEBOOK_NET: "on",
    THOUGHTBOX_EVENT_TYPES: "thought_added,session_started",
  };
  expect(Object.keys(env).sort()).toEqual(settings.flatMap(({ variable }) => variable ?? []).sort());
  expect(readConfig({ ...nowhere, env })).toEqual({
    isProjectChosen: true,
    transport: "http",
    storage: "memory",
    databaseUrl: "postgres://ada@one:5432,two:5432/box",
    tenant: "team",
    poolSize: 20,
    dataDir: "/home/ada/box",
    project: "atlas",
    projectLock: true,
    workspace: "acme/repo",
    workspaceLock: true,
    workspaceAllow: ["acme/repo", "acme/tools"],
    projectGuard: "repo:acme",
    agentId: "agent-1",
    port: 8080,
    host: "127.0.0.1",
    disableThoughtLogging: true,
    log: "json",
    autoCreateSession: false,
    beforeAction: "deny-once",
    reasoningSessionId: id,
    sessionPartitionGranularity: "monthly",
    disclosure: "open",
    toolset: "full",
    secrets: "redact",
    suggestions: false,
    exportDirs: ["/home/ada/out", "/srv/desk/reports", "/srv/x"],
    transcriptRoots: ["/home/ada/old", "/srv/desk/logs"],
    codexHome: "/srv/desk/codex",
    claudeHome: "/home/ada/claude",
    geminiHome: "/home/ada/gemini",
    qwenHome: "/home/ada/qwen",
    copilotHome: "/srv/desk/copilot",
    opencodeData: "/home/ada/share",
    capture: "on",
    captureExclude: ["/home/ada/private"],
    notebookSandbox: "none",
    notebookNet: "on",
    auth: "token",
    token: "correct-horse",
    allowedHosts: ["box.example.com", "box.local:1731"],
    allowedOrigins: ["https://box.example.com"],
    observatory: {
      enabled: true,
      port: 0,
      cors: ["https://a.example", "https://b.example"],
      maxConnections: 5,
      httpApi: true,
    },
    event: {
      output: "file",
      file: "/home/ada/box/log/events.jsonl",
      types: ["thought_added", "session_started"],
    },
  });
});

describe("an invalid value is refused in one sentence", () => {
  test.each([
    [{ THOUGHTBOX_TRANSPORT: "htpp" }, 'THOUGHTBOX_TRANSPORT is "htpp". It must be stdio or http.'],
    [{ PORT: "70000" }, 'PORT is "70000". It must be a whole number from 0 to 65535.'],
    [{ THOUGHTBOX_STORAGE: "mysql" }, 'THOUGHTBOX_STORAGE is "mysql". It must be fs, memory or postgres.'],
    [
      { THOUGHTBOX_ALLOWED_HOSTS: "http://x/" },
      'THOUGHTBOX_ALLOWED_HOSTS is "http://x/". It must be host names or addresses without scheme or path.',
    ],
  ])("%j", (env, message) => {
    expect(refusal({ env })).toBe(message);
  });

  test.each(["shop-", "shop.", "-shop", ".", "x".repeat(65)])(
    "refuses %j as the name of a project",
    (name) => {
      expect(refusal({ env: { THOUGHTBOX_PROJECT: name } })).toContain("THOUGHTBOX_PROJECT");
    },
  );

  test("shortens and escapes a hostile value in the message", () => {
    const message = refusal({ env: { THOUGHTBOX_PROJECT: `\u001b[2J\u202e${"x".repeat(10_000)}` } });
    expect(message.length).toBeLessThan(300);
    expect(message).toContain("\\u{1b}[2J\\u{202e}x");
  });

  test("names the key and file of a value in config.json", () => {
    expect(refusal(stored({ observatory: { port: "high" } }))).toBe(
      '"observatory.port" in /home/ada/.thoughtbox/config.json is "high". It must be a whole number from 0 to 65535.',
    );
  });

  test("never shows a secret, even if it is in the wrong variable", () => {
    const key = `ghp_${"a1B2c3".repeat(6)}`;
    expect(refusal({ env: { THOUGHTBOX_TOKEN: "two words" } })).not.toContain("two words");
    expect(refusal(stored({ token: 42_424_242 }))).not.toContain("42424242");
    expect(refusal({ env: { THOUGHTBOX_AUTH: key } })).toContain("[secret:github-token]");
    expect(refusal(stored(`{"token": "hunter2hunter2" oops`))).not.toContain("hunter2");
  });

  test("refuses events on stdout together with the stdio transport", () => {
    const env = { THOUGHTBOX_EVENT_OUTPUT: "stdout", THOUGHTBOX_TRANSPORT: "stdio" };
    expect(refusal({ env })).toMatch(/THOUGHTBOX_EVENT_OUTPUT .* must be stderr, file or none/);
    expect(readConfig({ ...nowhere, env: { ...env, THOUGHTBOX_TRANSPORT: "http" } }).event.output).toBe(
      "stdout",
    );
  });
});

test("reads config.json from the data directory, and does not let it move the data directory", () => {
  const persisted = { installId: "x", dataDir: "/moved/elsewhere", sessionPartitionGranularity: "weekly" };
  const config = readConfig({ ...nowhere, ...stored(persisted) });
  expect(config.sessionPartitionGranularity).toBe("weekly");
  expect(config.dataDir).toBe("/home/ada/.thoughtbox");
});

test("adds the option that shows colours to the user's options for less", () => {
  expect(findPager({})?.env.LESS).toBe("FRX");
  expect(findPager({ LESS: "-i -M" })?.env.LESS).toBe("-R -i -M");
  expect(findPager({ PAGER: "cat" })).toBeUndefined();
  expect(findPager({ PAGER: "" })).toBeUndefined();
});
