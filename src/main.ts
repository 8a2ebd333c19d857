import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };
import type { StdioServer, Terminal } from "./cli/host.ts";
import { toScreen } from "./cli/rendering/render-context.ts";
import { runCli } from "./cli/run.ts";
import { openInBrowser, showInPager } from "./cli/screen.ts";
import {
  type Config,
  explainConfig,
  explainUnknown,
  findClientHomes,
  findPager,
  programEnvironment,
  readConfig,
  readConversations,
  refusesColour,
  saveSetting,
  sharedPlace,
} from "./config.ts";
import { isAgreed, mayCapture, readConsent, saveConsent, withAnswer } from "./disk/capture-consent.ts";
import { makeDirectory } from "./disk/make-directory.ts";
import { systemClock } from "./kernel/clock.ts";
import { describeBug } from "./kernel/errors.ts";
import { toLogLine, toTerminal } from "./kernel/text.ts";
import type { BuiltLists } from "./mcp/stdio/serve-stdio.ts";
import { describeThrown } from "./operations/pipeline/recoveries.ts";

const version = packageJson.version;
/** The bundled program is in `dist/`, next to `content/`. */
const here = dirname(fileURLToPath(import.meta.url));
const contentDir = join(here, "..", "content");
const observatoryDir = join(here, "..", "dist", "observatory");
const program = [process.execPath, join(here, "..", "dist", "thoughtbox.js")];
/** How many bytes of log may wait for a reader. Later lines are dropped, so that they do not fill RAM. */
const maxUnreadLog = 1024 * 1024;
const draw = (text: string): void => {
  if (process.stderr.writableLength < maxUnreadLog) process.stderr.write(text);
};
let isJsonLog = false;
const log = (line: string): void => draw(isJsonLog ? toLogLine(line, systemClock()) : toTerminal(line));
const debug = process.argv.includes("--debug");
const colourMark = randomUUID();

/** The first signal asks running work to finish. The second signal ends the process. */
const stopping = new AbortController();
// Closing a terminal sends SIGHUP, on Windows too. Windows has no SIGTERM, and Ctrl+Break is SIGBREAK there.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });
}

// By default, Node would open its inspector. Any process of this user could then run code in the server.
process.on("SIGUSR1", () => {});

/**
 * Loads `app.ts` and everything it imports on demand, because loading takes longer than answering most first requests.
 */
async function openApp(config: Config) {
  // Loads in two steps, because a process with a low limit for open files cannot load everything at once.
  await import("./operations/catalogue.ts");
  const { createApp } = await import("./app.ts");
  const projectOf = (cwd: string | undefined) =>
    cwd === undefined ? config.project : readConfig({ fromGit: true, cwd }).project;
  return createApp({ config, version, contentDir, observatoryDir, program, projectOf, log, debug });
}

/**
 * Serves the lists of tools and prompts before the program is loaded, because a client waits for these lists
 * and usually requests nothing else at first.
 */
async function openStdio(config: Config): Promise<StdioServer> {
  const { openEarlyStdio } = await import("./mcp/stdio/serve-stdio.ts");
  let app: ReturnType<typeof openApp> | undefined;
  let hooks: Promise<{ stop(): Promise<void> }> | undefined;
  const loadApp = () => {
    app ??= openApp(config).then((opened) => {
      opened.attend();
      return opened;
    });
    // Listens for hooks only if capture is on, so nothing is recorded before the owner has been asked.
    if (mayCapture(config.dataDir, config.capture)) hooks ??= app.then((opened) => opened.serveHooks());
    return app;
  };
  const early = openEarlyStdio({
    version,
    built: builtLists(config),
    loadProgram: loadApp,
    conversations: readConversations(),
    onError: (error) => log(`thoughtbox: ${describeThrown(error)}\n`),
  });
  const watching = config.observatory.enabled ? showObservatory(loadApp) : undefined;
  return {
    serve: early.serveStdio,
    async close() {
      early.stopLoading();
      await (await watching)?.stop(0);
      await (await hooks)?.stop();
      await (await app)?.close();
    },
  };
}

/**
 * Runs in the stdio server's process. If another process already uses the port, its Observatory also shows this
 * process's thoughts.
 */
async function showObservatory(loadApp: () => ReturnType<typeof openApp>) {
  try {
    return await (await loadApp()).serveObservatory();
  } catch (thrown) {
    const { code, port } = thrown as NodeJS.ErrnoException & { port?: number };
    const taken = `port ${port} is in use. An Observatory that is running there also shows this server's sessions`;
    log(
      `thoughtbox: ${code === "EADDRINUSE" ? taken : `the Observatory is not shown: ${describeThrown(thrown)}`}\n`,
    );
    return undefined;
  }
}

/** Returns the lists of tools and prompts from the build, or `undefined` if the user customised the tools. */
function builtLists({ storage, dataDir, toolset }: Config): BuiltLists | undefined {
  const lists = join(here, "lists", `${toolset === "full" ? "full" : "daily"}.json`);
  if (storage !== "memory" && existsSync(join(dataDir, "discovery.json"))) return undefined;
  if (!existsSync(lists)) return undefined;
  const { tools, prompts, smaller } = JSON.parse(readFileSync(lists, "utf8"));
  const names: string[] | undefined = smaller?.[toolset];
  return {
    tools: names ? tools.filter(({ name }: { name: string }) => names.includes(name)) : tools,
    prompts,
  };
}

