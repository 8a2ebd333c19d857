import { visible } from "../../../kernel/text.ts";
import type { PinnedCard, WhyAnswer } from "./why.ts";

/** Stored text is quoted, so that nothing in it becomes a heading, a link or a mention. */
export const escapeMarkdown = (text: string): string =>
  visible(text.trim())
    .replaceAll("⏎", " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]#|~!]/g, "\\$&")
    // Editors and code hosts turn bare addresses into links.
    .replaceAll(/:(?=\/\/)|(?<=\bwww)\./gi, "\\$&")
    .replaceAll("@", "@\u200b");

export const inCode = (text: string): string => `\`${visible(text).replaceAll("`", "'")}\``;

/** Empty if the card still applies unchanged. */
export const marksOf = ({ state, ground }: PinnedCard): string =>
  [
    ...(state === undefined || state === "holds" ? [] : [state.replace("_", " ")]),
    ...(ground === "moved" ? ["the file changed since"] : []),
  ].join(", ");

export function citeCard(card: PinnedCard): string {
  const marks = marksOf(card);
  return `${inCode(card.id)} ${escapeMarkdown(card.title)}${marks === "" ? "" : ` (${marks})`}`;
}

/** For a pull request. Omits lines that no session wrote. */
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
    ...known.flatMap(({ file, lines, by, asked, because, given_up = [] }) => [
      `- **${inCode(`${file}:${lines}`)}** (${by?.agent}, ${by?.how}, session \`${by?.sessionId.slice(0, 8)}\`)`,
      ...(asked ? [`  - asked: ${escapeMarkdown(asked.text)}`] : []),
      ...(because ? [`  - because: ${escapeMarkdown(because.text)}`] : []),
      ...given_up.map(({ what }) => `  - given up: ${escapeMarkdown(what)}`),
    ]),
    ...(more === undefined ? [] : ["", `… and ${more} more.`]),
    ...cards,
  ];
}

/** For an editor, above a line. `undefined` if nothing is known about the line. */
export function toHover(
  { by, commit, asked, because, given_up = [], since = [] }: WhyAnswer,
  pinned: readonly PinnedCard[] = [],
): string | undefined {
  if (!by && pinned.length === 0) return undefined;
  const title = by?.title === undefined ? "" : ` · ${escapeMarkdown(by.title)}`;
  const paragraphs = [
    by
      ? `**${escapeMarkdown(by.agent)}** · ${by.at.slice(0, 10)} · ${by.how}${title}`
      : "No imported session wrote this line.",
    ...(asked ? [`**asked** ${escapeMarkdown(asked.text)}`] : []),
    ...(because ? [`**because** ${escapeMarkdown(because.text)}`] : []),
    ...given_up.map(({ what }) => `**given up** ${escapeMarkdown(what)}`),
    ...since.map(({ what, at }) => `**since** ${escapeMarkdown(what)}, ${at.slice(0, 10)}`),
    ...pinned.map((card) => `**see** ${citeCard(card)}`),
    ...(commit ? [`${inCode(commit.sha)} ${escapeMarkdown(commit.subject)}`] : ["not committed yet"]),
    ...(by ? [`\`thoughtbox show ${by.sessionId.slice(0, 8)}\``] : []),
  ];
  return paragraphs.join("\n\n");
}
