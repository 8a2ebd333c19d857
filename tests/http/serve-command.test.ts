import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { spawnHttpServer, startServe } from "../support/http-process.ts";
import { modernRequest, openLegacySession, post, postModern, request } from "../support/mcp-http.ts";
import { tempDir } from "../support/temp-dir.ts";

const listTools = (url: URL) => postModern(url, 1, "tools/list");

async function listenSomewhere(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

describe("thoughtbox serve", () => {
  test("listens on HOST and PORT", async () => {
    // The port is also taken on another address, so no other process can get it in the meantime.
    const port = await listenSomewhere();
    const { url } = await spawnHttpServer(tempDir(), { HOST: "127.0.0.2", PORT: String(port) });
    expect(url.href).toBe(`http://127.0.0.2:${port}/mcp`);
    expect((await listTools(url)).status).toBe(200);
  });

  test("reports a port in use in one sentence, and exits with 1", async () => {
    const port = await listenSomewhere();
    const server = startServe(tempDir(), { HOST: "127.0.0.1", PORT: String(port) });
    expect(await server.exited).toBe(1);
    expect(server.stderr().trim().split("\n")).toEqual([
      `thoughtbox: port ${port} is in use. Stop the other program, or choose another port: PORT=${port + 1} thoughtbox serve`,
    ]);
  });

  test.each([
    { flaw: "is a symbolic link. Use the real directory", env: {} },
    { flaw: "is a symbolic link. Use the real directory", env: { THOUGHTBOX_TOKEN: "a-token-of-my-own" } },
    { flaw: "is not a directory", env: {} },
  ])("reports in one sentence that its data directory $flaw, and exits with 1", async ({ flaw, env }) => {
    const [real, dataDir] = [join(tempDir(), "real"), join(tempDir(), "data")];
    mkdirSync(real);
    if (flaw.includes("link")) symlinkSync(real, dataDir);
    else writeFileSync(dataDir, "");
    const server = startServe(dataDir, { HOST: "127.0.0.1", PORT: "0", ...env });
    expect(await server.exited).toBe(1);
    expect(server.stderr().trim().split("\n")).toEqual([
      `thoughtbox: The data directory cannot be used: it ${flaw}.`,
      "  Point THOUGHTBOX_DATA_DIR to your own directory.",
    ]);
    expect(existsSync(join(real, "token"))).toBe(false);
  });

  test("creates a token that only its owner can read, and keeps it for the next start", async () => {
    const dataDir = join(tempDir(), "data");
    const first = await spawnHttpServer(dataDir);
    const file = join(dataDir, "token");
    const token = readFileSync(file, "utf8");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(Buffer.from(token.trim(), "base64url")).toHaveLength(32);
    first.child.kill("SIGTERM");
    await first.exited;
    await spawnHttpServer(dataDir);
    expect(readFileSync(file, "utf8")).toBe(token);
  });

  test("never prints the token", async () => {
    const dataDir = tempDir();
    const made = await spawnHttpServer(dataDir);
    expect(made.stderr()).not.toContain(readFileSync(join(dataDir, "token"), "utf8").trim());
    const given = await spawnHttpServer(tempDir(), { THOUGHTBOX_TOKEN: "a-token-of-my-own" });
    expect(given.stderr()).not.toContain("a-token-of-my-own");
  });
});

describe("the start line", () => {
  test("prints the command that connects Claude Code", async () => {
    const { url, stderr } = await spawnHttpServer(tempDir());
    expect(stderr()).toContain(`claude mcp add --transport http thoughtbox ${url.href}`);
  });

  test("prints a command with the token's header if everyone needs it, which runs in a shell", async () => {
    const dataDir = join(tempDir(), "it's a dir");
    const { url, stderr } = await spawnHttpServer(dataDir, { THOUGHTBOX_AUTH: "token" });
    const [, line = ""] = /connect Claude Code: (claude .*)$/m.exec(stderr()) ?? [];
    const { stdout } = spawnSync("sh", ["-c", `claude() { for word; do echo "$word"; done; }; ${line}`], {
      encoding: "utf8",
    });
    const words = stdout.trim().split("\n");
    expect(words).toContain(url.href);
    const [name = "", value = ""] = (words.at(-1) ?? "").split(": ");
    const { body, headers } = modernRequest(1, "tools/list");
    expect((await post(url, body, { ...headers, [name]: value })).status).toBe(200);
    const own = { THOUGHTBOX_AUTH: "token", THOUGHTBOX_TOKEN: "a-token-of-my-own" };
    expect((await spawnHttpServer(tempDir(), own)).stderr()).toContain(
      '--header "Authorization: Bearer $THOUGHTBOX_TOKEN"',
    );
  });

  test("reports that everyone else needs the token in the file", async () => {
    const dataDir = tempDir();
    const { stderr } = await spawnHttpServer(dataDir);
    expect(stderr()).toContain("listening on 127.0.0.1");
    expect(stderr()).toContain(
      `access: your own processes need no token. Everyone else needs the token in ${join(dataDir, "token")}`,
    );
  });

  test("warns if the server listens on all network interfaces", async () => {
    const { url, stderr } = await spawnHttpServer(tempDir(), { HOST: "0.0.0.0" });
    expect(stderr()).toContain(`${url.href} (listening on all network interfaces)`);
  });

  test("reports that everyone needs the token, and requires it", async () => {
    const token = "a-token-of-my-own";
    const { url, stderr } = await spawnHttpServer(tempDir(), {
      THOUGHTBOX_AUTH: "token",
      THOUGHTBOX_TOKEN: token,
    });
    expect(stderr()).toContain("access: everyone needs the token in THOUGHTBOX_TOKEN");
    expect((await listTools(url)).status).toBe(401);
    const { body, headers } = modernRequest(1, "tools/list");
    expect((await post(url, body, { ...headers, Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("warns clearly that no one needs a token", async () => {
    const { url, stderr } = await spawnHttpServer(tempDir(), { THOUGHTBOX_AUTH: "off" });
    expect(stderr()).toContain("access: EVERYONE who can reach this port, without a token");
    expect((await listTools(url)).status).toBe(200);
  });

  test("prints the default project, which new sessions get unless the URL names another", async () => {
    const { url, stderr } = await spawnHttpServer(tempDir(), { THOUGHTBOX_PROJECT: "shop" });
    expect(stderr()).toContain("project: shop by default");
    const named = new URL("?project=My+Kiosk", url);
    const record = { name: "thought", arguments: { thought: "x" } };
    const projects = { name: "session_list", arguments: { project: "*" } };
    const call = async (to: URL, params: Parameters<typeof modernRequest>[2]) => {
      const { body, headers } = modernRequest(1, "tools/call", params);
      return (await post(to, body, headers)).text();
    };
    const callLegacy = async (to: URL, params: object) => {
      const session = await openLegacySession(to);
      return (await post(to, request(2, "tools/call", params), session)).text();
    };
    await call(url, record);
    await call(named, record);
    await callLegacy(named, record);
    await callLegacy(url, record);
    const listed = await call(url, projects);
    expect(listed.match(/My-Kiosk-[0-9a-f]{10}/g)?.length).toBeGreaterThanOrEqual(2);
    expect(listed).toContain("shop");
    expect(listed).not.toContain("_default");
  });
});
