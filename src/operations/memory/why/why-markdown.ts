import { visible } from "../../../kernel/text.ts";
import type { WhyAnswer } from "./why.ts";

/** Stored text is quoted, so that nothing in it becomes a heading, a link or a mention. */
export const escapeMarkdown = (text: string): string =>
  visible(text.trim())
    .replaceAll("⏎", " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]#|~!]/g, "\\$&")
    // Editors and code hosts make links of bare addresses.
    .replaceAll(/:(?=\/\/)|(?<=\bwww)\./gi, "\\$&")
    .replaceAll("@", "@\u200b");

const inCode = (text: string): string => `\`${visible(text).replaceAll("`", "'")}\``;

/** A list for a pull request. Omits lines that no session wrote. */
export function toMarkdown(answers: readonly WhyAnswer[], more: number | undefined): string[] {
  const known = answers.filter(({ by }) => by);
  if (known.length === 0) return ["No imported session wrote lines of this change."];
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
  ];
}

/** One answer as an editor shows it above a line. `undefined` if no session wrote the line. */
export function toHover({
  by,
  commit,
  asked,
  because,
  given_up = [],
  since = [],
}: WhyAnswer): string | undefined {
  if (!by) return undefined;
  const title = by.title === undefined ? "" : ` · ${escapeMarkdown(by.title)}`;
  const paragraphs = [
    `**${escapeMarkdown(by.agent)}** · ${by.at.slice(0, 10)} · ${by.how}${title}`,
    ...(asked ? [`**asked** ${escapeMarkdown(asked.text)}`] : []),
    ...(because ? [`**because** ${escapeMarkdown(because.text)}`] : []),
    ...given_up.map(({ what }) => `**given up** ${escapeMarkdown(what)}`),
    ...since.map(({ what, at }) => `**since** ${escapeMarkdown(what)}, ${at.slice(0, 10)}`),
    ...(commit ? [`${inCode(commit.sha)} ${escapeMarkdown(commit.subject)}`] : ["not committed yet"]),
    `\`thoughtbox show ${by.sessionId.slice(0, 8)}\``,
  ];
  return paragraphs.join("\n\n");
}
