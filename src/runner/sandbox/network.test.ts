import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createTestRunner } from "../test-runner.testing.ts";
import { findProgram } from "./layer.ts";

const hasPasta = (await findProgram("pasta")) !== undefined;
if (!hasPasta) process.stderr.write("notice: cells with a network are not attacked here: pasta is missing\n");

const levels = ["strong", "medium", "basic"] as const;

test.each(levels)("at %s, a cell has no network unless the operator allows it", async (level) => {
  const { run, close } = createTestRunner(level);
  onTestFinished(close);
  await expect(run("1", { net: true })).rejects.toMatchObject({
    code: "SANDBOX_REQUIRED",
    reason: "no_network",
    facts: { reason: undefined },
  });
});

test.runIf(!hasPasta)("refuses a network if pasta is not installed", async () => {
  const { run, close } = createTestRunner("auto", { net: true });
  onTestFinished(close);
  await expect(run("1", { net: true })).rejects.toMatchObject({
    facts: { reason: "pasta is not installed" },
  });
});

test.runIf(hasPasta).each(levels)("at %s, an allowed network does not reach this machine", async (level) => {
  const { run, close } = createTestRunner(level, { net: true });
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {}).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.close();
    await close();
  });
  const { port } = server.address() as AddressInfo;
  const { value, error } = await run(
    `
    import net from "node:net";
    import os from "node:os";
    const ask = (port, host) => new Promise((done) => net.connect({ port, host, timeout: 300 }).on("connect", () => done("connected")).on("error", () => done("refused")).on("timeout", () => done("silent")));
    const hosts = ["127.0.0.1", "::1", "localhost", "0.0.0.0", ...Object.values(os.networkInterfaces()).flat().map(({ address }) => address)];
    for (const host of hosts) if ((await ask(${port}, host)) === "connected") throw new Error("reached by " + host);
    const own = net.createServer((socket) => socket.end());
    await new Promise((done) => own.listen(0, "127.0.0.1", done));
    const answer = await ask(own.address().port, "127.0.0.1");
    own.close();
    answer`,
    { net: true },
  );
  expect({ connections, value, error }).toEqual({ connections: 0, value: "'connected'", error: undefined });
});
