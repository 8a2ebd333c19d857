import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRepository } from "../support/git/repository.ts";
import { hasPostgres } from "../support/stores/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp } from "../support/test-app.ts";

/** Returns a git whose blame never ends. */
function hangingGit() {
  const [bin, started] = [tempDir(), join(tempDir(), "started")];
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
for word in "$@"; do if [ "$word" = blame ]; then touch "${started}"; exec sleep 600; fi; done
exec "${real}" "$@"
`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"] ?? ""}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { hasStarted: () => existsSync(started) };
}

describe.skipIf(!hasPostgres)("why, while git runs", () => {
  test("holds no connection, and ends if it is cancelled", async () => {
    const made = createRepository(tempDir());
    made.write("src/pool.ts", "export const size = 20;\n");
    made.commit("feat: a pool", 1);
    const git = hangingGit();
    const client = createTestApp({ backend: "postgres", env: { THOUGHTBOX_POOL_SIZE: "2" } }).modern();
    await client.call("notes_commit", { content: "before" });

    const stop = new AbortController();
    const args = { file: join(made.directory, "src/pool.ts"), line: 1 };
    const ask = () => client.reply("why", args, { signal: stop.signal });
    let ended = 0;
    const asked = [ask(), ask(), ask()].map((reply) =>
      reply.catch(String).finally(() => {
        ended += 1;
      }),
    );
    while (!git.hasStarted()) await nextTurn();
    const { entries } = await client.call("show", { doc: "notes" });
    expect(entries).toMatchObject([{ content: "before" }]);
    expect(ended).toBe(0);

    stop.abort();
    // A cancelled call has a code that no operation declares, and the tests' client refuses such a code.
    for (const reply of await Promise.all(asked)) expect(reply).toContain("INTERNAL_ERROR");
  });
});
