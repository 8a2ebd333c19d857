import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { binary, cleanEnv } from "../support/server-process.ts";

type Shell = "bash" | "zsh" | "fish";
const place = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
let env: Record<string, string>;
let session: string;

/** Shared by all tests, because none writes to the store. The scripts are printed once, as in a user's shell. */
beforeAll(() => {
  const bin = join(place, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "thoughtbox"), `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`);
  chmodSync(join(bin, "thoughtbox"), 0o755);
  mkdirSync(join(place, "xyzzy"));
  env = {
    ...cleanEnv(),
    HOME: place,
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    THOUGHTBOX_DATA_DIR: join(place, "data"),
  };
  const answer = execFileSync(
    "thoughtbox",
    ["call", "thought", "thought=one", "sessionTitle=Ben's [plan]: go"],
    {
      env: { ...env, DISABLE_THOUGHT_LOGGING: "true" },
      encoding: "utf8",
    },
  );
  session = JSON.parse(answer).sessionId.slice(0, 8);
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = execFileSync(join(bin, "thoughtbox"), ["completion", shell], { env, encoding: "utf8" });
    writeFileSync(join(place, `completion.${shell}`), script);
  }
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Runs a shell that finds the test's `thoughtbox`. Returns the shell's output line by line. */
function run(shell: Shell, words: readonly string[]): string[] {
  return execFileSync(shell, words, { cwd: place, env, encoding: "utf8", timeout: 30_000 })
    .split("\n")
    .filter((line) => line !== "");
}

/** Returns the shell's completions for the typed text. */
const offers: Record<Shell, (typed: string) => string[]> = {
  bash(typed) {
    const words = typed.split(" ");
    return run("bash", [
      "-c",
      `source completion.bash
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
      COMP_CWORD=${words.length - 1}
      _thoughtbox
      printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);
  },
  fish: (typed) =>
    run("fish", ["-c", `source completion.fish; complete -C "${typed}"`]).map(
      (line) => line.split("\t")[0] ?? "",
    ),
  zsh: (typed) => zshOffers('autoload -Uz compinit && compinit -u -D && eval "$(<completion.zsh)"', typed),
};

function zshOffers(setup: string, typed: string): string[] {
  writeFileSync(join(place, "setup.zsh"), setup);
  return run("zsh", [
    "-f",
    join(import.meta.dirname, "shell", "offers.zsh"),
    join(place, "setup.zsh"),
    typed,
  ]);
}

const missing = (shell: Shell): boolean => {
  const found = spawnSync(shell, ["--version"]).status === 0;
  if (!found) process.stderr.write(`skipped: no ${shell} to try its completion in\n`);
  return !found;
};

const sorted = (words: readonly string[]): string[] => [...words].sort();

describe.each(["bash", "zsh", "fish"] as const)("completion in %s", (shell) => {
  test.skipIf(missing(shell))("offers commands, options, their values and operations", () => {
    expect(sorted(offers[shell]("thoughtbox se"))).toEqual(["search", "serve"]);
    expect(sorted(offers[shell]("thoughtbox --"))).toEqual(["--help", "--version"]);
    expect(offers[shell]("thoughtbox ls --st")).toEqual(["--status"]);
    expect(sorted(offers[shell]("thoughtbox ls --status "))).toEqual([
      "abandoned",
      "active",
      "completed",
      "deleted",
    ]);
    expect(offers[shell]("thoughtbox completion f")).toEqual(["fish"]);
    expect(sorted(offers[shell]("thoughtbox help doc"))).toEqual(["docs", "doctor"]);
    expect(offers[shell]("thoughtbox call session.sea")).toEqual(["session.search"]);
  });

  test.skipIf(missing(shell))("offers the existing sessions if an argument is a session", () => {
    expect(offers[shell]("thoughtbox show la")).toEqual(["latest"]);
    const typed = session.slice(0, 4);
    expect(offers[shell](`thoughtbox show ${typed}`)).toEqual([session]);
    expect(offers[shell](`thoughtbox show latest ${typed}`)).toEqual([]);
    expect(offers[shell](`thoughtbox ls ${typed}`)).toEqual([]);
  });

  test.skipIf(missing(shell))("does not create a store", () => {
    const { THOUGHTBOX_DATA_DIR: usual = "" } = env;
    onTestFinished(() => {
      env["THOUGHTBOX_DATA_DIR"] = usual;
    });
    env["THOUGHTBOX_DATA_DIR"] = join(place, "nowhere");
    expect(offers[shell]("thoughtbox show la")).toEqual(["latest"]);
    expect(existsSync(join(place, "nowhere"))).toBe(false);
  });
});

/** bash offers files if the script offers nothing, which can only be seen at a prompt. */
describe.each(["zsh", "fish"] as const)("files in %s", (shell) => {
  test.skipIf(missing(shell))("are offered only if an argument is a path", () => {
    const directory = shell === "zsh" ? "xyzzy" : "xyzzy/";
    expect(offers[shell]("thoughtbox import xyz")).toEqual([directory]);
    expect(offers[shell]("thoughtbox export latest --to xyz")).toEqual([directory]);
    expect(offers[shell]("thoughtbox show xyz")).toEqual([]);
    expect(offers[shell]("thoughtbox ls --tag xyz")).toEqual([]);
  });
});

test("the script for bash leaves the completion of paths to bash", () => {
  expect(offers.bash("thoughtbox import xyz")).toEqual([]);
  expect(offers.bash("thoughtbox export latest --to xyz")).toEqual([]);
  expect(offers.bash("thoughtbox import --js")).toEqual(["--json"]);
});

test.skipIf(missing("zsh"))("zsh also finds the script as a file in its fpath", () => {
  const functions = join(place, "functions");
  mkdirSync(functions);
  copyFileSync(join(place, "completion.zsh"), join(functions, "_thoughtbox"));
  const setup = `fpath=(${functions} $fpath); autoload -Uz compinit && compinit -u -D`;
  expect(zshOffers(setup, "thoughtbox sho")).toEqual(["show"]);
});
