import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type FileHandle, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../disk/make-directory.ts";
import { openToRead } from "../disk/open-without-following.ts";
import { isOwnPlace } from "../disk/own-places.ts";
import { writeWhole } from "../disk/write-whole.ts";
import { ThoughtboxError } from "../kernel/errors.ts";
import { tokenPattern } from "./admission/token.ts";

export type TokenSource = {
  readonly dataDir: string;
  /** The value of THOUGHTBOX_TOKEN, which overrides the file. */
  readonly configured?: string | undefined;
  readonly home?: string;
};

/**
 * Call only when an HTTP server starts, so that a stdio server creates no token. Outside the user's own directories, a
 * token is accepted only if it was created in place. An unpacked archive could contain a token that its author knows.
 */
export async function loadToken({ dataDir, configured, home }: TokenSource): Promise<string> {
  if (configured !== undefined) return checkConfigured(configured);
  return atFile(dataDir, "token", async (path) => {
    const { token, isMadeHere } = await readOrMake(dataDir, path);
    if (isMadeHere || isOwnPlace(dataDir, home)) return token;
    throw new ThoughtboxError(
      "STORAGE_ERROR",
      `The token file ${path} was not created in this directory, so someone else may know the token.`,
      {
        recovery: {
          hint: "Delete the file to get a new token. To keep this token, set THOUGHTBOX_TOKEN to its value.",
        },
      },
    );
  });
}

/** Loads another of this server's secrets. No client needs a copy of it, so a file that was copied here is replaced. */
export async function loadKey(dataDir: string, fileName: string, home?: string): Promise<string> {
  return atFile(dataDir, fileName, async (path) => {
    const found = await readOrMake(dataDir, path);
    if (found.isMadeHere || isOwnPlace(dataDir, home)) return found.token;
    await rm(path, { force: true });
    return (await readOrMake(dataDir, path)).token;
  });
}

async function atFile<Found>(
  dataDir: string,
  fileName: string,
  use: (path: string) => Promise<Found>,
): Promise<Found> {
  const path = join(dataDir, fileName);
  try {
    return await use(path);
  } catch (thrown) {
    throw thrown instanceof ThoughtboxError ? thrown : unreachable(path, thrown);
  }
}

type FoundToken = { token: string; isMadeHere: boolean };

async function readOrMake(dataDir: string, path: string): Promise<FoundToken> {
  const existing = await readTokenFile(path);
  if (existing !== undefined) return existing;
  await makeDirectory(dataDir);
  await publishToken(path);
  const published = await readTokenFile(path);
  if (published === undefined) throw unusable(path, "vanished while it was read");
  return published;
}

const randomLength = 24;

/**
 * Derives the last bytes of a token from its file's inode and creation time. The system sets both, so an
 * archive cannot contain them.
 */
function birthmark(random: Uint8Array, { ino, birthtimeNs }: BigIntStats): Buffer {
  return createHmac("sha256", random).update(`${ino} ${birthtimeNs}`).digest().subarray(0, 8);
}

function makeToken(file: BigIntStats): string {
  const random = randomBytes(randomLength);
  return Buffer.concat([random, birthmark(random, file)]).toString("base64url");
}

function isMadeHere(token: string, file: BigIntStats): boolean {
  const bytes = Buffer.from(token, "base64url");
  const mark = birthmark(bytes.subarray(0, randomLength), file);
  const shown = bytes.subarray(randomLength);
  return shown.length === mark.length && timingSafeEqual(shown, mark);
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
 * Writes a draft and links it into place, so that the file appears complete or not at all. If two processes start
 * together, the second one's link fails, and both use the first one's token.
 */
async function publishToken(path: string): Promise<void> {
  try {
    const content = (file: BigIntStats) => `${makeToken(file)}\n`;
    await writeWhole(dirname(path), basename(path), content, { as: "new", durable: true });
  } catch (thrown) {
    if (!hasCode(thrown, "EEXIST")) throw thrown;
  }
}

async function readTokenFile(path: string): Promise<FoundToken | undefined> {
  const file = await openWithoutFollowing(path);
  if (!file) return undefined;
  try {
    const stats = await file.stat({ bigint: true });
    const flaw = findFlaw(stats);
    if (flaw) throw unusable(path, flaw);
    const token = (await file.readFile("utf8")).trim();
    if (!tokenPattern.test(token)) throw unusable(path, "contains no token");
    return { token, isMadeHere: isMadeHere(token, stats) };
  } finally {
    await file.close();
  }
}

/** Uses O_NONBLOCK, because opening a FIFO at this path would wait forever. */
async function openWithoutFollowing(path: string): Promise<FileHandle | undefined> {
  try {
    return await openToRead(path);
  } catch (thrown) {
    if (hasCode(thrown, "ENOENT")) return undefined;
    if (hasCode(thrown, "ELOOP")) throw unusable(path, "is a symbolic link");
    throw thrown;
  }
}

/** Checks the open descriptor, so that nothing can be replaced between the check and the read. */
function findFlaw(stats: BigIntStats): string | undefined {
  if (!stats.isFile()) return "is not a regular file";
  if (stats.size > 1024) return "is too large for a token";
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  if (Number(stats.uid) !== ownUid) return "belongs to another user";
  return (Number(stats.mode) & 0o077) === 0
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
    recovery: {
      hint: "Make sure that you own the data directory and can write to it, or set THOUGHTBOX_TOKEN.",
    },
  });
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
