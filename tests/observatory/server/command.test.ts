import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HealthAnswer } from "../../../src/observatory/wire.ts";
import { startServe } from "../../support/http-process.ts";
import { binary, cleanEnv, spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openViewer } from "./observatory.testing.ts";

const loopback = { HOST: "127.0.0.1", THOUGHTBOX_OBSERVATORY_PORT: "0" };

/** Starts `thoughtbox observatory`, and returns the address that it prints. */
async function startObservatory(dataDir: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [binary, "observatory"], {
    env: { ...cleanEnv(), ...loopback, THOUGHTBOX_DATA_DIR: dataDir, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const exited = once(child, "close").then(([code]) => code as number);
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(() => [""]),
  ]);
  return { child, exited, stderr: () => stderr, address: String(line) };
}

async function takePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return String((server.address() as { port: number }).port);
}

describe("thoughtbox observatory", () => {
  test("prints an address that opens it, and shows what another server records over stdio", async () => {
    const dataDir = tempDir();
    const { address, child, exited } = await startObservatory(dataDir, { THOUGHTBOX_AUTH: "token" });
    const exchanged = await fetch(address, { redirect: "manual" });
    expect(exchanged.status).toBe(200);
    const cookie = (exchanged.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    const proof = /data-proof="([^"]+)"/.exec(await exchanged.text())?.[1] ?? "";
    const viewer = await openViewer(new URL(address).origin, { cookie, "thoughtbox-page": proof });
    viewer.say({ action: "subscribe", channel: "sessions" });
    await viewer.event("sessions:snapshot");

    const stdio = spawnServer(dataDir, { THOUGHTBOX_DISCLOSURE: "open" });
    await stdio.initialize();
    const call = async (name: string, args: object) =>
      (await stdio.request("tools/call", { name, arguments: args })).result.structuredContent;
    const { sessionId } = await call("thoughtbox_gateway", { operation: "start_new", title: "Beside" });
    expect((await viewer.event("session:started")).data.session).toMatchObject({
      id: sessionId,
      title: "Beside",
    });
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await viewer.event("session:snapshot");
    await call("thought", { sessionId, thought: "seen elsewhere" });
    expect((await viewer.event("thought:added")).data.thought.thought).toBe("seen elsewhere");

    child.kill("SIGTERM");
    expect(await viewer.closed).toBe(1001);
    expect(await exited).toBe(0);
  });

  test("prints an address that works with any token", async () => {
    const token = "a+b/c~d.e_f-g==";
    const { address } = await startObservatory(tempDir(), {
      THOUGHTBOX_AUTH: "token",
      THOUGHTBOX_TOKEN: token,
    });
    expect(new URL(address).searchParams.get("token")).toBe(token);
    expect((await fetch(address, { redirect: "manual" })).status).toBe(200);
  });

  test("reports in one sentence that its port is taken", async () => {
    const port = await takePort();
    const { exited, stderr } = await startObservatory(tempDir(), { THOUGHTBOX_OBSERVATORY_PORT: port });
    expect(await exited).toBe(1);
    expect(stderr()).toBe(
      `thoughtbox: port ${port} is in use. Stop the other program, or choose another port: THOUGHTBOX_OBSERVATORY_PORT=${Number(port) + 1} thoughtbox observatory\n`,
    );
  });
});

describe("if an Observatory is already open", () => {
  const open = async () => {
    const directory = tempDir();
    const { address } = await startObservatory(directory);
    const { origin, port } = new URL(address);
    const sentence = `the Observatory is already open at ${origin}/. To start another: THOUGHTBOX_OBSERVATORY_PORT=${Number(port) + 1} thoughtbox observatory`;
    return { directory, origin, port, sentence };
  };

  test("thoughtbox observatory prints its URL", async () => {
    const { directory, port, sentence } = await open();
    const second = await startObservatory(directory, { THOUGHTBOX_OBSERVATORY_PORT: port });
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toBe(`thoughtbox: ${sentence}\n`);
  });

  test("thoughtbox serve prints its URL too, and starts", async () => {
    const { directory, port, sentence } = await open();
    const env = {
      ...loopback,
      PORT: "0",
      THOUGHTBOX_OBSERVATORY_ENABLED: "",
      THOUGHTBOX_OBSERVATORY_PORT: port,
    };
    const server = startServe(directory, env);
    expect(await server.said(/(the Observatory is already open .+)/)).toBe(sentence);
    expect(server.stderr()).not.toContain("no Observatory");
  });
});

