import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../disk/make-directory.ts";
import { openToRead } from "../disk/open-without-following.ts";
import { writeWhole } from "../disk/write-whole.ts";
import { ThoughtboxError } from "../kernel/errors.ts";
import { tokenPattern } from "./admission/token.ts";

export type TokenSource = {
  readonly dataDir: string;
  /** Other secrets of this server are kept in the same way. */
  readonly fileName?: string;
  /** The value of THOUGHTBOX_TOKEN, which goes before the file. */
  readonly configured?: string | undefined;
};

/** Called at the start of an HTTP server, never before: a stdio server leaves no token behind. */
export async function loadToken({ dataDir, fileName = "token", configured }: TokenSource): Promise<string> {
  if (configured !== undefined) return checkConfigured(configured);
  const path = join(dataDir, fileName);
  try {
    return await readOrMake(dataDir, path);
  } catch (thrown) {
    throw thrown instanceof ThoughtboxError ? thrown : unreachable(path, thrown);
  }
}

async function readOrMake(dataDir: string, path: string): Promise<string> {
  const existing = await readTokenFile(path);
  if (existing !== undefined) return existing;
  await makeDirectory(dataDir);
  await publishToken(path, randomBytes(32).toString("base64url"));
  const published = await readTokenFile(path);
  if (published === undefined) throw unusable(path, "vanished while it was read");
  return published;
}

function checkConfigured(token: string): string {
  if (tokenPattern.test(token)) return token;
  throw new ThoughtboxError(
    "INVALID_PAYLOAD",
    "THOUGHTBOX_TOKEN may contain only letters, digits and - . _ ~ + / =, at most 512 characters.",
    { recovery: { hint: "Choose another token, or unset the variable and let Thoughtbox create one." } },
  );
}

/**
 * Writes a draft and links it into place: the file appears complete or not at all, and of two
 * processes starting together the second one's link fails, so both end up with the first one's token.
 */
async function publishToken(path: string, token: string): Promise<void> {
  try {
    await writeWhole(dirname(path), basename(path), `${token}\n`, { as: "new", durable: true });
  } catch (thrown) {
    if (!hasCode(thrown, "EEXIST")) throw thrown;
  }
}

async function readTokenFile(path: string): Promise<string | undefined> {
  const file = await openWithoutFollowing(path);
  if (!file) return undefined;
  try {
    const flaw = findFlaw(await file.stat());
    if (flaw) throw unusable(path, flaw);
    const token = (await file.readFile("utf8")).trim();
    if (!tokenPattern.test(token)) throw unusable(path, "contains no token");
    return token;
  } finally {
    await file.close();
  }
}

/** O_NONBLOCK, since opening a FIFO in the token's place would wait forever. */
async function openWithoutFollowing(path: string): Promise<FileHandle | undefined> {
  try {
    return await openToRead(path);
  } catch (thrown) {
    if (hasCode(thrown, "ENOENT")) return undefined;
    if (hasCode(thrown, "ELOOP")) throw unusable(path, "is a symbolic link");
    throw thrown;
  }
}

/** Looks at the open descriptor, so nothing can be exchanged between the look and the read. */
function findFlaw(stats: Stats): string | undefined {
  if (!stats.isFile()) return "is not a regular file";
  if (stats.size > 1024) return "is too large for a token";
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  if (stats.uid !== ownUid) return "belongs to another user";
  return (stats.mode & 0o077) === 0
    ? undefined
    : "can be read or changed by other users (chmod 600 it, or delete it)";
}

function unusable(path: string, flaw: string): ThoughtboxError {
  return new ThoughtboxError("STORAGE_ERROR", `The token file ${path} ${flaw}.`);
}

function unreachable(path: string, cause: unknown): ThoughtboxError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new ThoughtboxError("STORAGE_ERROR", `The token file ${path} cannot be used (${code ?? message}).`, {
    cause,
    recovery: { hint: "Make the data directory yours and writable, or set THOUGHTBOX_TOKEN." },
  });
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
