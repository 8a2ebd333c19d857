import type { Command } from "../../command.ts";
import type { ShownSetting } from "../../host.ts";
import { renderTable } from "../../rendering/table.ts";
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
        renderTable(
          context,
          [
            { title: "setting", cell: ({ key }) => key },
            {
              title: "value",
              cell: showValue,
              flexible: 20,
              paint: (text, { source }) => (source === "default" ? text : context.paint.green(text)),
            },
            {
              title: "from",
              cell: ({ source }) => (source.startsWith('"') ? "config.json" : source),
              paint: context.paint.dim,
              expendable: 1,
            },
          ],
          settings,
        ),
    };
  },
};

function showValue({ value, secret, source }: ShownSetting): string {
  if (secret) return source === "default" ? "–" : "(set, not shown)";
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "–";
  return oneLine(Array.isArray(value) ? value.join(", ") : String(value));
}
