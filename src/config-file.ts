import { readFileSync } from "node:fs";
import { ThoughtboxError } from "./kernel/errors.ts";

/** `undefined` when the file does not exist. */
export type ReadFile = (file: string) => string | undefined;

export type StoredConfig = Record<string, unknown>;

/** What config.json says; empty when there is none. A file that is there but unusable stops the start. */
export function readConfigFile(file: string, readFile: ReadFile = readFileIfThere): StoredConfig {
  const content = readFile(file);
  if (content === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(content.replace(/^\ufeff/, ""));
    if (isObject(parsed)) return parsed;
  } catch {
    // The parser's own message quotes the file, which may hold the token.
  }
  throw unusable(`${file} is not a JSON object; correct it`);
}

/** The member at a path such as `observatory.port`; null counts as absent. */
export function lookUp(stored: StoredConfig, key: string): unknown {
  let found: unknown = stored;
  for (const name of key.split(".")) found = isObject(found) ? found[name] : undefined;
  return found ?? undefined;
}

function readFileIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unusable(`${file} cannot be read (${code}); make it readable`, cause);
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
