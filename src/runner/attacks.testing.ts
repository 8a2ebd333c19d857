import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunResult } from "../ports/notebook/cell-runner.ts";
import type { TestRunner } from "./test-runner.testing.ts";

/** The world outside of a cell, with something in it that a cell should not reach. */
type Target = {
  secret: string;
  outside: string;
  socketPath: string;
  port: number;
  connections: number;
  signals: string[];
};

type Attack = {
  name: string;
  /** A program, given what it is after. */
  program(target: Target): string;
  /** Whether it got what it was after, seen from outside. */
  gotThrough(target: Target, result: RunResult, test: TestRunner): boolean | Promise<boolean>;
  timeoutMs?: number;
};

const json = JSON.stringify;
const secretShown = ({ secret }: Target, { output }: RunResult) => output.includes(secret);

export const attacks: readonly Attack[] = [
  {
    name: "read a file outside",
    program: ({ outside }) =>
      `import fs from "node:fs"; console.log(fs.readFileSync(${json(join(outside, "secret"))}, "utf8"));`,
    gotThrough: secretShown,
  },
  {
    name: "read the server's environment",
    program: () => `
      import fs from "node:fs";
      console.log(process.env);
      for (const pid of [process.ppid, 1, ${process.pid}])
        try { console.log(fs.readFileSync(\`/proc/\${pid}/environ\`, "utf8")); } catch {}`,
    gotThrough: (target, result) => secretShown(target, result) || result.output.includes(ownVariable()),
  },
  {
    name: "write a file outside",
    program: ({ outside }) =>
      `import fs from "node:fs"; fs.writeFileSync(${json(join(outside, "written"))}, "x");`,
    gotThrough: ({ outside }) => existsSync(join(outside, "written")),
  },
  {
    name: "read through a link it planted",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.symlinkSync(${json(outside)}, "link");
      console.log(fs.readFileSync("link/secret", "utf8"));`,
    gotThrough: secretShown,
  },
  {
    name: "have the server write through a link it planted",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.symlinkSync(${json(join(outside, "planted"))}, "neighbour.ts");`,
    async gotThrough({ outside }, _result, { run }) {
      await run({ "main.ts": "1", "neighbour.ts": "2" });
      return existsSync(join(outside, "planted"));
    },
  },
  {
    name: "start a program",
    program: () => `
      import { execFileSync } from "node:child_process";
      console.log(execFileSync("/bin/sh", ["-c", "echo start''ed"], { encoding: "utf8" }));`,
    gotThrough: (_target, { output }) => output.includes("started"),
  },
  {
    name: "start processes that outlive it",
    program: ({ secret }) => `
      import { spawn } from "node:child_process";
      for (let i = 0; i < 8; i += 1)
        spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)", ${json(secret)}], { detached: true, stdio: "ignore" }).unref();`,
    gotThrough: ({ secret }) => killAll(secret) > 0,
  },
  {
    // Doubles five times and stops: where nothing holds it, this machine is wanted afterwards.
    name: "start programs that start programs (fork bomb)",
    program: () => `
      import { spawnSync } from "node:child_process";
      const bomb = "b() { echo forked; [ $1 -eq 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & wait; }; }; b 5";
      console.log(spawnSync("/bin/sh", ["-c", bomb], { encoding: "utf8" }).stdout);`,
    gotThrough: (_target, { output }) => output.split("forked").length > 32,
  },
  {
    name: "connect to a port of this machine",
    program: ({ port }) => `
      import net from "node:net";
      await new Promise((done) => net.connect(${port}, "127.0.0.1").on("connect", done).on("error", done));
      process.exit();`,
    gotThrough: ({ connections }) => connections > 0,
  },
  {
    name: "connect to a socket in the file system",
    program: ({ socketPath }) => `
      import net from "node:net";
      await new Promise((done) => net.connect(${json(socketPath)}).on("connect", done).on("error", done));
      process.exit();`,
    gotThrough: ({ connections }) => connections > 0,
  },
  {
    name: "signal the server",
    program: () => `process.kill(${process.pid}, "SIGUSR2");`,
    gotThrough: ({ signals }) => signals.includes("SIGUSR2"),
  },
  {
    name: "open the server's inspector (SIGUSR1)",
    program: () => `process.kill(${process.pid}, "SIGUSR1"); process._debugProcess?.(${process.pid});`,
    async gotThrough() {
      const { url } = await import("node:inspector");
      return url() !== undefined;
    },
  },
  {
    name: "run for ever",
    program: () => "for (;;);",
    timeoutMs: 400,
    gotThrough: (_target, { stoppedBy }) => stoppedBy === undefined,
  },
  {
    name: "fill the heap",
    program: () => "const kept = []; for (;;) kept.push(new Array(1_000_000).fill(kept.length));",
    gotThrough: (_target, { stoppedBy }) => stoppedBy === undefined,
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
    gotThrough: (_target, { output }) => output.includes("got it"),
  },
  {
    name: "print without measure",
    program: () => `for (let i = 0; i < 512; i += 1) process.stdout.write("x".repeat(65536));`,
    gotThrough: (_target, { output, truncated }) => !truncated || output.length > 1024 * 1024 + 100,
  },
  {
    name: "write a huge file",
    program: () => `
      import fs from "node:fs";
      const file = fs.openSync("huge", "w");
      const block = Buffer.alloc(1024 * 1024);
      for (let i = 0; i < 96; i += 1) fs.writeSync(file, block);`,
    gotThrough: (_target, _result, { directory }) => sizeOf(join(directory, "huge")) > 64 * 1024 * 1024,
  },
  {
    name: "fill the disk with files",
    program: () => `
      import fs from "node:fs";
      for (let i = 0; i < 100_000; i += 1) fs.writeFileSync("f" + i, "");`,
    gotThrough: (_target, { stoppedBy }) => stoppedBy === undefined,
  },
];

