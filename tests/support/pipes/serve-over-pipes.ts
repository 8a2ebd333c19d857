import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config.ts";
import { openEarlyStdio } from "../../../src/mcp/stdio/serve-stdio.ts";
import { nowhere } from "../server-process.ts";

const version = "0.0.0-test";
const contentDir = join(import.meta.dirname, "..", "..", "..", "content");

/** Runs `thoughtbox stdio` in this process. A client writes lines to `input` and reads them from `output`. */
export function serveOverPipes(dataDir: string, env: Record<string, string> = {}) {
  const settings = { DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir, ...env };
  const config = readConfig({ env: settings, cwd: nowhere, fromGit: true });
  const app = createApp({ config, version, contentDir, log: () => {}, workingDirectory: nowhere });
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const early = openEarlyStdio({
    version,
    built: undefined,
    loadProgram: async () => app,
    onError: () => {},
    streams,
  });
  const served = early.serveStdio(new AbortController().signal);
  return {
    ...streams,
    /** Ends like a client that disconnects. */
    async end(): Promise<void> {
      streams.input.end();
      await served;
      early.stopLoading();
      await app.close();
    },
  };
}
