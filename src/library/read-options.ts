import { ThoughtboxError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { ThoughtboxOptions } from "./api.d.ts";

/** Because of `satisfies`, the compiler reports an option that is in the type but missing from this list. */
const known = Object.keys({
  storage: true,
  databaseUrl: true,
  tenant: true,
  dataDir: true,
  project: true,
  projectLock: true,
  workspace: true,
  agentId: true,
  disclosure: true,
  secrets: true,
  suggestions: true,
  exportDirs: true,
  env: true,
  log: true,
  critic: true,
} satisfies Record<keyof ThoughtboxOptions, true>);

/** Returns the options that are settings, under the keys of `Config`. The values are validated later. */
export function readOptions({ env, log, critic, ...options }: ThoughtboxOptions) {
  for (const name of Object.keys(options)) if (!known.includes(name)) throw unknownOption(name);
  for (const [name, value] of Object.entries({ log, critic }))
    if (value !== undefined && typeof value !== "function")
      throw new ThoughtboxError("INVALID_PAYLOAD", `The option ${name} must be a function.`);
  // An embedded box must not write to a home directory by default.
  const storage = options.storage ?? (env ? undefined : options.dataDir === undefined ? "memory" : "fs");
  return {
    settings: { disclosure: "open", ...withoutUndefined({ ...options, storage }) },
    env: env ?? {},
    readsConfigFile: storage !== "memory",
  };
}

function withoutUndefined(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function unknownOption(name: string): ThoughtboxError {
  const guess = nearest(name, known);
  return new ThoughtboxError(
    "INVALID_PAYLOAD",
    `There is no option ${quote(name, 60)}.${guess ? ` Did you mean ${guess}?` : ""}`,
  );
}
