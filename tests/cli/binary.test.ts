import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startServe } from "../support/http-process.ts";
import { binary, cleanEnv, nowhere } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { prepareStore } from "./prepared-store.ts";

function thoughtbox(words: readonly string[], dataDir: string, env: Record<string, string> = {}) {
  return spawnSync(process.execPath, [binary, ...words], {
    cwd: nowhere,
    env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: dataDir, ...env },
    encoding: "utf8",
  });
}

const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) process.stderr.write("skipped: no `script` to lend the command a terminal\n");

/** Runs a command in a terminal with this many columns. */
function inTerminal(
  words: string,
  columns: number,
  dataDir: string,
  env: Record<string, string> = {},
): string {
  const line = `stty cols ${columns}; "${process.execPath}" "${binary}" ${words}`;
  const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], {
    cwd: nowhere,
    env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: dataDir, TERM: "xterm", ...env },
    encoding: "utf8",
  });
  return stdout.replaceAll("\r\n", "\n");
}

describe("the binary", () => {
  test("shows its version and its exit codes", () => {
    const dataDir = tempDir();
    expect(thoughtbox(["--version"], dataDir)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(thoughtbox(["show", "dead"], dataDir)).toMatchObject({ status: 1, stdout: "" });
    expect(thoughtbox(["shwo"], dataDir)).toMatchObject({ status: 2, stdout: "" });
  });

  test("keeps events out of stdout, which contains the answer of call", () => {
    const words = ["call", "thought", "sessionTitle=One", "thought=first"];
    const { status, stdout, stderr } = thoughtbox(words, join(tempDir(), "data"), {
      THOUGHTBOX_EVENT_OUTPUT: "stdout",
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ thoughtNumber: 1 });
    expect(stderr).toContain('"thought_added"');
  });

  test("prints no colour to a pipe", async () => {
    const { stdout } = thoughtbox(["ls"], await prepareStore());
    expect(stdout).toContain("Why do logins time out?");
    expect(stdout).not.toContain("\u001b");
  });

  test.skipIf(!hasScript)(
    "prints colour and uses the width of a terminal, and NO_COLOR turns the colour off",
    async () => {
      const dataDir = await prepareStore();
      const coloured = inTerminal("ls", 60, dataDir);
      expect(coloured).toContain("\u001b[36m5e551011");
      const plain = inTerminal("ls", 60, dataDir, { NO_COLOR: "1" });
      expect(plain).toContain("5e551022  A migration plan for the ledger of…");
      expect(plain).not.toContain("\u001b");
      expect(Math.max(...plain.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
      expect(inTerminal("ls", 120, dataDir, { NO_COLOR: "1" })).toContain("with a");
    },
  );
});

describe("thoughtbox serve explains why it cannot start", () => {
  async function refusal(dataDir: string, env: Record<string, string> = {}): Promise<string> {
    const server = startServe(dataDir, { HOST: "127.0.0.1", PORT: "0", ...env });
    expect(await server.exited).toBe(1);
    expect(server.stderr()).toMatch(/^thoughtbox: [^\n]+\n(?: {2}[^\n]+\n)?$/);
    expect(server.stderr()).not.toContain("port");
    return server.stderr();
  }

  test("with an invalid token file", async () => {
    const dataDir = tempDir();
    mkdirSync(join(dataDir, "token"));
    expect(await refusal(dataDir)).toMatch(/The token file .*token is not a regular file/);
    rmSync(join(dataDir, "token"), { recursive: true });
    symlinkSync("/etc/hostname", join(dataDir, "token"));
    expect(await refusal(dataDir)).toMatch(/The token file .*token is a symbolic link/);
    rmSync(join(dataDir, "token"));
    writeFileSync(join(dataDir, "token"), "open-to-all-of-you\n");
    chmodSync(join(dataDir, "token"), 0o644);
    expect(await refusal(dataDir)).toMatch(/can be read or changed by other users/);
  });

  test("with a data directory that cannot be created", async () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "");
    const said = await refusal(join(file, "data"));
    expect(said).toMatch(
      /The data directory cannot be used: it cannot be reached \(ENOTDIR\)\.\n {2}Point THOUGHTBOX_DATA_DIR/,
    );
  });

  test("with a token or a host that could never match", async () => {
    expect(await refusal(tempDir(), { THOUGHTBOX_TOKEN: 'not"a"token' })).toMatch(
      /THOUGHTBOX_TOKEN may contain only/,
    );
    expect(await refusal(tempDir(), { THOUGHTBOX_ALLOWED_HOSTS: "a:b:c" })).toMatch(
      /THOUGHTBOX_ALLOWED_HOSTS takes names such as/,
    );
  });
});