/** A variable that this process was started with. */
function ownVariable(): string {
  const variables = readFileSync("/proc/self/environ", "utf8").split("\0");
  return variables.find((variable) => variable.startsWith("PATH=")) ?? "PATH=";
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Ends every process that carries this word on its command line, and says how many there were. */
function killAll(word: string): number {
  const found = readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
  for (const pid of found) process.kill(Number(pid), "SIGKILL");
  return found.length;
}

export async function attempt(
  attack: Attack,
  test: TestRunner,
): Promise<{ gotThrough: boolean; result: RunResult }> {
  const outside = mkdtempSync(join(tmpdir(), "thoughtbox-target-"));
  const target: Target = {
    secret: randomUUID(),
    outside,
    socketPath: join(outside, "socket"),
    port: 0,
    connections: 0,
    signals: [],
  };
  const servers: Server[] = [];
  for (const where of [{ port: 0, host: "127.0.0.1" }, { path: target.socketPath }]) {
    const server = createServer((socket) => {
      target.connections += 1;
      socket.on("error", () => {}).end();
    });
    servers.push(server);
    await once(server.listen(where), "listening");
    const address = server.address();
    if (typeof address === "object" && address !== null) target.port = address.port;
  }
  const heard = (signal: string) => target.signals.push(signal);
  process.on("SIGUSR2", heard).on("SIGUSR1", heard);
  writeFileSync(join(outside, "secret"), target.secret);
  process.env["THOUGHTBOX_TEST_SECRET"] = target.secret;
  try {
    const result = await test.run(attack.program(target), { timeoutMs: attack.timeoutMs ?? 15_000 });
    return { gotThrough: await attack.gotThrough(target, result, test), result };
  } finally {
    Reflect.deleteProperty(process.env, "THOUGHTBOX_TEST_SECRET");
    process.off("SIGUSR2", heard).off("SIGUSR1", heard);
    for (const server of servers) server.close();
    for (const name of readdirSync(test.directory)) rmSync(join(test.directory, name), { recursive: true });
    rmSync(outside, { recursive: true, force: true });
  }
}
