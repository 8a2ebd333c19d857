import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { renameSafelySync } from "../disk/naming.ts";
import type { CommitHook, HookChange } from "../ports/repository.ts";
import { gitLimits } from "./repository.ts";
import { createGit, type Git, isFailure } from "./run-git.ts";

/**
 * Git passes the final message to this hook. An empty message stays empty, so git still aborts the commit.
 */
const hookName = "commit-msg";
const setAside = `${hookName}.before-thoughtbox`;

type Options = {
  environment: Readonly<Record<string, string>>;
  /** The command that prints the trailer for a commit made now, or nothing if there is none. */
  command: readonly string[];
};

/**
 * An existing hook is renamed and still runs first. Nothing is added to that hook, because it may be any
 * program. When ours is removed, that hook gets its name back.
 */
export function createCommitHook({ environment, command }: Options): CommitHook {
  const git = createGit({ environment, timeoutMs: gitLimits.timeoutMs, maxBytes: gitLimits.maxBytes });
  const script = wordScript(command);
  return {
    async install(directory) {
      const folder = await findFolder(git, directory);
      if (folder === undefined) return undefined;
      const [file, before] = [join(folder, hookName), join(folder, setAside)];
      const present = await readHook(file);
      const isKept = (await readHook(before)) !== undefined;
      const change: HookChange = { file, changed: false, ...(isKept && { before }) };
      if (present === script) return change;
      if (present !== undefined && isOurs(present)) {
        if (!isUntouched(present)) return { ...change, refused: changedByHand(file) };
        await writeHook(file, script);
        return { ...change, changed: true };
      }
      if (isKept)
        return {
          ...change,
          refused: `${before} already exists. Rename the file, then run the command again.`,
        };
      await mkdir(folder, { recursive: true });
      if (present === undefined) {
        await writeHook(file, script);
        return { ...change, changed: true };
      }
      await writeHook(file, script, before);
      return { file, changed: true, before };
    },
    async remove(directory) {
      const folder = await findFolder(git, directory);
      if (folder === undefined) return undefined;
      const [file, before] = [join(folder, hookName), join(folder, setAside)];
      const present = await readHook(file);
      if (present === undefined || !isOurs(present)) return { file, changed: false };
      if (present !== script && !isUntouched(present))
        return { file, changed: false, refused: changedByHand(file) };
      if ((await readHook(before)) === undefined) await rm(file);
      else renameSafelySync(before, file);
      return { file, changed: true };
    },
  };
}

/**
 * Returns `core.hooksPath`, or the repository's own hooks folder if that setting is absent. `undefined`
 * outside a repository.
 */
async function findFolder(git: Git, directory: string): Promise<string | undefined> {
  const found = await git(directory, ["rev-parse", "--show-toplevel", "--git-common-dir"]);
  if (isFailure(found)) return undefined;
  const [root = "", common = "", ...more] = found.toString("utf8").split(/\r?\n/);
  // Refuses a folder whose name contains a line break, because the part after it would look like another path.
  if (more.some((line) => line !== "")) return undefined;
  // Thoughtbox's own git calls disable hooks on the command line, so the `command` scope is ignored.
  const set = await git(root, ["config", "--show-scope", "--type=path", "--get-all", "core.hooksPath"]);
  const paths = isFailure(set)
    ? []
    : set
        .toString("utf8")
        .split(/\r?\n/)
        .flatMap((line) => /^(?!command\t)\w+\t(.+)$/.exec(line)?.[1] ?? []);
  const path = paths.at(-1);
  if (path !== undefined) return isAbsolute(path) ? path : join(root, path);
  return join(isAbsolute(common) ? common : join(directory, common), "hooks");
}

async function readHook(file: string): Promise<string | undefined> {
  const stat = await lstat(file).catch(() => undefined);
  if (!stat) return undefined;
  // Thoughtbox does not read through a link. Instead, it renames the link itself and later renames it back
  // unchanged.
  return stat.isFile() ? readFile(file, "latin1") : "";
}

/** Renames the existing hook only after ours is completely written, so a hook that guards commits is never disabled. */
async function writeHook(file: string, script: string, aside?: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}`;
  try {
    await writeFile(fresh, script, { mode: 0o755, flag: "wx" });
    await chmod(fresh, 0o755);
    if (aside !== undefined) renameSafelySync(file, aside);
    renameSafelySync(fresh, file);
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw thrown;
  }
}

const changedByHand = (file: string): string =>
  `${file} was changed by hand, so remove Thoughtbox's lines by hand.`;

const firstLines =
  "#!/bin/sh\n# thoughtbox git hook install wrote this file. thoughtbox git hook remove deletes it.\n";
const isOurs = (text: string): boolean => text.startsWith(firstLines);

/** True for an unmodified hook of any version or installation of Thoughtbox. */
const isUntouched = (text: string): boolean => {
  const [, command] = /\ntrailer=\$\((.+) 2>\/dev\/null <\/dev\/null\) \|\| exit 0\n/.exec(text) ?? [];
  return command !== undefined && text === fillScript(command);
};

const quoteWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const wordScript = (command: readonly string[]): string => fillScript(command.map(quoteWord).join(" "));

/**
 * A commit never fails because of our hook, but it fails if the earlier hook fails. A plain script for sh or bash runs
 * under its original name, because some hooks depend on it. Any other hook, including one with options in its first
 * line, runs with its own interpreter.
 */
const fillScript = (command: string): string => `${firstLines}before="$(dirname -- "$0")/${setAside}"
if [ -x "$before" ]; then
  case "$(head -n 1 <"$before")" in
    '#!/bin/sh'|'#! /bin/sh'|'#!/usr/bin/sh'|'#!/usr/bin/env sh') shell=sh ;;
    '#!/bin/bash'|'#! /bin/bash'|'#!/usr/bin/bash'|'#!/usr/bin/env bash') shell=bash ;;
    *) shell= ;;
  esac
  if [ -n "$shell" ]; then
    "$shell" -c 'f="$1"; shift; . "$f"' "$0" "$before" "$@" || exit $?
  else
    "$before" "$@" || exit $?
  fi
fi
grep -q '^[^#]*[^#[:space:]]' "$1" || exit 0
trailer=$(${command} 2>/dev/null </dev/null) || exit 0
if [ -n "$trailer" ]; then
  git interpret-trailers --in-place --no-divider --if-exists doNothing --trailer "$trailer" "$1" || exit 0
fi
exit 0
`;
