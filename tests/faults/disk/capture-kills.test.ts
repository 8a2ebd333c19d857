import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { noCompiler } from "../../support/disk/compile-c.ts";
import { compileShim, createDiskShim } from "../../support/disk/disk-shim.ts";
import { remains, writeDiskAfterCut } from "../../support/disk/power-cut.ts";
import { startServe } from "../../support/http-process.ts";
import { enoughTime, gateSeed, times } from "../../support/run/soak.ts";
import { chanceFor, seededRandom } from "../../support/seeded-random.ts";
import { binary, cleanEnv } from "../../support/server-process.ts";
import { lastingStores, type StoreName, storageSettings } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeLine, claudeRoot, clientHomes, writeLines } from "../../support/transcripts.ts";

const kills = 3;

/** Creates a home with a repository, and a store that captures the work in it. */
function prepare(storage: StoreName) {
  const base = tempDir();
  const cwd = join(base, "shop");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  return { base, cwd, ...openStoreBeside(storage, base, join(base, "data")) };
}

/** `base` contains the transcripts, and `dataDir` the captured sessions. */
function openStoreBeside(storage: StoreName, base: string, dataDir: string) {
  const env = {
    ...{ ...storageSettings(storage, dataDir), ...clientHomes(join(base, "data")) },
    ...{ HOME: base, THOUGHTBOX_CAPTURE: "on", HOST: "127.0.0.1", PORT: "0" },
  };
  /** Runs a command in a separate process, which is the only one that uses this home. */
  const start = (...words: string[]) =>
    execFileSync(process.execPath, [binary, ...words], {
      cwd: join(base, "shop"),
      env: { ...cleanEnv(), ...env },
    });
  // A shared database needs consent for each project.
  if (storage === "postgres") start("connect", "--capture=yes");
  const run = async (typed: string) => {
    const done = await runCommand(`thoughtbox ${typed}`, { dataDir, env });
    expect(done.code, `${typed}: ${done.err}`).toBe(0);
    return done.out;
  };
  /** Counts the stored thoughts. */
  const stored = async (): Promise<number> =>
    JSON.parse(await run("ls --json --limit 100")).sessions.reduce(
      (sum: number, { thoughtCount }: { thoughtCount: number }) => sum + thoughtCount,
      0,
    );
  /** Checks everything that was stored, session by session, including its hash chain. */
  async function check(expected: Map<string, string[]>): Promise<void> {
    const { sessions } = JSON.parse(await run("ls --json --limit 100"));
    const found = new Map<string, string[]>();
    for (const { id } of sessions) {
      const { thoughts } = JSON.parse(await run(`show ${id} --json`));
      const texts = thoughts.map(({ thought }: { thought: string }) => thought);
      found.set(texts[0] ?? "", texts);
      expect(JSON.parse(await run(`call session.verify sessionId=${id}`))).toMatchObject({ valid: true });
    }
    expect(found).toEqual(expected);
  }
  return { dataDir, env, start, stored, check };
}

const fileOf = (base: string, n: number): string =>
  join(
    claudeRoot({ dataDir: join(base, "data") }),
    "-shop",
    `cccccccc-0000-4000-8000-${String(n).padStart(12, "0")}.jsonl`,
  );

function linesOf(n: number, count: number, cwd: string): { texts: string[]; lines: object[] } {
  const texts = Array.from({ length: count }, (_, at) => `session ${n}, thought ${at}`);
  const lines = texts.map((text, at) =>
    claudeLine("assistant", `${n}-${at}`, at === 0 ? null : `${n}-${at - 1}`, [{ type: "text", text }], {
      ...{ cwd, sessionId: String(n) },
      /** Like most of a transcript, the tool's result is not stored. */
      toolUseResult: { stdout: "x".repeat(20_000) },
    }),
  );
  return { texts, lines };
}

/** A client that writes in pieces of any length, and may be killed. */
const writer = `
  const fs = require("node:fs");
  const [file, source] = process.argv.slice(1);
  const bytes = fs.readFileSync(source);
  const fd = fs.openSync(file, "a");
  let at = fs.fstatSync(fd).size;
  const step = () => {
    if (at >= bytes.length) return;
    const length = 1 + Math.floor(Math.random() * 30_000);
    at += fs.writeSync(fd, bytes, at, Math.min(length, bytes.length - at));
    setTimeout(step, 1);
  };
  step();
`;

