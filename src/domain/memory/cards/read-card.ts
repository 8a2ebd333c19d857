import { findHostileJson } from "../../../kernel/json/walk-json.ts";
import { quote } from "../../../kernel/text.ts";
import type { Meta } from "../entry.ts";
import { normaliseTags } from "../graph.ts";
import { isReservedNode, memoryLimits } from "../limits.ts";
import { badCard, type Card, type CardType, cardTypes, isCardType, openStatus } from "./card.ts";

/** A card that has no ID yet. */
export type NewCard = Omit<Card, "id" | "type"> & {
  id?: string | undefined;
  type: CardType;
  supports: readonly string[];
  blocks: readonly string[];
};

type Raw = { known: Map<string, unknown>; others: [string, unknown][] };

/** Reads a card from an object, JSON, `key: value` lines or plain text. The tool may require a `type`. */
export function readCard(given: unknown, type?: CardType, fields: Record<string, unknown> = {}): NewCard {
  const whole = typeof given === "string" ? readText(given) : readObject(given ?? {});
  const known = new Map([...whole.known, ...sortKeys(Object.entries(fields)).known]);
  const raw: Raw = { known, others: whole.others };
  const said = readType(raw, type);
  const card: NewCard = {
    id: readId(raw.known),
    type: said,
    title: readWords(raw.known.get("title"), "title", memoryLimits.title),
    text: readWords(raw.known.get("text"), "text", memoryLimits.text),
    status: readStatus(raw.known.get("status")),
    tags: readTags(raw.known.get("tags")),
    meta: readMeta(raw),
    supports: readCardIds(raw.known.get("supports"), "card.supports"),
    blocks: readCardIds(raw.known.get("blocks"), "card.blocks"),
  };
  if (card.title === undefined && card.text === undefined)
    throw badCard(
      "A card needs a title or text.",
      { kind: "non_empty", field: "card.title", expected: "title or text" },
      said,
    );
  return card;
}

/** Matches the beginning of a JSON object that may be incomplete. */
const opensJson = /^\{\s*"[^"]{0,128}"\s*:/;

type Fields = ReadonlyMap<string, string>;

const line = /^([A-Za-z_][\w-]{0,63}):(?:[ \t]+(.*))?$/;

const knownKeys = new Set([
  "id",
  "card_id",
  "type",
  "card_type",
  "title",
  "text",
  "status",
  "tags",
  "meta",
  "supports",
  "blocks",
]);

const isKnownKey = (key: string): boolean => knownKeys.has(key.toLowerCase());

/**
 * Reads `key: value` lines up to the first blank line or `text:`. The rest of the input is the text. Returns
 * `undefined` for prose: if one of these lines has another form, or if no key is a card field.
 */
function readCardLines(source: string): Fields | undefined {
  const lines = source.split(/\r?\n/);
  const fields = new Map<string, string>();
  for (const [at, written] of lines.entries()) {
    if (written.trim() === "") {
      const rest = lines.slice(at + 1).join("\n");
      if (rest.trim() !== "" && !fields.has("text")) fields.set("text", rest);
      break;
    }
    const [, key, value = ""] = line.exec(written) ?? [];
    if (key === undefined) return undefined;
    if (key.toLowerCase() === "text") {
      fields.set("text", [value, ...lines.slice(at + 1)].join("\n"));
      break;
    }
    fields.set(key, value.trim());
  }
  return [...fields.keys()].some(isKnownKey) ? fields : undefined;
}

function readText(given: string): Raw {
  const text = given.trim();
  if (text.startsWith("{") && (text.endsWith("}") || opensJson.test(text)))
    return readObject(parseJson(text, "card"));
  const fields = readCardLines(text);
  if (!fields) return sortKeys([["text", given]]);
  refuseHostile(Object.fromEntries(fields), "card");
  return sortKeys([...fields]);
}

function parseJson(text: string, field: string): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw badCard("The card looks like JSON but is not valid. Check braces and quotation marks.", {
      kind: "type",
      field: "card",
      expected: "a JSON object, key: value lines, or plain text",
    });
  }
  refuseHostile(parsed, field);
  return parsed;
}

/** Refuses unsafe JSON that was passed as text. Objects were already checked with the other arguments. */
function refuseHostile(value: unknown, field: string): void {
  const hostile = findHostileJson(value, field);
  if (hostile) throw badCard(`${hostile.path} ${hostile.problem}.`, { kind: "type", field });
}

function readObject(given: unknown): Raw {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw badCard("A card must be an object or a string.", {
      kind: "type",
      field: "card",
      expected: "object",
    });
  return sortKeys(Object.entries(given));
}

/** Converts known keys to lower case. Other keys do not change. */
function sortKeys(entries: readonly [string, unknown][]): Raw {
  const given = entries.filter(([, value]) => value !== undefined && value !== null);
  const known = new Map(
    given
      .filter(([key]) => isKnownKey(key))
      .map(([key, value]) => [key.toLowerCase().replace(/^card_/, ""), value]),
  );
  return { known, others: given.filter(([key]) => !isKnownKey(key)) };
}

