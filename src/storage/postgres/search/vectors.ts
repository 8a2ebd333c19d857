import { createHash } from "node:crypto";
import { phrasesOf, toStems } from "../../../domain/search/words/words.ts";

/** Limits for one tsvector, below PostgreSQL's own: highest position, positions per word, bytes, and word length. */
const most = { position: 16_000, places: 250, bytes: 800_000, word: 1_000 };
/** The number of words that two parts of a text share, so that a phrase across their border is complete in one. */
const shared = 32;
/** The gap in positions between two fields, so that no phrase spans two fields. */
const gap = 100;

/** Returns a stem, hashed if it is too long for PostgreSQL. Hashed words cannot be searched by prefix. */
const lexeme = (stem: string): string =>
  stem.length > most.word ? `~${createHash("sha256").update(stem).digest("hex")}` : stem;

/** Quotes a lexeme for a tsvector or tsquery. */
export const quoteLexeme = (text: string): string =>
  /['\\]/.test(text) ? `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'` : `'${text}'`;

const quoted = (stem: string): string => quoteLexeme(lexeme(stem));

const stemsOf = (text: string): string[] => text.split(" ").filter((stem) => stem !== "");

/**
 * Returns stems with their positions, as text that PostgreSQL reads as a tsvector. Splits a very long text
 * into several parts.
 */
export function toVectors(...fields: string[]): string[] {
  const vectors: string[] = [];
  let places = new Map<string, number[]>();
  let [position, bytes] = [0, 0];
  const close = () => {
    vectors.push(Array.from(places, ([stem, at]) => `${quoted(stem)}:${at.join(",")}`).join(" "));
    places = new Map();
    [position, bytes] = [0, 0];
  };
  const add = (stem: string): boolean => {
    position += 1;
    bytes += stem.length * 3 + 8;
    const known = places.get(stem);
    if (known) known.push(position);
    else places.set(stem, [position]);
    return position >= most.position || bytes >= most.bytes || (known?.length ?? 0) >= most.places;
  };
  for (const field of fields) {
    const stems = stemsOf(field);
    for (const [n, stem] of stems.entries())
      if (add(stem)) {
        close();
        for (const again of stems.slice(Math.max(0, n + 1 - shared), n + 1)) add(again);
      }
    position += gap;
  }
  if (places.size > 0 || vectors.length === 0) close();
  return vectors;
}

/** Returns a tsquery for consecutive stems. With `prefix`, the last stem may be the beginning of a longer word. */
export function toQuery(stems: string, ending: "exact" | "prefix" = "exact"): string {
  const words = stemsOf(stems).map(quoted);
  if (words.length === 0) return "";
  return `(${words.join(" <-> ")}${ending === "prefix" ? ":*" : ""})`;
}

/**
 * Turns what a person typed into a tsquery that requires every word and every "quoted phrase", by prefix. `undefined`
 * if nothing searchable is left.
 */
export function matchWords(query: string): string | undefined {
  const phrases = phrasesOf(query);
  if (phrases.length === 0) return undefined;
  const wanted = phrases.map((phrase) => toQuery(toStems(phrase), "prefix")).filter((one) => one !== "");
  return wanted.length === 0 ? undefined : wanted.join(" & ");
}
