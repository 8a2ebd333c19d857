import { type Changes, mapMembers } from "../json/walk-json.ts";
import { clip, escapeHidden } from "../text.ts";
import { createDeepMask, findSecrets, maskFound, maskSecrets } from "./secrets.ts";

export type SecretsSetting = "warn" | "redact" | "off";

/** What happens to secrets, depending on the setting. No other code detects or masks secrets. */
export type SecretsPolicy = {
  /** Returns the value to store, and the positions of secrets in the original, such as `jwt at character 3`. */
  forInput<Value>(value: Value): { stored: Value; places: readonly string[]; isMasked: boolean };
  /**
   * Prepares text or JSON for readers: masks secrets unless the setting is `off`, and shows hidden
   * characters.
   */
  forAnswer<Value>(value: Value): Value;
  /** Like `forAnswer`, but for the Observatory's page, which marks hidden characters itself. */
  forPage<Value>(value: Value): Value;
};

export function createSecretsPolicy(setting: SecretsSetting): SecretsPolicy {
  if (setting === "off")
    return {
      forInput: (value) => ({ stored: value, places: [], isMasked: false }),
      forAnswer: showHidden,
      forPage: (value) => value,
    };
  return {
    forInput(value) {
      const places: string[] = [];
      findPlaces(value, "", places);
      const isMasked = setting === "redact" && places.length > 0;
      return { stored: isMasked ? mask(value) : value, places, isMasked };
    },
    forAnswer: maskAndShow,
    forPage: mask,
  };
}

type Shown = <Value>(value: Value) => Value;

/** Characters that hide or reorder text could contain instructions that only a model sees. */
const showHidden = ((value) => mapStrings(value, escapeHidden)) as Shown;
const mask = createDeepMask() as Shown;
const maskAndShow = createDeepMask(escapeHidden) as Shown;

/** How many characters on either side of a cut to search for a secret. Private keys are the longest secrets. */
const window = 5_000;

/**
 * Finds where to truncate text that is masked later. If truncating at `at` would split a secret, returns the start and
 * end of that secret, because half a secret would not be recognised.
 */
export function cutBeside(text: string, at: number): { start: number; end: number } {
  const from = Math.max(0, at - window);
  const split = findSecrets(text.slice(from, at + window)).find(
    ({ start, end }) => from + start < at && from + end > at,
  );
  return split ? { start: from + split.start, end: from + split.end } : { start: at, end: at };
}

export const clipWhole = (text: string, max: number): string =>
  text.length <= max ? text : clip(text, cutBeside(text, max).start);

/**
 * Masks text or JSON for readers other than the caller: log lines, events, exports, shared files, and titles in lists.
 * Ignores the setting.
 */
export const maskForExport = mask;

/** Like `maskForExport`, but only for text. Counts the masked secrets. */
export function createCountingMask() {
  let count = 0;
  return {
    mask(text: string): string {
      const secrets = findSecrets(text);
      count += secrets.length;
      return maskFound(text, secrets);
    },
    get count(): number {
      return count;
    },
  };
}

/** Compares two strings with their secrets masked. */
export const isSameButSecrets = (one: string, other: string): boolean =>
  one === other || maskSecrets(one) === maskSecrets(other);

function findPlaces(value: unknown, path: string, places: string[]): void {
  if (typeof value === "string") {
    const within = path === "" ? "" : ` in ${path}`;
    for (const { kind, start } of findSecrets(value)) places.push(`${kind}${within} at character ${start}`);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value))
    findPlaces(
      member,
      Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`,
      places,
    );
}

/** Changes every string in a JSON value, including field names. There is no limit on the depth. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  const changes: Changes = {
    member: (member) => (typeof member === "string" ? change(member) : mapMembers(member, changes)),
    key: change,
  };
  return changes.member(value, undefined);
}
