import { findSecrets, maskFound, maskSecrets, maskSecretsDeep } from "./secrets.ts";

export type SecretsSetting = "warn" | "redact" | "off";

/** What is done about secrets, decided once by the setting; nobody else finds or masks any. */
export type SecretsPolicy = {
  /** What is about to be stored: as it may be stored, and where secrets stood in it, such as `jwt at character 3`. */
  forInput<Value>(value: Value): { stored: Value; places: readonly string[]; isMasked: boolean };
  /** A text or any JSON that a caller, or a viewer of the Observatory, is shown. */
  forAnswer<Value>(value: Value): Value;
};

export function createSecretsPolicy(setting: SecretsSetting): SecretsPolicy {
  if (setting === "off")
    return {
      forInput: (value) => ({ stored: value, places: [], isMasked: false }),
      forAnswer: (value) => value,
    };
  return {
    forInput(value) {
      const places: string[] = [];
      findPlaces(value, "", places);
      const isMasked = setting === "redact" && places.length > 0;
      return { stored: isMasked ? mask(value) : value, places, isMasked };
    },
    forAnswer: mask,
  };
}

/**
 * A text or any JSON that leaves for others than the caller: log lines, events, exports for readers, shared files,
 * titles that stand in lists. Masked whatever the setting.
 */
export const maskForOthers = mask;

/** The same for texts, with a count of what was masked so far. */
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

/** Whether two texts are the same, or would be with their secrets masked. */
export const isSameButSecrets = (one: string, other: string): boolean =>
  one === other || maskSecrets(one) === maskSecrets(other);

function mask<Value>(value: Value): Value {
  return maskSecretsDeep(value) as Value;
}

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
