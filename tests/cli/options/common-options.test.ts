import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Settings, Terminal } from "../../../src/cli/host.ts";
import { type Configured, withSettings } from "../../../src/cli/with-settings.ts";
import { createRepository } from "../../support/git/repository.ts";
import { binary, cleanEnv } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Prepares the built binary for a user with an empty home directory. */
function openHome() {
  const home = tempDir();
  const clients = { CLAUDE_CONFIG_DIR: join(home, "claude"), CODEX_HOME: join(home, "codex") };
  for (const folder of Object.values(clients)) mkdirSync(folder);
  const run = (words: readonly string[], cwd = home) =>
    spawnSync(process.execPath, [binary, ...words], {
      cwd,
      env: { ...cleanEnv(), HOME: home, ...clients },
      encoding: "utf8",
    });
  const usual = join(home, ".thoughtbox");
  const elsewhere = join(home, "elsewhere");
  return { home, run, usual, elsewhere };
}

test("connect stores its files and the answer about transcripts in the store that --data-dir names", () => {
  const { run, usual, elsewhere } = openHome();
  const connected = run(["connect", "claude-code", "--capture=no", "--data-dir", elsewhere]);
  expect(connected).toMatchObject({ status: 0, stderr: "" });
  for (const file of ["connect", "capture.json"])
    expect([existsSync(join(elsewhere, file)), existsSync(join(usual, file))], file).toEqual([true, false]);

  const listed = run(["connect", "--json", "--data-dir", elsewhere, "--project", "shop"]);
  expect(listed).toMatchObject({ status: 0, stderr: "" });
  const { clients, capture } = JSON.parse(listed.stdout);
  expect(capture).toBe("off");
  expect(clients).toContainEqual(
    expect.objectContaining({ client: "claude-code", connected: expect.anything() }),
  );

  const planned = run(["connect", "codex", "--dry-run", "--data-dir", elsewhere]);
  expect(planned).toMatchObject({ status: 0, stderr: "" });
  expect(planned.stdout).toContain(elsewhere);
});

test("the git hook uses the store and the project that the options name", () => {
  const { home, run, usual, elsewhere } = openHome();
  const { directory } = createRepository(join(home, "repository"));
  mkdirSync(elsewhere);
  const hook = join(directory, ".git", "hooks", "commit-msg");
  const installed = run(["git", "hook", "install", "--data-dir", elsewhere, "--project", "shop"], directory);
  expect(installed).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(hook, "utf8")).toContain(`'--data-dir' '${elsewhere}' '--project' 'shop'`);

  expect(run(["git", "hook", "install"], directory).status).toBe(0);
  expect(readFileSync(hook, "utf8")).not.toMatch(/--data-dir|--project/);
  expect(existsSync(usual)).toBe(false);
});

/**
 * The arguments before the settings, for each member that takes settings. The compiler reports a missing
 * member.
 */
const before: Omit<Record<keyof Configured, readonly unknown[]>, "consent"> & {
  consent: Record<keyof Terminal["consent"], readonly unknown[]>;
} = {
  openServer: [],
  openStdio: [],
  serveLanguage: [],
  openStore: [],
  settings: [],
  clients: [],
  commitHook: [],
  consent: { place: [], read: [], save: ["on"] },
  saveSetting: ["storage", "fs"],
};

const members = Object.entries({ ...before, ...before.consent }).filter(
  (member): member is [string, readonly unknown[]] => Array.isArray(member[1]),
);

test.each(members)(
  "%s gets the settings from the common options, which the command's own settings override",
  (name, args) => {
    const received: unknown[][] = [];
    const record = (...given: unknown[]) => void received.push(given);
    const recorder = new Proxy({}, { get: () => record });
    const terminal = new Proxy({ consent: recorder } as unknown as Terminal, {
      get: (target, key) => (key === "consent" ? target.consent : record),
    });
    const common = { THOUGHTBOX_DATA_DIR: "/common", THOUGHTBOX_PROJECT: "common" };
    const settled = withSettings(terminal, common);
    const holder = (name in before ? settled : settled.consent) as unknown as Record<
      string,
      (...given: unknown[]) => unknown
    >;
    const call = (own?: Settings) => holder[name]?.(...args, ...(own ? [own] : []));
    call();
    call({ THOUGHTBOX_PROJECT: "own" });
    expect(received.map((given) => given.slice(0, args.length + 1))).toEqual([
      [...args, common],
      [...args, { ...common, THOUGHTBOX_PROJECT: "own" }],
    ]);
  },
);
