import { quote } from "../../../kernel/text.ts";
import type { Answer, Command } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";
import type { ShownSetting, Terminal } from "../../host.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderTable } from "../../rendering/table.ts";
import { pad, textWidth, wrap } from "../../rendering/width.ts";
import { oneLine } from "../../rendering/words.ts";

export const config: Command = {
  name: "config",
  group: "Care",
  summary: "Show the settings and where each one comes from, or change one.",
  words: ["[set|unset]", "[name]", "[value]"],
  details: [
    "The environment overrides config.json, and config.json overrides the default. Secrets are never shown.",
    "`set` and `unset` change config.json in the data directory. Name a setting as it is listed here, or by its variable.",
  ],
  examples: [
    { line: "thoughtbox config", shows: "all settings" },
    { line: "thoughtbox config set observatory.port 1730", shows: "changes one for good" },
    { line: "THOUGHTBOX_PROJECT=shop thoughtbox config --json", shows: "for a program" },
  ],

  async run({ terminal, words: [verb, named, value] }) {
    if (verb !== undefined) return change(terminal, verb, named, value);
    const settings = terminal.settings();
    const data = settings.map(({ key, source, value, secret }) => ({
      key,
      value: secret ? null : (value ?? null),
      source,
    }));
    return {
      data: { settings: data },
      lines: (context) =>
        isNarrow(context, settings)
          ? settings.flatMap((setting) => renderNarrow(context, setting))
          : renderWide(context, settings),
    };
  },
};

function change(
  terminal: Terminal,
  verb: string,
  named: string | undefined,
  value: string | undefined,
): Answer {
  if (verb !== "set" && verb !== "unset")
    throw notUnderstood(`config does not know ${quote(verb, 60)}. It knows set and unset.`, help);
  if (named === undefined) throw notUnderstood(`config ${verb} needs the name of a setting.`, help);
  if (verb === "set" && value === undefined) throw notUnderstood(`config set ${named} needs a value.`, help);
  if (verb === "unset" && value !== undefined)
    throw notUnderstood("config unset takes no value. It restores the default.", help);
  const saved = terminal.saveSetting(named, value);
  const done = verb === "set" ? `${saved.key} is now ${value}` : `${saved.key} has its default again`;
  return {
    data: { ...saved, value: value ?? null },
    lines: ({ paint }) => [
      `${oneLine(done)}, in ${oneLine(saved.file)}. A running server uses it after a restart.`,
      ...(saved.overruledBy ? [paint.yellow(`${saved.overruledBy} in your environment overrides it.`)] : []),
    ],
  };
}

const help = "See thoughtbox config --help";

/** Of the names, and of as much of a value as is worth a column. */
const [keyWidth, valueWidth] = [29, 20];

/** A value and where it comes from do not fit beside each other. */
function isNarrow({ width }: RenderContext, settings: readonly ShownSetting[]): boolean {
  const sources = settings.map((setting) => textWidth(showSource(setting)));
  return keyWidth + valueWidth + 2 + Math.max(...sources) > width;
}

const renderWide = (context: RenderContext, settings: readonly ShownSetting[]): string[] =>
  renderTable(
    context,
    [
      { title: "setting", cell: ({ key }) => key },
      {
        title: "value",
        cell: showValue,
        flexible: valueWidth,
        paint: (text, setting) => paintValue(context, setting)(text),
      },
      { title: "from", cell: showSource, paint: context.paint.dim },
    ],
    settings,
  );

/** The value whole, and below it where it comes from, unless it is the default. */
function renderNarrow(context: RenderContext, setting: ShownSetting): string[] {
  const value = wrap(showValue(setting), context.width - keyWidth).map(paintValue(context, setting));
  const source = setting.source === "default" ? [] : [context.paint.dim(`from ${showSource(setting)}`)];
  return [...value, ...source].map((line, at) => pad(at === 0 ? setting.key : "", keyWidth) + line);
}

const paintValue = ({ paint }: RenderContext, { source }: ShownSetting) =>
  source === "default" ? (text: string) => text : paint.green;

const showSource = ({ source }: ShownSetting): string => (source.startsWith('"') ? "config.json" : source);

function showValue({ value, secret, source }: ShownSetting): string {
  if (secret) return source === "default" ? "–" : "(set, not shown)";
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "–";
  return oneLine(Array.isArray(value) ? value.join(", ") : String(value));
}
