import type { Command } from "../../command.ts";
import type { ShownSetting } from "../../host.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderTable } from "../../rendering/table.ts";
import { pad, textWidth, wrap } from "../../rendering/width.ts";
import { oneLine } from "../../rendering/words.ts";

export const config: Command = {
  name: "config",
  group: "Care",
  summary: "The settings that hold here, and where each comes from.",
  details: ["Environment goes before config.json, config.json before the default. Secrets are never shown."],
  examples: [
    { line: "thoughtbox config", shows: "all settings" },
    { line: "THOUGHTBOX_PROJECT=shop thoughtbox config --json", shows: "for a program" },
  ],

  async run({ terminal }) {
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