/** Opens the store for a command. The command prints to stdout, so events for stdout go to stderr instead. */
function openStore(settings: Record<string, string> = {}) {
  const config = readConfig({ overrides: settings, fromGit: true });
  const event =
    config.event.output === "stdout" ? { ...config.event, output: "stderr" as const } : config.event;
  // The command prints its own result.
  return openApp({ ...config, event, disableThoughtLogging: true });
}

function warnOfUnknownSettings(): void {
  for (const sentence of explainUnknown()) log(`thoughtbox: ${sentence}\n`);
}

const terminal: Terminal = {
  stop: stopping.signal,
  openServer(settings = {}, defaults = {}) {
    const config = readConfig({ overrides: settings, defaults });
    isJsonLog = config.log === "json";
    warnOfUnknownSettings();
    return openApp(config);
  },
  openStdio(settings) {
    const config = readConfig({ overrides: settings, fromGit: true });
    isJsonLog = config.log === "json";
    warnOfUnknownSettings();
    return openStdio(config);
  },
  openStore,
  async serveLanguage(settings = {}) {
    const { serveLanguage } = await import("./app.ts");
    let app: ReturnType<typeof openApp> | undefined;
    const code = await serveLanguage({
      input: process.stdin,
      output: process.stdout,
      async openPerform() {
        app ??= openStore(settings);
        return (await app).perform;
      },
      version,
      report: (thrown) => log(`thoughtbox: ${describeThrown(thrown)}\n`),
    });
    await (await app)?.close();
    return code;
  },
  settings: (overrides = {}) => explainConfig({ overrides, fromGit: true }),
  async clients(overrides = {}) {
    const { createClients } = await import("./connect/connect-clients.ts");
    const config = readConfig({ overrides });
    return createClients({
      homes: findClientHomes(config),
      dataDir: config.dataDir,
      home: homedir(),
      clock: systemClock,
      launch: {
        node: process.execPath,
        program: join(here, "..", "dist", "thoughtbox.js"),
        hook: join(here, "..", "dist", "hook.js"),
        plugin: join(here, "..", "plugin"),
        dataDir: config.dataDir === readConfig({ env: {} }).dataDir ? undefined : config.dataDir,
        version,
        platform: process.platform,
      },
    });
  },
  async commitHook(overrides = {}) {
    const { createCommitHook } = await import("./git/commit-hook.ts");
    const { dataDir } = readConfig({ overrides });
    const isDefault = dataDir === readConfig({ env: {} }).dataDir;
    const project = overrides["THOUGHTBOX_PROJECT"];
    return createCommitHook({
      environment: programEnvironment(),
      command: [
        ...program,
        "git",
        "trailer",
        ...(isDefault ? [] : ["--data-dir", dataDir]),
        ...(project ? ["--project", project] : []),
      ],
    });
  },
  consent: {
    read(overrides = {}) {
      const config = readConfig({ overrides, fromGit: true });
      const place = sharedPlace(config);
      const known = readConsent(config.dataDir);
      if (place) return isAgreed(known, place) ? "on" : undefined;
      return config.capture ?? known?.capture;
    },
    place: (overrides = {}) => sharedPlace(readConfig({ overrides, fromGit: true })),
    save(capture, overrides = {}) {
      const config = readConfig({ overrides, fromGit: true });
      const answer = { capture, at: systemClock().toISOString() };
      saveConsent(config.dataDir, withAnswer(readConsent(config.dataDir), answer, sharedPlace(config)));
    },
  },
  unknownSettings: () => explainUnknown(),
  get catalogue() {
    return import("./operations/catalogue.ts").then(({ catalogue }) => catalogue);
  },
  version,
  nodeVersion: process.version,
  out: (text) => void process.stdout.write(toScreen(text, colourMark)),
  error: log,
  draw,
  readInput: () => text(process.stdin),
  async confirm(question) {
    const { createInterface } = await import("node:readline/promises");
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await prompt
      .question(toTerminal(question), { signal: stopping.signal })
      .finally(() => prompt.close());
    if (/^y(es)?$/i.test(answer.trim())) return true;
    return /^no?$/i.test(answer.trim()) ? false : undefined;
  },
  inputIsTerminal: process.stdin.isTTY === true,
  errorIsTerminal: process.stderr.isTTY === true,
  columns: process.stdout.columns ?? 80,
  colourMark,
  wantsColour: process.stdout.isTTY === true && !refusesColour(),
  page: process.stdout.isTTY ? (lines) => showInPager(lines, colourMark, findPager()) : undefined,
  browse: openInBrowser,
  saveSetting: (named, value, overrides = {}) => saveSetting(named, value, { overrides }),
  now: () => new Date(),
  directory: process.cwd(),
  get transport() {
    return readConfig().transport;
  },
  async writeFile(path, content) {
    await makeDirectory(dirname(path));
    await writeFile(path, content);
  },
  readFile: (path) => readFile(path, "utf8"),
};

/** Logs a bug. Acknowledged writes are already on disk, so it is safe to end the process. */
process.on("uncaughtException", (error) => {
  log(`thoughtbox: ${describeBug(error, debug)}\n`);
  process.exit(1);
});
process.on("unhandledRejection", (reason) => {
  log(`thoughtbox: ${describeBug(reason, debug)}\n`);
});

try {
  process.umask(0o077);
  const typed = process.argv.slice(2).filter((word) => word !== "--debug");
  process.exitCode = await runCli(terminal, typed);
} catch (thrown) {
  // Expected failures were already reported, so this is a bug.
  log(`thoughtbox: ${describeBug(thrown, debug)}\n`);
  process.exitCode = 1;
}
// Exit once the output is flushed, even if timers or sockets are still open.
process.stdout.write("", () => process.exit());
