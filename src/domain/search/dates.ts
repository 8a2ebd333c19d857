/**
 * A day, month or year in a question. If the question contains no year, the date is in the year of the
 * session that it is compared with.
 */
export type NamedDate = { year?: number; month?: number; day?: number };

const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** After one of these words, the name of a month is a date even without a day or year. */
const leadingWords = new Set(
  "in of on since during by until before after early late mid around last this end".split(" "),
);
const maxDates = 8;
const msOfDay = 86_400_000;

type Token = { text: string; number?: number; ordinal: boolean };

export function datesIn(question: string): NamedDate[] {
  const found: NamedDate[] = [];
  const rest = question.replace(/\b(20\d\d)-(\d\d)(?:-(\d\d))?\b/g, (_, year, month, day) => {
    found.push(dateOf(Number(year), Number(month), day === undefined ? undefined : Number(day)));
    return ";";
  });
  const tokens = tokensOf(rest);
  const taken = new Set<number>();
  for (const [at, { text }] of tokens.entries()) {
    const month = monthOf(text);
    if (month !== undefined) found.push(readMonth(tokens, at, month, taken));
  }
  for (const [at, token] of tokens.entries())
    if (isYear(token) && !taken.has(at)) found.push({ year: token.number });
  return found.filter(exists).slice(0, maxDates);
}

/** Splits text into words and the marks between them. Words with a mark between them are not one date. */
function tokensOf(text: string): Token[] {
  return [...text.matchAll(/(\d+)(st|nd|rd|th)?\b|\p{L}+|[^\s,.\p{L}\d]/giu)].map(
    ([word, digits, ordinal]) => ({
      text: word,
      ...(digits !== undefined && { number: Number(digits) }),
      ordinal: ordinal !== undefined,
    }),
  );
}

function monthOf(word: string): number | undefined {
  const lower = word.toLowerCase();
  const at = months.findIndex((name) => name === lower || name.slice(0, 3) === lower);
  if (at >= 0) return at + 1;
  return lower === "sept" ? 9 : undefined;
}

const isYear = (token: Token | undefined): token is Token & { number: number } =>
  token?.number !== undefined && token.number >= 2000 && token.number <= 2099;
const isDay = (token: Token | undefined): token is Token & { number: number } =>
  token?.number !== undefined && token.text.replace(/\D+$/, "").length <= 2;

function readMonth(tokens: readonly Token[], at: number, month: number, taken: Set<number>): NamedDate {
  const isOf = (n: number) => tokens[n]?.text.toLowerCase() === "of";
  const yearAt = (n: number): number | undefined => {
    const place = isOf(n) ? n + 1 : n;
    if (!isYear(tokens[place])) return undefined;
    taken.add(place);
    return tokens[place]?.number;
  };
  const before = tokens[isOf(at - 1) ? at - 2 : at - 1];
  if (isDay(before)) {
    const year = yearAt(at + 1);
    const isVerb = tokens[at]?.text === "may" && year === undefined && !before.ordinal;
    return isVerb ? {} : dateOf(year, month, before.number);
  }
  const next = tokens[at + 1];
  if (isDay(next)) return dateOf(yearAt(at + 2), month, next.number);
  const year = yearAt(at + 1);
  if (year !== undefined) return dateOf(year, month);
  const lead = tokens[at - 1]?.text.toLowerCase() ?? "";
  const isVerb = tokens[at]?.text === "may" && lead === "this";
  return leadingWords.has(lead) && !isVerb ? dateOf(undefined, month) : {};
}

const dateOf = (year?: number, month?: number, day?: number): NamedDate => ({
  ...(year !== undefined && { year }),
  ...(month !== undefined && { month }),
  ...(day !== undefined && { day }),
});

function exists({ year, month, day }: NamedDate): boolean {
  if (month === undefined) return year !== undefined;
  const longest = longestMonths[month - 1] ?? 0;
  return longest > 0 && (day === undefined || (day >= 1 && day <= longest));
}

/**
 * Rates how close a session is to the nearest date, from 0 to 1. A day counts more than a month, and a month
 * more than a year. Sessions after the date are rated higher than sessions before it.
 */
export function nearness(created: string, dates: readonly NamedDate[]): number {
  const at = Date.parse(created.slice(0, 10));
  const year = Number(created.slice(0, 4));
  if (Number.isNaN(at)) return 0;
  return dates.reduce((best, date) => Math.max(best, nearnessTo(date, at, year)), 0);
}

const dayWorth = 1;
const monthWorth = 0.6;
const yearWorth = 0.2;
const after = { worth: 0.8, days: 14 };
const before = { worth: 0.5, days: 7 };

function nearnessTo(date: NamedDate, at: number, ownYear: number): number {
  const { year = ownYear, month, day } = date;
  if (month === undefined) return year === ownYear ? yearWorth : 0;
  const first = Date.UTC(year, month - 1, day ?? 1);
  const last = day === undefined ? Date.UTC(year, month, 0) : first;
  const worth = day === undefined ? monthWorth : dayWorth;
  if (at >= first && at <= last) return worth;
  const side = at > last ? after : before;
  const days = (at > last ? at - last : first - at) / msOfDay;
  return worth * side.worth * Math.max(0, 1 - days / side.days);
}
