import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createApp } from "../../src/app.ts";
import type { Terminal } from "../../src/cli/host.ts";
import { toScreen } from "../../src/cli/rendering/render-context.ts";
import { runCli } from "../../src/cli/run.ts";
import {
  explainConfig,
  explainUnknown,
  findClientHomes,
  readConfig,
  saveSetting,
  sharedPlace,
} from "../../src/config.ts";
import { createClients } from "../../src/connect/connect-clients.ts";
import { isAgreed, readConsent, saveConsent, withAnswer } from "../../src/disk/capture-consent.ts";
import { createCommitHook } from "../../src/git/commit-hook.ts";
import { toTerminal } from "../../src/kernel/text.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { clientHomes } from "./transcripts.ts";

export type CliOptions = {
  dataDir: string;
  /** The working directory of the command. */
  directory?: string;
  columns?: number;
  coloured?: boolean;
  inputIsTerminal?: boolean;
  errorIsTerminal?: boolean;
  env?: Record<string, string>;
  now?: string;
  nodeVersion?: string;
  input?: string;
  stop?: AbortSignal;
  /** The user's browser. */
  browse?: (address: string) => boolean;
};

export type Outcome = { code: number; out: string; err: string };

const root = join(import.meta.dirname, "..", "..");
const contentDir = join(root, "content");

/** Runs a command in process. Returns its output and exit code. */
export async function runCommand(typed: string | readonly string[], options: CliOptions): Promise<Outcome> {
  const { dataDir, directory = dirname(dataDir), columns = 80, coloured = false, input = "" } = options;
  const said = { out: "", err: "" };
  const colourMark = randomUUID();
  const { variables, words } = typeof typed === "string" ? splitLine(typed) : { variables: {}, words: typed };
  const homes = clientHomes(dataDir);
  const env = { HOST: "127.0.0.1", ...homes, ...options.env, ...variables, THOUGHTBOX_DATA_DIR: dataDir };
  const clock = () => (options.now === undefined ? new Date() : new Date(options.now));
  const sources = (overrides: Record<string, string> = {}, defaults: Record<string, string> = {}) => ({
    ...{ env, overrides, defaults },
    cwd: directory,
  });
  const open = (overrides?: Record<string, string>, defaults?: Record<string, string>) =>
    createApp({
      config: readConfig(sources(overrides, defaults)),
      version: "0.0.0-test",
      contentDir,
      log: (line) => {
        said.err += toTerminal(line);
      },
      clock,
      workingDirectory: directory,
    });
  const terminal: Terminal = {
    openServer: open,
    async openStdio(settings) {
      readConfig(sources(settings));
      throw new Error("stdin and stdout belong to the test");
    },
    serveLanguage: () => Promise.reject(new Error("stdin and stdout belong to the test")),
    openStore: open,
    settings: (overrides) => explainConfig(sources(overrides)),
    clients(overrides) {
      const config = readConfig(sources(overrides));
      const homes = findClientHomes(config, { env, home: dirname(dataDir) }, "linux");
      const launch = {
        node: process.execPath,
        program: join(root, "dist", "thoughtbox.js"),
        hook: join(root, "dist", "hook.js"),
        plugin: join(root, "plugin"),
        dataDir: config.dataDir,
        version: "0.0.0-test",
        platform: "linux",
      } as const;
      return createClients({ homes, launch, dataDir: config.dataDir, home: dirname(dataDir), clock });
    },
    commitHook: () =>
      createCommitHook({
        environment: { PATH: process.env["PATH"] ?? "", HOME: directory },
        command: ["printf", "Thoughtbox-Session: 11111111-2222-4333-8444-555555555555"],
      }),
    consent: {
      place: (overrides) => sharedPlace(readConfig(sources(overrides))),
      read(overrides) {
        const config = readConfig(sources(overrides));
        const place = sharedPlace(config);
        const known = readConsent(config.dataDir, dirname(dataDir));
        if (place) return isAgreed(known, place) ? "on" : undefined;
        return config.capture ?? known?.capture;
      },
      save(capture, overrides) {
        const config = readConfig(sources(overrides));
        const answer = { capture, at: clock().toISOString() };
        const known = readConsent(config.dataDir, dirname(dataDir));
        const given = withAnswer(known, answer, sharedPlace(config));
        saveConsent(config.dataDir, given, dirname(dataDir));
      },
    },
    unknownSettings: () => explainUnknown(sources()),
    catalogue,
    version: "0.0.0-test",
    nodeVersion: options.nodeVersion ?? process.version,
    out: (text) => {
      said.out += toScreen(text, colourMark);
    },
    error: (text) => {
      said.err += toTerminal(text);
    },
    draw: (text) => {
      said.err += text;
    },
    readInput: async () => input,
    async confirm(question) {
      said.err += question;
      return input === "yes" ? true : input === "no" ? false : undefined;
    },
    inputIsTerminal: options.inputIsTerminal ?? true,
    errorIsTerminal: options.errorIsTerminal ?? false,
    columns,
    colourMark,
    wantsColour: coloured,
    page: undefined,
    browse: async (address) => options.browse?.(address) ?? true,
    saveSetting: (named, value, overrides) => saveSetting(named, value, sources(overrides)),
    now: clock,
    directory,
    stop: options.stop ?? new AbortController().signal,
    transport: undefined,
    async writeFile(path, content) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
    readFile: (path) => readFile(path, "utf8"),
  };
  const code = await runCli(terminal, words);
  return { code, ...said };
}

/**
 * Splits a line like a shell, without `thoughtbox`. Returns separately the variables that are set before the
 * command.
 */
export function splitLine(line: string): { variables: Record<string, string>; words: string[] } {
  const words = [...line.matchAll(/(?:'([^']*)'|"([^"]*)"|([^\s'"]+))+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""),
  );
  const variables: Record<string, string> = {};
  while (/^[A-Z_]+=/.test(words[0] ?? "")) {
    const [name = "", ...value] = (words.shift() ?? "").split("=");
    variables[name] = value.join("=");
  }
  return { variables, words: words[0] === "thoughtbox" ? words.slice(1) : words };
}
