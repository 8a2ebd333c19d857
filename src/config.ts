import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { changeMember, lookUp, type ReadFile, readConfigFile, type StoredConfig } from "./config-file.ts";
import { databaseHost } from "./disk/capture-consent.ts";
import { makeDirectorySync } from "./disk/make-directory.ts";
import { writeWholeSync } from "./disk/write-whole.ts";
import { findGitProject } from "./git-project.ts";
import { ThoughtboxError } from "./kernel/errors.ts";
import { nearest } from "./kernel/nearest.ts";
import { maskForExport } from "./kernel/secrets/secrets-policy.ts";
import { quote } from "./kernel/text.ts";
import type { Setting } from "./setting-kinds.ts";
import { settings, settingTree } from "./settings.ts";
import { explainUnknownSettings } from "./unknown-settings.ts";

export type Config = Values<typeof settingTree> & {
  /** The repository that the project is named after, if no project was chosen. */
  readonly gitRoot?: string | undefined;
  /** True if an option, a variable or config.json names the project. */
  readonly isProjectChosen?: boolean;
};

type Values<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Setting<infer Value> ? Value : Values<Tree[Name]>;
};

type Environment = Readonly<Record<string, string | undefined>>;

export type ConfigSources = {
  env?: Environment;
  /** Options from a program that embeds Thoughtbox, under the keys of `Config`. They override everything. */
  options?: StoredConfig;
  /** Options from the command line, under the names of the variables. They override everything. */
  overrides?: Environment;
  /** A command's defaults, used if neither the environment nor config.json sets a value. */
  defaults?: Environment;
  /** If no project is set, name it after the git repository that contains the working directory. */
  fromGit?: boolean;
  home?: string;
  cwd?: string;
  readFile?: ReadFile;
};

type Named<Value> = Setting<Value> & { key: string };
type Layer = (setting: Named<unknown>) => { value: unknown; source: string } | undefined;

/** A setting's current value, and where it was set: a variable, a member of config.json, or "default". */
export type EffectiveSetting = { key: string; value: unknown; source: string; secret: boolean };

/**
 * Precedence: options or command line > environment > config.json > default. Reads one file and writes nothing. The
 * first invalid value throws.
 */
export function readConfig(sources: ConfigSources = {}): Config {
  return resolveSettings(sources).config;
}

export function explainConfig(sources: ConfigSources = {}): EffectiveSetting[] {
  const { config, chosen } = resolveSettings(sources);
  return chosen.map(({ key, source, secret }) => ({
    key,
    value: secret ? undefined : lookUp(config, key),
    source,
    secret,
  }));
}

/** Lists settings that have no effect, one sentence each, for the log when a server starts. */
export function explainUnknown(sources: ConfigSources = {}): string[] {
  const { env = process.env } = sources;
  const { config } = resolveSettings(sources);
  const file = join(config.dataDir, "config.json");
  const stored = readConfigFile(file, sources.readFile);
  return [...explainUnknownSettings(env, stored), ...explainGuarded(config, stored, file)];
}

/** Lists settings in config.json that are ignored, because the data directory is not the default one. */
function explainGuarded(config: Config, stored: StoredConfig, file: string): string[] {
  return settings
    .filter((setting) => {
      const { key, default: byDefault } = setting;
      const asked = lookUp(stored, key);
      const holds = JSON.stringify(lookUp(config, key));
      return (
        isGuarded(setting, asked) &&
        asked !== undefined &&
        ![holds, JSON.stringify(byDefault)].includes(JSON.stringify(asked))
      );
    })
    .map(
      ({ key, variable }) =>
        `"${key}" in ${file} is ignored. Outside the default data directory, only ${variable} can set it.`,
    );
}

/**
 * Writes one setting to config.json. `named` is the name that `thoughtbox config` shows, or the variable. A value of
 * `undefined` removes the setting. Nothing is written if the server could not start with the result.
 */
