import { join } from "node:path";
import { projectOfStores } from "../stores/fill-store.ts";
import type { Command } from "./child.ts";

/** The bundle is in bench/dist. */
const bench = join(import.meta.dirname, "..");
export const root = join(bench, "..");

const rival = (name: string) =>
  join(bench, "node_modules", "@modelcontextprotocol", name, "dist", "index.js");
const binary = join(root, "dist", "thoughtbox.js");

type Env = Record<string, string>;

/**
 * The project in the generated stores. If the project were not set, the current repository would determine
 * it.
 */
const project = { THOUGHTBOX_PROJECT: projectOfStores };

/** Starts every server as its users do, but directly with node: no npx, no shell. */
export const candidates = {
  thoughtbox: (dataDir: string, env: Env = {}): Command => ({
    args: [binary, "stdio"],
    env: { THOUGHTBOX_DATA_DIR: dataDir, ...project, ...env },
  }),
  thoughtboxHttp: (dataDir: string, env: Env = {}): Command => ({
    args: [binary, "serve"],
    env: { THOUGHTBOX_DATA_DIR: dataDir, ...project, HOST: "127.0.0.1", PORT: "0", ...env },
  }),
  storeWriter: (...args: string[]): Command => ({ args: [join(bench, "dist", "store-writer.js"), ...args] }),
  importTranscripts: (program: string): Command => ({ args: [binary, "import", "--from", program] }),
  noop: (): Command => ({ args: [join(bench, "dist", "noop-stdio.js")] }),
  noopHttp: (): Command => ({ args: [join(bench, "dist", "noop-http.js")] }),
  sequentialThinking: (): Command => ({ args: [rival("server-sequential-thinking")] }),
  memory: (file: string): Command => ({ args: [rival("server-memory")], env: { MEMORY_FILE_PATH: file } }),
};
