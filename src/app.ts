import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { createThoughtLog } from "./events/thought-log.ts";
import { createAdmissionPolicy } from "./http/admission-policy.ts";
import { loadToken } from "./http/token-file.ts";
import { type Clock, systemClock } from "./kernel/clock.ts";
import { serveHttp } from "./mcp/http/serve-http.ts";
import { createServerFactory } from "./mcp/server.ts";
import { serveStdio } from "./mcp/stdio/serve-stdio.ts";
import { catalogue } from "./operations/catalogue.ts";
import { createPerform } from "./operations/perform.ts";
import { createContentFiles } from "./storage/files/content-files.ts";
import { createExportFiles } from "./storage/files/export-files.ts";
import { createSqliteLedger } from "./storage/sqlite/sqlite-ledger.ts";

export type AppOptions = {
  config: Config;
  version: string;
  contentDir: string;
  /** Where the thought log and failures go; never stdout. */
  log: (line: string) => void;
  clock?: Clock;
};

/** The composition root: the only file that knows which adapter stands behind which port. */
export function createApp({ config, version, contentDir, log, clock = systemClock }: AppOptions) {
  const ledger = createSqliteLedger(
    config.storage === "memory" ? { kind: "memory" } : { kind: "directory", path: config.dataDir },
    clock,
  );
  const content = createContentFiles(contentDir);
  const perform = createPerform({
    catalogue,
    ledger,
    content,
    exports: createExportFiles(join(config.dataDir, "exports"), config.exportDirs),
    settings: {
      version,
      project: config.project,
      projectLock: config.projectLock,
      staged: config.disclosure === "staged",
      secrets: config.secrets,
      autoCreateSession: config.autoCreateSession,
      reasoningSessionId: config.reasoningSessionId,
      partitionGranularity: config.sessionPartitionGranularity,
      autoExport: config.storage === "fs",
    },
    clock,
    newId: randomUUID,
    newSalt: () => randomBytes(16).toString("hex"),
    publish: config.disableThoughtLogging ? () => {} : createThoughtLog(log),
    report: (thrown) => log(`thoughtbox: ${thrown instanceof Error ? thrown.stack : String(thrown)}\n`),
  });

  const servers = (transport: "stdio" | "http") =>
    createServerFactory({ perform, catalogue, content, toolset: config.toolset, version, transport });
  const onError = (error: Error) => log(`thoughtbox: ${error.message}\n`);

  return {
    perform,
    catalogue,
    serveStdio: (stop: AbortSignal) => serveStdio(servers("stdio"), stop, onError),
    async serveHttp() {
      const { auth, dataDir, port, host, allowedHosts, allowedOrigins } = config;
      const token = await loadToken({ dataDir, configured: config.token });
      const policy = createAdmissionPolicy({ auth, token, allowedHosts, allowedOrigins });
      const service = await serveHttp({ factory: servers("http"), policy, port, host, clock, onError });
      return { ...service, auth, tokenFile: config.token === undefined ? join(dataDir, "token") : undefined };
    },
    close: () => ledger.close(),
  };
}

export type App = ReturnType<typeof createApp>;
