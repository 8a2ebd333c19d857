import { clipWhole, cutBeside } from "../../kernel/secrets/secrets-policy.ts";
import { escapeInvisible } from "../../kernel/text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and cursor moves of terminals begin with ESC
const terminalCodes = /\u001b\[[0-9;:?]{0,32}[@-~]/g;

/** Removes the colour codes from program output. */
export const withoutColours = (text: string): string => text.replace(terminalCodes, "");

/** Makes external text safe to store and show: escapes invisible characters and limits the length. */
export const cleanText = (text: string, max: number): string =>
  cutText(escapeInvisible(clipWhole(text.replaceAll("\r\n", "\n"), max * 2)), max);

const mark = " […]";

/** Shortens text to at most `max` characters, and marks the omission. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : clipWhole(text, max - mark.length) + mark;
}

/** Shortens text like `cutText`, but after a whole word if that drops at most a third of the text. */
export function cutAtWord(text: string, max: number): string {
  const cut = cutText(text, max);
  if (cut === text || text.charAt(cut.length - mark.length) === " ") return cut;
  const end = cut.lastIndexOf(" ", cut.length - mark.length - 1);
  return end < (max * 2) / 3 ? cut : cut.slice(0, end).replace(/[\s,;:–-]+$/, "") + mark;
}

/** Removes the middle of a long text, because the beginning and the end are the most informative parts. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor((max - 7) / 2);
  const end = text.slice(cutBeside(text, text.length - half).end).replace(/^[\udc00-\udfff]/, "");
  return `${clipWhole(text, half)}\n[…]\n${end}`;
}

const injectedBeginnings = [
  ...["<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "<bash-", "Caveat: "],
  ...["<environment_context>", "<user_instructions>", "<permissions instructions>", "<INSTRUCTIONS>"],
  ...["<session_context>", "<hook_context>", "<system_reminder>"],
  ...["# AGENTS.md instructions for ", "<user_action>", "<turn_aborted>", "<task-notification>"],
  ...["<ide_opened_file>", "<ide_selection>", "Operation stopped by hook: "],
];

/** True for notices that a program passes to the model as user messages. */
export function isInjected(text: string): boolean {
  const beginning = text.slice(0, 200).trimStart();
  return injectedBeginnings.some((mark) => beginning.startsWith(mark));
}
