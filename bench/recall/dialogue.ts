import type { RecallSession } from "./recall-set.ts";

/** JSON of unknown shape. Loaders use the fields they know and skip the rest. */
export type Loose = Record<string, unknown>;

export const isLoose = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const months = "january february march april may june july august september october november december".split(
  " ",
);

/** Parses "1:56 pm on 8 May, 2023", "29.12.2023, 21:45:30" or any JavaScript date. Returns undefined if invalid. */
export function readTime(value: unknown): string | undefined {
  const text = textOf(value);
  const spoken = /^(\d{1,2}):(\d{2}) ?([ap]m) on (\d{1,2}) ([a-z]+),? (\d{4})$/i.exec(text.trim());
  if (spoken) {
    const [, hour = "0", minute = "0", half = "", day = "1", name = "", year = "0"] = spoken;
    const hours = (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
    const month = months.indexOf(name.toLowerCase());
    return month < 0
      ? undefined
      : new Date(Date.UTC(Number(year), month, Number(day), hours, Number(minute))).toISOString();
  }
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? +(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text.trim());
  if (dotted) {
    const [day = 1, month = 1, year = 0, hour = 0, minute = 0, second = 0] = dotted
      .slice(1)
      .map((part) => Number(part ?? 0));
    return new Date(Date.UTC(year, month - 1, day, hour, minute, second)).toISOString();
  }
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** Reads the sessions in a dialogue: `session_1`, `session_1_date_time`, `session_2` … Each turn becomes a thought. */
export function readSessions(dialogue: Loose, prefix: string): RecallSession[] {
  const numbers = Object.keys(dialogue)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
  return numbers.flatMap((number) => {
    const turns = dialogue[`session_${number}`];
    if (!Array.isArray(turns)) return [];
    const spoken = turns.filter(isLoose).filter((turn) => wordsOf(turn) !== "");
    const created =
      readTime(dialogue[`session_${number}_date_time`]) ??
      readTime(spoken[0]?.["date_time"]) ??
      new Date(0).toISOString();
    const thoughts = spoken.map((turn, index) => ({
      key: `${prefix}/${textOf(turn["dia_id"]) || `session_${number}:${index + 1}`}`,
      text: `${textOf(turn["speaker"])}: ${wordsOf(turn)}`,
      at: readTime(turn["date_time"]) ?? created,
    }));
    return thoughts.length === 0 ? [] : [{ key: `${prefix}/session_${number}`, created, thoughts }];
  });
}

/** Returns a turn's text, with the caption of an attached picture. */
function wordsOf(turn: Loose): string {
  const said = textOf(turn["clean_text"]) || textOf(turn["text"]);
  const shown = textOf(turn["blip_caption"]);
  return [said, shown === "" ? "" : `[${shown}]`].filter((part) => part !== "").join(" ");
}

/** Returns the turns that are evidence. Sometimes one text contains several turns: ["D1:3; D2:4"]. */
export function readEvidence(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  return texts.flatMap((text) => text.match(/D\d+:\d+/g) ?? []);
}
