import { visible } from "../../../kernel/text.ts";
import type { PinnedCard, WhyAnswer } from "./why.ts";

/** Escapes stored text, so that it cannot contain headings, links or mentions. */
export const escapeMarkdown = (text: string): string => escapeText(visible(text.trim()).replaceAll("⏎", " "));

const escapeText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]#|~!]/g, "\\$&")
    // Editors and code hosts turn bare addresses into links.
    .replaceAll(/:(?=\/\/)|(?<=\bwww)\./gi, "\\$&")
    .replaceAll("@", "@\u200b");

/** Escapes a line except for its code spans, because nothing in them is Markdown. */
export const escapeAroundCode = (text: string): string =>
  visible(text.trim())
    .replaceAll("⏎", " ")
    .split(/((?<!`)`[^`]+`(?!`))/)
    .map((part, at) => (at % 2 === 1 ? part : escapeText(part)))
    .join("");

export const inCode = (text: string): string => `\`${visible(text).replaceAll("`", "'")}\``;

/** Returns what has changed about a card, such as its file. Empty if the card still applies unchanged. */
export const marksOf = ({ state, ground }: PinnedCard): string =>
  [
    ...(state === undefined || state === "holds" ? [] : [state.replace("_", " ")]),
    ...(ground === "moved" ? ["the file changed since"] : []),
  ].join(", ");

export function citeCard(card: PinnedCard): string {
  const marks = marksOf(card);
  return `${inCode(card.id)} ${escapeMarkdown(card.title)}${marks === "" ? "" : ` (${marks})`}`;
}

/** Returns the texts of an answer in reading order, with their labels. */
function partsOf({ asked, proposal, earlier, because, context, commit }: WhyAnswer): [string, string][] {
  const parts: [string, string | undefined][] = [
    ["asked", asked?.text],
    ["agreed to", proposal?.text],
    ["earlier", earlier?.text],
    ["because", because?.text],
    ["before", context?.text],
    ["message", commit?.message],
  ];
  return parts.flatMap(([label, text]) => (text === undefined ? [] : [[label, text]]));
}

const howWords = {
  sure: "wrote it: sure",
  likely: "wrote it: likely",
  "by-commit": "by-commit: wrote nearly all other lines that the commit added to this file",
} as const;

/** Formats answers for a pull request. Omits lines that no session wrote. */
export function toMarkdown(
  answers: readonly WhyAnswer[],
  { more, pinned = [] }: { more?: number | undefined; pinned?: readonly PinnedCard[] | undefined },
): string[] {
  const known = answers.filter(({ by }) => by);
  const cards = pinned.length === 0 ? [] : ["", "Decisions and cards about these files:", ""];
  cards.push(...pinned.map((card) => `- ${citeCard(card)}`));
  if (known.length === 0) return ["No imported session wrote lines in this change.", ...cards];
  return [
    "### Why these lines",
    "",
    ...known.flatMap(({ given_up = [], ...answer }) => [
      `- **${inCode(`${answer.file}:${answer.lines}`)}** (${answer.by?.agent}, ${answer.by?.how}, session \`${answer.by?.sessionId.slice(0, 8)}\`)`,
      ...partsOf(answer).map(([label, text]) => `  - ${label}: ${escapeMarkdown(text)}`),
      ...given_up.map(({ what }) => `  - given up: ${escapeMarkdown(what)}`),
    ]),
    ...(more === undefined ? [] : ["", `… and ${more} more.`]),
    ...cards,
  ];
}

/** Formats an answer that an editor shows above a line. Returns `undefined` if nothing is known about the line. */
export function toHover(answer: WhyAnswer, pinned: readonly PinnedCard[] = []): string | undefined {
  const { by, commit, given_up = [], since = [] } = answer;
  if (!by && pinned.length === 0) return undefined;
  const title = by?.title === undefined ? "" : ` · ${escapeMarkdown(by.title)}`;
  const paragraphs = [
    by
      ? `**${escapeMarkdown(by.agent)}** · ${by.at.slice(0, 10)} · ${howWords[by.how]}${title}`
      : "No imported session wrote this line.",
    ...partsOf(answer).map(([label, text]) => `**${label}** ${escapeMarkdown(text)}`),
    ...given_up.map(({ what }) => `**given up** ${escapeMarkdown(what)}`),
    ...since.map(({ what, at }) => `**since** ${escapeMarkdown(what)}, ${at.slice(0, 10)}`),
    ...pinned.map((card) => `**see** ${citeCard(card)}`),
    ...(commit ? [`${inCode(commit.sha)} ${escapeMarkdown(commit.subject)}`] : ["not committed yet"]),
    ...(by ? [`\`thoughtbox show ${by.sessionId.slice(0, 8)}\``] : []),
  ];
  return paragraphs.join("\n\n");
}
