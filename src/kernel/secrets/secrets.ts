import { mapMembers } from "../json/walk-json.ts";
import { findEncoded } from "./encoded-runs.ts";
import { longRun, type SecretShape } from "./secret-shape.ts";
import { secretShapes, vendorShapes } from "./secret-shapes.ts";
import { typedShapes } from "./typed-shapes.ts";

/** A secret in text: UTF-16 offsets, `end` exclusive. */
export type Secret = { kind: string; start: number; end: number };

const shortestSecret = 8;

/**
 * Matches keys whose values are secrets, ignoring case, dashes and underscores. Does not match page tokens or
 * token counts.
 */
const secretName =
  /^(?:(?:access|api|auth|bearer|bot|refresh)?token|.*(?:secret|password|passwd|apikey|authorization|privatekey))$/;

/** Matches IDs and times, the most common strings without spaces. They are never secrets. */
const idOrTime =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::\d{1,9})?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)$/;

const none: readonly never[] = [];

/** Finds the secrets in text, in order and without overlap. Always takes linear time. */
export function findSecrets(text: string): readonly Secret[] {
  if (text.length < shortestSecret || idOrTime.test(text)) return none;
  const hasRun = longRun.test(text);
  const found = findShapes(text, shapesFor(text, hasRun));
  const disguised = findDisguised(text, findPlain);
  const encoded = hasRun ? findEncoded(text, judgeDecoded) : none;
  if (found.length + disguised.length + encoded.length === 0) return none;
  return joinOverlapping([...found, ...disguised, ...encoded]);
}

const mostLoose = 8_192;
const keyHeader = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;

/**
 * Returns the kind of the first secret in decoded text. Long text is often a source map, in which assignments
 * are code, so it is only searched for shapes with a known prefix.
 */
function judgeDecoded(plain: string, isNested = false): string | undefined {
  if (keyHeader.test(plain)) return "private-key";
  const shapes =
    plain.length <= mostLoose ? shapesFor(plain) : strict.anyMark.test(plain) ? strict.shapes : none;
  const [found] = [
    ...findShapes(plain, shapes),
    ...(isNested ? none : findEncoded(plain, (inner) => judgeDecoded(inner, true))),
  ];
  return found?.kind;
}

/**
 * Across a line break, finds only shapes with a known prefix, because two ordinary lines joined together may look like
 * a secret.
 */
function findPlain(plain: string, isBroken: boolean): readonly Secret[] {
  const shapes = shapesFor(plain);
  return findShapes(plain, isBroken ? shapes.filter(({ isLoose }) => !isLoose) : shapes);
}

/** If two shapes match at the same position, the earlier one determines the kind. */
const allShapes = [...vendorShapes, ...secretShapes, ...typedShapes];
const groupOf = (shapes: readonly SecretShape[], flags: string) => ({
  shapes,
  anyMark: new RegExp([...new Set(shapes.map(({ mark }) => mark))].join("|"), flags),
});
const strict = groupOf(
  allShapes.filter(({ isLoose }) => !isLoose),
  "",
);
const loose = groupOf(
  allShapes.filter(({ isLoose }) => isLoose),
  "i",
);

/** Returns the shapes that the text may contain. Searching for all shapes would take much longer. */
function shapesFor(text: string, hasRun = longRun.test(text)): readonly SecretShape[] {
  const mayBeStrict = hasRun && strict.anyMark.test(text);
  const mayBeLoose = loose.anyMark.test(text);
  if (mayBeStrict) return mayBeLoose ? allShapes : strict.shapes;
  return mayBeLoose ? loose.shapes : none;
}

/** Replaces each secret with its kind, such as `[secret:github-token]`. No part of the secret remains. */
export const maskSecrets = (text: string): string => maskFound(text, findSecrets(text));

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
 * Creates a function that masks secrets in a JSON value. The function masks the secrets in every string,
 * including keys. If a key is named like a secret, it masks every string and number in the key's value.
 * Passes each masked string to `show`. Returns the same value if nothing changes. Skips objects that are not
 * plain JSON. There is no limit on the depth, so call `findHostileJson` first.
 */
export function createDeepMask(show: (text: string) => string = (text) => text) {
  /**
   * Answers and events use only a few hundred field names, so results are cached. Keys that contain a secret are never
   * cached.
   */
  const judgedKeys = new Map<string, Key>();

  function judgeKey(name: string): Key {
    const known = judgedKeys.get(name);
    if (known) return known;
    const key = { shown: show(maskSecrets(name)), namesSecret: isSecretName(name) };
    const isWorthKeeping = key.shown === name && name.length <= longestJudgedKey;
    if (isWorthKeeping && judgedKeys.size < mostJudgedKeys) judgedKeys.set(name, key);
    return key;
  }

  const showKey = (name: string): string => judgeKey(name).shown;
  const masking = {
    member(value: unknown, key: string | undefined): unknown {
      if (key !== undefined && judgeKey(key).namesSecret) return hiding.member(value);
      return typeof value === "string" ? show(maskSecrets(value)) : mapMembers(value, masking);
    },
    key: showKey,
  };
  const hiding = {
    member(value: unknown): unknown {
      const isSecret = typeof value === "number" || (typeof value === "string" && value !== "");
      return isSecret ? maskOf("credential") : mapMembers(value, hiding);
    },
    key: showKey,
  };
  return (value: unknown): unknown => masking.member(value, undefined);
}

/** A key as it may be shown, and whether its name marks the value as a secret. */
type Key = { shown: string; namesSecret: boolean };

const mostJudgedKeys = 2_000;
const longestJudgedKey = 64;

