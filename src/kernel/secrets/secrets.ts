import { mapMembers } from "../json/map-members.ts";
import { findDisguised } from "./disguises.ts";
import { longRun, type SecretShape } from "./secret-shape.ts";
import { mayHoldVendorKey, secretShapes, vendorShapes } from "./secret-shapes.ts";
import { mayBeTyped, typedShapes } from "./typed-shapes.ts";

/** A secret in a text: UTF-16 offsets, `end` exclusive. */
export type Secret = { kind: string; start: number; end: number };

const shortestSecret = 8;

/** Compared without case, dashes and underscores. Page tokens and token counts stay readable. */
const secretName =
  /^(?:(?:access|api|auth|bearer|bot|refresh)?token|.*(?:secret|password|passwd|apikey|authorization|privatekey))$/;

/** By far the most frequent text without a blank, and no kind of secret by itself. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The secrets in a text, in order and without overlap. Takes linear time, whatever the text. */
export function findSecrets(text: string): Secret[] {
  if (text.length < shortestSecret || uuid.test(text)) return [];
  return joinOverlapping([
    ...shapesFor(text).flatMap((shape) => findShape(text, shape)),
    ...findDisguised(text, findPlain),
  ]);
}

/** Of a broken line only shapes that are known by their first letters: two ordinary lines may join to anything. */
function findPlain(plain: string, isBroken: boolean): Secret[] {
  const shapes = shapesFor(plain);
  return (isBroken ? shapes.filter(({ isLoose }) => !isLoose) : shapes).flatMap((shape) =>
    findShape(plain, shape),
  );
}

const looseShapes = secretShapes.filter(({ isLoose }) => isLoose);

/** Those that the text may hold: looking for each of the others would take most of the time. */
function shapesFor(text: string): readonly SecretShape[] {
  const hasLongRun = longRun.test(text);
  return [
    ...(hasLongRun && mayHoldVendorKey(text) ? vendorShapes : []),
    ...(hasLongRun ? secretShapes : looseShapes),
    ...(mayBeTyped(text) ? typedShapes : []),
  ];
}

/** The text with each secret replaced by its kind, such as `[secret:github-token]`; nothing of the secret remains. */
export const maskSecrets = (text: string): string => maskFound(text, findSecrets(text));

/** The same for those who know already what is in it. */
export function maskFound(text: string, secrets: readonly Secret[]): string {
  let masked = "";
  let done = 0;
  for (const { kind, start, end } of secrets) {
    masked += text.slice(done, start) + maskOf(kind);
    done = end;
  }
  return done === 0 ? text : masked + text.slice(done);
}

/**
 * A JSON value with the secrets masked in every string, keys included, and with everything masked under a key that is
 * named like a secret. What holds none is returned as it is. Plain JSON only: objects of a class pass unseen. Depth is the caller's concern: values come through
 * `findHostileJson` first.
 */
export function maskSecretsDeep(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  return mapMembers(value, {
    member: (member, key) =>
      key !== undefined && judgeKey(key).namesSecret ? maskWhole(member) : maskSecretsDeep(member),
    key: showKey,
  });
}

function maskWhole(value: unknown): unknown {
  if (typeof value === "number" || (typeof value === "string" && value !== "")) return maskOf("credential");
  return mapMembers(value, { member: maskWhole, key: showKey });
}

const showKey = (name: string): string => judgeKey(name).shown;

/** A key as it may be shown, and whether what stands under it is a secret by its name. */
type Key = { shown: string; namesSecret: boolean };

/** Answers and events are made of a few hundred field names; a key that holds a secret is never kept. */
const judgedKeys = new Map<string, Key>();
const mostJudgedKeys = 2_000;
const longestJudgedKey = 64;

function judgeKey(name: string): Key {
  const known = judgedKeys.get(name);
  if (known) return known;
  const key = { shown: maskSecrets(name), namesSecret: isSecretName(name) };
  const isWorthKeeping = key.shown === name && name.length <= longestJudgedKey;
  if (isWorthKeeping && judgedKeys.size < mostJudgedKeys) judgedKeys.set(name, key);
  return key;
}

function isSecretName(key: string): boolean {
  return secretName.test(key.slice(0, 100).toLowerCase().replace(/[_-]/g, ""));
}

function maskOf(kind: string): string {
  return `[secret:${kind}]`;
}

function findShape(text: string, { kind, pattern, accepts }: SecretShape): Secret[] {
  // Most texts hold no secret, and `search` asks without the copy of the pattern that `matchAll` makes.
  if (text.search(pattern) === -1) return [];
  const found: Secret[] = [];
  for (const match of text.matchAll(pattern)) {
    const secret = match.groups?.["secret"] ?? match[0];
    const end = match.index + match[0].length;
    if (accepts?.(secret, text[end]) === false) continue;
    found.push({ kind, start: end - secret.length, end });
  }
  return found;
}

function joinOverlapping(secrets: Secret[]): Secret[] {
  const joined: Secret[] = [];
  for (const secret of secrets.sort((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last && secret.start < last.end) last.end = Math.max(last.end, secret.end);
    else joined.push(secret);
  }
  return joined;
}
