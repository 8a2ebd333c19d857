import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestRunner } from "../test-runner.testing.ts";
import { type Attack, said } from "./attack.testing.ts";

const notStopped: Attack["gotThrough"] = (_target, _output, { result }) => result.stoppedBy === undefined;

const mebibyte = 1024 * 1024;

/** Measures how much disk space the notebook's files take after the run. */
function kept({ files }: TestRunner): { bytes: number; entries: number } {
  const names = readdirSync(files, { recursive: true, encoding: "utf8" });
  const sizes = names.map((name) => statSync(join(files, name), { throwIfNoEntry: false })?.size ?? 0);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), entries: names.length };
}

export const exhaustingAttacks: readonly Attack[] = [
  {
    name: "run forever",
    program: () => "for (;;);",
    timeoutMs: 400,
    gotThrough: notStopped,
    alone: true,
  },
  {
    name: "wait forever",
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
    name: "fill memory outside the heap",
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
    name: "fill memory with WebAssembly",
    program: () => `
      const kept = [];
      for (let i = 0; i < 24; i += 1) {
        const memory = new WebAssembly.Memory({ initial: 1024, maximum: 1024 });
        new Uint8Array(memory.buffer).fill(1);
        kept.push(memory);
      }
      console.log("got it");`,
    gotThrough: said("got it"),
    alone: true,
  },
  {
    name: "fill memory shared between threads",
    program: () => `
      const kept = [];
      for (let i = 0; i < 24; i += 1) kept.push(new Uint8Array(new SharedArrayBuffer(64 * 1024 * 1024)).fill(1));
      console.log("got it");`,
    gotThrough: said("got it"),
    alone: true,
  },
  {
    name: "run forever and ignore the signal to stop",
    program: () => `
      for (const signal of ["SIGXCPU", "SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
      process.on("uncaughtException", () => {});
      const again = () => { for (const end = Date.now() + 50; Date.now() < end; ); setImmediate(again); };
      again();`,
    timeoutMs: 600,
    gotThrough: notStopped,
    alone: true,
  },
  {
    name: "run forever while its result is printed",
    program: () => `({ [Symbol.for("nodejs.util.inspect.custom")]() { for (;;); } })`,
    timeoutMs: 600,
    gotThrough: notStopped,
    alone: true,
  },
  {
    name: "write errors without limit",
    program: () => `
      import fs from "node:fs";
      const part = "x".repeat(65536);
      for (const descriptor of [2, 3])
        for (let i = 0; i < 2048; i += 1) try { fs.writeSync(descriptor, part); } catch {}
      throw new Error(part.repeat(20));`,
    gotThrough: (_target, _output, { result: { output, error } }) =>
      output.length + (error?.length ?? 0) > 2 * mebibyte,
    alone: true,
  },
  {
    name: "leave sparse files",
    program: () => `
      import fs from "node:fs";
      for (let i = 0; i < 9000; i += 1) {
        const file = fs.openSync("sparse" + i, "w");
        fs.ftruncateSync(file, 60 * 1024 * 1024);
        fs.closeSync(file);
      }`,
    gotThrough: (_target, _output, { test }) => kept(test).bytes > 512 * mebibyte,
    alone: true,
  },
  {
    name: "leave folders that are too deep to remove",
    program: () => `
      import fs from "node:fs";
      fs.rmSync("main.ts");
      fs.mkdirSync("main.ts");
      process.chdir("main.ts");
      for (let i = 0; i < 300; i += 1) {
        try { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); } catch { break; }
      }
      console.log("dug");`,
    async gotThrough(_target, _output, { test }) {
      const { status } = await test.run("6 * 7");
      return status !== "completed";
    },
    alone: true,
  },
  {
    name: "print without limit",
    program: () => `for (let i = 0; i < 512; i += 1) process.stdout.write("x".repeat(65536));`,
    gotThrough: (_target, _output, { result: { output, truncated } }) =>
      !truncated || output.length > mebibyte + 100,
    alone: true,
  },
  {
    name: "display results without limit",
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
    name: "make a file look extremely large",
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
    name: "fill the disk with many files",
    program: () => `
      import fs from "node:fs";
      for (let i = 0; i < 20_000; i += 1) fs.writeFileSync("f" + i, "");`,
    gotThrough: (_target, _output, { test }) => kept(test).entries > 10_000,
    alone: true,
  },
  {
    name: "fill the kernel's memory with empty files",
    program: () => `
      import fs from "node:fs";
      let made = 0;
      // Without its own mounts, the cell would fill the machine's /tmp.
      for (const folder of process.cwd().startsWith("/notebook") ? [".", "/tmp"] : ["."])
        try {
          for (let i = 0; i < 60_000; i += 1, made += 1) fs.closeSync(fs.openSync(folder + "/inode" + i, "w"));
        } catch {}
      await new Promise((done) => setTimeout(done, 1000));
      if (made > 50_000) console.log("made " + "them");`,
    gotThrough: said("made them"),
    alone: true,
  },
  {
    name: "fill the disk with deleted files that are still open",
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
    name: "fill the disk with its own packages",
    program: () => `
      import fs from "node:fs";
      fs.mkdirSync("node_modules", { recursive: true });
      const block = Buffer.alloc(32 * 1024 * 1024);
      for (let i = 0; i < 12; i += 1) fs.writeFileSync("node_modules/large" + i, block);`,
    gotThrough: (_target, _output, { test }) => kept(test).bytes > 257 * mebibyte,
    alone: true,
  },
  {
    name: "fill the folder of temporary files",
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
