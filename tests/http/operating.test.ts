import { mkdirSync } from "node:fs";
import { request as send } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { startServe } from "../support/http-process.ts";
import { openHttpDoor } from "../support/real-door.ts";
import { databaseUrl, hasPostgres } from "../support/stores/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";

type Answer = { status: number; type: string; body: string };

/** Sends a request like a health probe, with any host name and no token. */
function get(url: URL, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = send(new URL(path, url), { headers }, (res) => {
      let body = "";
      res.setEncoding("utf8");
      res.on("data", (chunk) => (body += chunk));
      res.on("end", () =>
        resolve({ status: res.statusCode ?? 0, type: String(res.headers["content-type"]), body }),
      );
    });
    asked.on("error", reject).end();
  });
}

async function openDoor(env: Record<string, string> = {}) {
  const door = await openHttpDoor(tempDir(), {
    THOUGHTBOX_TOKEN: "t".repeat(43),
    THOUGHTBOX_AUTH: "token",
    ...env,
  });
  onTestFinished(door.close);
  const token = { authorization: `Bearer ${"t".repeat(43)}` };
  return { ...door, token };
}

const sampleOf = (text: string, name: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe("a running server", () => {
  test("answers health probes without a token, under any host name", async () => {
    const { url } = await openDoor();
    const from = { host: "pod-7.internal:8080" };
    expect(await get(url, "/healthz", from)).toMatchObject({ status: 200, body: "ok\n" });
    expect(await get(url, "/readyz", from)).toMatchObject({ status: 200, body: "ready\n" });
  });

  test("shows metrics only with the token", async () => {
    const { url, token } = await openDoor();
    expect(await get(url, "/metrics")).toMatchObject({ status: 401 });
    expect(await get(url, "/metrics", { ...token, host: "pod-7.internal" })).toMatchObject({ status: 421 });
    expect(await get(url, "/metrics", token)).toMatchObject({
      status: 200,
      type: expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    });
  });

  test("counts calls by operation and outcome, and never by a name that a caller made up", async () => {
    const { url, token, connect } = await openHttpDoorWithoutToken();
    const { call } = await connect("modern");
    await call("thought", { thought: "counted" });
    await call("thoughtbox_gateway", { operation: "start_new", title: "by the gateway" });
    await call("read_thoughts", { sessionId: "00000000-0000-4000-8000-000000000000" }).catch(() => {});
    await call("no_such_tool_4711", {}).catch(() => {});
    const { body } = await get(url, "/metrics", token);
    expect(sampleOf(body, 'thoughtbox_calls_total{operation="thought",outcome="ok"}')).toBe(1);
    expect(sampleOf(body, 'thoughtbox_calls_total{operation="start_new",outcome="ok"}')).toBe(1);
    expect(
      sampleOf(body, 'thoughtbox_calls_total{operation="read_thoughts",outcome="SESSION_NOT_FOUND"}'),
    ).toBe(1);
    expect(sampleOf(body, 'thoughtbox_call_seconds_count{operation="thought"}')).toBe(1);
    expect(sampleOf(body, 'thoughtbox_call_seconds_bucket{operation="thought",le="+Inf"}')).toBe(1);
    expect(sampleOf(body, "thoughtbox_calls_in_flight")).toBe(0);
    expect(sampleOf(body, "thoughtbox_commit_queue")).toBe(0);
    expect(sampleOf(body, "thoughtbox_commit_batch_size_count")).toBeGreaterThanOrEqual(2);
    expect(body).not.toContain("4711");
  });

  test("writes only JSON lines to stderr if THOUGHTBOX_LOG is json", async () => {
    const server = startServe(tempDir(), {
      ...{ HOST: "127.0.0.1", PORT: "0", THOUGHTBOX_LOG: "json", THOUGHTBOX_NO_SUCH_SETTING: "1" },
      DISABLE_THOUGHT_LOGGING: "false",
    });
    await server.said(/serves MCP at (\S+)/);
    server.child.kill("SIGTERM");
    await server.exited;
    const lines = server.stderr().trimEnd().split("\n");
    const logged = lines.map((line) => JSON.parse(line) as { time: string; level: string; message: string });
    for (const { time, level, message } of logged) {
      expect(new Date(time).toISOString()).toBe(time);
      expect(["info", "warn"]).toContain(level);
      expect(message.length).toBeGreaterThan(0);
    }
    expect(logged.map(({ message }) => message).join()).toContain("THOUGHTBOX_NO_SUCH_SETTING");
  });

  test("is alive but not ready while its store cannot be used", async () => {
    const dataDir = tempDir();
    const door = await openHttpDoor(dataDir, {});
    onTestFinished(door.close);
    mkdirSync(`${dataDir}/thoughtbox.db`);
    expect(await get(door.url, "/healthz")).toMatchObject({ status: 200 });
    expect(await get(door.url, "/readyz")).toMatchObject({ status: 503, body: "not ready\n" });
  });
});

/** Connects a client with the same uid on this machine, which needs no token. */
async function openHttpDoorWithoutToken() {
  const door = await openHttpDoor(tempDir(), {});
  onTestFinished(door.close);
  return { ...door, token: {} };
}

describe.runIf(hasPostgres)("a server on PostgreSQL", () => {
  test("is ready while the database answers, and has metrics for its pool and the wait for its lock", async () => {
    const shared = {
      THOUGHTBOX_STORAGE: "postgres",
      DATABASE_URL: databaseUrl(),
      THOUGHTBOX_TENANT: "operating",
    };
    const door = await openHttpDoor(tempDir(), shared);
    onTestFinished(door.close);
    expect(await get(door.url, "/readyz")).toMatchObject({ status: 200 });
    const { call } = await door.connect("modern");
    await call("thought", { thought: "shared" });
    const { body } = await get(door.url, "/metrics");
    expect(sampleOf(body, 'thoughtbox_pool_connections{state="max"}')).toBe(10);
    expect(sampleOf(body, "thoughtbox_lock_wait_seconds_total")).toBeGreaterThan(0);
  });

  test("is alive but not ready while the database cannot be reached", async () => {
    const away = "postgres://nobody:secret@127.0.0.1:1/none";
    const door = await openHttpDoor(tempDir(), { THOUGHTBOX_STORAGE: "postgres", DATABASE_URL: away });
    onTestFinished(door.close);
    expect(await get(door.url, "/healthz")).toMatchObject({ status: 200 });
    const ready = await get(door.url, "/readyz");
    expect(ready).toMatchObject({ status: 503 });
    expect(ready.body).not.toContain("secret");
  });
});
