import { closeSync, fstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { findFileFlaw, isOwnDirectory } from "./disk/make-directory.ts";
import { codeOf, openToReadSync } from "./disk/open-without-following.ts";
import { ThoughtboxError } from "./kernel/errors.ts";

/** Returns `undefined` if the file does not exist. */
export type ReadFile = (file: string) => string | undefined;

export type StoredConfig = Record<string, unknown>;

/**
 * Returns the content of config.json, or an empty object if there is none. Throws if the file is unusable, so
 * the program does not start.
 */
export function readConfigFile(file: string, readFile: ReadFile = readFileIfThere): StoredConfig {
  const content = readFile(file);
  if (content === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(content.replace(/^\ufeff/, ""));
    if (isObject(parsed)) return parsed;
  } catch {
    // The parser's own message quotes the file, which may contain the token.
  }
  throw unusable(`${file} is not a JSON object. Correct it`);
}

/** Returns the value at a path such as `observatory.port`. Treats `null` as absent. */
export function lookUp(stored: StoredConfig, key: string): unknown {
  let found: unknown = stored;
  for (const name of key.split(".")) found = isObject(found) ? found[name] : undefined;
  return found ?? undefined;
}

/** Returns a copy with one member set, or removed if there is no value. */
export function changeMember(stored: StoredConfig, key: string, value: unknown): StoredConfig {
  const [name = key, ...inner] = key.split(".");
  const { [name]: before, ...others } = stored;
  if (inner.length === 0) return value === undefined ? others : { ...stored, [name]: value };
  const changed = changeMember(isObject(before) ? before : {}, inner.join("."), value);
  return Object.keys(changed).length === 0 ? others : { ...stored, [name]: changed };
}

function readFileIfThere(file: string): string | undefined {
  // Ignores a file in another user's directory. The first call that needs the store reports the directory.
  if (!isOwnDirectory(dirname(file))) return undefined;
  let opened: number;
  try {
    opened = openToReadSync(file);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP")
      throw unusable(`${file} is a symbolic link. Replace it with the file itself`, cause);
    throw unusable(`${file} cannot be read (${code}). Make it readable`, cause);
  }
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile())
      throw unusable(
        `${file} cannot be read (${stats.isDirectory() ? "EISDIR" : "not a regular file"}). Make it readable`,
      );
    const flaw = findFileFlaw(stats);
    if (flaw !== undefined) throw unusable(`${file} ${flaw}. Fix its owner and permissions`);
    return readFileSync(opened, "utf8");
  } finally {
    closeSync(opened);
  }
}

function unusable(message: string, cause?: unknown): ThoughtboxError {
  return new ThoughtboxError("INVALID_PAYLOAD", `${message}, or remove it to start with the defaults.`, {
    cause,
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
