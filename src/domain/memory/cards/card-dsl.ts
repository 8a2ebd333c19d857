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

export const isKnownKey = (key: string): boolean => knownKeys.has(key.toLowerCase());

/**
 * Reads `key: value` lines up to the first blank line or `text:`; what follows is the text. `undefined` where a line
 * before that has another form or no key is a card's own: then it is prose.
 */
export function readCardLines(source: string): Fields | undefined {
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
