import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

const places = ["/usr/sbin", ...(process.env["PATH"] ?? "").split(delimiter)];
const program = places.map((place) => join(place, "pgbouncer")).find((path) => existsSync(path));

/** Whether PgBouncer is installed. If it is not installed, tests that need it are skipped. */
export const hasPgBouncer: boolean = program !== undefined;

/** Starts PgBouncer in transaction mode, where each transaction may run on a different server connection. */
export async function startPgBouncer(databaseUrl: string): Promise<string> {
  const parameters = new URLSearchParams(databaseUrl.split("?")[1] ?? "");
  const [, user = "", database = ""] = /\/\/([^@:/]*)[^/]*\/([^?]*)/.exec(databaseUrl) ?? [];
  const directory = mkdtempSync(join(tmpdir(), "thoughtbox-bouncer-"));
  const port = await freePort();
  const config = join(directory, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=${parameters.get("host")} port=${parameters.get("port")} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  );
  // Like PostgreSQL, PgBouncer refuses to run as root, and only the server's user may enter the socket's
  // directory.
  const { uid, gid } = statSync(parameters.get("host") ?? "/");
  if (process.getuid?.() === 0) chownSync(directory, uid, gid);
  const child = spawn(program ?? "pgbouncer", ["-q", config], {
    stdio: "ignore",
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });
  await expectOpen(port);
  return `postgres://${user}@127.0.0.1:${port}/${database}`;
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

async function expectOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = dial(port, "127.0.0.1");
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.end());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("PgBouncer does not listen");
}
