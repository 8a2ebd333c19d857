// Starts a separate PostgreSQL for one test run, in a scratch directory. The server listens on a socket in
// that directory and on a loopback port that requires a password. If this script runs as root, the server
// runs as another user, because PostgreSQL refuses root. The server stops when the process that started it
// ends, whatever the reason.
//   node scripts/postgres-server.mjs start <directory> <pid> [durable]
//   node scripts/postgres-server.mjs standby <directory> <directory of the primary>
//   node scripts/postgres-server.mjs crash | resume | promote | guard <directory> [pid]
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const debian = "/usr/lib/postgresql";

/** Finds the directory with `initdb` and `postgres`: the newest Debian package, one on the path, or none. */
export function findPostgres(env = process.env) {
  const packaged = existsSync(debian) ? readdirSync(debian).sort((one, other) => other - one) : [];
  const places = [
    ...packaged.map((version) => join(debian, version, "bin")),
    ...(env.PATH ?? "").split(delimiter),
  ];
  return places.find((place) =>
    ["initdb", "pg_ctl", "postgres"].every((name) => existsSync(join(place, name))),
  );
}

/** Finds the user to run as: the current one, unless it is root. */
function findUser() {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const [, , uid, gid] =
    users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody") ?? [];
  return uid === undefined ? {} : { uid: Number(uid), gid: Number(gid) };
}

function run(command, args, user) {
  const { status, stderr, error } = spawnSync(command, args, {
    ...user,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
    cwd: "/",
  });
  if (status !== 0) throw new Error(`${command} failed: ${stderr || error?.message}`);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Creates a cluster and starts it. If `isDurable` is set, the cluster runs as in production. If `isDurable`
 * is not set, nothing waits for the disk.
 */
export async function startPostgres(directory, { isDurable = false, trusts = false, more = [] } = {}) {
  const bin = findPostgres();
  if (!bin) throw new Error("there is no PostgreSQL here");
  const user = findUser();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  run(
    join(bin, "initdb"),
    ["-D", data, "-U", "thoughtbox", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    user,
  );
  writeFileSync(
    join(data, "pg_hba.conf"),
    `local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 ${trusts ? "trust" : "scram-sha-256"}\n`,
  );
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: directory,
    port,
    max_connections: 300,
    shared_buffers: "64MB",
    ...(!isDurable && { fsync: "off", full_page_writes: "off", synchronous_commit: "on" }),
    ...Object.fromEntries(more),
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  writeFileSync(join(directory, "options.json"), JSON.stringify({ port, options: options.join(" ") }));
  resumePostgres(directory);
  return port;
}

/** Starts an existing cluster. */
export function resumePostgres(directory) {
  const { options } = JSON.parse(readFileSync(join(directory, "options.json"), "utf8"));
  const args = [
    "-D",
    join(directory, "data"),
    "-w",
    "-t",
    "60",
    "-l",
    join(directory, "log"),
    "-o",
    options,
    "start",
  ];
  run(join(findPostgres(), "pg_ctl"), args, findUser());
}

/** Starts a standby. A primary with `synchronous_standby_names` acknowledges only what the standby has too. */
export async function startStandby(directory, primary) {
  const { port: from } = JSON.parse(readFileSync(join(primary, "options.json"), "utf8"));
  const user = findUser();
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const source = ["-h", primary, "-p", String(from), "-U", "thoughtbox"];
  run(
    join(findPostgres(), "pg_basebackup"),
    [...source, "-D", join(directory, "data"), "-R", "-c", "fast"],
    user,
  );
  const port = await freePort();
  const { options } = JSON.parse(readFileSync(join(primary, "options.json"), "utf8"));
  const moved = options.replaceAll(primary, directory).replace(/port=\d+/, `port=${port}`);
  // Once promoted, a server must not wait for a standby.
  const alone = moved.replace(/-c synchronous_standby_names=\S+/, "");
  writeFileSync(join(directory, "options.json"), JSON.stringify({ port, options: alone }));
  resumePostgres(directory);
}

/** Kills the server's processes without a shutdown, as in a crash of the machine. */
function crash(directory) {
  const [pid] = readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n");
  const list = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(list) ? readFileSync(list, "utf8").split(" ").filter(Boolean) : [];
  for (const each of [pid, ...children])
    try {
      process.kill(Number(each), "SIGKILL");
    } catch {
      // The process has already exited.
    }
  // A zombie process still looks alive.
  rmSync(join(directory, "data", "postmaster.pid"), { force: true });
}

const promote = (directory) =>
  run(join(findPostgres(), "pg_ctl"), ["-D", join(directory, "data"), "-w", "promote"], findUser());

/** Stops a cluster. The `immediate` mode simulates a crash. */
export function stopPostgres(directory, mode = "immediate") {
  run(join(findPostgres(), "pg_ctl"), ["-D", join(directory, "data"), "-m", mode, "-w", "stop"], findUser());
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function guard(directory, pid) {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 500));
  try {
    stopPostgres(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const [, script, command, directory, pid, mode] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (command === "start") {
    await startPostgres(directory, { isDurable: mode === "durable" });
    spawn(process.execPath, [script, "guard", directory, pid], { detached: true, stdio: "ignore" }).unref();
    writeFileSync(join(directory, "ready"), "");
  } else if (command === "standby") await startStandby(directory, pid);
  else if (command === "crash") crash(directory);
  else if (command === "resume") resumePostgres(directory);
  else if (command === "promote") promote(directory);
  else if (command === "guard") await guard(directory, Number(pid));
}