function readType({ known }: Raw, wanted: CardType | undefined): CardType {
  const given = known.get("type");
  if (given === undefined || given === "") return wanted ?? "note";
  const type = typeof given === "string" ? given.trim().toLowerCase() : "";
  if (!isCardType(type))
    throw badCard(
      `${typeof given === "string" ? quote(given, 60) : "The value of card.type"} is not a card type. The types are ${cardTypes.join(", ")}.`,
      { kind: "type", field: "card.type", expected: [...cardTypes] },
    );
  if (wanted !== undefined && wanted !== type)
    throw badCard(
      `This tool writes ${wanted} cards, but the card has the type ${type}.`,
      { kind: "type", field: "card.type", expected: wanted },
      wanted,
    );
  return type;
}

function readId(known: Raw["known"]): string | undefined {
  const id = readWords(known.get("id"), "id", memoryLimits.nodeId);
  if (id !== undefined) checkCardId(id, "card.id");
  return id;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const control = /[\u0000-\u001f\u007f-\u009f]/;

const isOddWord = (word: string): boolean => control.test(word) || word.includes("|");

/** Refuses an ID that breaks the rules for node IDs or the additional rules for card IDs. */
export function checkCardId(id: string, field: string): void {
  if (id.length > memoryLimits.nodeId)
    throw badCard(`${field} must have at most ${memoryLimits.nodeId} characters.`, { kind: "length", field });
  if (isOddWord(id))
    throw badCard(`${field} must not contain control characters or "|".`, { kind: "type", field });
  if (isReservedNode(id))
    throw badCard(`${field}: IDs beginning with task: or step: are reserved for tasks.`, {
      kind: "prefix",
      field,
    });
}

function readWords(value: unknown, field: string, longest: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw badCard(`card.${field} must be text.`, {
      kind: "type",
      field: `card.${field}`,
      expected: "string",
    });
  const text = String(value).trim();
  if (text.length > longest)
    throw badCard(`card.${field} must have at most ${longest} characters.`, {
      kind: "length",
      field: `card.${field}`,
      expected: longest,
    });
  return text === "" ? undefined : text;
}

function readStatus(value: unknown): string {
  const status = readWords(value, "status", memoryLimits.word)?.toLowerCase();
  if (status !== undefined) checkCardId(status, "card.status");
  return status ?? openStatus;
}

/** Reads an array of strings, a JSON array as text, or a comma-separated text. */
function readList(value: unknown, field: string): string[] {
  if (value === undefined) return [];
  const items = typeof value === "string" ? splitList(value, field) : value;
  if (!Array.isArray(items) || items.some((item) => typeof item !== "string"))
    throw badCard(`${field} must be a list of strings.`, { kind: "type", field, expected: "string[]" });
  return (items as string[]).map((item) => item.trim()).filter((item) => item !== "");
}

function splitList(value: string, field: string): unknown {
  return value.trimStart().startsWith("[") ? parseJson(value, field) : value.split(",");
}

export function readTags(value: unknown): string[] {
  const tags = normaliseTags(readList(value, "card.tags"));
  if (tags.length > memoryLimits.tags || tags.some((tag) => tag.length > memoryLimits.tag))
    throw badCard(
      `A card can have at most ${memoryLimits.tags} tags of at most ${memoryLimits.tag} characters each.`,
      { kind: "length", field: "card.tags" },
    );
  if (tags.some(isOddWord))
    throw badCard('card.tags must have no control characters and no "|".', {
      kind: "type",
      field: "card.tags",
    });
  return tags;
}

const maxEdges = 64;

/** Returns the IDs of other cards, sorted and without duplicates. */
export function readCardIds(value: unknown, field: string): string[] {
  const ids = [...new Set(readList(value, field))].sort();
  if (ids.length > maxEdges)
    throw badCard(`${field} can name at most ${maxEdges} cards.`, { kind: "length", field });
  for (const id of ids) checkCardId(id, field);
  return ids;
}

/** Adds every key that is not a card field to the card's `meta`. */
function readMeta({ known, others }: Raw): Meta | undefined {
  const given = known.get("meta");
  const isJson = typeof given === "string" && given.trim().startsWith("{");
  const parsed = isJson ? parseJson(given.trim(), "card.meta") : given;
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  const entries = [
    ...others,
    ...(isObject ? Object.entries(parsed) : parsed === undefined || parsed === "" ? [] : [["meta", parsed]]),
  ] as [string, unknown][];
  if (entries.length === 0) return undefined;
  const meta = Object.fromEntries(entries);
  if (JSON.stringify(meta).length > memoryLimits.meta)
    throw badCard(`card.meta must have at most ${memoryLimits.meta} characters as JSON.`, {
      kind: "length",
      field: "card.meta",
    });
  return meta;
}