function isSecretName(key: string): boolean {
  return secretName.test(key.slice(0, 100).toLowerCase().replace(/[_-]/g, ""));
}

function maskOf(kind: string): string {
  return `[secret:${kind}]`;
}

function findShapes(text: string, shapes: readonly SecretShape[]): readonly Secret[] {
  if (shapes.length === 0) return none;
  const found: Secret[] = [];
  for (const { kind, pattern, accepts } of shapes) {
    // Most text contains no secret, and unlike `matchAll`, `search` does not copy the pattern.
    if (text.search(pattern) === -1) continue;
    for (const match of text.matchAll(pattern)) {
      const secret = match.groups?.["secret"] ?? match[0];
      const end = match.index + match[0].length;
      if (accepts?.(secret, text[end]) === false) continue;
      found.push({ kind, start: end - secret.length, end });
    }
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

/** Text without its disguise, with the original position of each character. */
type Plain = { text: string; starts: Uint32Array; ends: Uint32Array };

/** Matches invisible characters, and full-width letters that look like ASCII. */
const unseenOrWide = /[\p{Default_Ignorable_Code_Point}\uff01-\uff5e]/gu;
const encoded = /%(?:2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi;
/** Matches a line break in a word, with the indentation or quote marks that editors and mail clients add. */
const brokenLine = /(?<=[\w-]{4})\\?\r?\n[ \t>|]{0,40}(?=[\w-]{6})/g;

const widthOffset = 0xfee0;

type Disguise = {
  /** A string that occurs in every text with this disguise. */
  needs?: string;
  /** Matches any text that may be disguised this way. The match is quick. */
  marks: RegExp;
  pattern: RegExp;
  show(match: string): string;
  /** Reports only secrets that the disguise splits. The plain search has already found the others. */
  mustSpan?: true;
};

const disguises: readonly Disguise[] = [
  {
    marks: /[\p{Default_Ignorable_Code_Point}\uff01-\uff5e]/u,
    pattern: unseenOrWide,
    show: (character) =>
      character >= "\uff01" && character <= "\uff5e"
        ? String.fromCharCode(character.charCodeAt(0) - widthOffset)
        : "",
  },
  {
    needs: "%",
    marks: /%[2-7][0-9a-f]/i,
    pattern: encoded,
    show: (triplet) => String.fromCharCode(Number.parseInt(triplet.slice(1), 16)),
  },
  {
    // Terminal colours, for example in the output of grep.
    needs: "\u001b[",
    marks: /\[[0-9;:]{0,32}[A-Za-z]/,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: such a code begins with ESC
    pattern: /\u001b\[[0-9;:]{0,32}[A-Za-z]/g,
    show: () => "",
  },
  {
    // Bold, italic and other mathematical letters.
    needs: "\ud835",
    marks: /\ud835[\udc00-\udfff]/,
    pattern: /[\u{1d400}-\u{1d7ff}]/gu,
    show: (letter) => letter.normalize("NFKC"),
  },
  {
    needs: "\\",
    marks: /\\(?:x|u00)[2-7][0-9a-f]/i,
    pattern: /\\(?:x|u00)(?:2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi,
    show: (sequence) => String.fromCharCode(Number.parseInt(sequence.slice(-2), 16)),
  },
  {
    needs: "\n",
    marks:
      /(?<![A-Za-z0-9])(?:gh[oprsu]_|github_pat_|sk-|A[KS]IA|xox[abeoprs]-|AIza|[rs]k_live_|npm_|glpat-|hf_|SG\.|eyJ|ya29\.)/,
    pattern: brokenLine,
    show: () => "",
    mustSpan: true,
  },
];

/**
 * Finds secrets that are split by line breaks or invisible characters, written in full-width letters, or
 * URL-encoded. `find` searches the plain text. In a broken line, searches only for strict shapes, which have
 * a known prefix.
 */
export function findDisguised(
  text: string,
  find: (plain: string, isBroken: boolean) => readonly Secret[],
): readonly Secret[] {
  let found: readonly Secret[] = [];
  for (const disguise of disguises) {
    const { needs, marks, pattern } = disguise;
    if (needs !== undefined && !text.includes(needs)) continue;
    if (marks.test(text) && text.search(pattern) !== -1)
      found = [...found, ...findBehind(text, disguise, find)];
  }
  return found;
}

function findBehind(
  text: string,
  { pattern, show, mustSpan }: Disguise,
  find: (plain: string, isBroken: boolean) => readonly Secret[],
): Secret[] {
  const plain = undo(text, pattern, show);
  return find(plain.text, mustSpan === true)
    .map(({ kind, start, end }) => ({
      kind,
      start: plain.starts[start] ?? 0,
      end: plain.ends[end - 1] ?? text.length,
      length: end - start,
    }))
    .filter(({ start, end, length }) => !mustSpan || end - start > length)
    .map(({ kind, start, end }) => ({ kind, start, end }));
}

function undo(text: string, pattern: RegExp, show: (match: string) => string): Plain {
  const plain = { text: "", starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  const parts: string[] = [];
  let [done, written] = [0, 0];
  const write = (start: number, end: number) => {
    plain.starts[written] = start;
    plain.ends[written] = end;
    written += 1;
  };
  const copy = (until: number) => {
    parts.push(text.slice(done, until));
    for (let at = done; at < until; at += 1) write(at, at + 1);
  };
  for (const match of text.matchAll(pattern)) {
    copy(match.index);
    done = match.index + match[0].length;
    const shown = show(match[0]);
    if (shown !== "") write(match.index, done);
    parts.push(shown);
  }
  copy(text.length);
  return { ...plain, text: parts.join("") };
}
