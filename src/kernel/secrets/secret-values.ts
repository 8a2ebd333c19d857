/** Names with digits that are not secrets, alone or in a longer name such as `oauth2-bearer`. */
const technicalTerms = [
  "argon2(?:id|i|d)?",
  "(?:sha|md|aes|rsa|rfc|utf|v)\\d{1,5}",
  "[hrpe]s\\d{3}",
  "(?:ed|x|curve)25519",
  "oauth[12]",
  "base(?:32|64)(?:url)?",
  "pbkdf2",
  "x509",
  "[ik]\\d{1,2}[ns]",
].join("|");

const part = `(?:${technicalTerms}|[a-z]+|\\d{1,5}(?:t\\d{1,5})?[a-z]?)`;

/** Matches words, small numbers, dates and dotted names: `must-be-rotated`, `2024-06-15`, `config.auth.token`. */
const ordinary = new RegExp(`^${part}(?:[-_./:#']${part})*[.!?:]*$`, "i");

const references = [
  /^[[<{]|^\$[A-Z_{(]|^%\w+%$/,
  /^(?:process\.env|os\.environ|env|secrets|vars|config|this|self)\./,
  /^[A-Za-z_]+\$\d{1,3}$/,
  /^[a-z][a-z0-9+.-]*:\/\/[^@]*$/i,
  /^(?:(?:~|\.{1,2})\/|\/[\w.-]+\/)[\w./-]*$/,
  /^[\w.+-]+@[\w-]+\.[\w.-]+$/,
];

const placeholders = [
  /(?:^|[-_.])(?:your|example|placeholder|dummy|redacted|changeme)(?:[-_.]|$)/i,
  /\*{3}|x{4}|\.{3}|…/i,
  /^(.)\1*$/,
];

/** Matches runs that are longer than any word, or that change case more often than identifiers do. */
const tooLongForWords = /[a-z]{24}|[A-Z]{24}|(?:[A-Z][a-z]){8}/;

const sampleLength = 200;

/** True if a value is likely a secret, and not a word, a placeholder or a reference. */
export function looksLikeSecret(value: string): boolean {
  if (value.length < 8) return false;
  // The beginning is enough to recognise a secret, and a hostile value may be megabytes long.
  const sample = value.slice(0, sampleLength);
  if ([...references, ...placeholders].some((pattern) => pattern.test(sample))) return false;
  return tooLongForWords.test(sample) || (/\d|\w[!@#$%^]\w|\w==?$/.test(sample) && !ordinary.test(sample));
}

/** Like `looksLikeSecret`, for a value in a sentence or a cookie. Such a value may be shorter. */
export function looksLikePassword(value: string): boolean {
  const sample = value.slice(0, sampleLength).replace(/[.,;:!?)\]]+$/, "");
  if (sample.length < 6 || isPlaceholder(sample) || ordinary.test(sample)) return false;
  if ([...references, ...placeholders].some((pattern) => pattern.test(sample))) return false;
  return /\d|[!@#$%^&*]|[a-z][A-Z]{2}/.test(sample) && /[A-Za-z]/.test(sample) && !/[(){}<>]/.test(sample);
}

/** True for placeholders in examples. */
export function isPlaceholder(password: string): boolean {
  const word =
    /^(?:pass(?:word|wd|phrase)?|pwd?|pw|secret|token|user(?:name)?|admin|root|postgres|guest|test|foo|bar|abc|xyz|x+|\d{1,5})$/i;
  return word.test(password) || /^[$%[{(*.]|^your|\.{3}|…/i.test(password);
}

/**
 * True if a token with dashes contains key material: `sk-proj-…` has a long random part, and `sk-fading-circle-12` does
 * not.
 */
export function hasRandomPart(token: string): boolean {
  return token
    .slice(0, sampleLength)
    .split(/[-_]/)
    .some((run) => run.length >= 20 || (run.length >= 12 && /\d/.test(run) && /[a-z]/i.test(run)));
}
