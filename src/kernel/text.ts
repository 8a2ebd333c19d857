/**
 * Characters that affect a terminal or a reader but are not visible. Characters of plane 14 can hide whole sentences,
 * and so can variation selectors after letters. Joiners are allowed in non-ASCII words, in emoji, and at the end of
 * words in Arabic, Syriac and Indian scripts. Variation selectors are allowed after characters that have variants, and
 * the Braille blank is allowed next to other Braille.
 */
const unseen = new RegExp(
  [
    "[\\p{Cc}\\p{Cs}\\p{Bidi_Control}\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2028\\u2029]",
    "[\\u2060-\\u206f\\u3164\\ufe03-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1343f}\\u{13441}\\u{13442}]",
    "[\\u{16fe4}\\u{1bca0}-\\u{1bca3}\\u{1d159}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\p{Noncharacter_Code_Point}]",
    "(?<![\\u0080-\\u200b\\u200e-\\u{10ffff}])[\\u200c\\u200d]",
    "(?<![\\u0620-\\u0dff])[\\u200c\\u200d](?![\\u0080-\\u200b\\u200e-\\u{10ffff}])",
    "(?<![\\u1000-\\u200a\\u2010-\\ufdff\\ufe10-\\u{10ffff}])[\\ufe00-\\ufe02]",
    "(?<![#*0-9\\u00a9\\u00ae\\u2010-\\ufdff\\ufe10-\\u{10ffff}])[\\ufe0e\\ufe0f]",
    "(?<![\\u2800-\\u28ff])\\u2800+(?![\\u2800-\\u28ff])",
  ].join("|"),
  "gu",
);
/** A quick check, because few texts contain one of these characters. */
const beyondAscii = /[\x7f-\uffff]/;
const unseenButLines = new RegExp(`(?![\\n\\r\\t])(?:${unseen.source})`, "gu");
const unseenOrQuoting = new RegExp(`${unseen.source}|["\\\\]`, "gu");

const shortEscapes: Record<string, string> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  '"': '\\"',
  "\\": "\\\\",
};

/** False for text with half a surrogate pair, which UTF-8 cannot represent. */
export function isWellFormed(text: string): boolean {
  // Node 20 has the method, but the es2023 type library does not include it yet.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Returns at most `max` UTF-16 units from the start, without splitting a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const endsInsidePair = isHighSurrogate(text.charCodeAt(max - 1)) && isLowSurrogate(text.charCodeAt(max));
  return text.slice(0, endsInsidePair ? max - 1 : max);
}

/**
 * Quotes text for error messages as `"…"`, with invisible characters escaped. `max` limits the escaped text between
 * the quotation marks, so that hostile text cannot inflate a message.
 */
export function quote(text: string, max = 120): string {
  let quoted = "";
  let whole = "";
  for (const character of clip(text, max + 2)) {
    whole += escapeQuoted(character);
    if (whole.length < max) quoted = whole;
    if (whole.length > max) return `"${withoutCutWord(quoted)}…"`;
  }
  return `"${whole}"`;
}

/** Drops a truncated word, because messages are masked later and half a secret would not be recognised. */
function withoutCutWord(text: string): string {
  const space = text.lastIndexOf(" ");
  return space === -1 ? text : text.slice(0, space + 1);
}

/** Returns the text on one line, safe to print on a terminal, with hidden characters made visible. */
export function visible(text: string): string {
  return text.replace(/\r\n|[\n\r]/g, "⏎").replace(unseen, escapeUnseen);
}

const hiddenInJson = new RegExp(`(?=[\\x7f-\\u{10ffff}])(?:${unseen.source})`, "gu");

/**
 * Prepares text for a JSON answer: makes characters that hide or reorder text visible. JSON itself escapes
 * ASCII control characters.
 */
export function escapeHidden(text: string): string {
  return beyondAscii.test(text) ? text.replace(hiddenInJson, escapeUnseen) : text;
}

/** Keeps line breaks and tabs, and makes all other hidden characters visible. */
export function escapeInvisible(text: string): string {
  return text.replace(unseenButLines, escapeUnseen);
}

/** Matches hidden characters, but no line breaks or tabs. A match is one character or several Braille blanks. */
export const unseenOnTerminal = new RegExp(`(?![\\n\\t])(?:${unseen.source})`, "gu");

/** Returns one line of JSON for programs that collect logs. Lines that are already JSON stay unchanged. */
export function toLogLine(text: string, at: Date): string {
  const line = toTerminal(text).trimEnd();
  if (line.startsWith("{")) return `${line}\n`;
  const message = line.replace(/^thoughtbox: /, "");
  const level = message === line ? "info" : "warn";
  return `${JSON.stringify({ time: at.toISOString(), level, message })}\n`;
}

/** Prepares text for printing or logs: makes control characters visible, except line breaks and tabs. */
export function toTerminal(text: string): string {
  return text.replace(unseenOnTerminal, escapeUnseen);
}

/** Like `toTerminal`, but for JSON text. The result is JSON with the same value. */
export function toTerminalJson(json: string): string {
  return json.replace(unseenOnTerminal, (character) =>
    Array.from({ length: character.length }, (_, at) => hexUnit(character.charCodeAt(at))).join(""),
  );
}

const hexUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

function escapeQuoted(character: string): string {
  return character.replace(unseenOrQuoting, escapeUnseen);
}

/** Escapes hidden characters. Has a fast path for one, because hostile text may contain half a million. */
function escapeUnseen(hidden: string): string {
  const code = hidden.codePointAt(0) ?? 0;
  const isOne = hidden.length === (code > 0xffff ? 2 : 1);
  return isOne
    ? (shortEscapes[hidden] ?? `\\u{${code.toString(16)}}`)
    : [...hidden].map(escapeUnseen).join("");
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Quotes a value for command lines that people paste into a shell. */
export function shellWord(value: unknown): string {
  const text = visible(typeof value === "string" ? value : JSON.stringify(value));
  return /^[\w@%+:,./*-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
