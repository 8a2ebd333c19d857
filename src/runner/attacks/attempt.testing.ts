import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunResult } from "../../ports/notebook/cell-runner.ts";
import { removeTree } from "../process/cell-directory.ts";
import type { TestRunner } from "../test-runner.testing.ts";
import type { Attack, Target } from "./attack.testing.ts";

type Attempted = { attack: Attack; gotThrough: boolean; output: string; result: RunResult };

const heeded = ["SIGUSR1", "SIGUSR2", "SIGWINCH"] as const;
const mark = "\n@@@\n";

/** Runs all these attacks in one process, one after the other, and checks what each of them changed. */
export async function attempt(attacks: readonly Attack[], test: TestRunner): Promise<Attempted[]> {
  const room = mkdtempSync(join(tmpdir(), "thoughtbox-target-"));
  const secret = randomUUID();
  process.env["THOUGHTBOX_TEST_SECRET"] = secret;
  mkdirSync(join(test.directory, "node_modules"), { recursive: true });
  const signals: string[] = [];
  const heard = (signal: string) => signals.push(signal);
  for (const signal of heeded) process.on(signal, heard);
  const targets = await Promise.all(
    attacks.map(async (attack, at) => ({
      attack,
      ...(await openTarget(join(room, String(at)), secret, signals, test)),
    })),
  );
  try {
    const programs = targets.map(({ target, attack }) => attack.program(target));
    const result = await test.run(attacks[0]?.alone ? (programs[0] ?? "") : inTurn(programs), {
      timeoutMs: attacks[0]?.timeoutMs ?? 20_000,
    });
    const outputs = attacks[0]?.alone ? [result.output] : result.output.split(mark).slice(1);
    const attempted: Attempted[] = [];
    for (const [at, { target, attack }] of targets.entries()) {
      const output = outputs[at];
      if (output === undefined) throw new Error(`It ended before its turn: ${attack.name}\n${result.error}`);
      const gotThrough = await attack.gotThrough(target, output, { result, test });
      attempted.push({ attack, gotThrough, output, result });
    }
    return attempted;
  } finally {
    Reflect.deleteProperty(process.env, "THOUGHTBOX_TEST_SECRET");
    for (const signal of heeded) process.off(signal, heard);
    for (const { close } of targets) close();
    for (const name of readdirSync(test.directory)) await removeTree(join(test.directory, name));
    rmSync(room, { recursive: true, force: true });
  }
}

/**
 * An attack that never settles does not block the others. Thrown errors are printed, because they may quote what was
 * read.
 */
const inTurn = (programs: readonly string[]): Record<string, string> => ({
  "main.ts": `
process.on("uncaughtException", (thrown) => console.log(String(thrown)));
process.on("unhandledRejection", (thrown) => console.log(String(thrown)));
for (let at = 0; at < ${programs.length}; at += 1) {
  process.stdout.write(${JSON.stringify(mark)});
  const turn = import("./attack-" + at + ".ts").catch((thrown) => console.log(String(thrown)));
  await Promise.race([turn, new Promise((done) => setTimeout(done, 1500))]);
}
process.stdout.write("", () => process.exit());`,
  ...Object.fromEntries(programs.map((program, at) => [`attack-${at}.ts`, program])),
});

async function openTarget(outside: string, secret: string, signals: string[], { files }: TestRunner) {
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), `SECRET=${secret}`, { mode: 0o600 });
  writeFileSync(
    join(outside, "secret.json"),
    JSON.stringify({ secret, version: 3, sources: [], mappings: "" }),
  );
  writeFileSync(join(outside, "secret.mjs"), `export default ${JSON.stringify(secret)};`);
  const target: Target = {
    secret,
    outside,
    files,
    socketPath: join(outside, "socket"),
    abstractName: randomUUID(),
    port: 0,
    datagramPort: 0,
    connections: 0,
    signals,
  };
  const note = () => {
    target.connections += 1;
  };
  const servers: Server[] = [];
  for (const where of [
    { port: 0, host: "127.0.0.1" },
    { path: target.socketPath },
    { path: `\0${target.abstractName}` },
  ]) {
    const server = createServer((socket) => {
      note();
      socket.on("error", () => {}).end();
    });
    servers.push(server);
    await once(server.listen(where), "listening");
    const address = server.address();
    if (typeof address === "object" && address !== null) target.port = address.port;
  }
  const datagrams = createSocket("udp4").on("message", note);
  datagrams.bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  target.datagramPort = datagrams.address().port;
  return {
    target,
    close() {
      for (const server of servers) server.close();
      datagrams.close();
    },
  };
}
