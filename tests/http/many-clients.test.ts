import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { type Era, openHttpDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

/** Simulates another local user who keeps connections open, guesses tokens and sends requests without a pause. */
async function hammer(port: number): Promise<ChildProcess> {
  const program = `
    const { connect } = require("node:net");
    const request = "GET /mcp HTTP/1.1\\r\\nHost: localhost\\r\\n";
    for (let held = 0; held < 100; held += 1) connect(${port}, "127.0.0.1").on("error", () => {}).write(request);
    let answers = 0;
    (function ask() {
      const socket = connect(${port}, "127.0.0.1", () => socket.write(request + "Authorization: Bearer guess\\r\\n\\r\\n"));
      socket.on("error", () => {}).on("data", () => { if (++answers === 20) console.log("at it"); });
      socket.on("close", () => setTimeout(ask, 10));
    })();
  `;
  const child = spawn(process.execPath, ["-e", program], {
    ...{ uid: 65_534, gid: 65_534, cwd: "/" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout) await once(child.stdout, "data");
  return child;
}

const clients = 32;
const calls = 10;

test.skipIf(!isRoot)(
  `${clients * 2 * calls} of ${clients * 2 * calls} calls of ${clients} clients in each era are answered while another user floods the server (needs root)`,
  async () => {
    const door = await openHttpDoor(
      tempDir(),
      { THOUGHTBOX_DISCLOSURE: "open" },
      { callsAtOnce: clients * 2 },
    );
    onTestFinished(() => door.close());
    const stranger = await hammer(Number(door.url.port));
    const eras: Era[] = ["legacy", "modern"];
    const connections = await Promise.all(
      eras.flatMap((era) => Array.from({ length: clients }, () => door.connect(era))),
    );
    const answered = await Promise.all(
      connections.map(async ({ call }) => {
        let count = 0;
        for (let n = 0; n < calls; n += 1)
          if ((await call("list_sessions", {})).kind === "result") count += 1;
        return count;
      }),
    );
    expect(stranger.exitCode).toBeNull();
    expect(answered.reduce((sum, count) => sum + count, 0)).toBe(clients * 2 * calls);
  },
);
