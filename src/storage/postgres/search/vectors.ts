import { createHash } from "node:crypto";

/** What one tsvector may contain: positions, places of one word, and bytes; with some room. */
const most = { position: 16_000, places: 250, bytes: 800_000, word: 1_000 };
/** Words that two pieces of a text share, so that a phrase across their border is found in one of them. */
const shared = 32;
/** Between two fields: no phrase reaches from one into the next. */
const gap = 100;

/** PostgreSQL accepts no longer words, and they are not searched by prefix. */
const lexeme = (stem: string): string =>
  stem.length > most.word ? `~${createHash("sha256").update(stem).digest("hex")}` : stem;

/** As a tsvector and a tsquery read it. */
export const quoteLexeme = (text: string): string =>
  /['\\]/.test(text) ? `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'` : `'${text}'`;

const quoted = (stem: string): string => quoteLexeme(lexeme(stem));

const stemsOf = (text: string): string[] => text.split(" ").filter((stem) => stem !== "");

/** Stems with their places, as text that PostgreSQL reads as tsvector: one piece, or several of a very long text. */
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

/** Stems that stand one behind the other, as tsquery. `prefix`: the last may be the beginning of a longer one. */
export function toQuery(stems: string, ending: "exact" | "prefix" = "exact"): string {
  const words = stemsOf(stems).map(quoted);
  if (words.length === 0) return "";
  return `(${words.join(" <-> ")}${ending === "prefix" ? ":*" : ""})`;
}
