import { hasRandomPart, looksLikeSecret } from "./secret-values.ts";

/**
 * What one kind of secret looks like. The secret is the group `secret`, at the end of the match, or the whole match.
 * Every pattern is linear on hostile text: a failed attempt stops after a bounded number of characters or at a
 * character that the next attempt cannot cross.
 */
export type SecretShape = {
  kind: string;
  pattern: RegExp;
  accepts?: (secret: string, following: string | undefined) => boolean;
};

/**
 * A prefix that is not inside a word, but may stand right behind `\n` in JSON that was pasted as text.
 * Looking back after the prefix instead of before it lets the engine skip through text without the prefix.
 */
function atWordStart(prefix: string): string {
  return `${prefix}(?<=(?:^|[^A-Za-z0-9_-]|\\\\[nrt])${prefix})`;
}

const pemLabel = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

const assignment = [
  "(?:token|secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|api[_ -]?key|authorization|private[_ -]?key)",
  "[\"'`*\\\\]{0,3}[ \\t]{0,16}(?:={1,3}>?|:=?)[ \\t]{0,16}",
].join("");
/** In `secret: password: x` the second name is not the value of the first; taking it would hide what follows. */
const valueStart = `(?:(?:basic|bearer|token)[ \\t]{1,16})?(?![\\w-]{0,40}${assignment})`;

/** Specific shapes first: where two shapes meet at one place, the first gives the kind. */
export const secretShapes: readonly SecretShape[] = [
  {
    kind: "private-key",
    pattern: new RegExp(`-----BEGIN ${pemLabel}[^-]*(?:-(?!----)[^-]*)*-----END ${pemLabel}`, "g"),
    accepts: (block) => /[A-Za-z0-9+/=]{10}/.test(block),
  },
  {
    // A block that was cut off: only what is plainly key material.
    kind: "private-key",
    pattern: new RegExp(`-----BEGIN ${pemLabel}(?:\\s|\\\\[nr]|[A-Za-z0-9+/=]{16,})+`, "g"),
    accepts: (block) => /[A-Za-z0-9+/=]{32}/.test(block),
  },
  { kind: "github-token", pattern: /gh[oprsu]_[A-Za-z0-9]{20,}/g, accepts: (token) => !isFiller(token) },
  { kind: "github-token", pattern: /github_pat_[A-Za-z0-9_]{22,}/g, accepts: (token) => !isFiller(token) },
  {
    kind: "api-key",
    pattern: new RegExp(`${atWordStart("sk-")}[A-Za-z0-9_-]{16,}`, "g"),
    accepts: isRandomKey,
  },
  {
    // Every AKIA is a key id; ASIA also begins ordinary words, which have no digit.
    kind: "aws-access-key",
    pattern: new RegExp(
      `${atWordStart("A[KS]IA")}(?:(?<=AKIA)|(?=[A-Z]{0,15}[0-9]))[A-Z0-9]{16}(?![A-Za-z0-9])`,
      "g",
    ),
  },
  { kind: "slack-token", pattern: /xox[abeprs]-[A-Za-z0-9-]{10,}/g, accepts: (token) => /\d/.test(token) },
  { kind: "google-api-key", pattern: /AIza[A-Za-z0-9_-]{35}/g },
  {
    kind: "jwt",
    pattern: new RegExp(
      `${atWordStart("eyJ")}[A-Za-z0-9_-]{5,}\\.eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]{4,}`,
      "g",
    ),
  },
  {
    kind: "bearer-token",
    pattern: /\bBearer[ \t]{1,16}(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
    accepts: looksLikeSecret,
  },
  {
    kind: "credential",
    pattern: new RegExp(`${assignment}\\\\?["'\`]${valueStart}(?<secret>[^\\s"'\`\\\\]{8,})`, "gi"),
    accepts: looksLikeSecret,
  },
  {
    kind: "credential",
    pattern: new RegExp(
      `${assignment}${valueStart}(?<secret>(?:[^\\s"'\`\\\\,;&<>{}()[\\]]|&(?![\\w.-]{1,40}=)){8,})`,
      "gi",
    ),
    accepts: (value, following) => !isCode(following) && looksLikeSecret(value),
  },
];

function isRandomKey(key: string): boolean {
  return hasRandomPart(key) && !isFiller(key);
}

function isFiller(token: string): boolean {
  return /x{8}|\*{3}|0{12}/i.test(token.slice(0, 64));
}

/** `token = createToken2(…)` calls something instead of naming a value. */
function isCode(following: string | undefined): boolean {
  return following === "(" || following === "[";
}