export function saveSetting(
  named: string,
  value: string | undefined,
  sources: ConfigSources = {},
): { key: string; file: string; overruledBy: string | undefined } {
  const setting = settings.find(({ key, variable, alias }) => [key, variable, alias].includes(named));
  if (!setting) {
    const guess = nearest(
      named,
      settings.map(({ key }) => key),
    );
    throw invalid(`There is no setting ${quote(named, 60)}.${guess ? ` Did you mean ${guess}?` : ""}`);
  }
  const { key, variable, secret } = setting;
  if (key === "dataDir")
    throw invalid(`config.json is in the data directory, so only ${variable} can set the directory.`);
  if (secret) throw invalid(`${key} is a secret: set ${variable} in the environment instead.`);
  const { config, isDefaultPlace } = resolveSettings(sources);
  const file = join(config.dataDir, "config.json");
  if (isGuarded(setting, value) && !isDefaultPlace)
    throw invalid(`Outside the default data directory, only ${variable} can set ${key}.`);
  if (value !== undefined) refuseValue(setting, value);
  const stored = changeMember(readConfigFile(file, sources.readFile), key, value);
  const content = `${JSON.stringify(stored, null, 2)}\n`;
  readConfig({
    ...sources,
    env: {},
    overrides: { THOUGHTBOX_DATA_DIR: config.dataDir },
    readFile: () => content,
  });
  makeDirectorySync(config.dataDir);
  writeWholeSync(config.dataDir, "config.json", content, { as: "replace", durable: true });
  const { env = process.env } = sources;
  return { key, file, overruledBy: variable && env[variable]?.trim() ? variable : undefined };
}

function refuseValue({ key, schema }: Named<unknown>, value: string): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  throw invalid(
    `${key} cannot be ${quote(maskForExport(value))}: it must be ${parsed.error.issues[0]?.message}.`,
  );
}

/** True if NO_COLOR has any non-empty value (https://no-color.org), or if the terminal is `dumb`. */
export function refusesColour(env: Environment = process.env): boolean {
  return Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb";
}

/** Returns the program that pages long output and its environment. `undefined` if paging is switched off. */
export function findPager(env: Environment = process.env) {
  const [command = "", ...args] = (env["PAGER"]?.trim() ?? "less").split(/\s+/);
  // -R passes colours through and no other escape sequences. -F and -X leave a short text on the screen.
  const less = env["LESS"];
  return command === "cat" || command === ""
    ? undefined
    : { command, args, env: { ...env, LESS: less === undefined ? "FRX" : `-R ${less}` } };
}

