type Json = Record<string, unknown>;

/**
 * A text from `offset` on. It happens here, after secrets were hidden, so that no offset can cut one in two and show
 * the rest of it.
 */
export function fromOffset(answer: Json, key: string, field: string): Json {
  const item = answer[key] as Json | undefined;
  const text = item?.[field];
  const offset = answer["offset"];
  if (typeof text !== "string" || typeof offset !== "number") return answer;
  return { ...answer, [key]: { ...item, [field]: text.slice(offset) }, content_chars: text.length };
}

/** Where the text goes on that was cut to fit. */
export function withNextOffset(answer: Json, whole: unknown, shown: unknown): Json {
  if (typeof whole !== "string" || shown === whole) return answer;
  const offset = typeof answer["offset"] === "number" ? answer["offset"] : 0;
  const kept = typeof shown === "string" ? shown.length - (shown.endsWith("…") ? 1 : 0) : 0;
  return { ...answer, content_chars: offset + whole.length, next_offset: offset + kept };
}