describe.each(lastingStores)("capture on %s", (storage) => {
  test("stores everything once if the server is killed while it catches up", async () => {
    const { base, dataDir, cwd, env, start, stored, check } = prepare(storage);
    const expected = new Map<string, string[]>();
    for (let n = 0; n < 12; n += 1) {
      const { texts, lines } = linesOf(n, 60, cwd);
      writeLines(fileOf(base, n), lines);
      const past = new Date(Date.now() - 3_600_000);
      utimesSync(fileOf(base, n), past, past);
      expected.set(texts[0] ?? "", texts);
    }
    for (let kill = 0; kill < kills; kill += 1) {
      const before = await stored();
      const server = startServe(dataDir, env);
      while ((await stored()) === before && before < 12 * 60) await delay(20);
      server.child.kill("SIGKILL");
      await server.exited;
    }
    start("capture", "--once");
    await check(expected);
  });

  test("stores everything once if the client is killed in a line, and servers stop and start", async () => {
    const { base, dataDir, cwd, env, start, check } = prepare(storage);
    const { upTo } = chanceFor("capture");
    const { texts, lines } = linesOf(1, 80, cwd);
    const source = join(base, "whole.jsonl");
    writeLines(source, lines);
    const file = fileOf(base, 1);
    mkdirSync(dirname(file), { recursive: true });
    startServe(dataDir, env);
    let second = startServe(dataDir, env);
    for (let kill = 0; kill <= kills; kill += 1) {
      const client = spawn(process.execPath, ["-e", writer, file, source], { env: cleanEnv() });
      onTestFinished(() => void client.kill("SIGKILL"));
      const ended = once(client, "exit");
      if (kill < kills) {
        await delay(50 + upTo(100));
        client.kill("SIGKILL");
        second.child.kill("SIGKILL");
        await Promise.all([ended, second.exited]);
        second = startServe(dataDir, env);
      } else await ended;
    }
    expect(readFileSync(file)).toEqual(readFileSync(source));
    start("capture", "--once");
    await check(new Map([[texts[0] ?? "", texts]]));
  });

  test("stores everything once if several processes catch up at the same time", async () => {
    const { base, dataDir, cwd, env, check } = prepare(storage);
    const expected = new Map<string, string[]>();
    for (let n = 0; n < 6; n += 1) {
      const { texts, lines } = linesOf(n, 40, cwd);
      writeLines(fileOf(base, n), lines);
      expected.set(texts[0] ?? "", texts);
    }
    const ends = Array.from({ length: 3 }, () => {
      const child = spawn(process.execPath, [binary, "capture", "--once"], {
        env: { ...cleanEnv(), ...env, THOUGHTBOX_DATA_DIR: dataDir },
        stdio: "ignore",
      });
      return once(child, "exit");
    });
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0]);
    await check(expected);
  });
});

const cuts = times("power cuts of a capture", 4);

test.skipIf(noCompiler)(
  `after ${cuts} power cuts during a capture, the next capture has every thought once`,
  { timeout: enoughTime(cuts, 10_000) },
  async () => {
    const { base, dataDir, cwd, env } = prepare("fs");
    const expected = new Map<string, string[]>();
    for (let n = 0; n < 6; n += 1) {
      const { texts, lines } = linesOf(n, 40, cwd);
      writeLines(fileOf(base, n), lines);
      expected.set(texts[0] ?? "", texts);
    }
    const shim = createDiskShim(compileShim(), dataDir);
    execFileSync(process.execPath, [binary, "capture", "--once"], {
      env: { ...cleanEnv(), ...env, ...shim.envBeforeReboot },
    });
    const calls = shim.calls();
    const random = seededRandom(gateSeed);
    let lost = 0;
    for (let n = 0; n < cuts; n += 1) {
      const after = openStoreBeside("fs", base, join(tempDir(), "data"));
      const cut = Math.floor(calls.length * (0.2 + 0.8 * random()));
      const kind = remains[n % remains.length] ?? "nothing";
      lost += writeDiskAfterCut(after.dataDir, { calls: calls.slice(0, cut), remains: kind, random });
      after.start("capture", "--once");
      await after.check(expected).catch((thrown: Error) => {
        throw new Error(`cut ${n} at call ${cut} of ${calls.length}, ${kind} remains`, { cause: thrown });
      });
    }
    expect(lost, "no cut took anything away").toBeGreaterThan(cuts);
  },
);