const programVariables = ["PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "XDG_CONFIG_HOME"];

/** Returns the variables that programs such as git inherit: PATH, and those that locate their settings. */
export function programEnvironment(env: Environment = process.env): Record<string, string> {
  return Object.fromEntries(
    programVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/**
 * Returns the environment for another Thoughtbox process on the same store. This process's options override
 * inherited variables.
 */
export function environmentOf(
  { dataDir, secrets }: Pick<Config, "dataDir" | "secrets">,
  env: Environment = process.env,
): Environment {
  return { ...env, THOUGHTBOX_DATA_DIR: dataDir, THOUGHTBOX_SECRETS: secrets };
}

/**
 * Variables in which clients pass the conversation ID to the servers they start. Keys are the beginnings of client
 * names.
 */
const conversationVariables = {
  "claude-code": "CLAUDE_CODE_SESSION_ID",
  copilot: "COPILOT_AGENT_SESSION_ID",
  "qwen-cli": "QWEN_CODE_SESSION_ID",
} as const;

/** Returns functions that read the conversation IDs from clients. Keys are the beginnings of client names. */
export function readConversations(
  env: Environment = process.env,
): ReadonlyMap<string, () => string | undefined> {
  return new Map(
    Object.entries(conversationVariables).flatMap(([client, variable]) => {
      const named = env[variable]?.trim();
      if (!named) return [];
      const current = client === "claude-code" ? () => currentClaudeSession(env) ?? named : () => named;
      return [[client, current] as const];
    }),
  );
}

/**
 * `/clear` changes the conversation of a running server, and `claude --continue` starts a server with the ID
 * of a conversation that never begins. Claude Code keeps the current ID in a file per process. The file is
 * not documented. If the file's format is unexpected, the ID from the environment is used.
 */
function currentClaudeSession(env: Environment): string | undefined {
  const folder = env["CLAUDE_CONFIG_DIR"]?.trim() || join(homedir(), ".claude");
  // A launcher such as npx may be between the client and this process. The client's process ID is in its socket's
  // name.
  const named = /(\d+)\.sock$/.exec(env["CLAUDE_CODE_MESSAGING_SOCKET"] ?? "")?.[1];
  for (const pid of [Number(named), process.ppid]) {
    const read = readJson(join(folder, "sessions", `${pid}.json`));
    if (read?.["pid"] === pid && typeof read["sessionId"] === "string") return read["sessionId"];
  }
  return undefined;
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

type ClientHomeSettings = Pick<
  Config,
  "claudeHome" | "codexHome" | "geminiHome" | "qwenHome" | "copilotHome"
>;

/** Returns the project and its database host, or `undefined` if no one else can read the store. */
export const sharedPlace = ({ storage, databaseUrl = "", project }: Config) =>
  storage === "postgres" ? { host: databaseHost(databaseUrl), project } : undefined;

/** Returns the configuration directories of the clients on this machine. Clients read the same variables. */
export function findClientHomes(
  { claudeHome, codexHome, geminiHome, qwenHome, copilotHome }: ClientHomeSettings,
  { env = process.env, home = homedir() }: Pick<ConfigSources, "env" | "home"> = {},
  platform: NodeJS.Platform = process.platform,
) {
  const named = (variable: string) => env[variable]?.trim() || undefined;
  const settings = named("XDG_CONFIG_HOME") ?? join(home, ".config");
  const applications =
    platform === "darwin"
      ? join(home, "Library", "Application Support")
      : platform === "win32"
        ? (named("APPDATA") ?? join(home, "AppData", "Roaming"))
        : settings;
  return {
    "claude-code": claudeHome,
    codex: codexHome,
    "gemini-cli": join(geminiHome, ".gemini"),
    "qwen-code": qwenHome,
    "copilot-cli": copilotHome,
    opencode: join(settings, "opencode"),
    vscode: join(applications, "Code", "User"),
    cursor: join(home, ".cursor"),
    "claude-desktop": join(applications, "Claude"),
  };
}

function resolveSettings(sources: ConfigSources) {
  const { env = process.env, home = homedir(), cwd = process.cwd() } = sources;
  const absolute = (path: string, base: string) => resolve(base, expandHome(path, home));
  const asked = [
    storedLayer(sources.options, (key) => `The option ${key}`),
    environmentLayer(sources.overrides),
    environmentLayer(env),
  ];
  const preferred = environmentLayer(sources.defaults);

  // config.json is in the data directory, so it cannot set the directory itself.
  const place = choose({ key: "dataDir", ...settingTree.dataDir }, [...asked, preferred]);
  const dataDir = absolute(place.value, cwd);
  const file = join(dataDir, "config.json");
  const isDefaultPlace = dataDir === absolute(settingTree.dataDir.default, cwd);
  const stored = readConfigFile(file, sources.readFile);
  const git = sources.fromGit ? findGitProject({ cwd, home, dataDir }) : undefined;
  const gitSource = `the repository ${git?.root}`;
  const layers = [
    ...asked,
    withoutGuarded(
      !isDefaultPlace,
      storedLayer(stored, (key) => `"${key}" in ${file}`),
    ),
    preferred,
    storedLayer(git && { project: git.name }, () => gitSource),
  ];

  const chosen = settings.map((setting) => ({
    key: setting.key,
    secret: setting.secret === true,
    ...(setting.key === "dataDir" ? place : choose(setting, layers)),
  }));
  const config = nest(chosen.map(({ key, value }) => [key, value])) as Config;
  refuseMixedOutput(config);
  const projectSource = chosen.find(({ key }) => key === "project")?.source;
  const isProjectChosen = projectSource !== "default" && projectSource !== gitSource;
  if (config.projectLock && !isProjectChosen) throw invalid(unlocked);
  return {
    chosen,
    isDefaultPlace,
    config: {
      ...config,
      ...(projectSource === gitSource && { gitRoot: git?.root }),
      ...(isProjectChosen && { isProjectChosen }),
      dataDir,
      exportDirs: config.exportDirs.map((directory) => absolute(directory, cwd)),
      transcriptRoots: config.transcriptRoots.map((directory) => absolute(directory, cwd)),
      captureExclude: config.captureExclude.map((directory) => absolute(directory, cwd)),
      codexHome: absolute(config.codexHome, cwd),
      claudeHome: absolute(config.claudeHome, cwd),
      geminiHome: absolute(config.geminiHome, cwd),
      qwenHome: absolute(config.qwenHome, cwd),
      copilotHome: absolute(config.copilotHome, cwd),
      opencodeData: absolute(config.opencodeData, cwd),
      event: { ...config.event, file: absolute(config.event.file, dataDir) },
    },
  };
}

const unlocked =
  "THOUGHTBOX_PROJECT_LOCK is set, but no project is. Set THOUGHTBOX_PROJECT to the project to lock to.";

function expandHome(path: string, home: string): string {
  return /^~(?:$|[\\/])/.test(path) ? home + path.slice(1) : path;
}

function choose<Value>(setting: Named<Value>, layers: readonly Layer[]): { value: Value; source: string } {
  for (const layer of layers) {
    const found = layer(setting);
    if (!found) continue;
    const parsed = setting.schema.safeParse(found.value);
    if (parsed.success) return { value: parsed.data, source: found.source };
    const shown = setting.secret ? "not usable" : quote(maskForExport(asText(found.value)));
    throw invalid(`${found.source} is ${shown}. It must be ${parsed.error.issues[0]?.message}.`);
  }
  return { value: setting.default, source: "default" };
}

/** Reads variables. Treats a blank one as unset, because container files and shells disable them that way. */
function environmentLayer(env: Environment = {}): Layer {
  return ({ variable, alias }) => {
    for (const name of [variable, alias]) {
      const value = name && env[name]?.trim();
      if (value) return { value, source: name };
    }
    return undefined;
  };
}

function storedLayer(stored: StoredConfig = {}, nameOf: (key: string) => string): Layer {
  return ({ key }) => {
    const value = lookUp(stored, key);
    return value === undefined ? undefined : { value, source: nameOf(key) };
  };
}

/** Ignores guarded settings if someone else prepared the data directory, because they could weaken security. */
const withoutGuarded =
  (isForeign: boolean, layer: Layer): Layer =>
  (setting) => {
    const found = layer(setting);
    return isForeign && found && isGuarded(setting, found.value) ? undefined : found;
  };

/** True if the setting is guarded for this value. Parses the value first, as the server does. */
function isGuarded({ guarded, schema }: Named<unknown>, value: unknown): boolean {
  if (guarded === undefined || guarded === true) return guarded === true;
  return guarded.includes(schema.safeParse(value).data);
}

function refuseMixedOutput({ transport, event }: Config): void {
  if (transport !== "stdio" || event.output !== "stdout") return;
  throw invalid(
    'THOUGHTBOX_EVENT_OUTPUT is "stdout", which the stdio transport uses for MCP. It must be stderr, file or none.',
  );
}

function nest(entries: readonly (readonly [key: string, value: unknown])[]): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const [name = key, inner] = key.split(".");
    tree[name] = inner === undefined ? value : { ...(tree[name] as object | undefined), [inner]: value };
  }
  return tree;
}

function invalid(message: string): ThoughtboxError {
  return new ThoughtboxError("INVALID_PAYLOAD", message);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
