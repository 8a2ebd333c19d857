import { lstatSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, join, parse, resolve, sep } from "node:path";
import { readPlainly } from "../disk/open-without-following.ts";

export const commitId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The maximum size of a file that contains a ref. */
const refBytes = 1_024;

/** Returns the directory or nearest parent that contains `.git`, or if none does, the file system's root. */
export async function findRoot(directory: string): Promise<string> {
  let at = await realpath(directory).catch(() => directory);
  while (!(await lstat(join(at, ".git")).catch(() => undefined)) && dirname(at) !== at) at = dirname(at);
  return at;
}

const mostLinks = 40;

/**
 * Resolves the links above the repository, as git does. Keeps the links inside the repository, because a repository is
 * untrusted. The last part of the path also stays as it is.
 */
export async function followLinks(path: string): Promise<string> {
  const split = (whole: string) => whole.slice(parse(whole).root.length).split(sep).filter(Boolean);
  let [at, names, links] = [parse(path).root, split(path), 0];
  while (names.length > 1 && !(await lstat(join(at, ".git")).catch(() => undefined))) {
    const [name = "", ...rest] = names;
    const target = await readlink(join(at, name)).catch(() => undefined);
    if (target === undefined) [at, names] = [join(at, name), rest];
    else if (links === mostLinks) return path;
    else {
      const whole = resolve(at, target);
      [at, names, links] = [parse(whole).root, [...split(whole), ...rest], links + 1];
    }
  }
  return join(at, ...names);
}

/**
 * True if `root` is the folder of the repository that contains `directory`. A repository's configuration can name any
 * other folder as its work tree, and Thoughtbox does not read such a folder.
 */
export async function isRootOf(root: string, directory: string): Promise<boolean> {
  const [nearest, real] = await Promise.all([findRoot(directory), realpath(root).catch(() => undefined)]);
  return nearest === real;
}

/**
 * What HEAD depends on: the contents of HEAD and its branch, and the stamps of files that could override them. `commit`
 * is set if one of the contents is a commit ID.
 */
export type HeadSeal = { names: string; stamps: string; commit: string | undefined };

/** Returns HEAD if it can be determined without git. `undefined` if git must be called. */
export function headSince({ head, seal }: { head: string; seal: HeadSeal }, now: HeadSeal | undefined) {
  if (!now || now.stamps !== seal.stamps) return undefined;
  return now.names === seal.names ? head : now.commit;
}

/** Returns `undefined` if the repository stores refs in another way. Git is then called every time. */
export function sealHead(root: string): HeadSeal | undefined {
  const folder = join(root, ".git");
  const read = (name: string): string => readPlainly(join(folder, name), refBytes).toString("latin1").trim();
  const stamp = (name: string): string => {
    const stat = lstatSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
    return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : "";
  };
  try {
    const head = read("HEAD");
    const branch = /^ref: (refs\/heads\/[\w./+@-]{1,200})$/.exec(head)?.[1];
    if ((branch === undefined && !commitId.test(head)) || branch?.includes("..")) return undefined;
    const stamps = ["packed-refs", "config", "reftable"].map(stamp);
    if (stamps[2] !== "") return undefined;
    const named = branch === undefined ? "" : readBranch(branch);
    if (named.startsWith("ref:")) return undefined;
    const commit = [head, named].find((text) => commitId.test(text));
    return { names: `${head}\n${named}`, stamps: stamps.join("\n"), commit };
  } catch {
    // `.git` is not a folder (as in a linked work tree), or it is not readable.
    return undefined;
  }

  /** Reads a branch's file. Returns an empty string for a packed branch, which has no file. */
  function readBranch(name: string): string {
    try {
      return read(name);
    } catch {
      return "";
    }
  }
}
