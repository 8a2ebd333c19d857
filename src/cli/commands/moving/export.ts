import { delimiter, dirname, resolve } from "node:path";
import { sessionExport } from "../../../operations/ledger/session/session-export.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { nameSession } from "../../name-session.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import { formatBytes } from "../../rendering/words.ts";

type Exported = ResultOf<typeof sessionExport>;

const flags: FieldFlags = { format: { field: "format", value: "format" } };

export const exportCommand: Command = {
  name: "export",
  group: "Move",
  summary: "Write a session as JSON, Markdown or cipher notation.",
  words: ["<session>"],
  options: {
    ...optionsFrom(sessionExport, flags),
    to: {
      value: "place",
      describe:
        "File or directory to write to. Default: stdout. If the name ends in .md, the default format is Markdown.",
    },
  },
  details: [
    "JSON contains everything and can be imported. The other two are for reading. In cipher notation, thoughts on branches are numbered after those on the main line.",
  ],
  examples: [
    { line: "thoughtbox export latest --format markdown", shows: "to the screen or a pipe" },
    { line: "thoughtbox export latest --to session.json", shows: "to import elsewhere" },
    { line: "thoughtbox export latest --format cipher --to notes", shows: "to a directory" },
  ],

  async run({ terminal, words: [word = ""], flags: given }) {
    const to = given.text("to");
    const destination = to === undefined ? undefined : resolve(terminal.directory, to);
    const exported = await withStore(
      terminal,
      async (host) =>
        ask(host, sessionExport, {
          sessionId: await nameSession(host, word),
          ...formatByEnding(to),
          ...argumentsFrom(given, flags),
          ...(destination !== undefined && { destination }),
        }),
      destination === undefined ? {} : allow(destination),
    );
    return destination === undefined ? toStdout(exported) : toFile(exported);
  },
};

/** Returns the format that a file name implies: Markdown for `notes.md`. */
const formatByEnding = (to = ""): { format?: "markdown" } =>
  /\.(?:md|markdown)$/i.test(to) ? { format: "markdown" } : {};

/** Allows an export to the path that the person named. */
export function allow(path: string): Record<string, string> {
  return { THOUGHTBOX_EXPORT_DIRS: [path, dirname(path)].join(delimiter) };
}

function toFile(exported: Exported): Answer {
  return {
    data: exported,
    lines: ({ paint }) => [`Wrote ${exported.path} ${paint.dim(`(${formatBytes(exported.bytes)})`)}`],
  };
}

/** Prints the whole session to the terminal, however large it is. */
function toStdout(exported: Exported): Answer {
  const { content = "", export: json } = exported;
  return { data: exported, lines: () => [content.trimEnd()], isDocument: true, ...(json && { json }) };
}
