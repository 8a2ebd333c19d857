import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCellRunner } from "../../src/runner/cell-runner.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { ratioOf } from "../measure/samples.ts";
import type { Row } from "../row.ts";

export const cellStart: Row = {
  id: "cell-start",
  about: "a notebook cell that does nothing, in the strongest available sandbox, against bare Node.js",

  async run(bench) {
    const root = bench.stores.freshDirectory();
    const notebookId = randomUUID();
    mkdirSync(join(root, notebookId), { mode: 0o700 });
    const runner = createCellRunner({
      root: async () => root,
      programFolder: join(process.cwd(), "sandbox"),
      choice: "auto",
    });
    const { level } = await runner.sandbox();
    const run = async (filename: string) => {
      const began = performance.now();
      const request = { notebookId, entry: filename, net: false, timeoutMs: 30_000 };
      const { status, error } = await runner.run(
        { ...request, files: [{ filename, source: "0" }] },
        { signal: new AbortController().signal, progress: () => {} },
      );
      if (status === "failed") throw new Error(error);
      return [performance.now() - began];
    };
    await run("warm.ts");
    const { bare, typescript, javascript } = await interleave(bench.times(40), {
      bare: async () => {
        const began = performance.now();
        await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "close");
        return [performance.now() - began];
      },
      typescript: () => run("cell.ts"),
      javascript: () => run("cell.js"),
    });
    await runner.close();
    const line = (language: string, ours: typeof bare) => {
      const ratio = ratioOf(ours, bare);
      return {
        id: `cell-start.${language.toLowerCase()}`,
        what: `an empty ${language} cell, sandbox ${level}`,
        ours: milliseconds(ours),
        against: { name: "node -e 0", figure: milliseconds(bare) },
        ratio,
        goal: atMost(2, ratio),
      };
    };
    return [line("TypeScript", typescript), line("JavaScript", javascript)];
  },
};
