import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestRunner } from "../test-runner.testing.ts";
import { type Attack, said } from "./attack.testing.ts";

const notStopped: Attack["gotThrough"] = (_target, _output, { result }) => result.stoppedBy === undefined;

const mebibyte = 1024 * 1024;

/** What the files of the notebook take on the disk after the run. */
function kept({ files }: TestRunner): { bytes: number; entries: number } {
  const names = readdirSync(files, { recursive: true, encoding: "utf8" });
  const sizes = names.map((name) => statSync(join(files, name), { throwIfNoEntry: false })?.size ?? 0);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), entries: names.length };
}

export const exhaustingAttacks: readonly Attack[] = [
  {
    name: "run for ever",
    program: () => "for (;;);",
    timeoutMs: 400,
    gotThrough: notStopped,
    alone: true,
  },
  {
    name: "wait for ever",
    program: () => "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    timeoutMs: 400,
    gotThrough: notStopped,
    alone: true,
  },
  {
    name: "fill the heap",
    program: () => "const kept = []; for (;;) kept.push(new Array(1_000_000).fill(kept.length));",
    gotThrough: notStopped,
    alone: true,
  },
  {
    name: "fill the memory outside of the heap",
    program: () => `
      const kept = [];
      while (kept.length < 1536) {
        kept.push(Buffer.alloc(1024 * 1024, 1));
        if (kept.length % 128 === 0) console.log(kept.length);
      }
      console.log("got it");`,
    gotThrough: said("got it"),
    alone: true,
  },
  {
    name: "print without measure",
    program: () => `for (let i = 0; i < 512; i += 1) process.stdout.write("x".repeat(65536));`,
    gotThrough: (_target, _output, { result: { output, truncated } }) =>
      !truncated || output.length > mebibyte + 100,
    alone: true,
  },
  {
    name: "show results without measure",
    program: () => `
      import fs from "node:fs";
      const block = Buffer.from("text/plain 65536\\n" + "x".repeat(65536));
      for (let i = 0; i < 1024; i += 1) fs.writeSync(3, block);`,
    gotThrough: (_target, _output, { result: { displays } }) => displays.length > 20,
    alone: true,
  },
  {
    name: "write a huge file",
    program: () => `
      import fs from "node:fs";
      const file = fs.openSync("huge", "w");
      const block = Buffer.alloc(1024 * 1024);
      for (let i = 0; i < 96; i += 1) fs.writeSync(file, block);`,
    gotThrough: (_target, _output, { test }) => kept(test).bytes > 65 * mebibyte,
    alone: true,
  },
  {
    name: "make a file look endless",
    program: () => `
      import fs from "node:fs";
      fs.writeFileSync("sparse", "");
      fs.truncateSync("sparse", 2 ** 40);`,
    gotThrough: (_target, _output, { test }) => kept(test).bytes > 65 * mebibyte,
  },
  {
    name: "fill the disk with large files",
    program: () => `
      import fs from "node:fs";
      const block = Buffer.alloc(32 * 1024 * 1024);
      for (let i = 0; i < 12; i += 1) fs.writeFileSync("large" + i, block);`,
    gotThrough: (_target, _output, { test }) => kept(test).bytes > 257 * mebibyte,
    alone: true,
  },
  {
    name: "fill the disk with files",
    program: () => `
      import fs from "node:fs";
      for (let i = 0; i < 20_000; i += 1) fs.writeFileSync("f" + i, "");`,
    gotThrough: (_target, _output, { test }) => kept(test).entries > 10_000,
    alone: true,
  },
  {
    name: "fill the disk with files that have no name",
    program: () => `
      import fs from "node:fs";
      const block = Buffer.alloc(32 * 1024 * 1024);
      for (let i = 0; i < 12; i += 1) {
        fs.writeSync(fs.openSync("gone", "w"), block);
        fs.rmSync("gone");
      }
      await new Promise((done) => setTimeout(done, 2000));
      console.log("kept " + "them");`,
    gotThrough: said("kept them"),
    alone: true,
  },
  {
    name: "fill the disk with packages of its own",
    program: () => `
      import fs from "node:fs";
      fs.mkdirSync("node_modules", { recursive: true });
      const block = Buffer.alloc(32 * 1024 * 1024);
      for (let i = 0; i < 12; i += 1) fs.writeFileSync("node_modules/large" + i, block);`,
    gotThrough: (_target, _output, { test }) => kept(test).bytes > 257 * mebibyte,
    alone: true,
  },
  {
    name: "fill the folder for temporary files",
    program: () => `
      import fs from "node:fs";
      const block = Buffer.alloc(16 * 1024 * 1024);
      const made = [];
      try {
        for (let i = 0; i < 6; i += 1) { made.push("/tmp/thoughtbox-attack-" + process.pid + i); fs.writeFileSync(made.at(-1), block); }
        console.log("filled " + "it");
      } finally { for (const path of made) fs.rmSync(path, { force: true }); }`,
    gotThrough: said("filled it"),
  },
];
