import { nearest } from "../../../kernel/nearest.ts";
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
  summary: "Show each setting and its source, or change one.",
  words: ["[get|set|unset]", "[name]", "[value]"],
  details: [
    "The environment overrides config.json, and config.json overrides the default. Secrets are never shown.",
    "`get` shows one value. `set` and `unset` change config.json in the data directory. Refer to a setting by its listed name or its variable.",
  ],
  examples: [
    { line: "thoughtbox config", shows: "all settings" },
    { line: "thoughtbox config get dataDir", shows: "one value, for a script" },
    { line: "thoughtbox config set observatory.port 1730", shows: "change one permanently" },
    { line: "THOUGHTBOX_PROJECT=shop thoughtbox config --json", shows: "as JSON" },
  ],

  async run({ terminal, words: [verb, named, value] }) {
    if (verb === "get") return showOne(terminal, named, value);
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

/** Prints only the whole value, so that it can be piped into another program. */
function showOne(terminal: Terminal, named: string | undefined, surplus: string | undefined): Answer {
  if (named === undefined) throw notUnderstood("config get needs the name of a setting.", help);
  if (surplus !== undefined) throw notUnderstood("config get takes one name and no value.", help);
  const settings = terminal.settings();
  const found = settings.find(({ key }) => key === named);
  if (!found) {
    const guess = nearest(
      named,
      settings.map(({ key }) => key),
    );
    throw notUnderstood(
      `There is no setting ${quote(named, 60)}.${guess ? ` Did you mean ${guess}?` : ""}`,
      "thoughtbox config lists all settings.",
    );
  }
  const { key, source, secret } = found;
  const shown = secret ? null : (found.value ?? null);
  return { data: { key, value: shown, source }, lines: () => [showValue(found)] };
}

function change(
  terminal: Terminal,
  verb: string,
  named: string | undefined,
  value: string | undefined,
): Answer {
  if (verb !== "set" && verb !== "unset")
    throw notUnderstood(`config has no subcommand ${quote(verb, 60)}. Use get, set or unset.`, help);
  if (named === undefined) throw notUnderstood(`config ${verb} needs the name of a setting.`, help);
  if (verb === "set" && value === undefined) throw notUnderstood(`config set ${named} needs a value.`, help);
  if (verb === "unset" && value !== undefined)
    throw notUnderstood("config unset takes no value. It restores the default.", help);
  const saved = terminal.saveSetting(named, value);
  const done = verb === "set" ? `${saved.key} is now ${value}` : `${saved.key} is back to its default`;
  return {
    data: { ...saved, value: value ?? null },
    lines: ({ paint }) => [
      `${oneLine(done)}. Saved in ${oneLine(saved.file)}. Restart a running server to apply the change.`,
      ...(saved.overruledBy ? [paint.yellow(`${saved.overruledBy} in your environment overrides it.`)] : []),
    ],
  };
}

const help = "See thoughtbox config --help";

const keyWidth = 29;

/** True if a value and its source do not fit next to each other. */
function isNarrow({ width }: RenderContext, settings: readonly ShownSetting[]): boolean {
  const widest = (show: (setting: ShownSetting) => string) => Math.max(...settings.map(show).map(textWidth));
  return keyWidth + widest(showValue) + 2 + widest(showSource) > width;
}

const renderWide = (context: RenderContext, settings: readonly ShownSetting[]): string[] =>
  renderTable(
    context,
    [
      { title: "setting", cell: ({ key }) => key },
      {
        title: "value",
        cell: showValue,
        paint: (text, setting) => paintValue(context, setting)(text),
      },
      { title: "from", cell: showSource, paint: context.paint.dim },
    ],
    settings,
  );

/** Shows the whole value, and its source on the next line unless it is the default. */
function renderNarrow(context: RenderContext, setting: ShownSetting): string[] {
  const isBeside = context.width - keyWidth >= 20;
  const room = context.width - (isBeside ? keyWidth : 2);
  const value = wrap(showValue(setting), room).map(paintValue(context, setting));
  const source =
    setting.source === "default" ? [] : wrap(`from ${showSource(setting)}`, room).map(context.paint.dim);
  if (!isBeside) return [setting.key, ...[...value, ...source].map((line) => `  ${line}`)];
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
