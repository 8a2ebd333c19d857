import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createCompiler } from "../compile/compile-cells.ts";
import { cellLimits, spareDisk } from "../limits.ts";
import { runCell } from "../run-cell.ts";
import { createBubblewrap } from "../sandbox/bubblewrap.ts";
import { findProgram } from "../sandbox/layer.ts";
import { knownFlags } from "../sandbox/node-flags.ts";
import { createUnshare } from "../sandbox/unshare.ts";
import { createTestRunner, type TestRunner } from "../test-runner.testing.ts";
import { attempt } from "./attempt.testing.ts";
import { reachingAttacks } from "./reaching.testing.ts";
import { readingAttacks } from "./reading.testing.ts";
import { writingAttacks } from "./writing.testing.ts";

const attacks = [...readingAttacks, ...writingAttacks, ...reachingAttacks].filter(({ alone }) => !alone);
const node = process.execPath;
const cell = readFileSync(join(import.meta.dirname, "..", "..", "..", "sandbox", "cell.mjs"), "utf8");
const [bwrap = "", unshare = "", setpriv = ""] = await Promise.all(
  ["bwrap", "unshare", "setpriv"].map(findProgram),
);
const compiler = createCompiler();
afterAll(compiler.close);

/** Only the cell's folder and /tmp accept files. Any other writable mount in memory would have no size limit. */
const writeInMemory = `
  import fs from "node:fs";
  ["/written", "/dev/written"].map((path) => {
    try { fs.writeFileSync(path, "x"); } catch ({ code }) { return code; }
    fs.rmSync(path);
    return "written";
  })`;

test.each(["strong", "medium"] as const)(
  "at %s, the kernel alone protects everything outside, without Node's own checks",
  async (level) => {
    const runner = createTestRunner(level);
    const { level: found, lacking } = await runner.runner.sandbox();
    if (found !== level)
      return void process.stderr.write(`notice: ${level} is not attacked here: ${lacking[0]?.reason}\n`);
    const layer = level === "strong" ? createBubblewrap(bwrap, node) : createUnshare(unshare, setpriv, node);
    const unguarded: TestRunner = {
      ...runner,
      run: (sources, { timeoutMs = 20_000 } = {}) => {
        const named = typeof sources === "string" ? { "main.ts": sources } : sources;
        return runCell(
          {
            notebookId: runner.notebookId,
            files: Object.entries(named).map(([filename, source]) => ({ filename, source })),
            entry: "main.ts",
            net: false,
            timeoutMs,
          },
          { signal: new AbortController().signal, progress: () => {} },
          {
            compiler,
            layer: { ...layer, permissions: false },
            node,
            flags: knownFlags(process.allowedNodeEnvironmentFlags),
            programs: { lockdown: "", cell },
            directory: runner.directory,
            processorSeconds: cellLimits.processorSeconds,
            spareDisk,
            network: undefined,
          },
        );
      },
    };
    const { value } = await unguarded.run(writeInMemory);
    const attempted = await attempt(attacks, unguarded);
    await runner.close();
    expect(value).toBe("[ 'EROFS', 'EROFS' ]");
    const through = attempted.filter(({ gotThrough }) => gotThrough);
    expect(through.filter(({ attack }) => !attack.staysInside).map(({ attack }) => attack.name)).toEqual([]);
    expect(through.length).toBeGreaterThan(5);
  },
);
