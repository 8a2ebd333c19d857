import { visible } from "../../kernel/text.ts";
import { cutText } from "./clean-text.ts";
import { asList, type JsonFields, member, textOf } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";

/** The most informative arguments of a call, in this order. */
const describingFields = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
];
const shells = new Set([
  "bash",
  "shell",
  "exec_command",
  "local_shell",
  "container.exec",
  "run_shell_command",
]);

/** Describes a tool call on one line: the shell command, or the tool and its main argument. */
export function describeCall(name: string, input: JsonFields | undefined): string {
  const asked = describingFields.map((field) => spellOut(member(input, field))).find((text) => text !== "");
  const isShell = shells.has(name.toLowerCase());
  return cutText(visible(isShell && asked ? asked : [name, asked].filter(Boolean).join(" ")), longest);
}

const longest = transcriptLimits.command;

/** Turns `["bash", "-lc", "ls"]` into `ls`. */
function spellOut(value: unknown): string {
  if (typeof value === "string") return cutText(value, 2 * longest);
  const words = asList(value).flatMap((word) => (typeof word === "string" ? [cutText(word, longest)] : []));
  const [program, option, script] = words;
  if (/(?:^|\/)(?:ba|z)?sh$/.test(program ?? "") && option?.startsWith("-") && script !== undefined)
    return script;
  return words.slice(0, 40).join(" ");
}

/** Parses the input of a call, which some programs write as a JSON string. */
export function parseInput(text: string | undefined): JsonFields | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as JsonFields)
      : undefined;
  } catch {
    return { command: textOf({ text }, "text") ?? "" };
  }
}
