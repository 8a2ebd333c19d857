import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

/**
 * The scripts are plain JavaScript without types, so the path is a string that the compiler does not resolve.
 */
const script: string = "../../scripts/install-by-apt.mjs";
const { installByApt } = await import(script);

const wanted = [{ package: "bubblewrap", programs: ["bwrap"], for: "the sandbox" }];

/** Creates a machine with only these programs. Each program records how it was called. */
function machine(programs: Record<string, string>) {
  const bin = tempDir();
  const log = join(bin, "log");
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $* $DEBIAN_FRONTEND" >> ${log}\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const said: string[] = [];
  return {
    said,
    install: (isRoot: boolean, env: Record<string, string> = {}) =>
      installByApt(wanted, { env: { PATH: bin, ...env }, isRoot, say: (line: string) => said.push(line) }),
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
  };
}

test("does nothing and prints nothing if the program is installed", () => {
  const { install, calls, said } = machine({ bwrap: "", "apt-get": "" });
  install(true);
  expect(calls()).toEqual([]);
  expect(said).toEqual([]);
});

test("installs a missing program as root without asking", () => {
  const { install, calls, said } = machine({ "apt-get": "" });
  install(true);
  expect(calls()).toHaveLength(1);
  expect(calls()[0]).toMatch(/^apt-get .* install -y --no-install-recommends bubblewrap noninteractive$/);
  expect(said).toEqual([expect.stringContaining("installing bubblewrap with apt-get")]);
});

test("updates missing package lists first, and reports a failure without stopping", () => {
  const { install, calls, said } = machine({
    "apt-get": 'case "$*" in *update*) exit 0;; *) exit 100;; esac',
  });
  install(true);
  expect(calls().map((line) => /install|update/.exec(line)?.[0])).toEqual(["install", "update", "install"]);
  expect(said.at(-1)).toContain("apt-get failed");
});

test.each([
  ["no apt-get", {}, true, {}, "there is no apt-get"],
  ["neither root nor sudo", { "apt-get": "" }, false, {}, "neither root"],
  ["a sudo that wants a password", { "apt-get": "", sudo: "exit 1" }, false, {}, "neither root"],
  [
    "THOUGHTBOX_TEST_APT set to off",
    { "apt-get": "" },
    true,
    { THOUGHTBOX_TEST_APT: "off" },
    "THOUGHTBOX_TEST_APT is off",
  ],
])("installs nothing with %s, and reports why", (_case, programs, isRoot, env, reason) => {
  const { install, calls, said } = machine(programs);
  install(isRoot, env);
  expect(calls().some((line) => line.startsWith("apt-get"))).toBe(false);
  expect(said).toEqual([expect.stringContaining(reason)]);
});

test("uses sudo without a password if the user is not root", () => {
  const { install, calls } = machine({ "apt-get": "", sudo: "" });
  install(false);
  expect(calls().some((line) => line.startsWith("sudo -n apt-get"))).toBe(true);
});
