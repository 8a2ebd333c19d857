import { existsSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import installed from "../../scripts/chromium.json" with { type: "json" };
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Caller } from "../../src/operations/pipeline/context.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "..", "..");
const caller: Caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } };

const { places } = installed;
export const chromiumPath = places.find((place) => existsSync(place));
export const chromiumFlags = installed.flags;

/**
 * Runs tests in a browser with its own profile, one browser per file. If chromium is missing, these tests are
 * skipped, with a note on stderr.
 */
export function describeInBrowser(name: string, tests: (open: OpenPage) => void): void {
  if (!chromiumPath) process.stderr.write(`skipped, no chromium at ${places.join(", ")}: ${name}\n`);
  describe.skipIf(!chromiumPath)(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: chromiumPath as string, args: chromiumFlags });
    });
    afterAll(() => browser?.close());
    tests(async (url, options = {}) => {
      const context = await (browser as Browser).newContext({
        viewport: { width: 1440, height: 900 },
        ...options,
      });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (/Content.Security.Policy|Refused to/i.test(message.text())) problems.push(message.text());
      });
      await page.goto(url);
      return Object.assign(page, { problems });
    });
  });
}

/** `problems` contains errors that the page threw and violations of its policy. */
export type OpenedPage = Page & { problems: string[] };
export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<OpenedPage>;

type Options = { dataDir?: string; port?: number; env?: Record<string, string>; workingDirectory?: string };

/** Starts the server as shipped, with the built page, and an agent in the same process. */
export async function openObservatory({ dataDir = tempDir(), port = 0, env = {}, ...more }: Options = {}) {
  const config = readConfig({
    env: {
      HOST: "127.0.0.1",
      DISABLE_THOUGHT_LOGGING: "true",
      THOUGHTBOX_OBSERVATORY_PORT: String(port),
      THOUGHTBOX_DATA_DIR: dataDir,
      ...env,
    },
  });
  const app = createApp({
    config,
    version: "0.0.0-test",
    contentDir: join(root, "content"),
    observatoryDir: join(root, "dist", "observatory"),
    log: () => {},
    ...more,
  });
  const service = await app.serveObservatory();
  let isOpen = true;
  const stop = async () => {
    if (!isOpen) return;
    isOpen = false;
    await service.stop(0);
    await app.close();
  };
  onTestFinished(stop);
  async function call(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const reply = await app.perform(name, args, { caller, anyStage: true });
    if (reply.kind !== "result") throw new Error(`${name} answered ${JSON.stringify(reply)}`);
    return reply.result;
  }
  const url = `http://127.0.0.1:${service.port}`;
  return {
    dataDir,
    port: service.port,
    url,
    stop,
    call,
    capture: app.capture,
    think: (sessionId: string, thought: string, more: Record<string, unknown> = {}) =>
      call("thought", { sessionId, thought, ...more }),
    /** Returns the address of a session's graph. */
    at: (sessionId: string, rest = "") => `${url}/#/s/${sessionId}${rest}`,
  };
}

export type TestObservatory = Awaited<ReturnType<typeof openObservatory>>;

/** Records a session with a branch, a branch of that branch, a dead end, a revision and a conclusion. */
export async function thinkAboutReports({ call, think }: TestObservatory): Promise<string> {
  const { sessionId } = await call("start_new", {
    sessionTitle: "Why is the report late?",
    tags: ["incident"],
  });
  await think(sessionId, "S1|O|The report came at 09:40");
  await think(sessionId, "S2|Q|S1|Since when is it late?");
  await think(sessionId, "S3|H|S2|The join has no index");
  await think(sessionId, "S4|E|S3|The plan shows an index scan", {
    branchFromThought: 3,
    branchId: "slow-query",
  });
  await think(sessionId, "S5|X|S3|Not the query", { branchId: "slow-query" });
  await think(sessionId, "S4|E|S2|Two jobs overlap with the join");
  await think(sessionId, "S5|H|S4|The import holds locks", { branchFromThought: 4, branchId: "lock-wait" });
  await think(sessionId, "S6|E|S5|The join waited three seconds", { branchId: "lock-wait" });
  await think(sessionId, "S5|C|S4|One long transaction is the cause");
  await think(sessionId, "S6|R|^S5|Two causes: the transaction and a cancelled vacuum", {
    revisesThought: 5,
  });
  return sessionId;
}

type Planted = {
  title: string;
  project?: string;
  agent?: string;
  minutesAgo?: number;
  isOpen?: boolean;
  thoughts: string[];
};

/** Imports a session whose thoughts are one second apart. The last thought is `minutesAgo`. */
export async function plant({ call }: TestObservatory, nth: number, planted: Planted): Promise<string> {
  const { title, project = "shop", agent = "claude-code", minutesAgo = nth, isOpen, thoughts } = planted;
  const at = (n: number) =>
    new Date(Date.now() - 60_000 * minutesAgo - 1_000 * (thoughts.length - n)).toISOString();
  const last = at(thoughts.length);
  const session = {
    ...{ id: `00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`, title, project, tags: [] },
    ...{ thoughtCount: thoughts.length, branchCount: 0, createdAt: at(1) },
    ...{ updatedAt: last, lastAccessedAt: last, status: isOpen ? "active" : "completed" },
    ...(!isOpen && { completedAt: last }),
  };
  const nodes = thoughts.map((thought, n) => ({
    data: {
      ...{ thought, thoughtNumber: n + 1, totalThoughts: thoughts.length, agentId: agent },
      ...{ nextThoughtNeeded: isOpen === true || n + 1 < thoughts.length, timestamp: at(n + 1) },
    },
  }));
  await call("session.import", { content: JSON.stringify({ version: "1.0", session, nodes }) });
  return session.id;
}

/** Serious and critical findings by axe, as short sentences. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
  }>("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id} ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}
