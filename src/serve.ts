import { join } from "node:path";
import type { Config } from "./config.ts";
import { readDepartures } from "./disk/attendance.ts";
import { noteObservatory } from "./disk/observatory-addresses.ts";
import { createAdmissionPolicy } from "./http/admission/admission-policy.ts";
import { digestToken } from "./http/admission/token.ts";
import { addressOf } from "./http/connection/peer-uid.ts";
import { serveEndpoints } from "./http/serve-endpoints.ts";
import { loadToken } from "./http/token-file.ts";
import type { Clock } from "./kernel/clock.ts";
import type { SecretsPolicy } from "./kernel/secrets/secrets-policy.ts";
import type { OpenStore } from "./open-store.ts";
import { catalogue } from "./operations/catalogue.ts";
import { onlyProject, type Settings } from "./operations/pipeline/context.ts";
import { gatewayName } from "./operations/pipeline/normalise.ts";
import type { Perform } from "./operations/pipeline/perform.ts";
import { describeThrown } from "./operations/pipeline/recoveries.ts";
import { isLocked, isServed, listOpenWorkspaces, ownWorkspace } from "./operations/pipeline/workspace.ts";
import type { Capture } from "./ports/capture.ts";
import type { Content } from "./ports/content.ts";
import type { FeedSubscriber } from "./ports/events.ts";
import type { Repository } from "./ports/repository.ts";

type Served = {
  config: Config;
  version: string;
  store: OpenStore;
  perform: Perform;
  settings: Settings;
  secrets: SecretsPolicy;
  content: Content;
  /**
   * Loads everything that calls need from the package, because the package may be rebuilt or upgraded while the server
   * is running.
   */
  holdPackage(): Promise<unknown>;
  /** Creates a new reader of the feed. */
  follow(): FeedSubscriber;
  observatoryDir: string | undefined;
  /** The command that starts this installation, as separate words. */
  program: readonly string[] | undefined;
  /** Captures the client's transcript of this conversation, if capture is on. */
  followConversation(id: string): void;
  capture: Pick<Capture, "list" | "state">;
  /** The repository that this process was started in. */
  openRepository(): Promise<Repository | undefined>;
  /** The project that the command line uses in the directory that this process was started in. */
  projectHere(): string;
  projectOf(directory: string | undefined): string;
  clock: Clock;
  log: (line: string) => void;
  report: (thrown: unknown) => void;
};

/** The maximum number of workspaces that the page offers in a list. */
const mostWorkspaces = 200;

/** Host names that can lead only to the Observatory, keyed by the address that it listens on. */
const ownNames: Readonly<Record<string, readonly string[]>> = {
  "127.0.0.1": ["127.0.0.1"],
  "0.0.0.0": ["127.0.0.1"],
  "::1": ["[::1]"],
  "::": ["localhost", "127.0.0.1", "[::1]"],
};