test("thoughtbox open reports that no browser opened, if the program that opens URLs fails", async () => {
  const dataDir = tempDir();
  const { address } = await startObservatory(dataDir);
  const programs = tempDir();
  for (const name of ["xdg-open", "open"])
    writeFileSync(join(programs, name), "#!/bin/sh\nsleep 0.2\nexit 3\n", { mode: 0o755 });
  const PATH = `${programs}:${process.env["PATH"]}`;
  const opening = spawnSync(process.execPath, [binary, "open", "--data-dir", dataDir], {
    env: { ...cleanEnv(), PATH, PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" },
    encoding: "utf8",
    timeout: 20_000,
  });
  expect(opening).toMatchObject({ status: 0, stdout: `${new URL(address).origin}/\n` });
  expect(opening.stderr).toContain("No browser opened");
});

describe("thoughtbox serve", () => {
  const env = { ...loopback, PORT: "0", THOUGHTBOX_OBSERVATORY_ENABLED: "" };

  test.each([
    { enabled: "", says: /in a browser, open (http:\/\/127\.0\.0\.1:\d+\/)/ },
    { enabled: "false", says: /in a browser, run thoughtbox observatory\./ },
  ])("directs a browser at the MCP port to the Observatory: $says", async ({ enabled, says }) => {
    const server = startServe(tempDir(), { ...env, THOUGHTBOX_OBSERVATORY_ENABLED: enabled });
    const mcp = await server.said(/serves MCP at (\S+)/);
    const { error } = (await (await fetch(new URL("/", mcp))).json()) as { error: { message: string } };
    const [, address] = says.exec(error.message) ?? expect.fail(error.message);
    if (address !== undefined) expect(address).toBe(await server.said(/Observatory: (\S+)/));
  });

  test("shows the Observatory too, and prints its URL", async () => {
    const server = startServe(tempDir(), env);
    const address = await server.said(/Observatory: (\S+)/);
    const health = (await (await fetch(`${address}api/health`)).json()) as HealthAnswer;
    expect(health.status).toBe("ok");
    expect(health.mcpUrl).toBe(await server.said(/serves MCP at (\S+)/));
    const version = execFileSync("sh", ["-c", `${health.program?.shell} --version`], { encoding: "utf8" });
    expect(version.trim()).toBe(health.version);
  });

  test("prints a command that prints an address with the token, if the token is required", async () => {
    const server = startServe(tempDir(), { ...env, THOUGHTBOX_AUTH: "token" });
    const line = await server.said(/Observatory: the address printed by (.+)/);
    const address = execFileSync("sh", ["-c", line], { encoding: "utf8" }).trim();
    const { status, headers } = await fetch(address, { redirect: "manual" });
    expect(status).toBe(200);
    expect(headers.get("set-cookie")).toContain("HttpOnly");
    expect(server.stderr()).not.toContain(new URL(address).searchParams.get("token"));
  });

  test("prints a command whose address works with any token", async () => {
    const own = { THOUGHTBOX_AUTH: "token", THOUGHTBOX_TOKEN: "a+b/c~d.e_f-g==" };
    const server = startServe(tempDir(), { ...env, ...own });
    const line = await server.said(/Observatory: the address printed by (.+)/);
    const address = execFileSync("sh", ["-c", line], { encoding: "utf8", env: { ...process.env, ...own } });
    const { status } = await fetch(address.trim(), { redirect: "manual" });
    expect(status).toBe(200);
  });

  test("serves MCP even if the port of the Observatory is taken", async () => {
    const port = await takePort();
    const server = startServe(tempDir(), { ...env, THOUGHTBOX_OBSERVATORY_PORT: port });
    await server.said(/serves MCP at (\S+)/);
    expect(server.stderr()).toContain(`no Observatory: port ${port} is in use.`);
  });

  test("does not start the Observatory if it is switched off", async () => {
    const server = startServe(tempDir(), { ...env, THOUGHTBOX_OBSERVATORY_ENABLED: "false" });
    await server.said(/stop with Ctrl-C/);
    expect(server.stderr()).not.toContain("Observatory: http");
  });
});

describe("thoughtbox stdio", () => {
  const health = (port: string) => fetch(`http://127.0.0.1:${port}/api/health`).then(({ status }) => status);

  test("uses no port by default, and starts the Observatory on request", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const port = String((server.address() as { port: number }).port);
    server.close();
    await once(server, "close");
    const env = { HOST: "127.0.0.1", THOUGHTBOX_OBSERVATORY_PORT: port };
    const quiet = spawnServer(tempDir(), env);
    await quiet.initialize();
    await quiet.request("tools/list");
    await expect(health(port)).rejects.toThrow();

    const dataDir = tempDir();
    const told = { ...env, THOUGHTBOX_OBSERVATORY_ENABLED: "true" };
    const first = spawnServer(dataDir, told);
    await first.initialize();
    await expect.poll(() => health(port).catch(() => 0), { timeout: 20_000 }).toBe(200);
    const second = spawnServer(dataDir, told);
    await second.initialize();
    await expect.poll(() => second.stderr(), { timeout: 20_000 }).toContain(`port ${port} is in use`);
    second.child.stdin.end();
    first.child.stdin.end();
    await Promise.all([first.exited, second.exited]);
  });
});
