import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

test.skipIf(process.platform === "win32")(
  "a server that can open only 40 files starts and answers",
  async () => {
    const env = {
      ...cleanEnv(),
      THOUGHTBOX_DATA_DIR: join(tempDir(), "data"),
      PORT: "0",
      THOUGHTBOX_OBSERVATORY_PORT: "0",
    };
    const server = spawn("sh", ["-c", 'ulimit -n 40; exec "$0" "$@"', process.execPath, binary, "serve"], {
      env,
    });
    onTestFinished(() => void server.kill("SIGKILL"));
    let said = "";
    const started = new Promise<string>((resolve, reject) => {
      for (const stream of [server.stdout, server.stderr])
        stream.on("data", (chunk) => {
          said += chunk;
          const url = /Observatory: (\S+)/.exec(said)?.[1];
          if (url !== undefined) resolve(url);
        });
      void once(server, "exit").then(() => reject(new Error(said)));
    });
    const page = await fetch(await started);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>");
  },
);

test.skipIf(process.platform === "win32")(
  "a command that can open only 40 files records a thought",
  async () => {
    const env = { ...cleanEnv(), THOUGHTBOX_DATA_DIR: join(tempDir(), "data") };
    const typed = [process.execPath, binary, "call", "thought", "thought=one"];
    const { stdout, stderr } = await promisify(execFile)(
      "sh",
      ["-c", 'ulimit -n 40; exec "$0" "$@"', ...typed],
      {
        env,
      },
    );
    expect(JSON.parse(stdout), stderr).toMatchObject({ thoughtNumber: 1 });
  },
);