/** Creates the long-running servers: MCP and the Observatory. */
export function createDoors(served: Served) {
  const { config, version, store, perform, settings, secrets, content, observatoryDir } = served;
  const { clock, log, report } = served;

  /** Loads the MCP protocol on demand. Embedding programs and commands do not need the protocol. */
  async function openMcp() {
    const [{ createLists }, { createRequestStates }, { createResourceUpdates }] = await Promise.all([
      import("./mcp/lists.ts"),
      import("./mcp/request-state.ts"),
      import("./mcp/resource-updates.ts"),
      served.holdPackage(),
    ]);
    const feed = served.follow();
    const toolChoice = await store.toolVisibility.readChoice();
    return {
      lists: createLists({ catalogue, toolset: config.toolset, toolChoice, content }),
      dependencies: {
        perform,
        content,
        followConversation: served.followConversation,
        states: createRequestStates(store.loadRequestKey),
        updates: createResourceUpdates({ feed, perform, onlyProject: onlyProject(config) }),
      },
    };
  }
  const onError = (thrown: unknown) => log(`thoughtbox: ${describeThrown(thrown)}\n`);
  const tokenFile = config.token === undefined ? join(config.dataDir, "token") : undefined;

  /** Servers that share a store accept the same token: the configured one, or the one that the first server created. */
  async function openToken(): Promise<{ token: string; tokenDigest: Buffer }> {
    const token = await loadToken({ dataDir: config.dataDir, configured: config.token });
    const own = digestToken(token);
    if (config.token !== undefined || !store.shareTokenDigest) return { token, tokenDigest: own };
    try {
      const shared = Buffer.from(await store.shareTokenDigest(own.toString("hex")), "hex");
      if (!shared.equals(own))
        log(
          `thoughtbox: the token in ${tokenFile} is not accepted, because another server for this store created its token first. Set THOUGHTBOX_TOKEN to that token on all servers.\n`,
        );
      return { token, tokenDigest: shared };
    } catch (thrown) {
      log(
        `thoughtbox: only the token in ${tokenFile} is accepted until this server is restarted: ${describeThrown(thrown)}\n`,
      );
      return { token, tokenDigest: own };
    }
  }

  let observatoryPort: number | undefined;

  async function serveHttp() {
    store.refuseUnusable();
    const { auth, port, host, allowedHosts, allowedOrigins } = config;
    const { token, tokenDigest } = await openToken();
    const [{ createMcpEndpoint }, { createServerFactory }, { createOperatingEndpoint }] = await Promise.all([
      import("./mcp/http/mcp-endpoint.ts"),
      import("./mcp/server.ts"),
      import("./http/operating-endpoint.ts"),
    ]);
    const { lists, dependencies: served } = await openMcp();
    const operating = createOperatingEndpoint({ version, check: store.check, figures: store.readFigures });
    const dependencies = {
      ...served,
      perform: ((name, args, call) =>
        operating.measure(nameOperation(name, args), () => perform(name, args, call))) as Perform,
    };
    const factory = createServerFactory({
      version,
      transport: "http",
      lists,
      dependencies: async () => dependencies,
    });
    const service = await serveEndpoints({
      endpoints: [
        createMcpEndpoint({
          factory,
          clock,
          updates: dependencies.updates,
          observatoryPort: () => observatoryPort,
          onError,
          connections: store.connections,
        }),
        operating.endpoint,
      ],
      policy: createAdmissionPolicy({ auth, token, tokenDigest, allowedHosts, allowedOrigins, uiOrigins }),
      port,
      host,
      clock,
      onError,
    });
    return { ...service, auth, tokenFile, project: config.project };
  }

  /**
   * Returns the origins at which only the Observatory can serve pages while it has the port. On other
   * addresses, another user can serve pages at the same port.
   */
  const uiOrigins = () =>
    observatoryPort === undefined
      ? []
      : (ownNames[config.host] ?? []).map((name) => `http://${name}:${observatoryPort}`);

  /** Returns the repository's project if calls may use its workspace, and the configured project if not. */
  const projectHere = () => {
    const project = served.projectHere();
    return isServed(settings, ownWorkspace(settings, { project })) ? project : config.project;
  };

  /** `mcpPort` is the port on which this process serves MCP. Rejects if the Observatory's port is taken. */
  async function serveObservatory({ mcpPort }: { mcpPort?: number } = {}) {
    store.refuseUnusable();
    const { auth, host, allowedHosts, allowedOrigins, observatory } = config;
    const { token, tokenDigest } = await openToken();
    const { createObservatoryEndpoint } = await import("./observatory/observatory-endpoint.ts");
    const readers = observatory.httpApi ? observatory.cors.filter((origin) => origin !== "*") : [];
    const policy = createAdmissionPolicy({
      auth,
      token,
      tokenDigest,
      allowedHosts,
      allowedOrigins: [...allowedOrigins, ...readers],
      hasPages: true,
    });
    const endpoint = createObservatoryEndpoint({
      perform,
      ledger: store.ledger,
      memory: store.memory,
      remarks: store.remarks,
      actions: store.actions,
      openRepository: served.openRepository,
      projectHere: projectHere(),
      capture: served.capture,
      readDepartures: () => (store.lasts ? readDepartures(config.dataDir, clock().getTime()) : new Map()),
      listWorkspaces: (own) => listOpenWorkspaces({ memory: store.memory, settings }, own, mostWorkspaces),
      notebooks: store.notebooks,
      feed: store.feed,
      follow: served.follow(),
      directory: observatoryDir ?? "",
      version,
      identifyStore: store.identify,
      program: served.program,
      mcpUrl:
        mcpPort === undefined || auth === "token" ? undefined : `${addressOf({ host, port: mcpPort })}/mcp`,
      settings: {
        project: config.project,
        projectLock: config.projectLock,
        workspaces: isLocked(config) ? [] : config.workspaceAllow,
        secrets,
        maxConnections: observatory.maxConnections,
        httpApi: observatory.httpApi,
      },
      clock,
      report,
    });
    const { port } = observatory;
    const service = await serveEndpoints({
      endpoints: [endpoint],
      policy,
      port,
      host,
      clock,
      onError,
    });
    observatoryPort = service.port;
    const forget =
      config.storage === "memory"
        ? () => {}
        : noteObservatory(config.dataDir, addressOf({ host, port: service.port }));
    const stop = (graceMs?: number) => {
      observatoryPort = undefined;
      forget();
      return service.stop(graceMs);
    };
    return { ...service, stop, auth, token, tokenFile };
  }

  /** Does nothing for a store in RAM, which has no directory for the socket. */
  async function serveHooks() {
    if (!store.lasts) return { stop: async () => {} };
    const [{ serveHooks: listen }, { createHookDoor }] = await Promise.all([
      import("./hook/hook-server.ts"),
      import("./hook/answer-hook.ts"),
    ]);
    const door = createHookDoor({ perform, projectOf: served.projectOf, report });
    const service = await listen({
      dataDir: config.dataDir,
      answer: door.answer,
      report,
      onQuiet: door.warmUp,
    });
    return {
      async stop() {
        await service.stop();
        await door.settle();
      },
    };
  }

  return { openMcp, serveHttp, serveObservatory, serveHooks };
}

const operationNames = new Set(catalogue.map(({ name }) => name));

/**
 * Returns the operation's name in metrics. All unknown names are counted under one name, because callers choose them.
 */
function nameOperation(name: string, args: unknown): string {
  if (operationNames.has(name)) return name;
  const { operation } = (args ?? {}) as { operation?: unknown };
  return name === gatewayName && typeof operation === "string" && operationNames.has(operation)
    ? operation
    : "other";
}
