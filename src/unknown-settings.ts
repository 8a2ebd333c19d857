import { nearest } from "./kernel/nearest.ts";
import { quote } from "./kernel/text.ts";
import { settings } from "./settings.ts";

const prefix = "THOUGHTBOX_";
/** Members of config.json that this or an earlier version wrote. They have no effect. */
const besides = ["installId", "createdAt", "version"];
const named = 5;

/** Returns one sentence for each unused variable or member of config.json. Most are typos. */
export function explainUnknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  stored: Readonly<Record<string, unknown>>,
): string[] {
  const variables = settings
    .flatMap(({ variable, alias }) => [variable, alias])
    .filter((name) => name !== undefined);
  const ours = variables.filter((name) => name.startsWith(prefix));
  const strayVariables = Object.keys(env)
    .filter((name) => name.startsWith(prefix) && env[name]?.trim() && !variables.includes(name))
    .map((name) => {
      const guess = nearest(
        name.slice(prefix.length),
        ours.map((known) => known.slice(prefix.length)),
      );
      return complain(`${name} is not a setting`, guess && `${prefix}${guess}`);
    });
  const keys = settings.map(({ key }) => key);
  const groups = new Set(keys.filter((key) => key.includes(".")).map((key) => key.split(".")[0]));
  const strayKeys = Object.entries(stored)
    .filter(([, value]) => value !== null)
    .flatMap(([key, value]) =>
      groups.has(key) && isObject(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
    )
    .filter((key) => !keys.includes(key) && !besides.includes(key))
    .map((key) => complain(`config.json has ${quote(key, 60)}, which is not a setting`, nearest(key, keys)));
  return [...strayVariables, ...strayKeys].slice(0, named);
}

const complain = (problem: string, guess: string | undefined): string =>
  `${problem}. It is ignored.${guess ? ` Did you mean ${guess}?` : " thoughtbox config lists all settings."}`;

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
